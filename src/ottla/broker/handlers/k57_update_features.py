"""UpdateFeatures: the levels of features change, all that are named or none (KIP-584, KIP-1022).

Versions: 0-2
 1: whether it is an upgrade, a downgrade or an unsafe one, and trying out; 2: no results feature by feature

`kraft.version` is the quorum's own.
"""

from collections.abc import Coroutine
from functools import partial
from typing import Any

from ottla.broker.context import RequestContext
from ottla.protocol.messages.cluster import UpdateFeaturesRequest, UpdateFeaturesResponse
from ottla.security.operations import Operation


def update_features(
    context: RequestContext, request: UpdateFeaturesRequest
) -> Coroutine[Any, Any, UpdateFeaturesResponse]:
    """The controller's answer, when the levels are committed."""
    context.demand(Operation.ALTER)
    office = context.controller.office
    return office.submit(partial(office.controller.features.update, request))


def failed(request: UpdateFeaturesRequest, code: int, message: str) -> UpdateFeaturesResponse:
    """A refusal of all of them."""
    del request
    return UpdateFeaturesResponse(error_code=code, error_message=message)
