"""UpdateFeatures: the levels of features change, all that are named or none (KIP-584, KIP-1022).

Versions: 0-2
 1: whether it is an upgrade, a downgrade or an unsafe one, and trying out; 2: no results feature by feature

`kraft.version` is the quorum's own and can only be raised (KIP-853). It is raised when the others were found possible,
and before they are written: were the node lost in between, the request would have been carried out in part.
"""

from functools import partial

from ottla.broker.context import RequestContext
from ottla.broker.parts import QuorumMember
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import KRAFT_VERSION, supported_range
from ottla.protocol.messages.cluster import UpdateFeaturesRequest, UpdateFeaturesResponse
from ottla.protocol.messages.cluster import UpdateFeaturesRequest_FeatureUpdateKey as Update
from ottla.protocol.messages.cluster import UpdateFeaturesResponse_UpdatableFeatureResult as Result
from ottla.security.operations import Operation


async def update_features(context: RequestContext, request: UpdateFeaturesRequest) -> UpdateFeaturesResponse:
    """The controller's answer, when the levels are committed."""
    context.demand(Operation.ALTER)
    kraft = next((each for each in request.feature_updates if each.feature == KRAFT_VERSION), None)
    others = [each for each in request.feature_updates if each.feature != KRAFT_VERSION]
    if kraft is None:
        return await _update(context, request, others, validate_only=request.validate_only)
    response = await _update(context, request, others, validate_only=True)
    if response.error_code != ErrorCode.NONE:
        return response
    await _raise_kraft_version(context.controller.quorum, kraft, validate_only=request.validate_only)
    if others and not request.validate_only:
        response = await _update(context, request, others, validate_only=False)
    response.results = [*response.results, Result(KRAFT_VERSION, ErrorCode.NONE, "NONE")]
    return response


async def _update(
    context: RequestContext, request: UpdateFeaturesRequest, updates: list[Update], *, validate_only: bool
) -> UpdateFeaturesResponse:
    office = context.controller.office
    asked = UpdateFeaturesRequest(request.timeout_ms, updates, validate_only)
    response: UpdateFeaturesResponse = await office.submit(partial(office.controller.features.update, asked))
    return response


async def _raise_kraft_version(quorum: QuorumMember, update: Update, *, validate_only: bool) -> None:
    level, current = update.max_version_level, quorum.kraft_version
    lowest, highest = supported_range(KRAFT_VERSION)
    if not lowest <= level <= highest or level < current:
        raise RequestRefused(
            ErrorCode.INVALID_UPDATE_VERSION,
            f"{KRAFT_VERSION} is at {current}, can be raised to {highest}, and cannot be set to {level}.",
        )
    if level > current:
        code, why = await quorum.upgrade_kraft_version(level, validate_only=validate_only)
        if code != ErrorCode.NONE:
            raise RequestRefused(code, why)


def failed(request: UpdateFeaturesRequest, code: int, message: str) -> UpdateFeaturesResponse:
    """A refusal of all of them."""
    del request
    return UpdateFeaturesResponse(error_code=code, error_message=message)
