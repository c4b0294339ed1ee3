"""Client quotas: what an entity (user, client id, address, or a mix) may use. Read and written back, not yet enforced.

Always true: an entity is the same whatever the order in which a record names its parts; one without quotas is not in
the image. A part whose name is None stands for the default of its type.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.messages.metadata_records import ClientQuotaRecord, ClientQuotaRecord_EntityData

Entity = tuple[tuple[str, str | None], ...]  # (type, name), in the order of the types


@dataclass(frozen=True, slots=True)
class ClientQuotasImage:
    """The quotas of each entity, by their keys."""

    entities: ChunkedMap[Entity, Mapping[str, float]] = field(default_factory=ChunkedMap)

    def records(self) -> Iterator[VersionedRecord]:
        """A record for each quota."""
        for entity in sorted(self.entities, key=_order):
            parts = [ClientQuotaRecord_EntityData(kind, name) for kind, name in entity]
            for key, value in sorted(self.entities[entity].items()):
                yield VersionedRecord(ClientQuotaRecord(parts, key, value))


class ClientQuotasDelta:
    """Changes of quotas; None in `changes` is an entity that has none any more."""

    __slots__ = ("base", "entities")

    def __init__(self, base: ClientQuotasImage) -> None:
        self.base = base
        self.entities = MapDelta(base.entities)

    def __bool__(self) -> bool:
        return bool(self.entities)

    def change(self, record: ClientQuotaRecord) -> None:
        """A quota is set or removed."""
        parts = {part.entity_type: part.entity_name for part in record.entity}
        entity = tuple(sorted(parts.items(), key=lambda part: part[0]))
        quotas = {key: value for key, value in (self.entities.get(entity) or {}).items() if key != record.key}
        if not record.remove:
            quotas[record.key] = record.value
        if quotas:
            self.entities[entity] = quotas
        else:
            del self.entities[entity]

    def become(self, image: ClientQuotasImage) -> None:
        """Change to what another image says."""
        self.entities.become(image.entities)

    def apply(self) -> ClientQuotasImage:
        """The image with the changes made."""
        return ClientQuotasImage(self.entities.apply()) if self else self.base


def _order(entity: Entity) -> tuple[tuple[str, bool, str], ...]:
    """An order that None takes part in."""
    return tuple((kind, name is not None, name or "") for kind, name in entity)
