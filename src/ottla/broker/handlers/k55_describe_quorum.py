"""DescribeQuorum: who is in the quorum, and how far everybody has come (KIP-595).

Versions: 0-2
 1: when each was heard of (KIP-836); 2: directory ids and end points (KIP-853)

Brokers forward it.
"""

from collections.abc import Coroutine
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.quorum_requests import ask_quorum
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.quorum import DescribeQuorumRequest, DescribeQuorumResponse
from ottla.security.operations import Operation


def describe_quorum(context: RequestContext, request: DescribeQuorumRequest) -> Coroutine[Any, Any, Message]:
    """The quorum's answer."""
    context.demand(Operation.DESCRIBE)
    return ask_quorum(context, request)


def failed(request: DescribeQuorumRequest, code: int, message: str) -> DescribeQuorumResponse:
    """A refusal."""
    del request
    return DescribeQuorumResponse(error_code=code, error_message=message)
