"""FetchSnapshot: a piece of a snapshot of the metadata log (KIP-630).

Versions: 0-1
 1: directory ids (KIP-853)
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import FetchSnapshotRequest, FetchSnapshotResponse
from ottla.security.operations import Operation


def fetch_snapshot(context: RequestContext, request: FetchSnapshotRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.CLUSTER_ACTION)
    return ask_quorum(context, request)


def failed(request: FetchSnapshotRequest, code: int, message: str) -> FetchSnapshotResponse:
    """A refusal."""
    del request, message
    return FetchSnapshotResponse(error_code=code)
