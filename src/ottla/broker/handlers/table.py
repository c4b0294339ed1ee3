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
    k32_describe_configs,
    k33_alter_configs,
    k37_create_partitions,
    k43_elect_leaders,
    k44_incremental_alter_configs,
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k55_describe_quorum,
    k57_update_features,
    k64_unregister_broker,
    k75_describe_topic_partitions,
    k80_add_raft_voter,
    k81_remove_raft_voter,
)
from ottla.broker.handlers.k00_produce import produce
from ottla.broker.handlers.k01_fetch import fetch
from ottla.broker.handlers.k02_list_offsets import list_offsets
from ottla.broker.handlers.k03_metadata import metadata
from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.broker.handlers.k21_delete_records import delete_records
from ottla.broker.handlers.k22_init_producer_id import failed as init_producer_id_failed
from ottla.broker.handlers.k22_init_producer_id import init_producer_id
from ottla.broker.handlers.k23_offset_for_leader_epoch import offset_for_leader_epoch
from ottla.broker.handlers.k29_describe_acls import describe_acls
from ottla.broker.handlers.k30_create_acls import create_acls
from ottla.broker.handlers.k31_delete_acls import delete_acls
from ottla.broker.handlers.k33_forward_alter_configs import alter_configs
from ottla.broker.handlers.k35_describe_log_dirs import describe_log_dirs
from ottla.broker.handlers.k38_create_delegation_token import create_delegation_token
from ottla.broker.handlers.k39_renew_delegation_token import renew_delegation_token
from ottla.broker.handlers.k40_expire_delegation_token import expire_delegation_token
from ottla.broker.handlers.k41_describe_delegation_token import describe_delegation_token
from ottla.broker.handlers.k44_forward_incremental_alter_configs import incremental_alter_configs
from ottla.broker.handlers.k60_describe_cluster import describe_cluster
from ottla.broker.handlers.k61_describe_producers import describe_producers
from ottla.broker.handlers.k74_list_config_resources import list_config_resources
from ottla.broker.metadata import applied
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.cluster import (
    DescribeClusterRequest,
    DescribeTopicPartitionsRequest,
    MetadataRequest,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    DescribeConfigsRequest,
    IncrementalAlterConfigsRequest,
    ListConfigResourcesRequest,
)
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
from ottla.protocol.messages.security import (
    CreateAclsRequest,
    CreateDelegationTokenRequest,
    DeleteAclsRequest,
    DescribeAclsRequest,
    DescribeDelegationTokenRequest,
    ExpireDelegationTokenRequest,
    RenewDelegationTokenRequest,
)
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DescribeLogDirsRequest,
    ElectLeadersRequest,
    ListPartitionReassignmentsRequest,
)
from ottla.protocol.messages.transactions import InitProducerIdRequest

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
    ApiKey.CREATE_TOPICS: Served(CreateTopicsRequest, applied.create_topics, k19_create_topics.failed),
    ApiKey.DELETE_TOPICS: Served(DeleteTopicsRequest, applied.delete_topics, k20_delete_topics.failed),
    ApiKey.INIT_PRODUCER_ID: Served(InitProducerIdRequest, init_producer_id, init_producer_id_failed),
    ApiKey.DESCRIBE_ACLS: Served(DescribeAclsRequest, describe_acls),
    ApiKey.CREATE_ACLS: Served(CreateAclsRequest, create_acls),
    ApiKey.DELETE_ACLS: Served(DeleteAclsRequest, delete_acls),
    ApiKey.DESCRIBE_CONFIGS: Served(
        DescribeConfigsRequest, k32_describe_configs.describe_configs, k32_describe_configs.failed
    ),
    ApiKey.ALTER_CONFIGS: Served(AlterConfigsRequest, alter_configs, k33_alter_configs.failed),
    ApiKey.DESCRIBE_LOG_DIRS: Served(DescribeLogDirsRequest, describe_log_dirs),
    ApiKey.CREATE_PARTITIONS: Served(CreatePartitionsRequest, applied.create_partitions, k37_create_partitions.failed),
    ApiKey.CREATE_DELEGATION_TOKEN: Served(CreateDelegationTokenRequest, create_delegation_token),
    ApiKey.RENEW_DELEGATION_TOKEN: Served(RenewDelegationTokenRequest, renew_delegation_token),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Served(ExpireDelegationTokenRequest, expire_delegation_token),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: Served(DescribeDelegationTokenRequest, describe_delegation_token),
    ApiKey.ELECT_LEADERS: Served(ElectLeadersRequest, forward, k43_elect_leaders.failed),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Served(
        IncrementalAlterConfigsRequest, incremental_alter_configs, k44_incremental_alter_configs.failed
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Served(
        AlterPartitionReassignmentsRequest, forward, k45_alter_partition_reassignments.failed
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Served(
        ListPartitionReassignmentsRequest, forward, k46_list_partition_reassignments.failed
    ),
    ApiKey.DESCRIBE_QUORUM: Served(DescribeQuorumRequest, forward, k55_describe_quorum.failed),
    ApiKey.UPDATE_FEATURES: Served(UpdateFeaturesRequest, forward, k57_update_features.failed),
    ApiKey.DESCRIBE_CLUSTER: Served(DescribeClusterRequest, describe_cluster),
    ApiKey.UNREGISTER_BROKER: Served(UnregisterBrokerRequest, forward, k64_unregister_broker.failed),
    ApiKey.LIST_CONFIG_RESOURCES: Served(ListConfigResourcesRequest, list_config_resources),
    ApiKey.DESCRIBE_TOPIC_PARTITIONS: Served(
        DescribeTopicPartitionsRequest,
        k75_describe_topic_partitions.describe_topic_partitions,
        k75_describe_topic_partitions.failed,
    ),
    ApiKey.ADD_RAFT_VOTER: Served(AddRaftVoterRequest, forward, k80_add_raft_voter.failed),
    ApiKey.REMOVE_RAFT_VOTER: Served(RemoveRaftVoterRequest, forward, k81_remove_raft_voter.failed),
}
