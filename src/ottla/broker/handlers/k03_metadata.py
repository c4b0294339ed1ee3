"""Metadata: brokers, topics and leaders; how a client finds its way.

Versions: 0-13
 0: an empty list asks for all topics; since 1 null does, and an empty one asks for none
 4: whether asking may create topics; 10: topic ids in the answer; 12: asking by id; 8-10: operations on the cluster

Unlike in Kafka nothing is created by asking, since topics cannot be created yet: a topic that is not there is
UNKNOWN_TOPIC_OR_PARTITION, an id that is not there UNKNOWN_TOPIC_ID, each for itself. `controller_id` is some live
broker's, as KRaft answers it. If one topic is asked for by id, those asked for by name are passed over.
"""

from collections.abc import Iterator

from ottla.broker.cluster_view import ClusterView, Partition, Topic
from ottla.broker.context import RequestContext
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseBroker as BrokerAnswer
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponsePartition as PartitionAnswer
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseTopic as TopicAnswer
from ottla.protocol.topic_names import why_illegal
from ottla.security.operations import NOT_ASKED, Operation, ResourceType, operation_bits

CLUSTER_NAME = "kafka-cluster"  # what the one resource of its type is called in ACLs
BY_ID_SINCE = 12
NO_NODE = -1


def metadata(context: RequestContext, request: MetadataRequest) -> MetadataResponse:
    """The answer."""
    if context.version < BY_ID_SINCE and any(
        each.name is None or each.topic_id != ZERO_UUID for each in request.topics or ()
    ):
        return _refused(request)
    view = context.view
    brokers = view.brokers_on(context.listener)
    cluster_operations = NOT_ASKED
    if request.include_cluster_authorized_operations:
        cluster_operations = operation_bits(context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME))
    return MetadataResponse(
        brokers=[
            BrokerAnswer(broker.node_id, end_point.host, end_point.port, broker.rack) for broker, end_point in brokers
        ],
        cluster_id=view.cluster_id,
        controller_id=brokers[0][0].node_id if brokers else NO_NODE,
        topics=list(_topics(context, request)),
        cluster_authorized_operations=cluster_operations,
    )


def _refused(request: MetadataRequest) -> MetadataResponse:
    """The answer to a request by id in a version that cannot ask so: every topic has the error."""
    return MetadataResponse(
        topics=[TopicAnswer(ErrorCode.INVALID_REQUEST, each.name or "", each.topic_id) for each in request.topics or ()]
    )


def _topics(context: RequestContext, request: MetadataRequest) -> Iterator[TopicAnswer]:
    """The topics that are asked for, each once; what one may not describe is not shown where all are asked for."""
    asked = request.topics
    if asked is None or (context.version == 0 and not asked):
        for topic in context.view.topics.values():
            if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name):
                yield _described(context, request, topic)
        return
    ids = dict.fromkeys(each.topic_id for each in asked if each.topic_id != ZERO_UUID)
    names = {} if ids else dict.fromkeys(each.name for each in asked if each.name is not None)
    for topic_id in ids:
        by_id = context.view.topics_by_id.get(topic_id)
        if by_id is None:
            yield TopicAnswer(ErrorCode.UNKNOWN_TOPIC_ID, None, topic_id)
        elif not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, by_id.name):
            yield TopicAnswer(ErrorCode.TOPIC_AUTHORIZATION_FAILED, None, topic_id)
        else:
            yield _described(context, request, by_id)
    for name in names:
        if not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
            yield TopicAnswer(ErrorCode.TOPIC_AUTHORIZATION_FAILED, name)
        elif (by_name := context.view.topics.get(name)) is not None:
            yield _described(context, request, by_name)
        elif why_illegal(name) is not None:
            yield TopicAnswer(ErrorCode.INVALID_TOPIC_EXCEPTION, name)
        else:
            yield TopicAnswer(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, name)


def _described(context: RequestContext, request: MetadataRequest, topic: Topic) -> TopicAnswer:
    operations = NOT_ASKED
    if request.include_topic_authorized_operations:
        operations = operation_bits(context.authorized_operations(ResourceType.TOPIC, topic.name))
    return TopicAnswer(
        ErrorCode.NONE,
        topic.name,
        topic.topic_id,
        topic.is_internal,
        [_partition(context.view, partition) for partition in topic.partitions],
        operations,
    )


def _partition(view: ClusterView, partition: Partition) -> PartitionAnswer:
    leads = partition.leader_id in view.brokers
    return PartitionAnswer(
        error_code=ErrorCode.NONE if leads else ErrorCode.LEADER_NOT_AVAILABLE,
        partition_index=partition.index,
        leader_id=partition.leader_id if leads else NO_NODE,
        leader_epoch=partition.leader_epoch,
        replica_nodes=partition.replicas,
        isr_nodes=partition.isr,
        offline_replicas=[node_id for node_id in partition.replicas if node_id not in view.brokers],
    )
