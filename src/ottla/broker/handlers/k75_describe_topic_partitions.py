"""DescribeTopicPartitions: topics in the order of their names, page by page, with who may be elected (KIP-966).

Versions: 0

A page has at most as many partitions as the request and `max.request.partition.size.limit` allow, and at least one; the
cursor says where the next one begins, whether there is such a topic or not. A cursor outside of the topics that are
asked for, or at a partition below 0, is INVALID_REQUEST. What one may not describe comes last, without its id.
"""

from collections.abc import Sequence
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k03_metadata import partition_answer
from ottla.cluster.metadata.image import MetadataImage
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    DescribeTopicPartitionsResponse_Cursor,
)
from ottla.protocol.messages.cluster import (
    DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponsePartition as Part,
)
from ottla.protocol.messages.cluster import (
    DescribeTopicPartitionsResponse_DescribeTopicPartitionsResponseTopic as Topic,
)
from ottla.protocol.topic_names import INTERNAL_TOPICS, why_illegal
from ottla.security.operations import Operation, ResourceType, operation_bits

METADATA_VERSION: Final = 13  # whose answer about a partition this one has


def describe_topic_partitions(
    context: RequestContext, request: DescribeTopicPartitionsRequest
) -> DescribeTopicPartitionsResponse:
    """One page."""
    names, refused = _names(context, request)
    limit = context.broker.config.integer("max.request.partition.size.limit")
    left = max(min(limit, request.response_partition_limit), 1)
    response = DescribeTopicPartitionsResponse()
    topics: list[Topic] = []
    image = context.broker.metadata.image
    for name in names:
        if left == 0:
            response.next_cursor = DescribeTopicPartitionsResponse_Cursor(name, 0)
            break
        cursor = request.cursor
        start = cursor.partition_index if cursor is not None and cursor.topic_name == name else 0
        topic = _described(context, image, name, range(start, start + left))
        if topic is None:
            if request.topics:
                topics.append(_missing(context, name))
            continue
        topics.append(topic)
        left -= len(topic.partitions)
        if start + len(topic.partitions) < _count(image, name) and not left:
            response.next_cursor = DescribeTopicPartitionsResponse_Cursor(name, start + len(topic.partitions))
            break
    code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    response.topics = [*topics, *(Topic(code, name, is_internal=name in INTERNAL_TOPICS) for name in refused)]
    return response


def failed(request: DescribeTopicPartitionsRequest, code: int, message: str) -> DescribeTopicPartitionsResponse:
    """A refusal of all of them."""
    del message
    return DescribeTopicPartitionsResponse(topics=[Topic(code, each.name) for each in request.topics])


def _names(context: RequestContext, request: DescribeTopicPartitionsRequest) -> tuple[Sequence[str], Sequence[str]]:
    """The topics of this page and of those behind it, in order; and those that must not be described."""
    if any(not each.name for each in request.topics):
        raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, "A topic has a name.")  # an error of Kafka's own there
    cursor = request.cursor
    start = "" if cursor is None else cursor.topic_name
    asked = sorted({each.name for each in request.topics}) if request.topics else context.broker.metadata.topic_names()
    names = [name for name in asked if name >= start]
    if cursor is not None and ((request.topics and start not in names) or cursor.partition_index < 0):
        raise RequestRefused(ErrorCode.INVALID_REQUEST, "The cursor is none of the partitions that are asked for.")
    allowed: list[str] = []
    refused: list[str] = []
    for name in names:
        (allowed if context.authorize(Operation.DESCRIBE, ResourceType.TOPIC, name) else refused).append(name)
    return allowed, refused if request.topics else []


def _count(image: MetadataImage, name: str) -> int:
    topic = image.topics.named(name)
    return 0 if topic is None else len(topic.partitions)


def _operations(context: RequestContext, name: str) -> int:
    return operation_bits(context.authorized_operations(ResourceType.TOPIC, name))


def _missing(context: RequestContext, name: str) -> Topic:
    code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if why_illegal(name) is None else ErrorCode.INVALID_TOPIC_EXCEPTION
    return Topic(
        code, name, is_internal=name in INTERNAL_TOPICS, topic_authorized_operations=_operations(context, name)
    )


def _described(context: RequestContext, image: MetadataImage, name: str, page: range) -> Topic | None:
    topic = image.topics.named(name)
    if topic is None:
        return None
    partitions = []
    for index in range(page.start, min(page.stop, len(topic.partitions))):
        partition = topic.partitions[index]
        told = partition_answer(image, index, partition, context.listener, METADATA_VERSION)
        partitions.append(
            Part(
                told.error_code,
                index,
                told.leader_id,
                told.leader_epoch,
                told.replica_nodes,
                told.isr_nodes,
                partition.eligible_leader_replicas,
                partition.last_known_elr,
                told.offline_replicas,
            )
        )
    return Topic(ErrorCode.NONE, name, topic.topic_id, topic.is_internal, partitions, _operations(context, name))
