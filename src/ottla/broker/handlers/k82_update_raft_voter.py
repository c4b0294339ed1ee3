"""UpdateRaftVoter: a voter says where it listens now, and which versions it speaks (KIP-853).

Versions: 0
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import UpdateRaftVoterRequest, UpdateRaftVoterResponse
from ottla.security.operations import Operation


def update_raft_voter(context: RequestContext, request: UpdateRaftVoterRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return ask_quorum(context, request)


def failed(request: UpdateRaftVoterRequest, code: int, message: str) -> UpdateRaftVoterResponse:
    """A refusal."""
    del request, message
    return UpdateRaftVoterResponse(error_code=code)
