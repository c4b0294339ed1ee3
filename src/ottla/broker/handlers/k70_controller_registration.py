"""ControllerRegistration: a controller that starts tells the active one where it is, and what it supports (KIP-919).

Versions: 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.controller import ControllerRegistrationRequest, ControllerRegistrationResponse
from ottla.security.operations import Operation


def controller_registration(
    context: RequestContext, request: ControllerRegistrationRequest
) -> Coroutine[Any, Any, ControllerRegistrationResponse]:
    """The answer, when the registration is committed."""
    context.demand(Operation.CLUSTER_ACTION)
    office = context.controller.office
    return office.submit(partial(office.controller.controllers.register, request))


def failed(request: ControllerRegistrationRequest, code: int, message: str) -> ControllerRegistrationResponse:
    """A refusal."""
    del request
    return ControllerRegistrationResponse(error_code=code, error_message=message)
