"""IncrementalAlterConfigs: single settings are set, reset, extended or shortened (KIP-339), each resource for itself.

Versions: 0-1
"""

from ottla.broker.context import RequestContext
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
from ottla.protocol.messages.configs import IncrementalAlterConfigsResponse_AlterConfigsResourceResponse as Result
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32


async def incremental_alter_configs(
    context: RequestContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse:
    """The controller's answer, when the settings are committed."""
    office = context.controller.office
    reasons = [why_not(context, each.resource_type, each.resource_name) for each in request.resources]
    asked = IncrementalAlterConfigsRequest(
        [each for each, why in zip(request.resources, reasons, strict=True) if why is None], request.validate_only
    )
    response: IncrementalAlterConfigsResponse = await office.submit(
        lambda now_ms: office.controller.alter_configs.incremental(asked, now_ms)
    )
    refused = [
        Result(why.code, str(why), each.resource_type, each.resource_name)
        for each, why in zip(request.resources, reasons, strict=True)
        if why is not None
    ]
    response.responses = [*refused, *response.responses]
    return response


def why_not(context: RequestContext, kind: int, name: str, *, replaces: bool = False) -> RequestRefused | None:
    """Why whoever asks cannot alter this resource through the controller."""
    if kind == TOPIC:
        resource, code = (ResourceType.TOPIC, name), ErrorCode.TOPIC_AUTHORIZATION_FAILED
    elif kind in (BROKER, CLIENT_METRICS):
        resource, code = (ResourceType.CLUSTER, CLUSTER_NAME), ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    elif kind == GROUP:
        resource, code = (ResourceType.GROUP, name), ErrorCode.GROUP_AUTHORIZATION_FAILED
    elif kind == BROKER_LOGGER:
        is_ours = name == str(context.controller.node_id) and not replaces
        code = ErrorCode.INVALID_CONFIG if is_ours else ErrorCode.INVALID_REQUEST
        return RequestRefused(code, f"Node {context.controller.node_id} has no loggers whose levels could be set.")
    else:
        return RequestRefused(ErrorCode.UNSUPPORTED_VERSION, f"There is no resource type {kind}.")
    if context.authorize(Operation.ALTER_CONFIGS, *resource):
        return None
    return RequestRefused(code, f"{context.principal} may not alter the settings of {name}.")


def failed(request: IncrementalAlterConfigsRequest, code: int, message: str) -> IncrementalAlterConfigsResponse:
    """A refusal of all of them."""
    return IncrementalAlterConfigsResponse(
        responses=[Result(code, message, each.resource_type, each.resource_name) for each in request.resources]
    )
