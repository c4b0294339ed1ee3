"""The APIs that a controller's listener serves, each with the class of its request and its handler: one literal dict.

The admin's requests are served both ways: a client may ask a controller directly (`--bootstrap-controller`, KIP-919),
and what a broker forwards comes in an Envelope, which looks here what to do with it.
"""

from typing import Final

from ottla.broker.handlers import (
    k01_quorum_fetch,
    k19_create_topics,
    k20_delete_topics,
    k32_describe_configs,
    k33_alter_configs,
    k37_create_partitions,
    k43_elect_leaders,
    k44_incremental_alter_configs,
    k45_alter_partition_reassignments,
    k46_list_partition_reassignments,
    k52_vote,
    k53_begin_quorum_epoch,
    k54_end_quorum_epoch,
    k55_describe_quorum,
    k56_alter_partition,
    k57_update_features,
    k58_envelope,
    k59_fetch_snapshot,
    k60_describe_controllers,
    k62_broker_registration,
    k63_broker_heartbeat,
    k64_unregister_broker,
    k67_allocate_producer_ids,
    k70_controller_registration,
    k73_assign_replicas_to_dirs,
    k80_add_raft_voter,
    k81_remove_raft_voter,
    k82_update_raft_voter,
)
from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.broker.handlers.k29_describe_acls import describe_acls
from ottla.broker.handlers.k30_create_acls import create_acls
from ottla.broker.handlers.k31_delete_acls import delete_acls
from ottla.broker.handlers.k38_create_delegation_token import create_delegation_token
from ottla.broker.handlers.k39_renew_delegation_token import renew_delegation_token
from ottla.broker.handlers.k40_expire_delegation_token import expire_delegation_token
from ottla.broker.handlers.k41_describe_delegation_token import describe_delegation_token
from ottla.broker.handlers.table import Served
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.cluster import (
    DescribeClusterRequest,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    DescribeConfigsRequest,
    IncrementalAlterConfigsRequest,
)
from ottla.protocol.messages.connection import (
    ApiVersionsRequest,
)
from ottla.protocol.messages.controller import (
    AllocateProducerIdsRequest,
    AlterPartitionRequest,
    AssignReplicasToDirsRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ControllerRegistrationRequest,
    EnvelopeRequest,
)
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
)
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    BeginQuorumEpochRequest,
    DescribeQuorumRequest,
    EndQuorumEpochRequest,
    FetchSnapshotRequest,
    RemoveRaftVoterRequest,
    UpdateRaftVoterRequest,
    VoteRequest,
)
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
    ElectLeadersRequest,
    ListPartitionReassignmentsRequest,
)

CONTROLLER_HANDLERS: Final[dict[ApiKey, Served]] = {
    ApiKey.FETCH: Served(FetchRequest, k01_quorum_fetch.quorum_fetch, k01_quorum_fetch.failed),
    ApiKey.API_VERSIONS: Served(
        ApiVersionsRequest, lambda context, request: api_versions(context, request, CONTROLLER_HANDLERS)
    ),
    ApiKey.CREATE_TOPICS: Served(CreateTopicsRequest, k19_create_topics.create_topics, k19_create_topics.failed),
    ApiKey.DELETE_TOPICS: Served(DeleteTopicsRequest, k20_delete_topics.delete_topics, k20_delete_topics.failed),
    ApiKey.DESCRIBE_ACLS: Served(DescribeAclsRequest, describe_acls),
    ApiKey.CREATE_ACLS: Served(CreateAclsRequest, create_acls),
    ApiKey.DELETE_ACLS: Served(DeleteAclsRequest, delete_acls),
    ApiKey.DESCRIBE_CONFIGS: Served(
        DescribeConfigsRequest, k32_describe_configs.describe_configs, k32_describe_configs.failed
    ),
    ApiKey.ALTER_CONFIGS: Served(AlterConfigsRequest, k33_alter_configs.alter_configs, k33_alter_configs.failed),
    ApiKey.CREATE_PARTITIONS: Served(
        CreatePartitionsRequest, k37_create_partitions.create_partitions, k37_create_partitions.failed
    ),
    ApiKey.CREATE_DELEGATION_TOKEN: Served(CreateDelegationTokenRequest, create_delegation_token),
    ApiKey.RENEW_DELEGATION_TOKEN: Served(RenewDelegationTokenRequest, renew_delegation_token),
    ApiKey.EXPIRE_DELEGATION_TOKEN: Served(ExpireDelegationTokenRequest, expire_delegation_token),
    ApiKey.DESCRIBE_DELEGATION_TOKEN: Served(DescribeDelegationTokenRequest, describe_delegation_token),
    ApiKey.ELECT_LEADERS: Served(ElectLeadersRequest, k43_elect_leaders.elect_leaders, k43_elect_leaders.failed),
    ApiKey.INCREMENTAL_ALTER_CONFIGS: Served(
        IncrementalAlterConfigsRequest,
        k44_incremental_alter_configs.incremental_alter_configs,
        k44_incremental_alter_configs.failed,
    ),
    ApiKey.ALTER_PARTITION_REASSIGNMENTS: Served(
        AlterPartitionReassignmentsRequest,
        k45_alter_partition_reassignments.alter_partition_reassignments,
        k45_alter_partition_reassignments.failed,
    ),
    ApiKey.LIST_PARTITION_REASSIGNMENTS: Served(
        ListPartitionReassignmentsRequest,
        k46_list_partition_reassignments.list_partition_reassignments,
        k46_list_partition_reassignments.failed,
    ),
    ApiKey.VOTE: Served(VoteRequest, k52_vote.vote, k52_vote.failed),
    ApiKey.BEGIN_QUORUM_EPOCH: Served(
        BeginQuorumEpochRequest, k53_begin_quorum_epoch.begin_quorum_epoch, k53_begin_quorum_epoch.failed
    ),
    ApiKey.END_QUORUM_EPOCH: Served(
        EndQuorumEpochRequest, k54_end_quorum_epoch.end_quorum_epoch, k54_end_quorum_epoch.failed
    ),
    ApiKey.DESCRIBE_QUORUM: Served(
        DescribeQuorumRequest, k55_describe_quorum.describe_quorum, k55_describe_quorum.failed
    ),
    ApiKey.ALTER_PARTITION: Served(
        AlterPartitionRequest, k56_alter_partition.alter_partition, k56_alter_partition.failed
    ),
    ApiKey.UPDATE_FEATURES: Served(
        UpdateFeaturesRequest, k57_update_features.update_features, k57_update_features.failed
    ),
    ApiKey.ENVELOPE: Served(
        EnvelopeRequest,
        lambda context, request: k58_envelope.envelope(context, request, CONTROLLER_HANDLERS),
        k58_envelope.failed,
    ),
    ApiKey.FETCH_SNAPSHOT: Served(FetchSnapshotRequest, k59_fetch_snapshot.fetch_snapshot, k59_fetch_snapshot.failed),
    ApiKey.DESCRIBE_CLUSTER: Served(
        DescribeClusterRequest, k60_describe_controllers.describe_controllers, k60_describe_controllers.failed
    ),
    ApiKey.BROKER_REGISTRATION: Served(
        BrokerRegistrationRequest, k62_broker_registration.broker_registration, k62_broker_registration.failed
    ),
    ApiKey.BROKER_HEARTBEAT: Served(
        BrokerHeartbeatRequest, k63_broker_heartbeat.broker_heartbeat, k63_broker_heartbeat.failed
    ),
    ApiKey.UNREGISTER_BROKER: Served(
        UnregisterBrokerRequest, k64_unregister_broker.unregister_broker, k64_unregister_broker.failed
    ),
    ApiKey.ALLOCATE_PRODUCER_IDS: Served(
        AllocateProducerIdsRequest, k67_allocate_producer_ids.allocate_producer_ids, k67_allocate_producer_ids.failed
    ),
    ApiKey.CONTROLLER_REGISTRATION: Served(
        ControllerRegistrationRequest,
        k70_controller_registration.controller_registration,
        k70_controller_registration.failed,
    ),
    ApiKey.ASSIGN_REPLICAS_TO_DIRS: Served(
        AssignReplicasToDirsRequest,
        k73_assign_replicas_to_dirs.assign_replicas_to_dirs,
        k73_assign_replicas_to_dirs.failed,
    ),
    ApiKey.ADD_RAFT_VOTER: Served(AddRaftVoterRequest, k80_add_raft_voter.add_raft_voter, k80_add_raft_voter.failed),
    ApiKey.REMOVE_RAFT_VOTER: Served(
        RemoveRaftVoterRequest, k81_remove_raft_voter.remove_raft_voter, k81_remove_raft_voter.failed
    ),
    ApiKey.UPDATE_RAFT_VOTER: Served(
        UpdateRaftVoterRequest, k82_update_raft_voter.update_raft_voter, k82_update_raft_voter.failed
    ),
}
