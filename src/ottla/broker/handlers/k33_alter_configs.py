"""AlterConfigs: a resource's settings are replaced by others, each resource for itself (KIP-133).

Versions: 0-2
"""

from ottla.broker.context import RequestContext
from ottla.broker.handlers.k44_incremental_alter_configs import why_not
from ottla.protocol.messages.configs import AlterConfigsRequest, AlterConfigsResponse
from ottla.protocol.messages.configs import AlterConfigsResponse_AlterConfigsResourceResponse as Result


async def alter_configs(context: RequestContext, request: AlterConfigsRequest) -> AlterConfigsResponse:
    """The controller's answer, when the settings are committed."""
    office = context.controller.office
    reasons = [why_not(context, each.resource_type, each.resource_name, replaces=True) for each in request.resources]
    asked = AlterConfigsRequest(
        [each for each, why in zip(request.resources, reasons, strict=True) if why is None], request.validate_only
    )
    response: AlterConfigsResponse = await office.submit(
        lambda now_ms: office.controller.alter_configs.legacy(asked, now_ms)
    )
    refused = [
        Result(why.code, str(why), each.resource_type, each.resource_name)
        for each, why in zip(request.resources, reasons, strict=True)
        if why is not None
    ]
    response.responses = [*refused, *response.responses]
    return response


def failed(request: AlterConfigsRequest, code: int, message: str) -> AlterConfigsResponse:
    """A refusal of all of them."""
    return AlterConfigsResponse(
        responses=[Result(code, message, each.resource_type, each.resource_name) for each in request.resources]
    )
