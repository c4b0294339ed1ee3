"""The APIs that a broker's listeners serve, each with the class of its request and its handler: one literal dict.

What is not in here is not advertised, and whoever asks for it all the same is disconnected, as Kafka does with an API
that a listener does not serve. `controller_table` has those of the controller's listener.

A handler gets the circumstances and the request, and gives one of three things: the response; a coroutine, of which it
is the value; or None, when it has seen to it that `context.reply` is told later: what is served a hundred thousand
times a second goes without a task and a future. Views of the frame (records) are dead when a handler has returned, and
for a coroutine when it first waits. A `PeerError` that it raises is answered by `failed`, where there is one.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Final, NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.controller_channel import forward
from ottla.broker.handlers import (
    k19_create_topics,
    k20_delete_topics,
    k37_create_partitions,
    k43_elect_leaders,
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k55_describe_quorum,
    k57_update_features,
    k64_unregister_broker,
    k80_add_raft_voter,
    k81_remove_raft_voter,
)
from ottla.broker.handlers.k00_produce import produce
from ottla.broker.handlers.k01_fetch import fetch
from ottla.broker.handlers.k02_list_offsets import list_offsets
from ottla.broker.handlers.k03_metadata import metadata
from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.broker.handlers.k21_delete_records import delete_records
from ottla.broker.handlers.k23_offset_for_leader_epoch import offset_for_leader_epoch
from ottla.broker.handlers.k61_describe_producers import describe_producers
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.cluster import MetadataRequest, UnregisterBrokerRequest, UpdateFeaturesRequest
from ottla.protocol.messages.connection import ApiVersionsRequest
from ottla.protocol.messages.produce_fetch import (
    DeleteRecordsRequest,
    DescribeProducersRequest,
    FetchRequest,
    ListOffsetsRequest,
    OffsetForLeaderEpochRequest,
    ProduceRequest,
)
from ottla.protocol.messages.quorum import AddRaftVoterRequest, DescribeQuorumRequest, RemoveRaftVoterRequest
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    ElectLeadersRequest,
    ListPartitionReassignmentsRequest,
)

Outcome = Message | Coroutine[Any, Any, Message] | None


class Served(NamedTuple):
    """One API."""

    request: type[Message]
    handle: Callable[[RequestContext, Any], Outcome]
    failed: Callable[[Any, int, str], Message] | None = None  # (request, error code, message): the whole is refused


HANDLERS: Final[dict[ApiKey, Served]] = {
    ApiKey.PRODUCE: Served(ProduceRequest, produce),
    ApiKey.FETCH: Served(FetchRequest, fetch),
    ApiKey.LIST_OFFSETS: Served(ListOffsetsRequest, list_offsets),
    ApiKey.DELETE_RECORDS: Served(DeleteRecordsRequest, delete_records),
    ApiKey.OFFSET_FOR_LEADER_EPOCH: Served(OffsetForLeaderEpochRequest, offset_for_leader_epoch),
    ApiKey.DESCRIBE_PRODUCERS: Served(DescribeProducersRequest, describe_producers),
    ApiKey.METADATA: Served(MetadataRequest, metadata),
    ApiKey.API_VERSIONS: Served(ApiVersionsRequest, lambda context, request: api_versions(context, request, HANDLERS)),
    ApiKey.CREATE_TOPICS: Served(CreateTopicsRequest, forward, k19_create_topics.failed),
    ApiKey.DELETE_TOPICS: Served(DeleteTopicsRequest, forward, k20_delete_topics.failed),
    ApiKey.CREATE_PARTITIONS: Served(CreatePartitionsRequest, forward, k37_create_partitions.failed),
    ApiKey.ELECT_LEADERS: Served(ElectLeadersRequest, forward, k43_elect_leaders.failed),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Served(
        AlterPartitionReassignmentsRequest, forward, k45_alter_partition_reassignments.failed
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Served(
        ListPartitionReassignmentsRequest, forward, k46_list_partition_reassignments.failed
    ),
    ApiKey.DESCRIBE_QUORUM: Served(DescribeQuorumRequest, forward, k55_describe_quorum.failed),
    ApiKey.UPDATE_FEATURES: Served(UpdateFeaturesRequest, forward, k57_update_features.failed),
    ApiKey.UNREGISTER_BROKER: Served(UnregisterBrokerRequest, forward, k64_unregister_broker.failed),
    ApiKey.ADD_RAFT_VOTER: Served(AddRaftVoterRequest, forward, k80_add_raft_voter.failed),
    ApiKey.REMOVE_RAFT_VOTER: Served(RemoveRaftVoterRequest, forward, k81_remove_raft_voter.failed),
}
