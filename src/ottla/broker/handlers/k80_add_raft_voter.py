"""AddRaftVoter: an observer of the quorum becomes a voter (KIP-853).

Versions: 0-1
 1: whether the answer waits until the new voters are committed (KIP-1186)

Brokers forward it.
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import AddRaftVoterRequest, AddRaftVoterResponse
from ottla.security.operations import Operation


def add_raft_voter(context: RequestContext, request: AddRaftVoterRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.ALTER)
    return ask_quorum(context, request)


def failed(request: AddRaftVoterRequest, code: int, message: str) -> AddRaftVoterResponse:
    """A refusal."""
    del request
    return AddRaftVoterResponse(error_code=code, error_message=message)
