"""IncrementalAlterConfigs at a broker: single settings are set, reset, extended or shortened (KIP-339).

Versions: 0-1

The broker checks what only it knows (see `config_requests`), sets the levels of its loggers (KIP-412), asks the
controller about the rest, and answers when it goes by the new settings itself.
"""

from ottla.broker.context import RequestContext
from ottla.broker.metadata.applied import configs_reached
from ottla.broker.settings import requests as config_requests
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from ottla.protocol.messages.configs import IncrementalAlterConfigsResponse_AlterConfigsResourceResponse as Result


async def incremental_alter_configs(
    context: RequestContext, request: IncrementalAlterConfigsRequest
) -> IncrementalAlterConfigsResponse:
    """The answer to all resources, in their order."""
    here = config_requests.preprocess(context, request)
    left = [
        each
        for each in config_requests.left_over(request.resources, here)
        if isinstance(each, IncrementalAlterConfigsRequest_AlterConfigsResource)
    ]
    there: dict[config_requests.Key, config_requests.Outcome] = {}
    if left:
        asked = IncrementalAlterConfigsRequest(left, request.validate_only)
        response = await context.broker.controller.forward(context, asked)
        assert isinstance(response, IncrementalAlterConfigsResponse)
        for each in response.responses:
            there[each.resource_type, each.resource_name] = (each.error_code, each.error_message)
        failed = {key for key, (code, _) in there.items() if code != ErrorCode.NONE}
        await configs_reached(context, asked, failed)
    answers = config_requests.reassembled(request.resources, here, there)
    return IncrementalAlterConfigsResponse(responses=[Result(*answer) for answer in answers])
