"""What brokers and controllers say of themselves when they register: end points, features, directories.

A registration is a value. Always true: end points and features are found by their names, in the order of these; log
directories are sorted. `cordoned_log_dirs` is None for a broker that has never told (before 4.3-IV0), which is not the
same as none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ottla.cluster.metadata.records import VersionedRecord, versioned
from ottla.errors import UnwritableMetadata
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import SINCE, VERSIONS, MetadataVersion
from ottla.protocol.messages.metadata_records import (
    RegisterBrokerRecord,
    RegisterBrokerRecord_BrokerEndpoint,
    RegisterBrokerRecord_BrokerFeature,
    RegisterControllerRecord,
    RegisterControllerRecord_ControllerEndpoint,
    RegisterControllerRecord_ControllerFeature,
)

MIGRATING_BROKERS_SINCE = VERSIONS["RegisterBrokerRecord"][2]


class EndPoint(NamedTuple):
    """Where a listener of a node is found, and how it is spoken to."""

    host: str
    port: int
    security_protocol: int = 0  # 0 PLAINTEXT, 1 SSL, 2 SASL_PLAINTEXT, 3 SASL_SSL


class LevelRange(NamedTuple):
    """The levels of a feature that a node can run at."""

    lowest: int
    highest: int


@dataclass(frozen=True, slots=True)
class BrokerRegistration:
    """A broker as it registered last, with what has changed since."""

    node_id: int
    broker_epoch: int
    incarnation_id: Uuid
    end_points: Mapping[str, EndPoint]  # by listener
    features: Mapping[str, LevelRange]
    rack: str | None = None
    fenced: bool = True
    in_controlled_shutdown: bool = False
    is_migrating_zk_broker: bool = False
    log_dirs: tuple[Uuid, ...] = ()
    cordoned_log_dirs: tuple[Uuid, ...] | None = None

    @classmethod
    def of(cls, record: RegisterBrokerRecord) -> "BrokerRegistration":
        """The registration that a record says."""
        cordoned = record.cordoned_log_dirs
        return cls(
            record.broker_id,
            record.broker_epoch,
            record.incarnation_id,
            _end_points(record.end_points),
            _features(record.features),
            record.rack,
            record.fenced,
            record.in_controlled_shutdown,
            record.is_migrating_zk_broker,
            tuple(sorted(record.log_dirs)),
            None if cordoned is None else tuple(sorted(cordoned)),
        )

    def record(self, metadata_version: MetadataVersion) -> VersionedRecord:
        """The registration as a record."""
        _check(not self.is_migrating_zk_broker or metadata_version >= MIGRATING_BROKERS_SINCE, self, "its migration")
        _check(not self.log_dirs or metadata_version >= SINCE["directory assignment"], self, "its log directories")
        _check(
            self.cordoned_log_dirs is None or metadata_version >= SINCE["cordoned log directories"],
            self,
            "its cordoned log directories",
        )
        record = RegisterBrokerRecord(
            self.node_id,
            self.is_migrating_zk_broker,
            self.incarnation_id,
            self.broker_epoch,
            [RegisterBrokerRecord_BrokerEndpoint(name, *each) for name, each in self.end_points.items()],
            [RegisterBrokerRecord_BrokerFeature(name, *each) for name, each in self.features.items()],
            self.rack,
            self.fenced,
            self.in_controlled_shutdown,
            self.log_dirs,
            self.cordoned_log_dirs,
        )
        return versioned(record, metadata_version)


@dataclass(frozen=True, slots=True)
class ControllerRegistration:
    """A controller as it registered last (KIP-919)."""

    node_id: int
    incarnation_id: Uuid
    end_points: Mapping[str, EndPoint]  # by listener
    features: Mapping[str, LevelRange]
    zk_migration_ready: bool = False

    @classmethod
    def of(cls, record: RegisterControllerRecord) -> "ControllerRegistration":
        """The registration that a record says."""
        return cls(
            record.controller_id,
            record.incarnation_id,
            _end_points(record.end_points),
            _features(record.features),
            record.zk_migration_ready,
        )

    def record(self, metadata_version: MetadataVersion) -> VersionedRecord:
        """The registration as a record."""
        if metadata_version < SINCE["controller registration"]:
            raise UnwritableMetadata(f"{metadata_version.text} cannot say that controller {self.node_id} is registered")
        record = RegisterControllerRecord(
            self.node_id,
            self.incarnation_id,
            self.zk_migration_ready,
            [RegisterControllerRecord_ControllerEndpoint(name, *each) for name, each in self.end_points.items()],
            [RegisterControllerRecord_ControllerFeature(name, *each) for name, each in self.features.items()],
        )
        return versioned(record, metadata_version)


class _EndPointField(Protocol):
    name: str
    host: str
    port: int
    security_protocol: int


class _FeatureField(Protocol):
    name: str
    min_supported_version: int
    max_supported_version: int


def _end_points(fields: Iterable[_EndPointField]) -> dict[str, EndPoint]:
    ordered = sorted(fields, key=lambda each: each.name)
    return {each.name: EndPoint(each.host, each.port, each.security_protocol) for each in ordered}


def _features(fields: Iterable[_FeatureField]) -> dict[str, LevelRange]:
    ordered = sorted(fields, key=lambda each: each.name)
    return {each.name: LevelRange(each.min_supported_version, each.max_supported_version) for each in ordered}


def _check(can_be_said: bool, broker: BrokerRegistration, what: str) -> None:
    if not can_be_said:
        raise UnwritableMetadata(f"the metadata version has no place for {what}, which broker {broker.node_id} has")
