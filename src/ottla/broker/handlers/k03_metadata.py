"""Metadata: brokers, topics and leaders; how a client finds its way.

Versions: 0-13
 0: an empty list asks for all topics; since 1 null does, and an empty one asks for none
 4: whether asking may create topics; 10: topic ids in the answer; 12: asking by id; 8-10: operations on the cluster

Version 0 leaves out replicas that clients cannot reach and says REPLICA_NOT_AVAILABLE; a leader without the listener
that was asked on is LEADER_NOT_AVAILABLE up to version 5 and LISTENER_NOT_FOUND since. If one topic is asked for by id,
those asked for by name are passed over. `controller_id` is some live broker's, as KRaft answers it.

A topic that is not there is UNKNOWN_TOPIC_OR_PARTITION also when asking begins to create it, as the broker's
`auto.create.topics.enable` and the request say: clients ask again. Unlike in Kafka the topics of an answer are in the
order of the request, or of their names.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.metadata.cache import NO_NODE, is_offline
from ottla.broker.metadata.encoding import EncodedTopics, encoded_topic, metadata_answer
from ottla.broker.metadata.spliced import Spliced
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.parts.partition import Partition
from ottla.cluster.metadata.parts.topics import Topic
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseBroker as BrokerAnswer
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponsePartition as PartitionAnswer
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseTopic as TopicAnswer
from ottla.protocol.topic_names import INTERNAL_TOPICS, why_illegal
from ottla.security.operations import CLUSTER_NAME, NOT_ASKED, Operation, ResourceType, operation_bits

BY_ID_SINCE: Final = 12
LISTENER_NOT_FOUND_SINCE: Final = 6


def metadata(context: RequestContext, request: MetadataRequest) -> Spliced:
    """The answer."""
    cache, listener = context.broker.metadata, context.listener
    if context.version < BY_ID_SINCE and any(
        each.name is None or each.topic_id != ZERO_UUID for each in request.topics or ()
    ):
        return _refused(context, request, ErrorCode.INVALID_REQUEST)
    if _names_nothing(request):
        return _refused(context, request, ErrorCode.UNKNOWN_SERVER_ERROR)
    brokers = cache.brokers_on(listener)
    operations = NOT_ASKED
    if request.include_cluster_authorized_operations:
        operations = operation_bits(context.authorized_operations(ResourceType.CLUSTER, CLUSTER_NAME))
    head = MetadataResponse(
        brokers=[
            BrokerAnswer(broker.node_id, end_point.host, end_point.port, broker.rack) for broker, end_point in brokers
        ],
        cluster_id=cache.cluster_id,
        controller_id=cache.controller_id(listener),
        cluster_authorized_operations=operations,
    )
    return metadata_answer(head, list(_topics(context, request)), context.version)


def _names_nothing(request: MetadataRequest) -> bool:
    """Whether a topic has neither name nor id, where all are asked for by name: Kafka runs into an error of its own."""
    asked = request.topics or ()
    return any(each.name is None for each in asked) and all(each.topic_id == ZERO_UUID for each in asked)


def _refused(context: RequestContext, request: MetadataRequest, code: ErrorCode) -> Spliced:
    """The answer to what cannot be asked so (an id before version 12): every topic has the error."""
    answers = [TopicAnswer(code, each.name or "", each.topic_id) for each in request.topics or ()]
    pieces = [encoded_topic(answer, context.version) for answer in answers]
    return metadata_answer(MetadataResponse(error_code=code), pieces, context.version)


def _topics(context: RequestContext, request: MetadataRequest) -> Iterator[bytes]:
    """The topics that are asked for, each once; what one may not describe is not shown where all are asked for."""
    cache = context.broker.metadata
    topics = cache.image.topics
    encodings = cache.encodings.of(context.listener, context.version)
    described = partial(_described, context, request, encodings, cache.image)
    asked = request.topics
    if asked is None or (context.version == 0 and not asked):
        for name in cache.topic_names():
            if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
                yield described(topics.by_id[topics.ids[name]])
        return
    ids = dict.fromkeys(each.topic_id for each in asked if each.topic_id != ZERO_UUID)
    if ids:
        for topic_id in ids:
            topic = topics.by_id.get(topic_id)
            if topic is None:
                yield encoded_topic(TopicAnswer(ErrorCode.UNKNOWN_TOPIC_ID, None, topic_id), context.version)
            elif not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, topic.name):
                yield encoded_topic(TopicAnswer(ErrorCode.TOPIC_AUTHORIZATION_FAILED, None, topic_id), context.version)
            else:
                yield described(topic)
        return
    creates = request.allow_auto_topic_creation and context.broker.config.boolean("auto.create.topics.enable")
    wanted = []
    for name in dict.fromkeys(each.name or "" for each in asked):
        if not context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name):
            yield encoded_topic(TopicAnswer(ErrorCode.TOPIC_AUTHORIZATION_FAILED, name), context.version)
        elif (topic := topics.named(name)) is not None:
            yield described(topic)
        else:
            error = _why_missing(context, name, creates=creates)
            if creates and error == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
                wanted.append(name)
            answer = TopicAnswer(error, name, is_internal=name in INTERNAL_TOPICS)
            answer.topic_authorized_operations = _operations(context, request, name)
            yield encoded_topic(answer, context.version)
    if wanted:
        context.broker.auto_topics.create(wanted)


def _why_missing(context: RequestContext, name: str, *, creates: bool) -> ErrorCode:
    """What a topic that is not there is answered with."""
    if why_illegal(name) is not None:
        return ErrorCode.INVALID_TOPIC_EXCEPTION
    if creates and not (
        context.authorize(Operation.CREATE, ResourceType.CLUSTER, CLUSTER_NAME)
        or context.authorize(Operation.CREATE, ResourceType.TOPIC, name)
    ):
        return ErrorCode.TOPIC_AUTHORIZATION_FAILED
    return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def _described(
    context: RequestContext, request: MetadataRequest, encodings: EncodedTopics, image: MetadataImage, topic: Topic
) -> bytes:
    operations = _operations(context, request, topic.name)
    known = encodings.get(topic.topic_id, operations)
    if known is not None:
        return known
    answer = TopicAnswer(
        ErrorCode.NONE,
        topic.name,
        topic.topic_id,
        topic.is_internal,
        [
            partition_answer(image, index, topic.partitions[index], context.listener, context.version)
            for index in sorted(topic.partitions)
        ],
        operations,
    )
    return encodings.add(topic.topic_id, operations, answer)


def _operations(context: RequestContext, request: MetadataRequest, name: str) -> int:
    """What one may do to a topic, there or not, if that is asked for."""
    if not request.include_topic_authorized_operations:
        return NOT_ASKED
    return operation_bits(context.authorized_operations(ResourceType.TOPIC, name))


def partition_answer(
    image: MetadataImage, index: int, partition: Partition, listener: str, version: int
) -> PartitionAnswer:
    """A partition as clients of a listener are told of it."""
    brokers = image.cluster.brokers
    replicas, isr = partition.replicas, partition.isr
    error = ErrorCode.NONE
    if version == 0:
        replicas = tuple(each for each in replicas if _has(image, each, listener))
        isr = tuple(each for each in isr if _has(image, each, listener))
        if len(replicas) < len(partition.replicas) or len(isr) < len(partition.isr):
            error = ErrorCode.REPLICA_NOT_AVAILABLE
    leader_id = partition.leader_id
    if not _has(image, leader_id, listener):
        registered = leader_id in brokers and version >= LISTENER_NOT_FOUND_SINCE
        error = ErrorCode.LISTENER_NOT_FOUND if registered else ErrorCode.LEADER_NOT_AVAILABLE
        leader_id = NO_NODE
    return PartitionAnswer(
        error_code=error,
        partition_index=index,
        leader_id=leader_id,
        leader_epoch=partition.leader_epoch,
        replica_nodes=replicas,
        isr_nodes=isr,
        offline_replicas=[each for each in partition.replicas if is_offline(partition, brokers.get(each), listener)],
    )


def _has(image: MetadataImage, node_id: int, listener: str) -> bool:
    """Whether a broker is registered, and has the listener."""
    broker = image.cluster.brokers.get(node_id)
    return broker is not None and listener in broker.end_points
