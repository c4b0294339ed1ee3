"""BeginQuorumEpoch: the quorum's leader says that it is (KIP-595).

Versions: 0-1
 1: where it listens, and directory ids of voters (KIP-853)
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import BeginQuorumEpochRequest, BeginQuorumEpochResponse
from ottla.security.operations import Operation


def begin_quorum_epoch(context: RequestContext, request: BeginQuorumEpochRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return ask_quorum(context, request)


def failed(request: BeginQuorumEpochRequest, code: int, message: str) -> BeginQuorumEpochResponse:
    """A refusal."""
    del request, message
    return BeginQuorumEpochResponse(error_code=code)
