"""The nodes of a cluster: registered brokers, fenced or not, and registered controllers.

Always true: a record that changes a broker names its epoch, and one that names another epoch is damage, since the
controller writes none; a broker that is fenced is not alive, and one that is shutting down still is.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.parts.registrations import BrokerRegistration, ControllerRegistration, EndPoint
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.codec.message import Message
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    RegisterBrokerRecord,
    RegisterControllerRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)

_FENCED = {-1: False, 0: None, 1: True}  # what the change says; None: as it was
_SHUTTING_DOWN = {0: None, 1: True}


@dataclass(frozen=True, slots=True)
class ClusterImage:
    """The nodes, by their ids."""

    brokers: ChunkedMap[int, BrokerRegistration] = field(default_factory=ChunkedMap)
    controllers: ChunkedMap[int, ControllerRegistration] = field(default_factory=ChunkedMap)

    def is_alive(self, node_id: int) -> bool:
        """Whether a broker is registered, and not fenced."""
        broker = self.brokers.get(node_id)
        return broker is not None and not broker.fenced

    def brokers_on(self, listener: str) -> list[tuple[BrokerRegistration, EndPoint]]:
        """The brokers that are alive and have this listener, by their ids, and where clients find it."""
        registered = [self.brokers[node_id] for node_id in sorted(self.brokers)]
        return [
            (broker, broker.end_points[listener])
            for broker in registered
            if not broker.fenced and listener in broker.end_points
        ]

    def records(self, metadata_version: MetadataVersion) -> Iterator[VersionedRecord]:
        """Each registration as one record."""
        for node_id in sorted(self.brokers):
            yield self.brokers[node_id].record(metadata_version)
        for node_id in sorted(self.controllers):
            yield self.controllers[node_id].record(metadata_version)


class ClusterDelta:
    """Changes of registrations; None in `changes` is a node that is gone."""

    __slots__ = ("base", "brokers", "controllers")

    def __init__(self, base: ClusterImage) -> None:
        self.base = base
        self.brokers = MapDelta(base.brokers)
        self.controllers = MapDelta(base.controllers)

    def __bool__(self) -> bool:
        return bool(self.brokers) or bool(self.controllers)

    def register_broker(self, record: RegisterBrokerRecord) -> None:
        """A broker has registered; what was known of it is replaced."""
        self.brokers[record.broker_id] = BrokerRegistration.of(record)

    def unregister_broker(self, record: UnregisterBrokerRecord) -> None:
        """A broker has been forgotten; Kafka looks at no epoch here, nor whether it was there."""
        del self.brokers[record.broker_id]

    def register_controller(self, record: RegisterControllerRecord) -> None:
        """A controller has registered."""
        self.controllers[record.controller_id] = ControllerRegistration.of(record)

    def fence(self, record: FenceBrokerRecord) -> None:
        """A broker is fenced."""
        self.brokers[record.id] = replace(self._registered(record, record.id, record.epoch), fenced=True)

    def unfence(self, record: UnfenceBrokerRecord) -> None:
        """A broker is fenced no longer."""
        self.brokers[record.id] = replace(self._registered(record, record.id, record.epoch), fenced=False)

    def change_broker(self, record: BrokerRegistrationChangeRecord) -> None:
        """Something about a broker has changed; no log directories means that they have not."""
        broker = self._registered(record, record.broker_id, record.broker_epoch)
        if record.fenced not in _FENCED or record.in_controlled_shutdown not in _SHUTTING_DOWN:
            raise damaged(record, "an unknown change")
        fenced, shutting_down = _FENCED[record.fenced], _SHUTTING_DOWN[record.in_controlled_shutdown]
        cordoned = record.cordoned_log_dirs
        self.brokers[record.broker_id] = replace(
            broker,
            fenced=broker.fenced if fenced is None else fenced,
            in_controlled_shutdown=broker.in_controlled_shutdown if shutting_down is None else shutting_down,
            log_dirs=tuple(sorted(record.log_dirs)) or broker.log_dirs,
            cordoned_log_dirs=broker.cordoned_log_dirs if cordoned is None else tuple(sorted(cordoned)),
        )

    def _registered(self, record: Message, node_id: int, broker_epoch: int) -> BrokerRegistration:
        broker = self.brokers.get(node_id)
        if broker is None:
            raise damaged(record, f"broker {node_id} is not registered")
        if broker.broker_epoch != broker_epoch:
            raise damaged(record, f"broker {node_id} has epoch {broker.broker_epoch}")
        return broker

    def become(self, image: ClusterImage) -> None:
        """Change to what another image says."""
        self.brokers.become(image.brokers)
        self.controllers.become(image.controllers)

    def apply(self) -> ClusterImage:
        """The image with the changes made."""
        return ClusterImage(self.brokers.apply(), self.controllers.apply()) if self else self.base
