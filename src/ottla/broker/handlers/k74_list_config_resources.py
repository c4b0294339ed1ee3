"""ListConfigResources: which resources there are whose settings can be asked for.

Versions: 0-1
 0: subscriptions to clients' metrics alone (KIP-714); 1: any kind (KIP-1142)

Topics and brokers are there by themselves, each broker twice: with its settings and with its loggers; groups and
subscriptions are those that have settings.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.settings.requests import BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP, TOPIC
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import ListConfigResourcesRequest, ListConfigResourcesResponse
from ottla.protocol.messages.configs import ListConfigResourcesResponse_ConfigResource as Resource
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType

KINDS: Final = (GROUP, CLIENT_METRICS, BROKER_LOGGER, BROKER, TOPIC)
ANY_KIND_SINCE: Final = 1


def list_config_resources(context: RequestContext, request: ListConfigResourcesRequest) -> ListConfigResourcesResponse:
    """The answer, kind by kind."""
    if not context.authorize(Operation.DESCRIBE_CONFIGS, ResourceType.CLUSTER, CLUSTER_NAME):
        return ListConfigResourcesResponse(error_code=ErrorCode.CLUSTER_AUTHORIZATION_FAILED)
    kinds = set(request.resource_types or KINDS) if context.version >= ANY_KIND_SINCE else {CLIENT_METRICS}
    if not kinds.issubset(KINDS):
        return ListConfigResourcesResponse(error_code=ErrorCode.UNSUPPORTED_VERSION)
    resources = [Resource(name, kind) for kind in KINDS if kind in kinds for name in _names(context, kind)]
    return ListConfigResourcesResponse(config_resources=resources)


def _names(context: RequestContext, kind: int) -> list[str]:
    cache = context.broker.metadata
    if kind == TOPIC:
        return list(cache.topic_names())
    if kind in (BROKER, BROKER_LOGGER):
        return [str(broker.node_id) for broker, _ in cache.registered_on(context.listener)]
    return sorted(each.name for each in cache.image.configs.resources if each.resource_type == kind)
