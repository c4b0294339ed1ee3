"""BrokerRegistration: a broker that starts becomes known to the controller, and gets its epoch.

Versions: 0-4
 1: brokers that migrate from ZooKeeper, of which there are none; 2: log directories; 3: the epoch of the last clean
 shutdown; 4: features whose lowest level is 0
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.controller import BrokerRegistrationRequest, BrokerRegistrationResponse
from ottla.security.operations import Operation


def broker_registration(
    context: RequestContext, request: BrokerRegistrationRequest
) -> Coroutine[Any, Any, BrokerRegistrationResponse]:
    """The answer, when the registration is committed."""
    context.demand(Operation.CLUSTER_ACTION)
    office = context.controller.office
    is_own = context.is_own and request.broker_id == context.controller.node_id
    return office.submit(partial(office.controller.registration.register, request, is_own=is_own))


def failed(request: BrokerRegistrationRequest, code: int, message: str) -> BrokerRegistrationResponse:
    """A refusal."""
    del request, message
    return BrokerRegistrationResponse(error_code=code)
