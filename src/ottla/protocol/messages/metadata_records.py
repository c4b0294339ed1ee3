"""What `__cluster_metadata` holds: every change to the cluster.

Generated from `schema/metadata_records.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class RegisterBrokerRecord_BrokerEndpoint(Struct):
    __qualname__ = "RegisterBrokerRecord.BrokerEndpoint"
    __slots__ = ("name", "host", "port", "security_protocol",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags = ()


class RegisterBrokerRecord_BrokerFeature(Struct):
    __qualname__ = "RegisterBrokerRecord.BrokerFeature"
    __slots__ = ("name", "min_supported_version", "max_supported_version",)

    def __init__(
        self, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class RegisterBrokerRecord(Message):
    """A broker has registered (KIP-631).

    Record type 0, versions 0-4.
    Version 1: shutting down (KIP-841).
    Version 2: brokers that came from ZooKeeper (KIP-866).
    Version 3: log directories (KIP-858).
    Version 4: cordoned ones (KIP-1066).
    """

    KEY = 0
    VERSIONS = range(0, 5)
    BrokerEndpoint = RegisterBrokerRecord_BrokerEndpoint
    BrokerFeature = RegisterBrokerRecord_BrokerFeature
    __slots__ = (
        "broker_id", "is_migrating_zk_broker", "incarnation_id", "broker_epoch", "end_points", "features",
        "rack", "fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs",
    )

    def __init__(
        self, broker_id: int = 0, is_migrating_zk_broker: bool = False, incarnation_id: Uuid = ZERO_UUID,
        broker_epoch: int = 0, end_points: Sequence[RegisterBrokerRecord_BrokerEndpoint] = (), features:
        Sequence[RegisterBrokerRecord_BrokerFeature] = (), rack: str | None = "", fenced: bool = True,
        in_controlled_shutdown: bool = False, log_dirs: Sequence[Uuid] = (), cordoned_log_dirs: Sequence[Uuid] |
        None = None
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points = end_points
        self.features = features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = ()


class UnregisterBrokerRecord(Message):
    """A broker has been forgotten.

    Record type 1, version 0.
    """

    KEY = 1
    VERSIONS = range(0, 1)
    __slots__ = ("broker_id", "broker_epoch",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = 0
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags = ()


class TopicRecord(Message):
    """A topic has been made.

    Record type 2, version 0.
    """

    KEY = 2
    VERSIONS = range(0, 1)
    __slots__ = ("name", "topic_id",)

    def __init__(
        self, name: str = "", topic_id: Uuid = ZERO_UUID
    ) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tags = ()


class PartitionRecord(Message):
    """A partition, whole: when it is made, and in snapshots.

    Record type 3, versions 0-2.
    Version 1: a log directory for each replica (KIP-858).
    Version 2: eligible leaders (KIP-966).
    """

    KEY = 3
    VERSIONS = range(0, 3)
    __slots__ = (
        "partition_id", "topic_id", "replicas", "isr", "removing_replicas", "adding_replicas", "leader",
        "leader_recovery_state", "leader_epoch", "partition_epoch", "directories", "eligible_leader_replicas",
        "last_known_elr",
    )

    def __init__(
        self, partition_id: int = -1, topic_id: Uuid = ZERO_UUID, replicas: Sequence[int] = (), isr:
        Sequence[int] = (), removing_replicas: Sequence[int] = (), adding_replicas: Sequence[int] = (), leader:
        int = -1, leader_recovery_state: int = 0, leader_epoch: int = -1, partition_epoch: int = -1,
        directories: Sequence[Uuid] = (), eligible_leader_replicas: Sequence[int] | None = None, last_known_elr:
        Sequence[int] | None = None
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas = replicas
        self.isr = isr
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tags = ()


class ConfigRecord(Message):
    """A setting has been changed.

    Record type 4, version 0.
    """

    KEY = 4
    VERSIONS = range(0, 1)
    __slots__ = ("resource_type", "resource_name", "name", "value",)

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", name: str = "", value: str | None = ""
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.name = name
        self.value = value
        self.unknown_tags = ()


class PartitionChangeRecord(Message):
    """What has changed about a partition; everything that is null, -1 or -2 by default stays as it is.

    Record type 5, versions 0-2.
    Version 1: log directories (KIP-858).
    Version 2: eligible leaders (KIP-966).
    """

    KEY = 5
    VERSIONS = range(0, 3)
    __slots__ = (
        "partition_id", "topic_id", "isr", "leader", "replicas", "removing_replicas", "adding_replicas",
        "leader_recovery_state", "directories", "eligible_leader_replicas", "last_known_elr",
    )

    def __init__(
        self, partition_id: int = -1, topic_id: Uuid = ZERO_UUID, isr: Sequence[int] | None = None, leader: int
        = -2, replicas: Sequence[int] | None = None, removing_replicas: Sequence[int] | None = None,
        adding_replicas: Sequence[int] | None = None, leader_recovery_state: int = -1, directories:
        Sequence[Uuid] | None = None, eligible_leader_replicas: Sequence[int] | None = None, last_known_elr:
        Sequence[int] | None = None
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.isr = isr
        self.leader = leader
        self.replicas = replicas
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader_recovery_state = leader_recovery_state
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tags = ()


class FenceBrokerRecord(Message):
    """A broker has been fenced: it may lead nothing.

    Record type 7, version 0.
    """

    KEY = 7
    VERSIONS = range(0, 1)
    __slots__ = ("id", "epoch",)

    def __init__(
        self, id: int = 0, epoch: int = 0
    ) -> None:
        self.id = id
        self.epoch = epoch
        self.unknown_tags = ()


class UnfenceBrokerRecord(Message):
    """A broker is fenced no longer.

    Record type 8, version 0.
    """

    KEY = 8
    VERSIONS = range(0, 1)
    __slots__ = ("id", "epoch",)

    def __init__(
        self, id: int = 0, epoch: int = 0
    ) -> None:
        self.id = id
        self.epoch = epoch
        self.unknown_tags = ()


class RemoveTopicRecord(Message):
    """A topic has been deleted.

    Record type 9, version 0.
    """

    KEY = 9
    VERSIONS = range(0, 1)
    __slots__ = ("topic_id",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID
    ) -> None:
        self.topic_id = topic_id
        self.unknown_tags = ()


class DelegationTokenRecord(Message):
    """A delegation token.

    Record type 10, version 0.
    """

    KEY = 10
    VERSIONS = range(0, 1)
    __slots__ = (
        "owner", "requester", "renewers", "issue_timestamp", "max_timestamp", "expiration_timestamp",
        "token_id",
    )

    def __init__(
        self, owner: str = "", requester: str = "", renewers: Sequence[str] = (), issue_timestamp: int = 0,
        max_timestamp: int = 0, expiration_timestamp: int = 0, token_id: str = ""
    ) -> None:
        self.owner = owner
        self.requester = requester
        self.renewers = renewers
        self.issue_timestamp = issue_timestamp
        self.max_timestamp = max_timestamp
        self.expiration_timestamp = expiration_timestamp
        self.token_id = token_id
        self.unknown_tags = ()


class UserScramCredentialRecord(Message):
    """A user's SCRAM credential.

    Record type 11, version 0.
    """

    KEY = 11
    VERSIONS = range(0, 1)
    __slots__ = ("name", "mechanism", "salt", "stored_key", "server_key", "iterations",)

    def __init__(
        self, name: str = "", mechanism: int = 0, salt: bytes = b"", stored_key: bytes = b"", server_key: bytes
        = b"", iterations: int = 0
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations
        self.unknown_tags = ()


class FeatureLevelRecord(Message):
    """The cluster has agreed on a feature's level. The one of `metadata.version` is the first record of every log.

    Record type 12, version 0.
    It says what the other records can be, so its own version can never be raised.
    """

    KEY = 12
    VERSIONS = range(0, 1)
    __slots__ = ("name", "feature_level",)

    def __init__(
        self, name: str = "", feature_level: int = 0
    ) -> None:
        self.name = name
        self.feature_level = feature_level
        self.unknown_tags = ()


class ClientQuotaRecord_EntityData(Struct):
    __qualname__ = "ClientQuotaRecord.EntityData"
    __slots__ = ("entity_type", "entity_name",)

    def __init__(
        self, entity_type: str = "", entity_name: str | None = ""
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags = ()


class ClientQuotaRecord(Message):
    """A quota.

    Record type 14, version 0.
    """

    KEY = 14
    VERSIONS = range(0, 1)
    EntityData = ClientQuotaRecord_EntityData
    __slots__ = ("entity", "key", "value", "remove",)

    def __init__(
        self, entity: Sequence[ClientQuotaRecord_EntityData] = (), key: str = "", value: float = 0.0, remove:
        bool = False
    ) -> None:
        self.entity = entity
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags = ()


class ProducerIdsRecord(Message):
    """A block of producer ids has been given to a broker.

    Record type 15, version 0.
    """

    KEY = 15
    VERSIONS = range(0, 1)
    __slots__ = ("broker_id", "broker_epoch", "next_producer_id",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1, next_producer_id: int = 0
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id
        self.unknown_tags = ()


class BrokerRegistrationChangeRecord(Message):
    """What has changed about a broker.

    Record type 17, versions 0-3.
    Version 1: shutting down (KIP-841).
    Version 2: log directories (KIP-858).
    Version 3: cordoned ones (KIP-1066).
    """

    KEY = 17
    VERSIONS = range(0, 4)
    __slots__ = (
        "broker_id", "broker_epoch", "fenced", "in_controlled_shutdown", "log_dirs", "cordoned_log_dirs",
    )

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = 0, fenced: int = 0, in_controlled_shutdown: int = 0,
        log_dirs: Sequence[Uuid] = (), cordoned_log_dirs: Sequence[Uuid] | None = None
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs = log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = ()


class AccessControlEntryRecord(Message):
    """An ACL (KIP-801); the numbers are those of the security family.

    Record type 18, version 0.
    """

    KEY = 18
    VERSIONS = range(0, 1)
    __slots__ = (
        "id", "resource_type", "resource_name", "pattern_type", "principal", "host", "operation",
        "permission_type",
    )

    def __init__(
        self, id: Uuid = ZERO_UUID, resource_type: int = 0, resource_name: str = "", pattern_type: int = 0,
        principal: str = "", host: str = "", operation: int = 0, permission_type: int = 0
    ) -> None:
        self.id = id
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.pattern_type = pattern_type
        self.principal = principal
        self.host = host
        self.operation = operation
        self.permission_type = permission_type
        self.unknown_tags = ()


class RemoveAccessControlEntryRecord(Message):
    """An ACL has been removed.

    Record type 19, version 0.
    """

    KEY = 19
    VERSIONS = range(0, 1)
    __slots__ = ("id",)

    def __init__(
        self, id: Uuid = ZERO_UUID
    ) -> None:
        self.id = id
        self.unknown_tags = ()


class NoOpRecord(Message):
    """Nothing: the active controller writes it now and then, so that the log moves (KIP-835).

    Record type 20, version 0.
    """

    KEY = 20
    VERSIONS = range(0, 1)
    __slots__ = ()

    def __init__(self) -> None:
        self.unknown_tags = ()


class ZkMigrationStateRecord(Message):
    """How far the move from ZooKeeper is (KIP-866). Nobody writes it since 4.0; logs of older clusters hold it.

    Record type 21, version 0.
    """

    KEY = 21
    VERSIONS = range(0, 1)
    __slots__ = ("zk_migration_state",)

    def __init__(
        self, zk_migration_state: int = 0
    ) -> None:
        self.zk_migration_state = zk_migration_state
        self.unknown_tags = ()


class RemoveUserScramCredentialRecord(Message):
    """A user's SCRAM credential has been removed.

    Record type 22, version 0.
    """

    KEY = 22
    VERSIONS = range(0, 1)
    __slots__ = ("name", "mechanism",)

    def __init__(
        self, name: str = "", mechanism: int = 0
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tags = ()


class BeginTransactionRecord(Message):
    """From here on records count only once the transaction has ended (KIP-868).

    Record type 23, version 0.
    """

    KEY = 23
    VERSIONS = range(0, 1)
    __slots__ = ("name",)

    def __init__(
        self, name: str | None = None
    ) -> None:
        self.name = name
        self.unknown_tags = ()


class EndTransactionRecord(Message):
    """They count (KIP-868).

    Record type 24, version 0.
    """

    KEY = 24
    VERSIONS = range(0, 1)
    __slots__ = ()

    def __init__(self) -> None:
        self.unknown_tags = ()


class AbortTransactionRecord(Message):
    """They do not (KIP-868).

    Record type 25, version 0.
    """

    KEY = 25
    VERSIONS = range(0, 1)
    __slots__ = ("reason",)

    def __init__(
        self, reason: str | None = None
    ) -> None:
        self.reason = reason
        self.unknown_tags = ()


class RemoveDelegationTokenRecord(Message):
    """A delegation token has been removed.

    Record type 26, version 0.
    """

    KEY = 26
    VERSIONS = range(0, 1)
    __slots__ = ("token_id",)

    def __init__(
        self, token_id: str = ""
    ) -> None:
        self.token_id = token_id
        self.unknown_tags = ()


class RegisterControllerRecord_ControllerEndpoint(Struct):
    __qualname__ = "RegisterControllerRecord.ControllerEndpoint"
    __slots__ = ("name", "host", "port", "security_protocol",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags = ()


class RegisterControllerRecord_ControllerFeature(Struct):
    __qualname__ = "RegisterControllerRecord.ControllerFeature"
    __slots__ = ("name", "min_supported_version", "max_supported_version",)

    def __init__(
        self, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class RegisterControllerRecord(Message):
    """A controller has registered (KIP-919).

    Record type 27, version 0.
    """

    KEY = 27
    VERSIONS = range(0, 1)
    ControllerEndpoint = RegisterControllerRecord_ControllerEndpoint
    ControllerFeature = RegisterControllerRecord_ControllerFeature
    __slots__ = ("controller_id", "incarnation_id", "zk_migration_ready", "end_points", "features",)

    def __init__(
        self, controller_id: int = 0, incarnation_id: Uuid = ZERO_UUID, zk_migration_ready: bool = False,
        end_points: Sequence[RegisterControllerRecord_ControllerEndpoint] = (), features:
        Sequence[RegisterControllerRecord_ControllerFeature] = ()
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.end_points = end_points
        self.features = features
        self.unknown_tags = ()


class ClearElrRecord(Message):
    """The eligible leaders of a topic are forgotten (KIP-966).

    Record type 28, version 0.
    """

    KEY = 28
    VERSIONS = range(0, 1)
    __slots__ = ("topic_name",)

    def __init__(
        self, topic_name: str = ""
    ) -> None:
        self.topic_name = topic_name
        self.unknown_tags = ()
