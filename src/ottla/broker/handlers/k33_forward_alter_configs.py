"""AlterConfigs at a broker: a resource's settings are replaced by others (KIP-133).

Versions: 0-2

The broker checks what only it knows (see `config_requests`), asks the controller about the rest, and answers when it
goes by the new settings itself. Loggers cannot be altered so.
"""

from ottla.broker.context import RequestContext
from ottla.broker.metadata.applied import configs_reached
from ottla.broker.settings import requests as config_requests
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsRequest_AlterConfigsResource,
    AlterConfigsResponse,
)
from ottla.protocol.messages.configs import AlterConfigsResponse_AlterConfigsResourceResponse as Result


async def alter_configs(context: RequestContext, request: AlterConfigsRequest) -> AlterConfigsResponse:
    """The answer to all resources, in their order."""
    here = config_requests.preprocess(context, request)
    left = [
        each
        for each in config_requests.left_over(request.resources, here)
        if isinstance(each, AlterConfigsRequest_AlterConfigsResource)
    ]
    there: dict[config_requests.Key, config_requests.Outcome] = {}
    if left:
        asked = AlterConfigsRequest(left, request.validate_only)
        response = await context.broker.controller.forward(context, asked)
        assert isinstance(response, AlterConfigsResponse)
        for each in response.responses:
            there[each.resource_type, each.resource_name] = (each.error_code, each.error_message)
        failed = {key for key, (code, _) in there.items() if code != ErrorCode.NONE}
        await configs_reached(context, asked, failed)
    answers = config_requests.reassembled(request.resources, here, there)
    return AlterConfigsResponse(responses=[Result(*answer) for answer in answers])
