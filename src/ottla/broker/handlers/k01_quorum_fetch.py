"""Fetch: the metadata log, to the nodes that replicate it: Fetch on a controller's listener.

Versions: 4-18
 12: what the quorum needs of it (KIP-595); 17: directory ids (KIP-853)

It is Fetch in name and form alone: one partition, no sessions, and the leader's answer to how far the log agrees.
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse
from ottla.security.operations import Operation


def quorum_fetch(context: RequestContext, request: FetchRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return context.controller.quorum.handle(request)


def failed(request: FetchRequest, code: int, message: str) -> FetchResponse:
    """A refusal."""
    del request, message
    return FetchResponse(error_code=code)
