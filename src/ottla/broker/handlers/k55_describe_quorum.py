"""DescribeQuorum: who is in the quorum, and how far everybody has come (KIP-595).

Versions: 0-2
 1: when each was heard of (KIP-836); 2: directory ids and end points (KIP-853)

Brokers forward it.
"""

from collections.abc import Iterator
from typing import Final

from ottla.broker.context import RequestContext
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.messages.quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponse_ReplicaState,
)
from ottla.security.operations import Operation

END_POINTS_SINCE: Final = 2


async def describe_quorum(context: RequestContext, request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    """The quorum's answer, without what the version cannot say."""
    context.demand(Operation.DESCRIBE)
    response = await context.controller.quorum.handle(request)
    assert isinstance(response, DescribeQuorumResponse)
    if context.version < END_POINTS_SINCE:
        response.nodes = []
        for replica in _replicas(response):
            replica.replica_directory_id = ZERO_UUID
    return response


def _replicas(response: DescribeQuorumResponse) -> Iterator[DescribeQuorumResponse_ReplicaState]:
    for topic in response.topics:
        for partition in topic.partitions:
            yield from partition.current_voters
            yield from partition.observers


def failed(request: DescribeQuorumRequest, code: int, message: str) -> DescribeQuorumResponse:
    """A refusal."""
    del request
    return DescribeQuorumResponse(error_code=code, error_message=message)
