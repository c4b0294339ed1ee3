"""Requests to change dynamic settings: one by one (KIP-339), or all of a resource at once (KIP-133).

A resource's settings are checked as they would be after the change: a topic's and a group's with the rules between
settings, a broker's one by one, since only that broker knows the rest of its file. Each resource succeeds or fails for
itself. Broker settings are written even where the value stays, so that brokers look at their files (keys) again.

Always true: while eligible leaders are kept, `min.insync.replicas` is set for all brokers and for no single one, and a
change of it forgets who is eligible (KIP-966).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Final

from ottla.cluster.controller.brokers import Brokers
from ottla.cluster.controller.configs import (
    ALL_BROKERS,
    BROKER,
    BROKER_LOGGER,
    CLIENT_METRICS,
    GROUP,
    MIN_ISR,
    TOPIC,
    Configs,
    Resource,
    clear_elr_record,
    config_record,
)
from ottla.cluster.controller.partitions.elections import MAX_RECORDS, too_large
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.cluster.controller.topics import check_named_once
from ottla.config.layers import BY_LISTENER_ONLY, DYNAMIC, is_per_broker
from ottla.config.prefixes import base_name
from ottla.config.rules.client_metrics import check_client_metrics
from ottla.config.rules.groups import check_group
from ottla.config.rules.topics import check_topic
from ottla.config.setting import LIST, Setting
from ottla.config.tables.broker import BROKER as BROKER_TABLE
from ottla.config.tables.client_metrics import CLIENT_METRICS as CLIENT_METRICS_TABLE
from ottla.config.tables.group import GROUP as GROUP_TABLE
from ottla.config.tables.topic import TOPIC as TOPIC_TABLE
from ottla.errors import ConfigError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsRequest_AlterConfigsResource,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
    IncrementalAlterConfigsResponse,
)
from ottla.protocol.topic_names import why_illegal
from ottla.replicated.decision import Decision

SET, DELETE, APPEND, SUBTRACT = range(4)
MAX_BROKER_ID: Final = 2**31 - 1

TABLES: Final[Mapping[int, Mapping[str, Setting]]] = {
    TOPIC: TOPIC_TABLE,
    BROKER: {**BROKER_TABLE, **DYNAMIC},
    CLIENT_METRICS: CLIENT_METRICS_TABLE,
    GROUP: GROUP_TABLE,
}
EDITED: Final = (TOPIC, BROKER)  # of which Kafka's controller knows what is a list
KINDS: Final = {
    TOPIC: "topic",
    BROKER: "broker",
    BROKER_LOGGER: "broker logger",
    CLIENT_METRICS: "client metrics",
    GROUP: "group",
}

Changes = dict[str, str | None]  # None: reset


class AlterConfigs:
    """Both kinds of requests."""

    def __init__(
        self, configs: Configs, table: PartitionTable, brokers: Brokers, is_expression: Callable[[str], bool]
    ) -> None:
        self._configs, self._table, self._brokers, self._is_expression = configs, table, brokers, is_expression

    def incremental(
        self, request: IncrementalAlterConfigsRequest, now_ms: int
    ) -> Decision[Message, IncrementalAlterConfigsResponse]:
        """Set, reset, extend or shorten single settings."""
        del now_ms
        records, outcomes = self._alter(
            [((each.resource_type, each.resource_name), partial(self._incremented, each)) for each in request.resources]
        )
        responses = [
            IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(code, message, *resource)
            for resource, code, message in outcomes
        ]
        return Decision([] if request.validate_only else records, IncrementalAlterConfigsResponse(0, responses))

    def legacy(self, request: AlterConfigsRequest, now_ms: int) -> Decision[Message, AlterConfigsResponse]:
        """Make these, and no others, a resource's settings."""
        del now_ms
        records, outcomes = self._alter(
            [((each.resource_type, each.resource_name), partial(self._replaced, each)) for each in request.resources]
        )
        responses = [
            AlterConfigsResponse.AlterConfigsResourceResponse(code, message, *resource)
            for resource, code, message in outcomes
        ]
        return Decision([] if request.validate_only else records, AlterConfigsResponse(0, responses))

    def _alter(
        self, wanted: list[tuple[Resource, Callable[[], Changes]]]
    ) -> tuple[list[Message], list[tuple[Resource, int, str | None]]]:
        """Records, and what becomes of each resource."""
        counts = Counter(resource for resource, _ in wanted)
        records: list[Message] = []
        outcomes: list[tuple[Resource, int, str | None]] = []
        again = {resource: changes for resource, changes in wanted if counts[resource] > 1}  # each is told once
        for resource, changes in [*(row for row in wanted if row[0] not in again), *again.items()]:
            try:
                check_named_once(_shown(resource), counts[resource])
                records += self._changed(resource, changes())
            except RequestRefused as refusal:
                outcomes.append((resource, refusal.code, str(refusal)))
            except ConfigError as error:
                outcomes.append((resource, ErrorCode.INVALID_CONFIG, str(error)))
            else:
                outcomes.append((resource, ErrorCode.NONE, None))
        if len(records) > MAX_RECORDS:
            raise too_large(len(records))
        return records, outcomes

    # What is asked for

    def _incremented(self, wanted: IncrementalAlterConfigsRequest_AlterConfigsResource) -> Changes:
        resource = (wanted.resource_type, wanted.resource_name)
        _check_once(resource, (each.name for each in wanted.configs))
        changes: Changes = {}
        for each in wanted.configs:
            if each.config_operation == DELETE:
                changes[each.name] = None
                continue
            if each.value is None:
                raise RequestRefused(ErrorCode.INVALID_REQUEST, f"{each.name} cannot be set to null.")
            if each.config_operation == SET:
                changes[each.name] = each.value
            elif each.config_operation in (APPEND, SUBTRACT):
                changes[each.name] = self._edited(resource, each.name, each.value, each.config_operation)
            else:
                raise RequestRefused(
                    ErrorCode.INVALID_REQUEST, f"There is no operation {each.config_operation} on {each.name}."
                )
        return changes

    def _edited(self, resource: Resource, name: str, value: str, operation: int) -> str:
        """A list with more, or fewer, words."""
        setting = TABLES[resource[0]].get(name) if resource[0] in EDITED else None
        if setting is None or setting.type is not LIST:
            raise RequestRefused(ErrorCode.INVALID_CONFIG, f"{name} is no list that words could be added to or taken.")
        text = self._configs.of(resource).get(name)
        if text is None:
            text = setting.text(setting.default_value) or ""
        words = [word for word in text.split(",") if word]
        given = [word.strip() for word in value.split(",")]
        if operation == APPEND:
            return ",".join([*words, *(word for word in dict.fromkeys(given) if word not in words)])
        return ",".join(word for word in words if word not in given)

    def _replaced(self, wanted: AlterConfigsRequest_AlterConfigsResource) -> Changes:
        resource = (wanted.resource_type, wanted.resource_name)
        _check_once(resource, (each.name for each in wanted.configs))
        changes: Changes = dict.fromkeys(self._configs.of(resource))
        for each in wanted.configs:
            if each.value is None:
                raise RequestRefused(ErrorCode.INVALID_REQUEST, f"{each.name} cannot be set to null.")
            changes[each.name] = each.value
        return changes

    # What follows

    def _changed(self, resource: Resource, changes: Changes) -> list[Message]:
        """The records of a change, if it may be made."""
        self._check_resource(resource)
        before = self._configs.of(resource)
        after = {name: text for name, text in {**before, **changes}.items() if text is not None}
        self._check_texts(resource, after, before, changes)
        records: list[Message] = []
        for name, text in changes.items():
            if text == before.get(name) and resource[0] != BROKER:
                continue
            records.append(config_record(resource, name, text))
            if self._configs.levels.keeps_elr and (clear := clear_elr_record(resource, name)) is not None:
                records.append(clear)
        return records

    def _check_resource(self, resource: Resource) -> None:
        """Whether there is such a thing, or may be."""
        kind, name = resource
        if kind == TOPIC and not name:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, "There are no defaults of all topics.")
        if kind == TOPIC and (reason := why_illegal(name)) is not None:
            raise RequestRefused(ErrorCode.INVALID_TOPIC_EXCEPTION, reason)
        if kind == TOPIC and self._table.topic(name) is None:
            raise RequestRefused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"The topic '{name}' does not exist.")
        if kind in (GROUP, CLIENT_METRICS) and not name:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"There are no defaults of all {KINDS[kind]} resources.")
        if kind == BROKER and name != ALL_BROKERS:
            if not (name.isascii() and name.isdecimal() and int(name) <= MAX_BROKER_ID):
                raise RequestRefused(ErrorCode.INVALID_REQUEST, f"{name!r} is no broker id.")
            if self._brokers.get(int(name)) is None and int(name) != self._configs.node_id:
                raise RequestRefused(ErrorCode.BROKER_ID_NOT_REGISTERED, f"No node with id {int(name)} is registered.")
        if kind not in TABLES:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"Settings of {_shown(resource)} are not in the metadata.")

    def _check_texts(
        self, resource: Resource, after: Mapping[str, str], before: Mapping[str, str], changes: Changes
    ) -> None:
        kind, name = resource
        if kind == TOPIC:
            check_topic(after, self._configs.node, before)
        elif kind == GROUP:
            check_group(after, self._configs.node)
        elif kind == CLIENT_METRICS:
            with _as_invalid_request():
                check_client_metrics({each: text for each, text in after.items() if each != "match"}, _anything)
            check_client_metrics(after, self._is_expression)
        else:
            with _as_invalid_request():  # the code that brokers give, who look before they forward
                _check_broker({each: text for each, text in changes.items() if text is not None}, per_broker=bool(name))
            if self._configs.levels.keeps_elr and MIN_ISR in changes:
                _check_min_isr(name, changes[MIN_ISR])


@contextmanager
def _as_invalid_request() -> Iterator[None]:
    """What is wrong with a setting is INVALID_REQUEST for some kinds of resources, and not INVALID_CONFIG."""
    try:
        yield
    except ConfigError as error:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, str(error)) from error


def _anything(expression: str) -> bool:
    """Any expression will do."""
    del expression
    return True


def _check_broker(texts: Mapping[str, str], *, per_broker: bool) -> None:
    """What can be said of a broker's settings without its file."""
    for name, text in texts.items():
        setting = DYNAMIC.get(name) or DYNAMIC.get(base_name(name) or "")
        if setting is None and name in BROKER_TABLE:
            raise ConfigError(f"Cannot be changed while a broker runs: {name}.")
        if name in BY_LISTENER_ONLY:
            raise ConfigError(f"Can be changed for one listener only, by the prefix listener.name.NAME: {name}.")
        if not per_broker and is_per_broker(name):
            raise ConfigError(f"Can be set for one broker only: {name}.")
        if setting is not None:
            setting.parse(text)


def _check_min_isr(broker: str, text: str | None) -> None:
    if broker != ALL_BROKERS:
        raise ConfigError(f"While eligible leaders are kept, {MIN_ISR} is set for all brokers, not for {broker} alone.")
    if text is None:
        raise ConfigError(f"While eligible leaders are kept, {MIN_ISR} of all brokers cannot be reset.")


def _check_once(resource: Resource, names: Iterable[str]) -> None:
    for name, times in Counter(names).items():
        check_named_once(f"{name} of {_shown(resource)}", times)


def _shown(resource: Resource) -> str:
    kind = KINDS.get(resource[0], f"resource type {resource[0]}")
    return f"{kind} {resource[1]}" if resource[1] else f"all {kind}s"
