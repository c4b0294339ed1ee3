"""Kafka's error codes: one table of name, code, whether a client may try again, and what it means.

A member is an int, so `response.error_code = ErrorCode.NONE` needs no conversion, and the wire codec reads and writes
plain ints: nothing on the hot path looks here. `ErrorCode.of(code)` is for whoever wants the words.

Always true: codes are unique and lie between -1 and 133 without a gap. `retriable` says that the same request may
succeed later without anybody changing it; a client retries those and gives the others to its user. `stale_metadata`
says that it should learn first where things are now; these are all retriable.

A code from a newer peer is no reason to fail: `ErrorCode.of(999)` is `UNKNOWN_SERVER_ERROR`, as in Kafka's clients. The
number itself is still in the message that brought it.
"""

from enum import IntEnum
from typing import Self

# What a client does about an error: give it to its user, ask again, or fetch metadata first and then ask again.
FINAL = 0
RETRIABLE = 1
STALE = 2


class ErrorCode(IntEnum):
    """An error code of Kafka 4.3. Columns: code, what a client does about it, text."""

    retriable: bool
    stale_metadata: bool
    text: str

    def __new__(cls, code: int, remedy: int, text: str) -> Self:
        """Make a member out of its row in the table."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.retriable = remedy != FINAL
        member.stale_metadata = remedy == STALE
        member.text = text
        return member

    UNKNOWN_SERVER_ERROR = -1, FINAL, "Something went wrong at the server that has no code of its own."
    NONE = 0, FINAL, "No error."
    OFFSET_OUT_OF_RANGE = 1, FINAL, "The offset lies before the log's start or after its end."
    CORRUPT_MESSAGE = 2, RETRIABLE, "A record batch arrived damaged: its checksum, its size or its form is wrong."
    UNKNOWN_TOPIC_OR_PARTITION = 3, STALE, "This broker knows no such topic or partition, or does not hold it."
    INVALID_FETCH_SIZE = 4, FINAL, "The fetch asks for a size that makes no sense."
    LEADER_NOT_AVAILABLE = 5, STALE, "The partition has no leader at the moment; one is being elected."
    NOT_LEADER_OR_FOLLOWER = 6, STALE, "This broker does not lead the partition, or holds no replica of it at all."
    REQUEST_TIMED_OUT = 7, RETRIABLE, "The request was not done within the time that it allowed."
    BROKER_NOT_AVAILABLE = 8, FINAL, "The broker is not there."
    REPLICA_NOT_AVAILABLE = 9, STALE, "The replica that was asked for is not on this broker now."
    MESSAGE_TOO_LARGE = 10, FINAL, "A record batch is larger than the topic allows."
    STALE_CONTROLLER_EPOCH = 11, FINAL, "The request comes from a controller that has been replaced."
    OFFSET_METADATA_TOO_LARGE = 12, FINAL, "The note sent along with a committed offset is too long."
    NETWORK_EXCEPTION = 13, STALE, "The connection ended before the answer came."
    COORDINATOR_LOAD_IN_PROGRESS = 14, RETRIABLE, "The coordinator is still reading its state and cannot serve yet."
    COORDINATOR_NOT_AVAILABLE = 15, RETRIABLE, "There is no coordinator at the moment."
    NOT_COORDINATOR = 16, RETRIABLE, "This broker is not the coordinator of that group or transactional id."
    INVALID_TOPIC_EXCEPTION = 17, FINAL, "The topic's name is not allowed, or the topic may not be used in this way."
    RECORD_LIST_TOO_LARGE = 18, FINAL, "The record batch is larger than a segment of the log may be."
    NOT_ENOUGH_REPLICAS = 19, RETRIABLE, "Fewer replicas are in sync than the topic demands; nothing was written."
    NOT_ENOUGH_REPLICAS_AFTER_APPEND = 20, RETRIABLE, "Written, but on fewer in-sync replicas than the topic demands."
    INVALID_REQUIRED_ACKS = 21, FINAL, "The number of acknowledgements asked for is none of 0, 1 and -1."
    ILLEGAL_GENERATION = 22, FINAL, "The group has moved on to another generation."
    INCONSISTENT_GROUP_PROTOCOL = 23, FINAL, "The member and the group have no protocol in common, or it offers none."
    INVALID_GROUP_ID = 24, FINAL, "The group's id is not allowed."
    UNKNOWN_MEMBER_ID = 25, FINAL, "The group has no such member."
    INVALID_SESSION_TIMEOUT = 26, FINAL, "The session timeout lies outside of what the broker's settings allow."
    REBALANCE_IN_PROGRESS = 27, FINAL, "The group is rebalancing; the member has to join again."
    INVALID_COMMIT_OFFSET_SIZE = 28, FINAL, "The offsets to commit do not fit into one record batch."
    TOPIC_AUTHORIZATION_FAILED = 29, FINAL, "The principal may not do this to the topic."
    GROUP_AUTHORIZATION_FAILED = 30, FINAL, "The principal may not do this to the group."
    CLUSTER_AUTHORIZATION_FAILED = 31, FINAL, "The principal may not do this to the cluster."
    INVALID_TIMESTAMP = 32, FINAL, "A record's timestamp is too far from the broker's clock, or is none."
    UNSUPPORTED_SASL_MECHANISM = 33, FINAL, "The listener does not offer this SASL mechanism."
    ILLEGAL_SASL_STATE = 34, FINAL, "The request does not belong at this point of the authentication."
    UNSUPPORTED_VERSION = 35, FINAL, "The server does not serve this API in this version."
    TOPIC_ALREADY_EXISTS = 36, FINAL, "There is a topic of this name already."
    INVALID_PARTITIONS = 37, FINAL, "The number of partitions is not one that the topic can have."
    INVALID_REPLICATION_FACTOR = 38, FINAL, "The replication factor is below one, or there are not that many brokers."
    INVALID_REPLICA_ASSIGNMENT = 39, FINAL, "The replicas are not assigned in a way that could work."
    INVALID_CONFIG = 40, FINAL, "A setting has a value that it cannot have."
    NOT_CONTROLLER = 41, RETRIABLE, "This node is not the active controller."
    INVALID_REQUEST = 42, FINAL, "The request contradicts itself, or is not what it claims to be."
    UNSUPPORTED_FOR_MESSAGE_FORMAT = 43, FINAL, "The record format in use cannot do this."
    POLICY_VIOLATION = 44, FINAL, "The operator's policy does not permit the request."
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45, FINAL, "Batches of this producer are missing before this one."
    DUPLICATE_SEQUENCE_NUMBER = 46, FINAL, "This producer has already sent a batch with that sequence number."
    INVALID_PRODUCER_EPOCH = 47, FINAL, "The producer's epoch is not the current one."
    INVALID_TXN_STATE = 48, FINAL, "The transaction is in a state in which this cannot be done."
    INVALID_PRODUCER_ID_MAPPING = 49, FINAL, "The producer id does not belong to this transactional id."
    INVALID_TRANSACTION_TIMEOUT = 50, FINAL, "The transaction timeout is longer than the broker allows."
    CONCURRENT_TRANSACTIONS = 51, RETRIABLE, "Another operation on the same transaction has not finished."
    TRANSACTION_COORDINATOR_FENCED = 52, FINAL, "The markers come from a coordinator that has been replaced."
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53, FINAL, "The principal may not use this transactional id."
    SECURITY_DISABLED = 54, FINAL, "The cluster runs without the security feature that this needs."
    OPERATION_NOT_ATTEMPTED = 55, FINAL, "Not tried, because something else in the same request failed."
    KAFKA_STORAGE_ERROR = 56, STALE, "The disk under this partition failed."
    LOG_DIR_NOT_FOUND = 57, FINAL, "The broker has no such log directory."
    SASL_AUTHENTICATION_FAILED = 58, FINAL, "The credentials were refused."
    UNKNOWN_PRODUCER_ID = 59, FINAL, "The partition remembers nothing of this producer; its records may have expired."
    REASSIGNMENT_IN_PROGRESS = 60, FINAL, "The partition is being moved to other replicas."
    DELEGATION_TOKEN_AUTH_DISABLED = 61, FINAL, "Delegation tokens are not switched on."
    DELEGATION_TOKEN_NOT_FOUND = 62, FINAL, "There is no such delegation token."
    DELEGATION_TOKEN_OWNER_MISMATCH = 63, FINAL, "The principal neither owns the token nor may renew it."
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64, FINAL, "Tokens cannot be asked for over a connection of this kind."
    DELEGATION_TOKEN_AUTHORIZATION_FAILED = 65, FINAL, "The principal may not do this to the delegation token."
    DELEGATION_TOKEN_EXPIRED = 66, FINAL, "The delegation token has expired."
    INVALID_PRINCIPAL_TYPE = 67, FINAL, "A principal of this type cannot be used here."
    NON_EMPTY_GROUP = 68, FINAL, "The group still has members."
    GROUP_ID_NOT_FOUND = 69, FINAL, "There is no such group."
    FETCH_SESSION_ID_NOT_FOUND = 70, RETRIABLE, "The broker has no such fetch session; it may have been evicted."
    INVALID_FETCH_SESSION_EPOCH = 71, RETRIABLE, "The fetch session is at another epoch."
    LISTENER_NOT_FOUND = 72, STALE, "The leader has no listener of the name that the question came in by."
    TOPIC_DELETION_DISABLED = 73, FINAL, "The cluster does not delete topics."
    FENCED_LEADER_EPOCH = 74, STALE, "The request names a leader epoch older than the broker's."
    UNKNOWN_LEADER_EPOCH = 75, RETRIABLE, "The request names a leader epoch that the broker has not heard of yet."
    UNSUPPORTED_COMPRESSION_TYPE = 76, FINAL, "The records are compressed in a way that this request cannot carry."
    STALE_BROKER_EPOCH = 77, FINAL, "The broker has registered anew since it sent this."
    OFFSET_NOT_AVAILABLE = 78, RETRIABLE, "The new leader does not know yet how far the log is committed."
    MEMBER_ID_REQUIRED = 79, FINAL, "The member has been given an id and has to join again with it."
    PREFERRED_LEADER_NOT_AVAILABLE = 80, STALE, "The preferred leader is not there to be elected."
    GROUP_MAX_SIZE_REACHED = 81, FINAL, "The group has as many members as it may have."
    FENCED_INSTANCE_ID = 82, FINAL, "Another member has taken over this group.instance.id."
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83, STALE, "No replica that could lead the partition is there."
    ELECTION_NOT_NEEDED = 84, STALE, "The partition is already led as it should be."
    NO_REASSIGNMENT_IN_PROGRESS = 85, FINAL, "The partition is not being moved."
    GROUP_SUBSCRIBED_TO_TOPIC = 86, FINAL, "The group still reads the topic, so its offsets there must stay."
    INVALID_RECORD = 87, FINAL, "A record breaks a rule of its topic or of the record format."
    UNSTABLE_OFFSET_COMMIT = 88, RETRIABLE, "An open transaction may still change the committed offset."
    THROTTLING_QUOTA_EXCEEDED = 89, RETRIABLE, "The quota is used up for now."
    PRODUCER_FENCED = 90, FINAL, "A newer producer uses the same transactional id."
    RESOURCE_NOT_FOUND = 91, FINAL, "The request names something that does not exist."
    DUPLICATE_RESOURCE = 92, FINAL, "The request names the same thing twice."
    UNACCEPTABLE_CREDENTIAL = 93, FINAL, "The credential is weaker than allowed, or otherwise unfit."
    INCONSISTENT_VOTER_SET = 94, FINAL, "Sender and receiver do not agree on who votes."
    INVALID_UPDATE_VERSION = 95, FINAL, "The version that the update carries is not one that can follow."
    FEATURE_UPDATE_FAILED = 96, FINAL, "The finalised features could not be changed."
    PRINCIPAL_DESERIALIZATION_FAILURE = 97, FINAL, "The principal of a forwarded request does not parse."
    SNAPSHOT_NOT_FOUND = 98, FINAL, "There is no such snapshot."
    POSITION_OUT_OF_RANGE = 99, FINAL, "The position is negative or beyond the end of the snapshot."
    UNKNOWN_TOPIC_ID = 100, STALE, "This broker knows no topic with this id."
    DUPLICATE_BROKER_REGISTRATION = 101, FINAL, "A live broker has this node id."
    BROKER_ID_NOT_REGISTERED = 102, FINAL, "No broker with this node id is registered."
    INCONSISTENT_TOPIC_ID = 103, STALE, "The log belongs to another topic id than the request says."
    INCONSISTENT_CLUSTER_ID = 104, FINAL, "The request is meant for another cluster."
    TRANSACTIONAL_ID_NOT_FOUND = 105, FINAL, "There is no such transactional id."
    FETCH_SESSION_TOPIC_ID_ERROR = 106, RETRIABLE, "The fetch session mixes topics with ids and topics without."
    INELIGIBLE_REPLICA = 107, FINAL, "A replica proposed for the in-sync set may not be in it."
    NEW_LEADER_ELECTED = 108, FINAL, "The change was made, and it made another replica the leader."
    OFFSET_MOVED_TO_TIERED_STORAGE = 109, FINAL, "The offset is no longer on local disks, only in tiered storage."
    FENCED_MEMBER_EPOCH = 110, FINAL, "The member's epoch is void: it must give up its partitions and join again."
    UNRELEASED_INSTANCE_ID = 111, FINAL, "Another member still holds this instance id."
    UNSUPPORTED_ASSIGNOR = 112, FINAL, "The group does not offer this assignor."
    STALE_MEMBER_EPOCH = 113, FINAL, "The member has to learn its new epoch by a heartbeat first."
    MISMATCHED_ENDPOINT_TYPE = 114, FINAL, "Meant for a controller and sent to a broker, or the other way round."
    UNSUPPORTED_ENDPOINT_TYPE = 115, FINAL, "No endpoints of this type can be described."
    UNKNOWN_CONTROLLER_ID = 116, FINAL, "There is no controller with this node id."
    UNKNOWN_SUBSCRIPTION_ID = 117, FINAL, "The client's telemetry subscription is not, or no longer, the current one."
    TELEMETRY_TOO_LARGE = 118, FINAL, "The telemetry is larger than the broker takes."
    INVALID_REGISTRATION = 119, FINAL, "The controller refuses a registration of this content."
    TRANSACTION_ABORTABLE = 120, FINAL, "The transaction has failed; the producer can abort it and go on."
    INVALID_RECORD_STATE = 121, FINAL, "The record cannot be acknowledged in the state of delivery that it is in."
    SHARE_SESSION_NOT_FOUND = 122, RETRIABLE, "The broker has no such share session."
    INVALID_SHARE_SESSION_EPOCH = 123, RETRIABLE, "The share session is at another epoch."
    FENCED_STATE_EPOCH = 124, FINAL, "The share group's state is at another epoch."
    INVALID_VOTER_KEY = 125, FINAL, "The node that was reached is not the voter that the request means."
    DUPLICATE_VOTER = 126, FINAL, "The node is a voter already."
    VOTER_NOT_FOUND = 127, FINAL, "The node is not a voter."
    INVALID_REGULAR_EXPRESSION = 128, FINAL, "The pattern is not a regular expression that the server understands."
    REBOOTSTRAP_REQUIRED = 129, FINAL, "The client's metadata is stale: it should bootstrap anew."
    STREAMS_INVALID_TOPOLOGY = 130, FINAL, "The streams topology cannot be run."
    STREAMS_INVALID_TOPOLOGY_EPOCH = 131, FINAL, "The streams topology has an epoch that cannot be."
    STREAMS_TOPOLOGY_FENCED = 132, FINAL, "The streams topology is older than the group's."
    SHARE_SESSION_LIMIT_REACHED = 133, RETRIABLE, "The broker keeps as many share sessions as it may."

    @classmethod
    def of(cls, code: int) -> "ErrorCode":
        """The error that a code stands for; one that we do not know is the unknown error."""
        return BY_CODE.get(code, cls.UNKNOWN_SERVER_ERROR)


BY_CODE: dict[int, ErrorCode] = {int(error): error for error in ErrorCode}
