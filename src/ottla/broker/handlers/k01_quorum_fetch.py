"""Fetch: the metadata log, to the nodes that replicate it: Fetch on a controller's listener.

Versions: 4-18
 12: what the quorum needs of it (KIP-595); 13: topic ids, and only these are answered; 17: directory ids, and with
 them where the leader is (KIP-853)

It is Fetch in name and form alone: one partition, no sessions, and the leader's answer to how far the log agrees.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse
from ottla.security.operations import Operation

END_POINTS_SINCE: Final = 17  # Kafka tells from here on, though 16 has the field


async def quorum_fetch(context: RequestContext, request: FetchRequest) -> FetchResponse:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    response = await ask_quorum(context, request)
    assert isinstance(response, FetchResponse)
    if context.version < END_POINTS_SINCE:
        response.node_endpoints = []
    return response


def failed(request: FetchRequest, code: int, message: str) -> FetchResponse:
    """A refusal."""
    del request, message
    return FetchResponse(error_code=code)
