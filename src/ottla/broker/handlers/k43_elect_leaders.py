"""ElectLeaders: preferred or unclean elections of some partitions, or of all that need one.

Versions: 0-2
 1: the type of the election (KIP-460); before it is always the preferred one

Where all partitions are asked for, those that need no election are left out of the answer.
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.topics import ElectLeadersRequest, ElectLeadersResponse
from ottla.protocol.messages.topics import ElectLeadersResponse_PartitionResult as Result
from ottla.protocol.messages.topics import ElectLeadersResponse_ReplicaElectionResult as TopicResult
from ottla.security.operations import Operation


def elect_leaders(context: RequestContext, request: ElectLeadersRequest) -> Coroutine[Any, Any, ElectLeadersResponse]:
    """The controller's answer, when the leaders are committed."""
    context.demand(Operation.ALTER)
    elections = context.controller.office.controller.elections
    return context.controller.decide(lambda now_ms: elections.elect(request, now_ms), request.timeout_ms)


def failed(request: ElectLeadersRequest, code: int, message: str) -> ElectLeadersResponse:
    """A refusal of all of them."""
    results = [
        TopicResult(each.topic, [Result(partition_id, code, message) for partition_id in each.partitions])
        for each in request.topic_partitions or ()
    ]
    return ElectLeadersResponse(error_code=code, replica_election_results=results)
