"""InitProducerId: an idempotent producer gets an id and the epoch 0.

Versions: 0-5
 3: a producer can say which id it has (KIP-360): of use to transactions alone, others get a new one

There is no transaction coordinator yet: a transactional id is answered with UNSUPPORTED_VERSION, which clients give to
their users at once, where an error of Kafka's own for a missing coordinator would have them ask for ever.
"""

from collections.abc import Coroutine
from typing import Any, Final

from ottla.broker.context import RequestContext
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.transactions import InitProducerIdRequest, InitProducerIdResponse
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType

NONE: Final = -1


def init_producer_id(
    context: RequestContext, request: InitProducerIdRequest
) -> InitProducerIdResponse | Coroutine[Any, Any, InitProducerIdResponse]:
    """A new id, at once if one is at hand."""
    _check(context, request)
    producer_id = context.broker.producer_ids.take()
    return _later(context) if producer_id is None else InitProducerIdResponse(producer_id=producer_id)


async def _later(context: RequestContext) -> InitProducerIdResponse:
    return InitProducerIdResponse(producer_id=await context.broker.producer_ids.next())


def failed(request: InitProducerIdRequest, code: int, message: str) -> InitProducerIdResponse:
    """A refusal."""
    del request, message
    return InitProducerIdResponse(error_code=code, producer_epoch=NONE)


def _check(context: RequestContext, request: InitProducerIdRequest) -> None:
    name = request.transactional_id
    if name is None:
        if not context.authorize(Operation.IDEMPOTENT_WRITE, ResourceType.CLUSTER, CLUSTER_NAME):
            raise RequestRefused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "IDEMPOTENT_WRITE is not allowed.")
    elif not context.authorize(Operation.WRITE, ResourceType.TRANSACTIONAL_ID, name):
        raise RequestRefused(ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED, f"WRITE to {name} is not allowed.")
    if (request.producer_id == NONE) != (request.producer_epoch == NONE):
        raise RequestRefused(ErrorCode.INVALID_REQUEST, "An id comes with its epoch.")
    if name is None:
        return
    if not name:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, "A transactional id is not empty.")
    if not 0 < request.transaction_timeout_ms <= context.broker.config.integer("transaction.max.timeout.ms"):
        raise RequestRefused(
            ErrorCode.INVALID_TRANSACTION_TIMEOUT, f"{request.transaction_timeout_ms} ms is no timeout."
        )
    raise RequestRefused(ErrorCode.UNSUPPORTED_VERSION, "There are no transactions yet.")
