"""What a broker itself says to a request to change settings, before the controller is asked about the rest.

Only this broker knows its file and its loggers. So it refuses here what would not be a sound node (INVALID_REQUEST as
in Kafka, where the controller says INVALID_CONFIG), other brokers' settings, and whatever is ambiguous. Levels of
loggers it sets at once, and the controller never hears of them. What is left is handed on.

Always true: each resource of the request has exactly one answer, in the order of the request.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ottla.broker.context import RequestContext
from ottla.broker.settings import loggers
from ottla.config.layers import DYNAMIC
from ottla.config.prefixes import base_name
from ottla.config.setting import LIST
from ottla.config.tables.broker import BROKER as BROKER_TABLE
from ottla.errors import ConfigError, RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsRequest_AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.security.operations import CLUSTER_NAME, Operation, ResourceType

OPERATIONS: Final = range(4)
SET, DELETE, APPEND, SUBTRACT = OPERATIONS
TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
IN_THE_METADATA: Final = (TOPIC, CLIENT_METRICS, GROUP)

Key = tuple[int, str]
Resource = AlterConfigsRequest_AlterConfigsResource | IncrementalAlterConfigsRequest_AlterConfigsResource
Outcome = tuple[int, str | None]  # error code and message


def check_is_this_node(node_id: int, name: str, *, may_be_all: bool = False) -> None:
    """INVALID_REQUEST unless the resource is this node: others know their settings themselves."""
    try:
        number = int(name)
    except ValueError:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"A node's id is a number, unlike {name!r}.") from None
    if number != node_id:
        expected = f"{node_id}{' or the empty string' if may_be_all else ''}"
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"This node is {expected}, and {name} was asked for.")


def preprocess(
    context: RequestContext, request: AlterConfigsRequest | IncrementalAlterConfigsRequest
) -> dict[int, Outcome]:
    """The resources, by their places in the request, that are answered here."""
    resources: Sequence[Resource] = request.resources
    counts = Counter((each.resource_type, each.resource_name) for each in resources)
    outcomes: dict[int, Outcome] = {}
    for place, resource in enumerate(resources):
        if counts[resource.resource_type, resource.resource_name] > 1:
            outcomes[place] = (ErrorCode.INVALID_REQUEST, "A resource is named more than once.")
            continue
        try:
            if _is_done_here(context, resource, validate_only=request.validate_only):
                outcomes[place] = (ErrorCode.NONE, None)
        except RequestRefused as refusal:
            outcomes[place] = (refusal.code, str(refusal))
    left = [place for place in range(len(resources)) if place not in outcomes]
    if any(_operation(each) not in OPERATIONS for place in left for each in resources[place].configs):
        # Kafka's controller runs into an error of its own, and what was handed on together fails together.
        outcomes.update((place, (ErrorCode.UNKNOWN_SERVER_ERROR, None)) for place in left)
    return outcomes


def _is_done_here(context: RequestContext, resource: Resource, *, validate_only: bool) -> bool:
    """Check a resource; False if the controller has to be asked about it."""
    kind, name = resource.resource_type, resource.resource_name
    is_incremental = isinstance(resource, IncrementalAlterConfigsRequest_AlterConfigsResource)
    _check_configs(resource)
    if kind == BROKER_LOGGER and is_incremental:
        if not context.authorize(Operation.ALTER_CONFIGS, ResourceType.CLUSTER, CLUSTER_NAME):
            raise RequestRefused(ErrorCode.CLUSTER_AUTHORIZATION_FAILED, "ALTER_CONFIGS is not allowed.")
        check_is_this_node(context.broker.node_id, name)
        changes = [(each.name, _operation(each), each.value) for each in resource.configs]
        loggers.check(changes)
        if not validate_only:
            loggers.change(changes)
        return True
    if kind == BROKER:
        if name:
            check_is_this_node(context.broker.node_id, name)
        texts = (
            _after(context, resource) if is_incremental else {each.name: each.value or "" for each in resource.configs}
        )
        try:
            context.broker.settings.check(texts, per_broker=bool(name))
        except ConfigError as error:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, str(error)) from error
    elif kind not in IN_THE_METADATA:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"There is no resource type {kind} to be altered so.")
    return False


def _check_configs(resource: Resource) -> None:
    for name, times in Counter(each.name for each in resource.configs).items():
        if times > 1:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"{name} is named more than once.")
    nulls = [each.name for each in resource.configs if each.value is None and _operation(each) != DELETE]
    if nulls:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"A setting cannot be set to null: {', '.join(nulls)}.")


def _operation(config: object) -> int:
    """What is to be done; to replace all settings is to set those that are named."""
    operation: int = getattr(config, "config_operation", SET)
    return operation


def _after(context: RequestContext, resource: Resource) -> dict[str, str]:
    """A broker's dynamic settings as they would be."""
    texts = dict(context.broker.metadata.image.configs.of(BROKER, resource.resource_name))
    for each in resource.configs:
        operation, value = _operation(each), each.value
        if operation == DELETE or value is None:
            texts.pop(each.name, None)
        elif operation == SET:
            texts[each.name] = value
        elif operation in (APPEND, SUBTRACT):
            texts[each.name] = _edited(texts, each.name, value, operation)
        else:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"There is no operation {operation} on {each.name}.")
    return texts


def _edited(texts: Mapping[str, str], name: str, value: str, operation: int) -> str:
    setting = BROKER_TABLE.get(name) or DYNAMIC.get(name) or BROKER_TABLE.get(base_name(name) or "")
    if setting is None or setting.type is not LIST:
        raise RequestRefused(ErrorCode.INVALID_CONFIG, f"{name} is no list that words could be added to or taken.")
    text = texts.get(name)
    words = _words(text if text is not None else setting.text(setting.default_value) or "")
    given = _words(value)
    if operation == APPEND:
        return ",".join(dict.fromkeys([*words, *given]))
    return ",".join(word for word in words if word not in given)


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def left_over(resources: Iterable[Resource], outcomes: Mapping[int, Outcome]) -> list[Resource]:
    """The resources that the controller is asked about."""
    return [each for place, each in enumerate(resources) if place not in outcomes]


def reassembled(
    resources: Iterable[Resource], here: Mapping[int, Outcome], there: Mapping[Key, Outcome]
) -> list[tuple[int, str | None, int, str]]:
    """The answers to all resources, in order: those given here, and the controller's."""
    answers = []
    for place, each in enumerate(resources):
        key = (each.resource_type, each.resource_name)
        code, message = here[place] if place in here else there.get(key, (ErrorCode.UNKNOWN_SERVER_ERROR, None))
        answers.append((code, message, *key))
    return answers
