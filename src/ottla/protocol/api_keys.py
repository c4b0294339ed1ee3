"""Kafka's APIs: one table of key, versions, first flexible version, listeners and who may call or forward them.

A member is an int (its key on the wire) with its name in Kafka's spelling. The table holds what Kafka 4.3 serves in
stable form; `UNSTABLE` names the few versions that the schema knows beyond that, and that nobody is told about.

Always true: `schema/` is where versions are decided, and a test proves that this table says the same. It stands here
a second time so that a connection can refuse a request, or answer ApiVersions, without reading any schema.

Keys 4-7 (LeaderAndIsr, StopReplica, UpdateMetadata, ControlledShutdown) went away with ZooKeeper in 4.0. Headers:
KIP-482; the exception for ApiVersions: KIP-511.
"""

from enum import IntEnum
from typing import Self

NEVER = 0x7FFF  # as a first flexible version: this API has none

# Flags of a row. Which listeners serve the API:
BROKER = 1
CONTROLLER = 2
BOTH = BROKER | CONTROLLER
# ... what a broker hands on to the controller in an Envelope, as it arrived:
FORWARDED = 4
# ... and what only the nodes of the cluster may ask of each other (ClusterAction on the cluster):
CLUSTER = 8


class ApiKey(IntEnum):
    """An API of Kafka 4.3. Columns: key, lowest and highest version, first flexible version, flags."""

    min_version: int
    max_version: int
    flexible_from: int
    flags: int

    def __new__(cls, key: int, min_version: int, max_version: int, flexible_from: int, flags: int) -> Self:
        """Make a member out of its row in the table."""
        member = int.__new__(cls, key)
        member._value_ = key
        member.min_version = min_version
        member.max_version = max_version
        member.flexible_from = flexible_from
        member.flags = flags
        return member

    PRODUCE = 0, 3, 13, 9, BROKER
    FETCH = 1, 4, 18, 12, BOTH
    LIST_OFFSETS = 2, 1, 11, 6, BROKER
    METADATA = 3, 0, 13, 9, BROKER
    OFFSET_COMMIT = 8, 2, 10, 8, BROKER
    OFFSET_FETCH = 9, 1, 10, 6, BROKER
    FIND_COORDINATOR = 10, 0, 6, 3, BROKER
    JOIN_GROUP = 11, 0, 9, 6, BROKER
    HEARTBEAT = 12, 0, 4, 4, BROKER
    LEAVE_GROUP = 13, 0, 5, 4, BROKER
    SYNC_GROUP = 14, 0, 5, 4, BROKER
    DESCRIBE_GROUPS = 15, 0, 6, 5, BROKER
    LIST_GROUPS = 16, 0, 5, 3, BROKER
    SASL_HANDSHAKE = 17, 0, 1, NEVER, BOTH
    API_VERSIONS = 18, 0, 4, 3, BOTH
    CREATE_TOPICS = 19, 2, 7, 5, BOTH | FORWARDED
    DELETE_TOPICS = 20, 1, 6, 4, BOTH | FORWARDED
    DELETE_RECORDS = 21, 0, 2, 2, BROKER
    INIT_PRODUCER_ID = 22, 0, 5, 2, BROKER
    OFFSET_FOR_LEADER_EPOCH = 23, 2, 4, 4, BROKER
    ADD_PARTITIONS_TO_TXN = 24, 0, 5, 3, BROKER
    ADD_OFFSETS_TO_TXN = 25, 0, 4, 3, BROKER
    END_TXN = 26, 0, 5, 3, BROKER
    WRITE_TXN_MARKERS = 27, 1, 2, 1, BROKER | CLUSTER
    TXN_OFFSET_COMMIT = 28, 0, 5, 3, BROKER
    DESCRIBE_ACLS = 29, 1, 3, 2, BOTH
    CREATE_ACLS = 30, 1, 3, 2, BOTH | FORWARDED
    DELETE_ACLS = 31, 1, 3, 2, BOTH | FORWARDED
    DESCRIBE_CONFIGS = 32, 1, 4, 4, BOTH
    ALTER_CONFIGS = 33, 0, 2, 2, BOTH | FORWARDED
    ALTER_REPLICA_LOG_DIRS = 34, 1, 2, 2, BROKER
    DESCRIBE_LOG_DIRS = 35, 1, 5, 2, BROKER
    SASL_AUTHENTICATE = 36, 0, 2, 2, BOTH
    CREATE_PARTITIONS = 37, 0, 3, 2, BOTH | FORWARDED
    CREATE_DELEGATION_TOKEN = 38, 1, 3, 2, BOTH | FORWARDED
    RENEW_DELEGATION_TOKEN = 39, 1, 2, 2, BOTH | FORWARDED
    EXPIRE_DELEGATION_TOKEN = 40, 1, 2, 2, BOTH | FORWARDED
    DESCRIBE_DELEGATION_TOKEN = 41, 1, 3, 2, BOTH
    DELETE_GROUPS = 42, 0, 2, 2, BROKER
    ELECT_LEADERS = 43, 0, 2, 2, BOTH | FORWARDED
    INCREMENTAL_ALTER_CONFIGS = 44, 0, 1, 1, BOTH | FORWARDED
    ALTER_PARTITION_REASSIGNMENTS = 45, 0, 1, 0, BOTH | FORWARDED
    LIST_PARTITION_REASSIGNMENTS = 46, 0, 0, 0, BOTH | FORWARDED
    OFFSET_DELETE = 47, 0, 0, NEVER, BROKER
    DESCRIBE_CLIENT_QUOTAS = 48, 0, 1, 1, BROKER
    ALTER_CLIENT_QUOTAS = 49, 0, 1, 1, BOTH | FORWARDED
    DESCRIBE_USER_SCRAM_CREDENTIALS = 50, 0, 0, 0, BOTH
    ALTER_USER_SCRAM_CREDENTIALS = 51, 0, 0, 0, BOTH | FORWARDED
    VOTE = 52, 0, 2, 0, CONTROLLER | CLUSTER
    BEGIN_QUORUM_EPOCH = 53, 0, 1, 1, CONTROLLER | CLUSTER
    END_QUORUM_EPOCH = 54, 0, 1, 1, CONTROLLER | CLUSTER
    DESCRIBE_QUORUM = 55, 0, 2, 0, BOTH | FORWARDED | CLUSTER
    ALTER_PARTITION = 56, 2, 3, 2, CONTROLLER | CLUSTER
    UPDATE_FEATURES = 57, 0, 2, 0, BOTH | FORWARDED | CLUSTER
    ENVELOPE = 58, 0, 0, 0, CONTROLLER | CLUSTER
    FETCH_SNAPSHOT = 59, 0, 1, 0, CONTROLLER
    DESCRIBE_CLUSTER = 60, 0, 2, 0, BOTH
    DESCRIBE_PRODUCERS = 61, 0, 0, 0, BROKER
    BROKER_REGISTRATION = 62, 0, 4, 0, CONTROLLER | CLUSTER
    BROKER_HEARTBEAT = 63, 0, 2, 0, CONTROLLER | CLUSTER
    UNREGISTER_BROKER = 64, 0, 0, 0, BOTH | FORWARDED
    DESCRIBE_TRANSACTIONS = 65, 0, 0, 0, BROKER
    LIST_TRANSACTIONS = 66, 0, 2, 0, BROKER
    ALLOCATE_PRODUCER_IDS = 67, 0, 0, 0, CONTROLLER | FORWARDED | CLUSTER
    CONSUMER_GROUP_HEARTBEAT = 68, 0, 1, 0, BROKER
    CONSUMER_GROUP_DESCRIBE = 69, 0, 1, 0, BROKER
    CONTROLLER_REGISTRATION = 70, 0, 0, 0, CONTROLLER
    GET_TELEMETRY_SUBSCRIPTIONS = 71, 0, 0, 0, BROKER
    PUSH_TELEMETRY = 72, 0, 0, 0, BROKER
    ASSIGN_REPLICAS_TO_DIRS = 73, 0, 0, 0, CONTROLLER
    LIST_CONFIG_RESOURCES = 74, 0, 1, 0, BROKER
    DESCRIBE_TOPIC_PARTITIONS = 75, 0, 0, 0, BROKER
    SHARE_GROUP_HEARTBEAT = 76, 1, 1, 1, BROKER
    SHARE_GROUP_DESCRIBE = 77, 1, 1, 1, BROKER
    SHARE_FETCH = 78, 1, 2, 1, BROKER
    SHARE_ACKNOWLEDGE = 79, 1, 2, 1, BROKER
    ADD_RAFT_VOTER = 80, 0, 1, 0, BOTH | FORWARDED
    REMOVE_RAFT_VOTER = 81, 0, 0, 0, BOTH | FORWARDED
    UPDATE_RAFT_VOTER = 82, 0, 0, 0, CONTROLLER
    INITIALIZE_SHARE_GROUP_STATE = 83, 0, 0, 0, BROKER | CLUSTER
    READ_SHARE_GROUP_STATE = 84, 0, 0, 0, BROKER | CLUSTER
    WRITE_SHARE_GROUP_STATE = 85, 0, 1, 0, BROKER | CLUSTER
    DELETE_SHARE_GROUP_STATE = 86, 0, 0, 0, BROKER | CLUSTER
    READ_SHARE_GROUP_STATE_SUMMARY = 87, 0, 1, 0, BROKER | CLUSTER
    STREAMS_GROUP_HEARTBEAT = 88, 0, 0, 0, BROKER
    STREAMS_GROUP_DESCRIBE = 89, 0, 0, 0, BROKER
    DESCRIBE_SHARE_GROUP_OFFSETS = 90, 0, 1, 0, BROKER
    ALTER_SHARE_GROUP_OFFSETS = 91, 0, 0, 0, BROKER
    DELETE_SHARE_GROUP_OFFSETS = 92, 0, 0, 0, BROKER

    @property
    def message(self) -> str:
        """The name that the messages are called by, without Request or Response: PRODUCE is `Produce`."""
        return self.name.title().replace("_", "")

    @property
    def on_broker(self) -> bool:
        """Whether a broker's listeners serve this API."""
        return bool(self.flags & BROKER)

    @property
    def on_controller(self) -> bool:
        """Whether a controller's listeners serve this API."""
        return bool(self.flags & CONTROLLER)

    @property
    def forwarded(self) -> bool:
        """Whether a broker forwards this request to the controller."""
        return bool(self.flags & FORWARDED)

    @property
    def cluster_action(self) -> bool:
        """Whether the API is meant for the nodes of the cluster alone."""
        return bool(self.flags & CLUSTER)

    @property
    def highest_version(self) -> int:
        """The highest version that the schema describes, stable or not."""
        return UNSTABLE.get(self, self.max_version)

    @property
    def advertised_min_version(self) -> int:
        """The lowest version that ApiVersions announces.

        Produce says 0 although 3 is the floor: librdkafka looks for an overlap beginning with 0 before it believes
        that a codec is supported (KAFKA-18659). Requests in 0-2 are refused all the same.
        """
        return 0 if self is ApiKey.PRODUCE else self.min_version

    def supports(self, version: int) -> bool:
        """Whether a request in this version is served."""
        return self.min_version <= version <= self.max_version

    def request_header_version(self, version: int) -> int:
        """The version of the header before a request: 2 has tagged fields and comes with flexible bodies."""
        return 2 if version >= self.flexible_from else 1

    def response_header_version(self, version: int) -> int:
        """The version of the header before a response: 1 has tagged fields and comes with flexible bodies.

        A client that asks for ApiVersions does not know yet what the broker speaks, and the answer may be in version
        0 whatever was asked. So its header never changes.
        """
        return 1 if version >= self.flexible_from and self is not ApiKey.API_VERSIONS else 0


# What the schema describes beyond the stable versions: two-phase commit (KIP-939) is not finished in 4.3.
UNSTABLE = {ApiKey.INIT_PRODUCER_ID: 6}

# For looking up the key of a request: `BY_KEY.get(key)` is None for one that we have never heard of.
BY_KEY: dict[int, ApiKey] = {int(api): api for api in ApiKey}
