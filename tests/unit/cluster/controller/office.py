"""A controller in office, for driving it: the real runtime, a log in a list, and brokers that do as they are told.

Every decision is made twice before it is carried out, to see that it changes nothing; every record goes through its
bytes, in the version of the metadata version, so that nothing is decided that cannot be written.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from ottla.cluster.controller.controller import Controller
from ottla.cluster.controller.partitions.partition import Partition, TopicPartition
from ottla.cluster.controller.partitions.table import Topic
from ottla.errors import PeerError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import (
    FEATURES,
    LATEST,
    METADATA_VERSION,
    SINCE,
    VERSIONS,
    MetadataVersion,
    default_level,
    supported_range,
    version_at,
)
from ottla.protocol.internal_records import read_metadata_record, write_metadata_record
from ottla.protocol.messages.controller import (
    AlterPartitionRequest,
    AlterPartitionRequest_BrokerState,
    AlterPartitionRequest_PartitionData,
    AlterPartitionRequest_TopicData,
    AlterPartitionResponse_PartitionData,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationRequest_Feature,
    BrokerRegistrationRequest_Listener,
    BrokerRegistrationResponse,
)
from ottla.protocol.messages.metadata_records import BrokerRegistrationChangeRecord, FeatureLevelRecord
from ottla.protocol.messages.topics import (
    CreateTopicsRequest,
    CreateTopicsRequest_CreatableReplicaAssignment,
    CreateTopicsRequest_CreatableTopic,
    CreateTopicsRequest_CreatableTopicConfig,
)
from ottla.replicated.decision import Decision
from ottla.replicated.log import LogSlice
from ottla.replicated.runtime import Answer, Committed, Elected, Resigned, Runtime, Submit, Turn
from ottla.replicated.timeline import TimelineDict, TimelineSet, TimelineValue

A = TypeVar("A")

CLUSTER_ID = "c-luster"
STATIC = {
    "process.roles": "controller",
    "node.id": "900",
    "listeners": "CONTROLLER://localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "controller.quorum.voters": "900@localhost:9093",
}


class RecordLog:
    """A metadata log in a list."""

    def __init__(self) -> None:
        self.records: list[Message] = []
        self.committed_offset = 0
        self.leadership_epoch: int | None = None

    start_offset = 0

    @property
    def end_offset(self) -> int:
        """Behind the last record."""
        return len(self.records)

    def append(self, epoch: int, expected_offset: int, records: Sequence[Message]) -> int:
        """Append all."""
        assert (epoch, expected_offset) == (self.leadership_epoch, len(self.records))
        self.records.extend(records)
        return len(self.records)

    def read(self, offset: int, max_records: int) -> LogSlice[Message]:
        """A slice."""
        found = self.records[offset : offset + max_records]
        return LogSlice(offset, found, offset + len(found))


class NotLeadingError(PeerError):
    """Not in office."""


def uuid(number: int) -> Uuid:
    """A uuid that is not reserved."""
    return Uuid(number.to_bytes(15) + b"\xff")


def written(record: Message, version: MetadataVersion) -> Message:
    """The record as a reader of the log has it."""
    name, number = type(record).__name__, 0
    if isinstance(record, BrokerRegistrationChangeRecord):
        number = 3 if version >= SINCE["cordoned log directories"] else 2
        number = number if version >= SINCE["directory assignment"] else 1
    elif name in VERSIONS:
        number = version_at(name, version) or 0
    parsed = read_metadata_record(write_metadata_record(record, number))
    assert parsed is not None
    return parsed[0]


def dump(value: Any) -> Any:
    """State as plain values, without the order of its entries."""
    if isinstance(value, Topic):
        return (value.name, value.topic_id, dump(value.partitions))
    if isinstance(value, TimelineDict):
        return {key: dump(each) for key, each in value.items()}
    if isinstance(value, TimelineSet):
        return set(value)
    return value.get() if isinstance(value, TimelineValue) else value


def state_of(controller: Controller) -> dict[str, Any]:
    """Everything that records have made."""
    table, kept = controller.table, controller.kept
    return {
        "levels": dump(controller.finalised._levels),
        "configs": dump(controller.configs._texts),
        "brokers": dump(controller.brokers.registrations),
        "controllers": dump(controller.controllers.registrations),
        "topics": dump(table.topics),
        "names": dump(table.topic_ids),
        "colliding": {key: names for key, names in dump(table.colliding).items() if names},
        "isr": table.in_isr.pairs(),
        "elr": table.in_elr.pairs(),
        "leaderless": dump(table.leaderless),
        "imbalanced": dump(table.imbalanced),
        "reassigning": dump(table.reassigning),
        "producer ids": dump(controller.producer_ids._next),
        "kept": [dump(each) for each in (kept.client_quotas, kept.scram, kept.acls, kept.delegation_tokens)],
        "transaction": dump(controller._transaction),
    }


def replayed(records: Sequence[Message]) -> Controller:
    """A controller that has read a log."""
    controller = Controller(STATIC, CLUSTER_ID, random.Random(0))
    for offset, record in enumerate(records):
        controller.journal.begin(offset)
        controller.replay(record)
        controller.journal.end()
    return controller


class Office:
    """A controller in office, and its brokers."""

    def __init__(
        self,
        *,
        brokers: Sequence[int] = (),
        racks: Mapping[int, str] | None = None,
        static: Mapping[str, str] | None = None,
        version: MetadataVersion = LATEST,
        features: Mapping[str, int] | None = None,
        bootstrap: Sequence[Message] = (),
    ) -> None:
        self.controller = Controller({**STATIC, **(static or {})}, CLUSTER_ID, random.Random(0), bootstrap=bootstrap)
        self.log = RecordLog()
        self.racks = racks or {}
        self.now_ms = 0
        self.reported: list[str] = []
        self.incarnations: dict[int, int] = {}
        self.epochs: dict[int, int] = {}
        self.runtime: Runtime[Message] = Runtime(
            self.controller,
            self.log,
            follows=True,
            not_leading=lambda: NotLeadingError("not here"),
            loading=lambda: NotLeadingError("not yet"),
            report=lambda what, error: self.reported.append(f"{what}: {error!r}"),
        )
        levels = {METADATA_VERSION: int(version), **{name: default_level(name, version) for name in FEATURES}}
        self.log.records.extend(
            FeatureLevelRecord(name, level)
            for name, level in {**levels, **(features or {})}.items()
            if level and name != "kraft.version" and not bootstrap
        )
        self.log.committed_offset = self.log.end_offset
        self.elect(1)
        for broker_id in brokers:
            self.start(broker_id)

    # The runtime

    def elect(self, epoch: int) -> None:
        """Take office."""
        self.log.leadership_epoch = epoch
        self.step(Elected(epoch))
        while not self.runtime.is_leading:
            self.step(Turn())

    def resign(self) -> None:
        """Lose it, with what is not committed."""
        del self.log.records[self.log.committed_offset :]
        self.log.leadership_epoch = None
        self.step(Resigned())

    def step(self, event: Any) -> list[Answer]:
        """One event."""
        answers = self.runtime.step(event, self.now_ms)
        assert not self.reported, self.reported
        self.controller.check()
        return answers

    def ask(self, decide: Callable[[int], Decision[Message, A]]) -> A:
        """A decision, carried out and committed; raises what the answer is if that is an error."""
        answers = self.step(Submit(self._twice(decide), "us")) + self.commit()
        outcome = next(answer for answer in answers if answer.token == "us")
        if outcome.is_error:
            raise outcome.outcome
        response: A = outcome.outcome
        return response

    def _twice(self, decide: Callable[[int], Decision[Message, A]]) -> Callable[[int], Decision[Message, A]]:
        def run(now_ms: int) -> Decision[Message, A]:
            before = state_of(self.controller)
            try:
                decide(now_ms)
            finally:
                assert state_of(self.controller) == before, "a decision changed something"
            decision = decide(now_ms)
            version = self.controller.finalised.metadata_version
            return Decision(
                [written(record, version) for record in decision.records], decision.response, decision.timers
            )

        return run

    def commit(self) -> list[Answer]:
        """A turn, and all of it is committed."""
        answers = self.step(Turn())
        self.log.committed_offset = self.log.end_offset
        return answers + self.step(Committed())

    def advance(self, duration_ms: int) -> None:
        """Time passes; timers make their decisions when they are due."""
        end_ms = self.now_ms + duration_ms
        while (deadline_ms := self.runtime.deadline()) is not None and deadline_ms <= end_ms:
            self.now_ms = max(self.now_ms, deadline_ms)
            self.commit()
        self.now_ms = end_ms
        self.commit()

    # Brokers

    def registration(self, broker_id: int, **fields: Any) -> BrokerRegistrationRequest:
        """What a broker sends when it starts."""
        request = BrokerRegistrationRequest(
            broker_id=broker_id,
            cluster_id=CLUSTER_ID,
            incarnation_id=uuid(self.incarnations.get(broker_id, broker_id * 1_000)),
            listeners=[BrokerRegistrationRequest_Listener("PLAINTEXT", f"b{broker_id}", 9092, 0)],
            features=[
                BrokerRegistrationRequest_Feature(name, *supported_range(name))
                for name in (METADATA_VERSION, *FEATURES)
            ],
            rack=self.racks.get(broker_id),
            log_dirs=[uuid(broker_id)],
            previous_broker_epoch=self.epochs.get(broker_id, -1),
        )
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    def register(self, broker_id: int, **fields: Any) -> BrokerRegistrationResponse:
        """A broker starts anew, and registers."""
        self.incarnations[broker_id] = self.incarnations.get(broker_id, broker_id * 1_000) + 1
        request = self.registration(broker_id, **fields)
        response = self.ask(lambda now_ms: self.controller.registration.register(request, now_ms))
        self.epochs[broker_id] = response.broker_epoch
        return response

    def heartbeat(self, broker_id: int, **fields: Any) -> BrokerHeartbeatResponse:
        """A broker that has read all of the log says so."""
        request = BrokerHeartbeatRequest(
            broker_id=broker_id,
            broker_epoch=self.epochs[broker_id],
            current_metadata_offset=self.log.end_offset,
        )
        for name, value in fields.items():
            setattr(request, name, value)
        return self.ask(self.controller.broker_heartbeat(request, self.now_ms))

    def start(self, broker_id: int, **fields: Any) -> None:
        """A broker registers and is unfenced."""
        self.register(broker_id, **fields)
        assert not self.heartbeat(broker_id).is_fenced

    def kill(self, *broker_ids: int) -> None:
        """These brokers are silent until they are fenced; all others go on."""
        for _ in range(10):
            for broker in list(self.controller.brokers):
                if broker.broker_id not in broker_ids and not broker.fenced:
                    self.heartbeat(broker.broker_id)
            self.advance(1_000)
        assert all(self.controller.brokers.registrations[broker_id].fenced for broker_id in broker_ids)

    # Topics

    def create(self, name: str, *assignments: Sequence[int], **configs: str) -> Uuid:
        """A topic on these brokers."""
        response = self.ask(
            lambda now_ms: self.controller.topics.create(topic_request(name, *assignments, **configs), now_ms)
        )
        assert response.topics[0].error_code == ErrorCode.NONE, response.topics[0].error_message
        return response.topics[0].topic_id

    def key(self, name: str, partition_id: int = 0) -> TopicPartition:
        """A partition's key."""
        return TopicPartition(self.controller.table.topic_ids[name], partition_id)

    def partition(self, name: str, partition_id: int = 0) -> Partition:
        """A partition."""
        partition = self.controller.table.partition(self.key(name, partition_id))
        assert partition is not None
        return partition

    def alter_isr(
        self,
        name: str,
        isr: Sequence[int],
        *,
        partition_id: int = 0,
        broker_id: int | None = None,
        topic_id: Uuid | None = None,
        **fields: Any,
    ) -> AlterPartitionResponse_PartitionData:
        """The leader asks for this ISR; `fields` are other than they should be."""
        key, partition = self.key(name, partition_id), self.partition(name, partition_id)
        row = AlterPartitionRequest_PartitionData(
            partition_index=partition_id,
            leader_epoch=partition.leader_epoch,
            partition_epoch=partition.partition_epoch,
            new_isr_with_epochs=[AlterPartitionRequest_BrokerState(each, self.epochs.get(each, -1)) for each in isr],
        )
        for field, value in fields.items():
            setattr(row, field, value)
        leader = partition.leader if broker_id is None else broker_id
        request = AlterPartitionRequest(
            leader, self.epochs[leader], [AlterPartitionRequest_TopicData(topic_id or key.topic_id, [row])]
        )
        return self.ask(lambda now_ms: self.controller.isr.alter(request, now_ms)).topics[0].partitions[0]

    def check_replayed(self) -> None:
        """State is what the log says."""
        assert state_of(replayed(self.log.records)) == state_of(self.controller)


def topic_request(name: str, *assignments: Sequence[int], **configs: str) -> CreateTopicsRequest:
    """A request for a topic on these brokers; settings with `_` for `.`."""
    return CreateTopicsRequest(
        [
            CreateTopicsRequest_CreatableTopic(
                name,
                -1,
                -1,
                [
                    CreateTopicsRequest_CreatableReplicaAssignment(at, list(replicas))
                    for at, replicas in enumerate(assignments)
                ],
                [
                    CreateTopicsRequest_CreatableTopicConfig(each.replace("_", "."), value)
                    for each, value in configs.items()
                ],
            )
        ]
    )


def refused(call: Callable[[], object]) -> tuple[int, str]:
    """The code and the words that a request is refused with."""
    try:
        call()
    except RequestRefused as refusal:
        return refusal.code, str(refusal)
    raise AssertionError("not refused")
