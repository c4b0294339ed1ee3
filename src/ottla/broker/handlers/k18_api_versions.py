"""ApiVersions: which APIs a node serves in which versions, and the features of the node and of its cluster.

Versions: 0-4
 3: the client says its name and version; features (KIP-584)
 4: features whose lowest level is 0; up to 3 they are left out of the supported ones (KAFKA-17011)

A version that is not served never comes here: the connection answers it, in version 0 (KIP-511). Only what the table
serves is told, and only what belongs on the listener; of requests that are handed on, what the active controller serves
as well, once it is known (a broker may be newer than the controller). A finalised feature has one level, told as its
own range; their epoch is the offset up to which this node has applied the metadata.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from ottla.broker.context import RequestContext
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import FEATURES, METADATA_VERSION, supported_range
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.connection import ApiVersionsResponse_ApiVersion as ApiVersion
from ottla.protocol.messages.connection import ApiVersionsResponse_FinalizedFeatureKey as Finalised
from ottla.protocol.messages.connection import ApiVersionsResponse_SupportedFeatureKey as Supported

# What a client may call itself and its version, so that both can be a metric's tag (KIP-511).
_NAME: Final = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
NAMED_SINCE: Final = 3
LEVEL_0_SINCE: Final = 4
SUPPORTED: Final = tuple(Supported(name, *supported_range(name)) for name in sorted((METADATA_VERSION, *FEATURES)))


def api_versions(context: RequestContext, request: ApiVersionsRequest, served: Iterable[ApiKey]) -> ApiVersionsResponse:
    """The answer to a version that we speak."""
    if context.version >= NAMED_SINCE and not (
        _NAME.fullmatch(request.client_software_name) and _NAME.fullmatch(request.client_software_version)
    ):
        return ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)
    features = (context.controller if context.is_controller_listener else context.broker).features
    of_controller = None if context.is_controller_listener else context.broker.controller.versions()
    return ApiVersionsResponse(
        api_keys=list(_versions(context.is_controller_listener, served, of_controller)),
        supported_features=[each for each in SUPPORTED if each.min_version or context.version >= LEVEL_0_SINCE],
        finalized_features_epoch=features.epoch,
        finalized_features=[Finalised(name, level, level) for name, level in features.levels().items()],
    )


def _versions(
    is_controller_listener: bool, served: Iterable[ApiKey], of_controller: Mapping[int, tuple[int, int]] | None
) -> Iterator[ApiVersion]:
    """What this listener serves; of what it hands on no more than the active controller knows."""
    for api in sorted(served):
        if not (api.on_controller if is_controller_listener else api.on_broker):
            continue
        lowest, highest = api.advertised_min_version, api.max_version
        if of_controller is not None and api.forwarded:
            theirs = of_controller.get(api, (0, -1))
            lowest, highest = max(lowest, theirs[0]), min(highest, theirs[1])
        if lowest <= highest:
            yield ApiVersion(api, lowest, highest)
