"""ListPartitionReassignments: the partitions that are being moved (KIP-455).

Versions: 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.topics import ListPartitionReassignmentsRequest, ListPartitionReassignmentsResponse
from ottla.protocol.messages.topics import ListPartitionReassignmentsResponse_OngoingPartitionReassignment as Ongoing
from ottla.protocol.messages.topics import ListPartitionReassignmentsResponse_OngoingTopicReassignment as OngoingTopic
from ottla.security.operations import Operation


def list_partition_reassignments(
    context: RequestContext, request: ListPartitionReassignmentsRequest
) -> Coroutine[Any, Any, ListPartitionReassignmentsResponse]:
    """The controller's answer: what is committed."""
    context.demand(Operation.DESCRIBE)
    office = context.controller.office
    return office.submit(partial(office.controller.reassignment.list, request))


def failed(request: ListPartitionReassignmentsRequest, code: int, message: str) -> ListPartitionReassignmentsResponse:
    """A refusal; it names what was asked for."""
    topics = [
        OngoingTopic(each.name, [Ongoing(index) for index in each.partition_indexes]) for each in request.topics or ()
    ]
    return ListPartitionReassignmentsResponse(error_code=code, error_message=message, topics=topics)
