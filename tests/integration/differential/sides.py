"""A broker that is asked: its connection, the state that it is brought to, and the names of what it chose itself.

Both sides are brought to the same state by the same requests. Where a broker chooses (ids of topics) or tells of
itself (its port, its folder), its `Side` knows what that is, so that it can be put into a request and recognised in an
answer.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.headers import read_response_header
from tests.integration.differential.bounds import UNKNOWN_ID
from tests.integration.differential.cases import Case, Step
from tests.integration.differential.templates.batches import GOOD, LZ4, TIME, batch, idempotent
from tests.integration.differential.templates.cluster import QUORUM
from tests.integration.differential.templates.template import BROKER, CONTROLLER, EMPTY, FILLED
from tests.integration.differential.trees import (
    Symbol,
    Tree,
    completed,
    mapped,
    message_of,
    request_class,
    response_class,
    tree_of,
)
from tests.integration.differential.wire import Closed, Outcome, Silent, Wire
from tests.integration.peer.server import Server

READY_WITHIN_S: Final = 60
PAUSE_S: Final = 0.05
AT_ONCE: Final = 100  # topics in a request

Settings = dict[str, str]
FRESH: Final[dict[str, Settings]] = {
    EMPTY: {},
    FILLED: {},
    "compacted": {"cleanup.policy": "compact"},
    "append-time": {"message.timestamp.type": "LogAppendTime"},
    "small": {"max.message.bytes": "1000"},
    "gzip": {"compression.type": "gzip"},
    "strict": {"message.timestamp.before.max.ms": "1000"},
}
# The topics that are there for all: how many partitions, settings.
COMMON: Final[dict[str, tuple[int, Settings]]] = {
    "stable": (2, {}),
    "cut": (1, {}),
    "lz4": (1, {}),
    "void": (1, {}),
    "many": (20, {}),
    "gone": (1, {}),
    "with.dot": (1, {}),
    "configured": (1, {"retention.ms": "777600000", "cleanup.policy": "compact,delete", "segment.bytes": "1048576"}),
    "__consumer_offsets": (1, {"cleanup.policy": "compact"}),
}
CONTENT: Final = [GOOD, LZ4, batch((b"four", b"five", b"six"), time=TIME + 1_000), GOOD]


@dataclass
class Told:
    """An answer: what it says, or how it failed to come."""

    tree: Tree | None
    failure: str = ""


@dataclass
class Side:
    """One broker."""

    name: str
    server: Server
    ids: dict[str, bytes] = field(default_factory=dict)
    told: Tree = field(default_factory=dict)  # by the answer before
    directory: bytes = bytes(16)  # in which the voter has the metadata
    _unanswered: bool = False

    def __post_init__(self) -> None:
        self.wires = {BROKER: Wire(self.server.port), CONTROLLER: Wire(self.server.controller_port)}

    def send(self, step: Step) -> None:
        """Ask."""
        body = message_of(request_class(step.api), mapped(step.tree, self._resolved)).to_bytes(step.version)
        version = step.version if step.in_version is None else step.in_version
        wire = self.wires[step.listener]
        wire.send(step.api, version, step.bend(body) if step.bend else body)
        self._unanswered = step.api is ApiKey.PRODUCE and step.tree["acks"] == 0 and step.bend is None
        if self._unanswered:  # whatever comes is the answer to this
            wire.send(ApiKey.API_VERSIONS, 0, b"")

    def receive(self, step: Step) -> Told:
        """What comes back."""
        outcome: Outcome = self.wires[step.listener].receive()
        if self._unanswered:
            return Told(None, "closed" if isinstance(outcome, Closed) else "no answer, and goes on")
        if isinstance(outcome, Closed):
            return Told(None, "closed")
        if isinstance(outcome, Silent):
            return Told(None, "silent")
        return self._read(step, outcome)

    def ask(self, api: ApiKey, version: int, tree: Tree, listener: str = BROKER) -> Tree:
        """For the harness itself: ask, and get an answer."""
        owner = request_class(api)
        step = Step(api, version, completed(owner, owner.schema(), tree, version), listener=listener)
        self.send(step)
        told = self.receive(step)
        assert told.tree is not None, f"{self.name} does not answer {api.name}: {told.failure}"
        return told.tree

    def close(self) -> None:
        """Close its connections."""
        for wire in self.wires.values():
            wire.close()

    def versions(self, listener: str) -> dict[ApiKey, range]:
        """What it serves there."""
        tree = self.ask(ApiKey.API_VERSIONS, 0, {}, listener)
        keys = {api.value: api for api in ApiKey}
        return {
            keys[each["api_key"]]: range(
                max(each["min_version"], keys[each["api_key"]].min_version),
                min(each["max_version"], keys[each["api_key"]].max_version) + 1,
            )
            for each in tree["api_keys"]
            if each["api_key"] in keys
        }

    def prepare(self, cases: Sequence[Case]) -> None:
        """Make the topics that are there for all, and those of these cases."""
        if not self.ids:
            self._create([(name, partitions, settings) for name, (partitions, settings) in COMMON.items()])
            self._fill_common()
            quorum = self.ask(ApiKey.DESCRIBE_QUORUM, 2, QUORUM)["topics"][0]["partitions"][0]
            self.directory = quorum["current_voters"][0]["replica_directory_id"]
        wanted = [case for case in cases if case.fresh]
        self._create([(case.scene.topic, 1, FRESH[case.fresh]) for case in wanted])
        for some in _batched([case.scene.topic for case in wanted if case.fresh == FILLED]):
            for records in CONTENT:
                self._produce(dict.fromkeys(some, records))

    def localised(self, text: str) -> str:
        """A text without what is this broker's own."""
        for own, name in (
            (str(self.server.data), "<data>"),
            (str(self.server.port), "<port>"),
            (str(self.server.controller_port), "<controller port>"),
        ):
            text = text.replace(own, name)
        return text

    def topic_of(self, topic_id: bytes) -> str:
        """The topic that has this id, as far as is known."""
        return next((name for name, known in self.ids.items() if known == topic_id), "")

    def _resolved(self, value: Any) -> Any:
        if not isinstance(value, Symbol):
            return value
        if value.kind == "directory":
            return self.directory
        return self.ids.get(value.name, UNKNOWN_ID) if value.kind == "topic id" else self.told.get(value.name, 0)

    def _read(self, step: Step, frame: bytes) -> Told:
        version = step.version if step.in_version is None else step.in_version
        if step.api is ApiKey.API_VERSIONS and not step.api.supports(version):
            version = 0
        try:
            _, position = read_response_header(frame, step.api, version)
            owner = response_class(step.api)
            self.told = tree_of(owner.read(frame, version, position), owner.schema(), version)
        except Exception as unreadable:  # whatever it is, it is the broker's
            return Told(None, f"unreadable: {unreadable}")
        return Told(self.told)

    def _create(self, wanted: Iterable[tuple[str, int, Settings]]) -> None:
        for some in _batched(list(wanted)):
            topics = [
                {
                    "name": name,
                    "num_partitions": partitions,
                    "replication_factor": 1,
                    "configs": [{"name": key, "value": value} for key, value in settings.items()],
                }
                for name, partitions, settings in some
            ]
            made = self.ask(ApiKey.CREATE_TOPICS, 7, {"topics": topics, "timeout_ms": 30_000})["topics"]
            failed = [each for each in made if each["error_code"]]
            assert not failed, f"{self.name} does not create topics: {failed}"
            self.ids |= {each["name"]: each["topic_id"] for each in made}
            self._await([name for name, _, _ in some])

    def _await(self, names: list[str]) -> None:
        """Until every partition of these has a leader, and the leader knows it: it is told a little later."""
        asked = [{"name": name, "partitions": [{"partition_index": 0, "timestamp": -1}]} for name in names]
        give_up = time.monotonic() + READY_WITHIN_S
        while time.monotonic() < give_up:
            tree = self.ask(ApiKey.METADATA, 9, {"topics": [{"name": name} for name in names]})
            partitions = [part for each in tree["topics"] for part in each["partitions"] or [{"leader_id": -1}]]
            if all(part["leader_id"] >= 0 for part in partitions):
                ends = self.ask(ApiKey.LIST_OFFSETS, 7, {"replica_id": -1, "topics": asked})["topics"]
                if not any(part["error_code"] for each in ends for part in each["partitions"]):
                    return
            time.sleep(PAUSE_S)
        raise AssertionError(f"{self.name}: topics have no leaders: {names}\n{self.server.last_words()}")

    def _produce(self, records: dict[str, bytes], partition: int = 0) -> None:
        """To a partition of each of these; a leader may take a moment until it knows of itself."""
        give_up = time.monotonic() + READY_WITHIN_S
        while records:
            topics = [
                {"name": name, "partition_data": [{"index": partition, "records": data}]}
                for name, data in records.items()
            ]
            tree = self.ask(ApiKey.PRODUCE, 9, {"acks": -1, "timeout_ms": 30_000, "topic_data": topics})
            failed = {
                each["name"]: each["partition_responses"][0]["error_code"]
                for each in tree["responses"]
                if each["partition_responses"][0]["error_code"]
            }
            records = {name: data for name, data in records.items() if name in failed}
            passing = {ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
            assert set(failed.values()) <= passing, f"{self.name}: {failed}"
            assert time.monotonic() < give_up, f"{self.name}: {failed}"

    def _fill_common(self) -> None:
        asked = {"transactional_id": None, "transaction_timeout_ms": 1_000}
        give_up = time.monotonic() + READY_WITHIN_S
        while error := self.ask(ApiKey.INIT_PRODUCER_ID, 1, asked)["error_code"]:
            assert time.monotonic() < give_up, f"{self.name}: no producer id: error {error}"
            time.sleep(PAUSE_S)  # the first block of producer ids has to be fetched
        for records in CONTENT:
            self._produce({"stable": records, "cut": records})
            self._produce({"lz4": LZ4})
        self._produce({"stable": idempotent(0)}, partition=1)
        partition = {"partition_index": 0, "offset": 3}
        self.ask(
            ApiKey.DELETE_RECORDS, 2, {"topics": [{"name": "cut", "partitions": [partition]}], "timeout_ms": 30_000}
        )
        deleted = self.ask(ApiKey.DELETE_TOPICS, 6, {"topics": [{"name": "gone"}], "timeout_ms": 30_000})
        assert not deleted["responses"][0]["error_code"]


def _batched(everything: list[Any]) -> Iterator[list[Any]]:
    """So many at a time."""
    for start in range(0, len(everything), AT_ONCE):
        yield everything[start : start + AT_ONCE]
