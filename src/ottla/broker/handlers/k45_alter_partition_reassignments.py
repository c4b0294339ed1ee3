"""AlterPartitionReassignments: partitions are moved to other brokers, or no longer moved (KIP-455), each for itself.

Versions: 0-1
 1: whether the number of replicas may change (KIP-860)
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.topics import AlterPartitionReassignmentsRequest, AlterPartitionReassignmentsResponse
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsResponse_ReassignablePartitionResponse as Result,
)
from ottla.protocol.messages.topics import AlterPartitionReassignmentsResponse_ReassignableTopicResponse as TopicResult
from ottla.security.operations import Operation


def alter_partition_reassignments(
    context: RequestContext, request: AlterPartitionReassignmentsRequest
) -> Coroutine[Any, Any, AlterPartitionReassignmentsResponse]:
    """The controller's answer, when the new replicas are committed."""
    context.demand(Operation.ALTER)
    reassignment = context.controller.office.controller.reassignment
    return context.controller.decide(lambda now_ms: reassignment.alter(request, now_ms), request.timeout_ms)


def failed(request: AlterPartitionReassignmentsRequest, code: int, message: str) -> AlterPartitionReassignmentsResponse:
    """A refusal of all of them."""
    responses = [
        TopicResult(topic.name, [Result(each.partition_index, code, message) for each in topic.partitions])
        for topic in request.topics
    ]
    return AlterPartitionReassignmentsResponse(error_code=code, error_message=message, responses=responses)
