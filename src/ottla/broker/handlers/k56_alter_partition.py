"""AlterPartition: a leader asks for another ISR (KIP-497), each partition for itself.

Versions: 2-3
 3: the members of the ISR with their broker epochs (KIP-903)
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.controller import AlterPartitionRequest, AlterPartitionResponse
from ottla.security.operations import Operation


def alter_partition(
    context: RequestContext, request: AlterPartitionRequest
) -> Coroutine[Any, Any, AlterPartitionResponse]:
    """The answer, when the ISRs are committed."""
    context.demand(Operation.CLUSTER_ACTION)
    office = context.controller.office
    return office.submit(partial(office.controller.isr.alter, request))


def failed(request: AlterPartitionRequest, code: int, message: str) -> AlterPartitionResponse:
    """A refusal of all of them."""
    del request, message
    return AlterPartitionResponse(error_code=code)
