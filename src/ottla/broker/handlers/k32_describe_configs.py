"""DescribeConfigs: the settings of topics, brokers, loggers, groups and clients' metrics, and where each comes from.

Versions: 1-4
 1: sources and synonyms (KIP-226); 3: types and documentation (KIP-569)

A node tells its own settings, on a broker's listener and on a controller's (`--bootstrap-controller`), and those set
for all brokers under the empty name; another node's id is INVALID_REQUEST. A group and a subscription to clients'
metrics need not exist. What is secret is null, and so is what nobody knows. A type of resource that there is not
refuses the whole request. Documentation is in Ottla's own words.
"""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from ottla.broker.context import RequestContext
from ottla.broker.metadata.spliced import Spliced, element
from ottla.broker.settings import loggers
from ottla.broker.settings.requests import (
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    GROUP,
    TOPIC,
    check_is_this_node,
)
from ottla.cluster.metadata.image import MetadataImage
from ottla.config.describe import (
    Entry,
    describe_broker,
    describe_client_metrics,
    describe_cluster,
    describe_group,
    describe_topic,
)
from ottla.config.describe import (
    Source as Origin,
)
from ottla.config.layers import BrokerLayers
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import DescribeConfigsRequest, DescribeConfigsResponse
from ottla.protocol.messages.configs import DescribeConfigsRequest_DescribeConfigsResource as Asked
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResourceResult as EntryAnswer
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResult as Result
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsSynonym as SynonymAnswer
from ottla.protocol.topic_names import why_illegal
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType
from ottla.world.api import World

AT_ONCE: Final = 200  # settings that are described before others run again: 4 ms
_NONE: Final = DescribeConfigsResponse()
KINDS: Final = (TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP)


class Source(NamedTuple):
    """Where the answer comes from: one state of the cluster, and of this node."""

    world: World
    node_id: int
    image: MetadataImage
    layers: BrokerLayers


async def describe_configs(context: RequestContext, request: DescribeConfigsRequest) -> Spliced:
    """The answer: each resource for itself, those that may be seen first. Others run between some and the next."""
    for resource in request.resources:
        if resource.resource_type not in KINDS:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"There is no resource type {resource.resource_type}.")
    source, pieces, refused, held = _source(context), [], [], 0
    for resource in request.resources:
        code = _why_not(context, resource.resource_type, resource.resource_name)
        if code != ErrorCode.NONE:
            refused.append(_encoded(context, Result(code, None, resource.resource_type, resource.resource_name)))
            continue
        result = _described(source, request, resource)
        pieces.append(_encoded(context, result))
        held += len(result.configs) + 1
        if held >= AT_ONCE:
            await source.world.clock.sleep(0)
            held = 0
    return Spliced(DescribeConfigsResponse(), [*pieces, *refused], behind=0)


def _encoded(context: RequestContext, result: Result) -> bytes:
    return element(DescribeConfigsResponse(results=[result]), _NONE, 0, context.version)


def failed(request: DescribeConfigsRequest, code: int, message: str) -> DescribeConfigsResponse:
    """A refusal of all of them."""
    return DescribeConfigsResponse(
        results=[Result(code, message, each.resource_type, each.resource_name) for each in request.resources]
    )


def _why_not(context: RequestContext, kind: int, name: str) -> ErrorCode:
    """The error for whoever may not see a resource's settings."""
    if kind == TOPIC:
        resource, code = (ResourceType.TOPIC, name), ErrorCode.TOPIC_AUTHORIZATION_FAILED
    elif kind == GROUP:
        resource, code = (ResourceType.GROUP, name), ErrorCode.GROUP_AUTHORIZATION_FAILED
    else:
        resource, code = (ResourceType.CLUSTER, CLUSTER_NAME), ErrorCode.CLUSTER_AUTHORIZATION_FAILED
    return ErrorCode.NONE if context.authorize(Operation.DESCRIBE_CONFIGS, *resource) else code


def _source(context: RequestContext) -> Source:
    if not context.is_controller_listener:
        broker = context.broker
        return Source(broker.world, broker.node_id, broker.metadata.image, broker.layers)
    controller = context.controller
    configs = controller.features.image.configs
    layers = BrokerLayers(controller.office.controller.configs.static)
    layers.set_cluster(configs.of(BROKER, ""))
    layers.set_broker(configs.of(BROKER, str(controller.node_id)))
    return Source(controller.world, controller.node_id, controller.features.image, layers)


def _described(source: Source, request: DescribeConfigsRequest, resource: Asked) -> Result:
    kind, name = resource.resource_type, resource.resource_name
    try:
        entries = _entries(source, kind, name, resource.configuration_keys or None)
    except RequestRefused as refusal:
        return Result(refusal.code, str(refusal), kind, name)
    return Result(ErrorCode.NONE, "", kind, name, [_entry(request, entry) for entry in entries])


def _entries(node: Source, kind: int, name: str, wanted: Collection[str] | None) -> Sequence[Entry]:
    if kind == TOPIC:
        if (reason := why_illegal(name)) is not None:
            raise RequestRefused(ErrorCode.INVALID_TOPIC_EXCEPTION, reason)
        if node.image.topics.named(name) is None:
            raise RequestRefused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")
        return describe_topic(node.layers, node.image.configs.of(TOPIC, name), wanted)
    if kind == BROKER and not name:
        return describe_cluster(node.layers, wanted)
    if kind in (BROKER, BROKER_LOGGER):
        check_is_this_node(node.node_id, name, may_be_all=kind == BROKER)
        return describe_broker(node.layers, wanted) if kind == BROKER else _loggers(wanted)
    if not name:
        what = "group" if kind == GROUP else "client metrics subscription"
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"A {what} has a name.")
    texts = node.image.configs.of(kind, name)
    return describe_group(node.layers, texts, wanted) if kind == GROUP else describe_client_metrics(texts, wanted)


def _loggers(wanted: Collection[str] | None) -> list[Entry]:
    return [
        Entry(name, level, Origin.DYNAMIC_BROKER_LOGGER_CONFIG, False, False, 0, (), None)
        for name, level in loggers.levels().items()
        if wanted is None or name in wanted
    ]


def _entry(request: DescribeConfigsRequest, entry: Entry) -> EntryAnswer:
    synonyms = entry.synonyms if request.include_synonyms else ()
    return EntryAnswer(
        name=entry.name,
        value=entry.value,
        read_only=entry.is_read_only,
        config_source=entry.source,
        is_sensitive=entry.is_sensitive,
        synonyms=[SynonymAnswer(*each) for each in synonyms],
        config_type=entry.type,
        documentation=entry.documentation if request.include_documentation else None,
    )
