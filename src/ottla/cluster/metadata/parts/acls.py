"""Access control entries, by the ids that the controller gave them. Read and written back; an authoriser will use them.

Always true: an entry never changes, it is added or removed; removing one that is not there is damage. The numbers of
types, patterns, operations and permissions are those of the security family, kept as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import AccessControlEntryRecord, RemoveAccessControlEntryRecord


class AccessControlEntry(NamedTuple):
    """Who may, or may not, do what to which resource."""

    resource_type: int
    resource_name: str
    pattern_type: int
    principal: str
    host: str
    operation: int
    permission_type: int


@dataclass(frozen=True, slots=True)
class AclsImage:
    """All entries."""

    entries: ChunkedMap[Uuid, AccessControlEntry] = field(default_factory=ChunkedMap)

    def records(self) -> Iterator[VersionedRecord]:
        """A record for each entry."""
        for entry_id in sorted(self.entries):
            yield VersionedRecord(AccessControlEntryRecord(entry_id, *self.entries[entry_id]))


class AclsDelta:
    """Entries that came, and None for those that went."""

    __slots__ = ("base", "entries")

    def __init__(self, base: AclsImage) -> None:
        self.base = base
        self.entries = MapDelta(base.entries)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def add(self, record: AccessControlEntryRecord) -> None:
        """An entry."""
        self.entries[record.id] = AccessControlEntry(
            record.resource_type,
            record.resource_name,
            record.pattern_type,
            record.principal,
            record.host,
            record.operation,
            record.permission_type,
        )

    def remove(self, record: RemoveAccessControlEntryRecord) -> None:
        """An entry is gone."""
        if self.entries.get(record.id) is None:
            raise damaged(record, "there is no such access control entry")
        del self.entries[record.id]

    def become(self, image: AclsImage) -> None:
        """Change to what another image says."""
        self.entries.become(image.entries)

    def apply(self) -> AclsImage:
        """The image with the changes made."""
        return AclsImage(self.entries.apply()) if self else self.base
