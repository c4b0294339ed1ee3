"""EndQuorumEpoch: the quorum's leader goes, and says who should come after it (KIP-595).

Versions: 0-1
 1: where it listens, and directory ids of voters (KIP-853)
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import EndQuorumEpochRequest, EndQuorumEpochResponse
from ottla.security.operations import Operation


def end_quorum_epoch(context: RequestContext, request: EndQuorumEpochRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return ask_quorum(context, request)


def failed(request: EndQuorumEpochRequest, code: int, message: str) -> EndQuorumEpochResponse:
    """A refusal."""
    del request, message
    return EndQuorumEpochResponse(error_code=code)
