"""UnregisterBroker: a broker that will not come back is forgotten.

Versions: 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.cluster import UnregisterBrokerRequest, UnregisterBrokerResponse
from ottla.security.operations import Operation


def unregister_broker(
    context: RequestContext, request: UnregisterBrokerRequest
) -> Coroutine[Any, Any, UnregisterBrokerResponse]:
    """The controller's answer, when the broker is out of the metadata."""
    context.demand(Operation.ALTER)
    office = context.controller.office
    return office.submit(partial(office.controller.registration.unregister, request))


def failed(request: UnregisterBrokerRequest, code: int, message: str) -> UnregisterBrokerResponse:
    """A refusal."""
    del request
    return UnregisterBrokerResponse(error_code=code, error_message=message)
