"""Between brokers and the controller.

Generated from `schema/controller.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class BrokerRegistrationRequest_Listener(Struct):
    __qualname__ = "BrokerRegistrationRequest.Listener"
    __slots__ = ("name", "host", "port", "security_protocol",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags = ()


class BrokerRegistrationRequest_Feature(Struct):
    __qualname__ = "BrokerRegistrationRequest.Feature"
    __slots__ = ("name", "min_supported_version", "max_supported_version",)

    def __init__(
        self, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class BrokerRegistrationRequest(Message):
    """Makes a broker known to the cluster, when it starts (KIP-631).

    Request 62, versions 0-4.
    Version 2: log directories (KIP-858).
    Version 3: whether it shut down cleanly the last time (KIP-966).
    Version 4: features with a min_supported_version of 0; older versions leave them out (KAFKA-17011).
    """

    KEY = 62
    VERSIONS = range(0, 5)
    Listener = BrokerRegistrationRequest_Listener
    Feature = BrokerRegistrationRequest_Feature
    __slots__ = (
        "broker_id", "cluster_id", "incarnation_id", "listeners", "features", "rack", "is_migrating_zk_broker",
        "log_dirs", "previous_broker_epoch",
    )

    def __init__(
        self, broker_id: int = 0, cluster_id: str = "", incarnation_id: Uuid = ZERO_UUID, listeners:
        Sequence[BrokerRegistrationRequest_Listener] = (), features: Sequence[BrokerRegistrationRequest_Feature]
        = (), rack: str | None = "", is_migrating_zk_broker: bool = False, log_dirs: Sequence[Uuid] = (),
        previous_broker_epoch: int = -1
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners = listeners
        self.features = features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs = log_dirs
        self.previous_broker_epoch = previous_broker_epoch
        self.unknown_tags = ()


class BrokerRegistrationResponse(Message):
    """The broker's epoch.

    Response to request 62, versions 0-4.
    """

    KEY = 62
    VERSIONS = range(0, 5)
    __slots__ = ("throttle_time_ms", "error_code", "broker_epoch",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, broker_epoch: int = -1
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.unknown_tags = ()


class BrokerHeartbeatRequest(Message):
    """A broker is alive, and how far it has read the metadata (KIP-631).

    Request 63, versions 0-2.
    Version 1: log directories that have failed (KIP-858).
    Version 2: log directories that take no new replicas (KIP-1066).
    """

    KEY = 63
    VERSIONS = range(0, 3)
    __slots__ = (
        "broker_id", "broker_epoch", "current_metadata_offset", "want_fence", "want_shut_down",
        "offline_log_dirs", "cordoned_log_dirs",
    )

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1, current_metadata_offset: int = 0, want_fence: bool =
        False, want_shut_down: bool = False, offline_log_dirs: Sequence[Uuid] = (), cordoned_log_dirs:
        Sequence[Uuid] | None = None
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs = offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tags = ()


class BrokerHeartbeatResponse(Message):
    """What the controller thinks of the broker.

    Response to request 63, versions 0-2.
    """

    KEY = 63
    VERSIONS = range(0, 3)
    __slots__ = ("throttle_time_ms", "error_code", "is_caught_up", "is_fenced", "should_shut_down",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, is_caught_up: bool = False, is_fenced: bool =
        True, should_shut_down: bool = False
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down
        self.unknown_tags = ()


class ControllerRegistrationRequest_Listener(Struct):
    __qualname__ = "ControllerRegistrationRequest.Listener"
    __slots__ = ("name", "host", "port", "security_protocol",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.security_protocol = security_protocol
        self.unknown_tags = ()


class ControllerRegistrationRequest_Feature(Struct):
    __qualname__ = "ControllerRegistrationRequest.Feature"
    __slots__ = ("name", "min_supported_version", "max_supported_version",)

    def __init__(
        self, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.name = name
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class ControllerRegistrationRequest(Message):
    """Makes a controller's endpoints and features known (KIP-919).

    Request 70, version 0.
    """

    KEY = 70
    VERSIONS = range(0, 1)
    Listener = ControllerRegistrationRequest_Listener
    Feature = ControllerRegistrationRequest_Feature
    __slots__ = ("controller_id", "incarnation_id", "zk_migration_ready", "listeners", "features",)

    def __init__(
        self, controller_id: int = 0, incarnation_id: Uuid = ZERO_UUID, zk_migration_ready: bool = False,
        listeners: Sequence[ControllerRegistrationRequest_Listener] = (), features:
        Sequence[ControllerRegistrationRequest_Feature] = ()
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.listeners = listeners
        self.features = features
        self.unknown_tags = ()


class ControllerRegistrationResponse(Message):
    """Whether they were taken.

    Response to request 70, version 0.
    """

    KEY = 70
    VERSIONS = range(0, 1)
    __slots__ = ("throttle_time_ms", "error_code", "error_message",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = ""
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tags = ()


class AlterPartitionRequest_BrokerState(Struct):
    __qualname__ = "AlterPartitionRequest.BrokerState"
    __slots__ = ("broker_id", "broker_epoch",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags = ()


class AlterPartitionRequest_PartitionData(Struct):
    __qualname__ = "AlterPartitionRequest.PartitionData"
    __slots__ = (
        "partition_index", "leader_epoch", "new_isr", "new_isr_with_epochs", "leader_recovery_state",
        "partition_epoch",
    )

    def __init__(
        self, partition_index: int = 0, leader_epoch: int = 0, new_isr: Sequence[int] = (), new_isr_with_epochs:
        Sequence[AlterPartitionRequest_BrokerState] = (), leader_recovery_state: int = 0, partition_epoch: int =
        0
    ) -> None:
        self.partition_index = partition_index
        self.leader_epoch = leader_epoch
        self.new_isr = new_isr
        self.new_isr_with_epochs = new_isr_with_epochs
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags = ()


class AlterPartitionRequest_TopicData(Struct):
    __qualname__ = "AlterPartitionRequest.TopicData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[AlterPartitionRequest_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class AlterPartitionRequest(Message):
    """A leader asks for another set of in-sync replicas (KIP-497).

    Request 56, versions 2-3.
    Version 2: topic ids in place of names (KIP-841).
    Version 3: broker epochs, so that none gets in sync that has restarted (KIP-903).
    """

    KEY = 56
    VERSIONS = range(2, 4)
    TopicData = AlterPartitionRequest_TopicData
    PartitionData = AlterPartitionRequest_PartitionData
    BrokerState = AlterPartitionRequest_BrokerState
    __slots__ = ("broker_id", "broker_epoch", "topics",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1, topics: Sequence[AlterPartitionRequest_TopicData] = ()
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics = topics
        self.unknown_tags = ()


class AlterPartitionResponse_PartitionData(Struct):
    __qualname__ = "AlterPartitionResponse.PartitionData"
    __slots__ = (
        "partition_index", "error_code", "leader_id", "leader_epoch", "isr", "leader_recovery_state",
        "partition_epoch",
    )

    def __init__(
        self, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0, isr:
        Sequence[int] = (), leader_recovery_state: int = 0, partition_epoch: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.isr = isr
        self.leader_recovery_state = leader_recovery_state
        self.partition_epoch = partition_epoch
        self.unknown_tags = ()


class AlterPartitionResponse_TopicData(Struct):
    __qualname__ = "AlterPartitionResponse.TopicData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[AlterPartitionResponse_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class AlterPartitionResponse(Message):
    """The state of each partition after that.

    Response to request 56, versions 2-3.
    """

    KEY = 56
    VERSIONS = range(2, 4)
    TopicData = AlterPartitionResponse_TopicData
    PartitionData = AlterPartitionResponse_PartitionData
    __slots__ = ("throttle_time_ms", "error_code", "topics",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, topics: Sequence[AlterPartitionResponse_TopicData]
        = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics = topics
        self.unknown_tags = ()


class AssignReplicasToDirsRequest_PartitionData(Struct):
    __qualname__ = "AssignReplicasToDirsRequest.PartitionData"
    __slots__ = ("partition_index",)

    def __init__(
        self, partition_index: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.unknown_tags = ()


class AssignReplicasToDirsRequest_TopicData(Struct):
    __qualname__ = "AssignReplicasToDirsRequest.TopicData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[AssignReplicasToDirsRequest_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class AssignReplicasToDirsRequest_DirectoryData(Struct):
    __qualname__ = "AssignReplicasToDirsRequest.DirectoryData"
    __slots__ = ("id", "topics",)

    def __init__(
        self, id: Uuid = ZERO_UUID, topics: Sequence[AssignReplicasToDirsRequest_TopicData] = ()
    ) -> None:
        self.id = id
        self.topics = topics
        self.unknown_tags = ()


class AssignReplicasToDirsRequest(Message):
    """A broker tells in which log directory its replicas are (KIP-858).

    Request 73, version 0.
    """

    KEY = 73
    VERSIONS = range(0, 1)
    DirectoryData = AssignReplicasToDirsRequest_DirectoryData
    TopicData = AssignReplicasToDirsRequest_TopicData
    PartitionData = AssignReplicasToDirsRequest_PartitionData
    __slots__ = ("broker_id", "broker_epoch", "directories",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1, directories:
        Sequence[AssignReplicasToDirsRequest_DirectoryData] = ()
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories = directories
        self.unknown_tags = ()


class AssignReplicasToDirsResponse_PartitionData(Struct):
    __qualname__ = "AssignReplicasToDirsResponse.PartitionData"
    __slots__ = ("partition_index", "error_code",)

    def __init__(
        self, partition_index: int = 0, error_code: int = 0
    ) -> None:
        self.partition_index = partition_index
        self.error_code = error_code
        self.unknown_tags = ()


class AssignReplicasToDirsResponse_TopicData(Struct):
    __qualname__ = "AssignReplicasToDirsResponse.TopicData"
    __slots__ = ("topic_id", "partitions",)

    def __init__(
        self, topic_id: Uuid = ZERO_UUID, partitions: Sequence[AssignReplicasToDirsResponse_PartitionData] = ()
    ) -> None:
        self.topic_id = topic_id
        self.partitions = partitions
        self.unknown_tags = ()


class AssignReplicasToDirsResponse_DirectoryData(Struct):
    __qualname__ = "AssignReplicasToDirsResponse.DirectoryData"
    __slots__ = ("id", "topics",)

    def __init__(
        self, id: Uuid = ZERO_UUID, topics: Sequence[AssignReplicasToDirsResponse_TopicData] = ()
    ) -> None:
        self.id = id
        self.topics = topics
        self.unknown_tags = ()


class AssignReplicasToDirsResponse(Message):
    """Whether each was taken down.

    Response to request 73, version 0.
    """

    KEY = 73
    VERSIONS = range(0, 1)
    DirectoryData = AssignReplicasToDirsResponse_DirectoryData
    TopicData = AssignReplicasToDirsResponse_TopicData
    PartitionData = AssignReplicasToDirsResponse_PartitionData
    __slots__ = ("throttle_time_ms", "error_code", "directories",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, directories:
        Sequence[AssignReplicasToDirsResponse_DirectoryData] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories = directories
        self.unknown_tags = ()


class AllocateProducerIdsRequest(Message):
    """A broker asks for a block of producer ids to hand out (KIP-730).

    Request 67, version 0.
    """

    KEY = 67
    VERSIONS = range(0, 1)
    __slots__ = ("broker_id", "broker_epoch",)

    def __init__(
        self, broker_id: int = 0, broker_epoch: int = -1
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tags = ()


class AllocateProducerIdsResponse(Message):
    """The block.

    Response to request 67, version 0.
    """

    KEY = 67
    VERSIONS = range(0, 1)
    __slots__ = ("throttle_time_ms", "error_code", "producer_id_start", "producer_id_len",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, producer_id_start: int = 0, producer_id_len: int =
        0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len
        self.unknown_tags = ()


class EnvelopeRequest(Message):
    """A client's request, as a broker hands it on to the controller (KIP-590).

    Request 58, version 0.
    """

    KEY = 58
    VERSIONS = range(0, 1)
    __slots__ = ("request_data", "request_principal", "client_host_address",)

    def __init__(
        self, request_data: bytes = b"", request_principal: bytes | None = b"", client_host_address: bytes = b""
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address
        self.unknown_tags = ()


class EnvelopeResponse(Message):
    """The controller's answer to it.

    Response to request 58, version 0.
    """

    KEY = 58
    VERSIONS = range(0, 1)
    __slots__ = ("response_data", "error_code",)

    def __init__(
        self, response_data: bytes | None = None, error_code: int = 0
    ) -> None:
        self.response_data = response_data
        self.error_code = error_code
        self.unknown_tags = ()
