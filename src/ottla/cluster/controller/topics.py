"""Topics are created and deleted, and get more partitions.

Each topic of a request succeeds or fails for itself; what succeeds is written at once. A request that needs more than
10,000 records is refused as a whole, and before anything is placed. What the principal may see and do is the handler's
matter: it hands in only topics that may be changed, and the names whose settings may be told.

Always true: a topic's record comes before its settings, and these before its partitions; partitions are numbered from 0
without a gap, and begin with both epochs 0.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from ottla.cluster.controller.configs import TOPIC, Configs, config_record
from ottla.cluster.controller.partitions.assignment import Assignment, invalid
from ottla.cluster.controller.partitions.elections import MAX_RECORDS, too_large
from ottla.cluster.controller.partitions.partition import Partition, TopicPartition
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.config.rules.topics import check_topic
from ottla.errors import ConfigError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import TopicRecord
from ottla.protocol.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsRequest_CreatePartitionsTopic,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsRequest_CreatableTopic,
    CreateTopicsResponse,
    CreateTopicsResponse_CreatableTopicConfigs,
    CreateTopicsResponse_CreatableTopicResult,
)
from ottla.protocol.topic_names import why_illegal
from ottla.protocol.uuids import random_uuid
from ottla.replicated.decision import Decision

DEFAULT: Final = -1
METADATA_TOPIC: Final = "__cluster_metadata"

_Grown = CreatePartitionsResponse.CreatePartitionsTopicResult


class Topics:
    """Requests to create topics, and partitions of topics that there are."""

    def __init__(
        self, table: PartitionTable, configs: Configs, assignment: Assignment, randbytes: Callable[[int], bytes]
    ) -> None:
        self._table, self._configs, self._assignment, self._randbytes = table, configs, assignment, randbytes
        self._default_partitions = configs.node.integer("num.partitions")
        self._default_replication_factor = configs.node.integer("default.replication.factor")

    # Topics

    def create(
        self, request: CreateTopicsRequest, now_ms: int, *, describable: Collection[str] | None = None
    ) -> Decision[Message, CreateTopicsResponse]:
        """Make topics; the settings of those in `describable` (None: all) are told."""
        del now_ms
        self._check_size(request.topics)
        counts = Counter(topic.name for topic in request.topics)
        records: list[Message] = []
        results = []
        for topic in named_once_first(request.topics, counts):
            try:
                check_named_once(topic.name, counts[topic.name])
                shows = describable is None or topic.name in describable
                made, result = self._create(topic, shows_configs=shows)
            except RequestRefused as refusal:
                result = CreateTopicsResponse_CreatableTopicResult(
                    name=topic.name, error_code=refusal.code, error_message=str(refusal)
                )
            else:
                records += made
            results.append(result)
        if len(records) > MAX_RECORDS:
            raise too_large(len(records))
        return Decision([] if request.validate_only else records, CreateTopicsResponse(topics=results))

    def _check_size(self, topics: Sequence[CreateTopicsRequest_CreatableTopic]) -> None:
        """Before anything is placed: a number of partitions costs whoever asks nothing."""
        counts = [
            len(topic.assignments)
            or (self._default_partitions if topic.num_partitions == DEFAULT else max(topic.num_partitions, 0))
            for topic in topics
        ]
        if sum(counts) + len(topics) > MAX_RECORDS:
            raise too_large(sum(counts) + len(topics))

    def _create(
        self, topic: CreateTopicsRequest_CreatableTopic, *, shows_configs: bool
    ) -> tuple[list[Message], CreateTopicsResponse_CreatableTopicResult]:
        self._check_name(topic.name)
        texts = self._checked_configs(topic)
        partitions = self._assigned(topic) if topic.assignments else self._placed(topic)
        topic_id = random_uuid(self._randbytes)
        records: list[Message] = [TopicRecord(topic.name, topic_id)]
        records += [config_record((TOPIC, topic.name), name, value) for name, value in texts.items()]
        version = self._configs.levels.metadata_version
        records += [
            partition.to_record(TopicPartition(topic_id, partition_id), version)
            for partition_id, partition in enumerate(partitions)
        ]
        result = CreateTopicsResponse_CreatableTopicResult(name=topic.name, topic_id=topic_id, error_message=None)
        if shows_configs:
            result.num_partitions = len(partitions)
            result.replication_factor = len(partitions[0].replicas)
            result.configs = self._described(texts)
        else:
            result.topic_config_error_code = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        return records, result

    def _check_name(self, name: str) -> None:
        if self._table.topic(name) is not None:
            raise RequestRefused(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")
        if name == METADATA_TOPIC:
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"Nobody but the quorum makes {METADATA_TOPIC}.")
        if (reason := why_illegal(name)) is not None:
            raise RequestRefused(ErrorCode.INVALID_TOPIC_EXCEPTION, reason)
        if (other := self._table.collision(name)) is not None:
            raise RequestRefused(
                ErrorCode.INVALID_TOPIC_EXCEPTION, f"Topic '{name}' collides with existing topic: {other}"
            )

    def _checked_configs(self, topic: CreateTopicsRequest_CreatableTopic) -> dict[str, str]:
        texts: dict[str, str] = {}
        for config in topic.configs:
            if config.value is None:
                raise RequestRefused(ErrorCode.INVALID_CONFIG, f"A topic's {config.name} cannot be set to null.")
            texts[config.name] = config.value
        if texts:
            try:
                check_topic(texts, self._configs.node)
            except ConfigError as error:
                raise RequestRefused(ErrorCode.INVALID_CONFIG, str(error)) from error
        return texts

    def _placed(self, topic: CreateTopicsRequest_CreatableTopic) -> list[Partition]:
        count, factor = topic.num_partitions, topic.replication_factor
        if factor < DEFAULT or factor == 0:
            raise RequestRefused(
                ErrorCode.INVALID_REPLICATION_FACTOR,
                f"Replication factor must be larger than 0, or -1 to use the default value, not {factor}.",
            )
        if count < DEFAULT or count == 0:
            raise RequestRefused(
                ErrorCode.INVALID_PARTITIONS, f"The number of partitions must be larger than 0, or -1, not {count}."
            )
        return self._assignment.chosen(
            self._default_partitions if count == DEFAULT else count,
            self._default_replication_factor if factor == DEFAULT else factor,
        )

    def _assigned(self, topic: CreateTopicsRequest_CreatableTopic) -> list[Partition]:
        for name, value in (
            ("replication factor", topic.replication_factor),
            ("number of partitions", topic.num_partitions),
        ):
            if value != DEFAULT:
                raise RequestRefused(
                    ErrorCode.INVALID_REQUEST,
                    f"A manual partition assignment was given for {topic.name}, so its {name} must be -1, not {value}.",
                )
        factor = len(topic.assignments[0].broker_ids)
        partitions: dict[int, Partition] = {}
        for each in topic.assignments:
            if each.partition_index in partitions:
                raise invalid(f"Partition {each.partition_index} is assigned twice.")
            partitions[each.partition_index] = self._assignment.given(each.partition_index, each.broker_ids, factor)
        if set(partitions) != set(range(len(partitions))):
            raise invalid(f"The assigned partitions {sorted(partitions)} are not numbered from 0 without a gap.")
        return [partitions[partition_id] for partition_id in range(len(partitions))]

    def _described(self, texts: dict[str, str]) -> list[CreateTopicsResponse_CreatableTopicConfigs]:
        return [
            CreateTopicsResponse_CreatableTopicConfigs(
                entry.name, entry.value, entry.is_read_only, entry.source, entry.is_sensitive
            )
            for entry in self._configs.described(texts)
        ]

    # Partitions

    def create_partitions(
        self, request: CreatePartitionsRequest, now_ms: int
    ) -> Decision[Message, CreatePartitionsResponse]:
        """Give topics more partitions."""
        del now_ms
        records: list[Message] = []
        results = []
        counts = Counter(topic.name for topic in request.topics)
        for topic in named_once_first(request.topics, counts):
            try:
                check_named_once(topic.name, counts[topic.name])
                made = self._grow(topic, MAX_RECORDS - len(records))
            except RequestRefused as refusal:
                results.append(_Grown(topic.name, refusal.code, str(refusal) or None))
            else:
                records += made
                results.append(_Grown(topic.name))
        return Decision([] if request.validate_only else records, CreatePartitionsResponse(results=results))

    def _grow(self, wanted: CreatePartitionsRequest_CreatePartitionsTopic, allowed: int) -> list[Message]:
        topic = self._table.topic(wanted.name)
        if topic is None:
            raise RequestRefused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "")  # Kafka has no message here
        present = len(topic.partitions)
        more = wanted.count - present
        if more <= 0:
            raise RequestRefused(
                ErrorCode.INVALID_PARTITIONS,
                f"The topic {wanted.name} has {present} partition(s); {wanted.count} would not be an increase.",
            )
        if wanted.assignments is not None and len(wanted.assignments) != more:
            raise invalid(f"{more} partition(s) are to be added, and {len(wanted.assignments)} assignment(s) given.")
        if more > allowed:  # of topics that are created this is POLICY_VIOLATION; Kafka's controller trips over it here
            raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, str(too_large(more + MAX_RECORDS - allowed)))
        factor = len(topic.partitions[0].replicas)
        if wanted.assignments is None:
            partitions = self._assignment.chosen(more, factor)
        else:
            partitions = [
                self._assignment.given(present + at, each.broker_ids, factor)
                for at, each in enumerate(wanted.assignments)
            ]
        version = self._configs.levels.metadata_version
        return [
            partition.to_record(TopicPartition(topic.topic_id, present + at), version)
            for at, partition in enumerate(partitions)
        ]


class Named(Protocol):
    """What a request names."""

    @property
    def name(self) -> str:
        """Its name."""


N = TypeVar("N", bound=Named)


def named_once_first(asked: Iterable[N], counts: Mapping[str, int]) -> list[N]:
    """What is named once, in its order, and behind it, once, what is named twice: so Kafka answers."""
    once = [each for each in asked if counts[each.name] == 1]
    return once + list({each.name: each for each in asked if counts[each.name] > 1}.values())


def check_named_once(name: str, times: int) -> None:
    """INVALID_REQUEST if a request names something twice: which of the two was meant nobody knows."""
    if times > 1:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"The request names {name} {times} times.")
