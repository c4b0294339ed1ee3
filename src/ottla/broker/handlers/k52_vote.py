"""Vote: a candidate of the quorum asks for a vote, or whether it would get one (KIP-595).

Versions: 0-2
 1: directory ids of voters (KIP-853); 2: pre-vote (KIP-996)
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import VoteRequest, VoteResponse
from ottla.security.operations import Operation


def vote(context: RequestContext, request: VoteRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return ask_quorum(context, request)


def failed(request: VoteRequest, code: int, message: str) -> VoteResponse:
    """A refusal."""
    del request, message
    return VoteResponse(error_code=code)
