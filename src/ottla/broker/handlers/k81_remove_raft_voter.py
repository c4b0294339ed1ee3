"""RemoveRaftVoter: a voter leaves the quorum (KIP-853).

Versions: 0

Brokers forward it.
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import RemoveRaftVoterRequest, RemoveRaftVoterResponse
from ottla.security.operations import Operation


def remove_raft_voter(context: RequestContext, request: RemoveRaftVoterRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.ALTER)
    return ask_quorum(context, request)


def failed(request: RemoveRaftVoterRequest, code: int, message: str) -> RemoveRaftVoterResponse:
    """A refusal."""
    del request
    return RemoveRaftVoterResponse(error_code=code, error_message=message)
