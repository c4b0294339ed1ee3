"""AllocateProducerIds: a broker gets a block of producer ids (KIP-730).

Versions: 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.controller import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ottla.security.operations import Operation


def allocate_producer_ids(
    context: RequestContext, request: AllocateProducerIdsRequest
) -> Coroutine[Any, Any, AllocateProducerIdsResponse]:
    """The answer, when nobody else can get the block."""
    context.demand(Operation.CLUSTER_ACTION)
    office = context.controller.office
    return office.submit(partial(office.controller.producer_ids.allocate, request))


def failed(request: AllocateProducerIdsRequest, code: int, message: str) -> AllocateProducerIdsResponse:
    """A refusal."""
    del request, message
    return AllocateProducerIdsResponse(error_code=code)
