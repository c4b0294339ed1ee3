"""Record batches that lie, to our node and to a real Kafka: each gets Kafka's error, and costs its own partition alone.

Both are sent the same bytes. Where the answers differ on purpose, `NAMED` says why.
"""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import ProduceResponse
from tests.integration.lying_batches import BOMBS, CODECS, LIES, batch
from tests.integration.nodes import NodeProcess, node_process
from tests.integration.peer.jars import run_class
from tests.integration.peer.kafka import Kafka
from tests.integration.raw_client import BY_NAME, RawClient, produce_request, produced

TOPIC: Final = "attacked"
BOMBS_AT_ONCE: Final = 8
MEMORY_BYTES: Final = 512 * 1024 * 1024  # what lies may cost while they are looked at: several decompressions at once

# How our answer differs from Kafka's, and why.
ALONE = "Kafka fails the whole request where it cannot say how long a batch is; ours fails the partition"
NAMELESS = "Kafka answers UNKNOWN_SERVER_ERROR, an exception that it did not expect; ours says what is wrong"
STRICTER = "Kafka stores what its own consumers cannot read, or read as something else; ours does not"
UNBOUNDED = "Kafka decompresses whatever comes; ours stops at a bound"

NAMED: Final = {
    "zeros": ALONE,
    "ones": ALONE,
    "length zero": ALONE,
    "length negative": ALONE,
    "length least": ALONE,
    "length most": NAMELESS,
    "magic 3": ALONE,
    "magic -1": ALONE,
    "magic 127": ALONE,
    "record length endless": NAMELESS,
    "codec 5": NAMELESS,
    "codec 6": NAMELESS,
    "codec 7": NAMELESS,
    "producer without an epoch": STRICTER,
    "producer -2": STRICTER,
    "timestamp delta most": "Kafka lets the sum wrap around and calls it a bad timestamp; ours a bad record",
    "offset delta negative": STRICTER,
    "offset deltas with a gap": STRICTER,
    "offset deltas backwards": STRICTER,
    "offset deltas alike": STRICTER,
    "offset delta most": STRICTER,
    "key length -2": STRICTER,
    "value length -2": STRICTER,
    "header value length -2": STRICTER,
    "headers 2^31": STRICTER,
    "zstd of no bytes": "Kafka takes it for an empty batch, ours for a stream that is cut off",
    **{f"{codec} bomb": UNBOUNDED for codec in ("gzip", "lz4", "zstd")},
    **{f"{codec} of no bytes": NAMELESS for codec in ("gzip", "snappy", "lz4")},
    **{f"{codec} damaged": NAMELESS for codec in ("gzip", "snappy", "lz4")},
    **{f"{codec}, garbage behind": STRICTER for codec in ("gzip", "lz4")},
    **{f"{codec}, garbage behind": NAMELESS for codec in ("snappy", "zstd")},
    **{
        f"{codec}{lie}": why
        for codec in CODECS
        for lie, why in {
            " of plain bytes": NAMELESS,
            " cut off": NAMELESS,
            " of the same offset": NAMELESS,
            ", offset deltas with a gap": NAMELESS,
            ", record longer than the batch": STRICTER,
        }.items()
    },
}
UNANSWERED: Final = ("null",)  # Kafka never answers a partition without records: there is nothing to compare

Answers = dict[str, dict[int, int] | None]


def create_topic(address: str) -> None:
    """A partition for the lies, and one for what is sent beside them."""
    admin = AdminClient({"bootstrap.servers": address, "log_level": 0})
    for created in admin.create_topics([NewTopic(TOPIC, 2, 1)]).values():
        created.result()


def lied_to(address: str) -> Answers:
    """What a broker answers to each lie, with an honest batch beside it."""
    create_topic(address)
    lies = {name: make for name, make in (LIES | BOMBS).items() if name not in UNANSWERED}
    while produced(address, TOPIC, {0: batch()}) != {0: 0}:
        pass  # until the leader has taken its office
    return {name: produced(address, TOPIC, {0: make(), 1: batch()}) for name, make in lies.items()}


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    """Ours. What it writes to its standard error fails these tests."""
    with node_process() as node:
        yield node


@pytest.fixture(scope="module")
def ours(node: NodeProcess) -> Answers:
    """What it answers."""
    return lied_to(node.address())


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Answers:
    """What Kafka answers."""
    with Kafka(tmp_path_factory.mktemp("kafka")).start() as kafka:
        return lied_to(kafka.address)


def named(answers: dict[int, int] | None) -> str | None:
    """The answer for the lie's partition, by its name."""
    return None if answers is None else ErrorCode.of(answers[0]).name


def test_every_lie_gets_kafkas_answer(ours: Answers, theirs: Answers) -> None:
    """Whatever a batch says of itself, the error code is Kafka's, or the difference is named and has a reason."""
    different = {
        name: f"{named(answers)}, Kafka {named(theirs[name])}"
        for name, answers in ours.items()
        if name not in NAMED and answers != theirs[name]
    }
    assert not different
    unneeded = [name for name in NAMED if ours[name] == theirs[name]]
    assert not unneeded, "these are not different any more"
    shrugs = [name for name, answers in ours.items() if named(answers) in (None, "UNKNOWN_SERVER_ERROR")]
    assert not shrugs


def test_a_lie_costs_its_own_partition(ours: Answers) -> None:
    """Beside a batch that lies an honest one of the same request is appended; a transaction is the whole's."""
    failed = [name for name, answers in ours.items() if answers is None or answers[1]]
    assert failed == ["transactional"]
    assert named(ours["transactional"]) == "TRANSACTIONAL_ID_AUTHORIZATION_FAILED"


def test_a_partition_without_records_is_answered(node: NodeProcess, ours: Answers) -> None:
    """Null records are an invalid record."""
    assert ours
    assert produced(node.address(), TOPIC, {0: None, 1: batch()}) == {0: ErrorCode.INVALID_RECORD, 1: 0}


def test_bombs_take_bounded_memory(node: NodeProcess, ours: Answers) -> None:
    """Bombs of all codecs at once, each pipelined: memory stays bounded while they are looked at and behind them."""
    assert ours
    clients = [RawClient(node.address()) for _ in range(BOMBS_AT_ONCE)]
    bombs = [make() for make in BOMBS.values()]
    before, most = node.resident_bytes(), 0
    for number, client in enumerate(clients):
        for _ in range(2):
            client.send(produce_request(TOPIC, {number % 2: bombs[number % len(bombs)]}), BY_NAME)
    for client in clients:
        for _ in range(2):
            answer = client.answer(ProduceResponse, BY_NAME)
            assert answer is not None
            most = max(most, node.resident_bytes())
        client.close()
    assert most - before < MEMORY_BYTES


def test_kafka_reads_a_log_that_was_lied_to(node: NodeProcess, ours: Answers, tmp_path: Path) -> None:
    """What is in the logs behind all this is sound: `kafka-dump-log` reads every record of it."""
    assert ours
    for index in (0, 1):
        copy = tmp_path / f"{TOPIC}-{index}"
        shutil.copytree(node.directory / copy.name, copy)
        files = ",".join(str(path) for path in copy.glob("*.log"))
        printed = run_class("org.apache.kafka.tools.DumpLogSegments", "--deep-iteration", "--files", files)
        batches = [line for line in printed.splitlines() if line.startswith("baseOffset")]
        assert batches
        assert all("isvalid: true" in line for line in batches)
        appended = sum(answers is not None and answers[index] == 0 for answers in ours.values())
        assert len(batches) >= appended
