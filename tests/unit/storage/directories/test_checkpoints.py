"""Checkpoints hold offsets as Apache Kafka writes them, and take what it takes."""

from pathlib import Path

import pytest

from ottla.errors import CorruptFile, DiskError
from ottla.storage.directories.checkpoints import parse_offsets, render_offsets
from ottla.storage.names import TopicPartition

PATH = "/data/recovery-point-offset-checkpoint"
GOLDEN = Path(__file__).parents[3] / "golden" / "kafka-4.3-logs"


def test_offsets_are_written_a_line_each() -> None:
    """A checkpoint has its version, the count of its lines, and topic, partition and offset a line."""
    offsets = {TopicPartition("orders", 0): 42, TopicPartition("a.b-c_d", 17): 2**63 - 1}
    assert render_offsets(offsets) == b"0\n2\norders 0 42\na.b-c_d 17 9223372036854775807\n"
    assert parse_offsets(PATH, render_offsets(offsets)) == offsets
    assert render_offsets({}) == b"0\n0\n"


@pytest.mark.parametrize(
    "name",
    [
        "recovery-point-offset-checkpoint",
        "replication-offset-checkpoint",
        "log-start-offset-checkpoint",
        "cleaner-offset-checkpoint",
    ],
)
def test_a_real_kafkas_checkpoints(name: str) -> None:
    """A checkpoint that a real Kafka wrote is read, and is written again byte by byte the same."""
    data = (GOLDEN / name).read_bytes()
    offsets = parse_offsets(name, data)
    assert any(partition.topic.startswith("golden-") for partition in offsets)
    assert render_offsets(offsets) == data


def test_what_a_real_kafka_said_about_its_logs() -> None:
    """The golden logs' recovery points are their ends, and one log starts where records were deleted."""
    offsets = parse_offsets("", (GOLDEN / "recovery-point-offset-checkpoint").read_bytes())
    assert offsets[TopicPartition("golden-plain", 0)] == 75
    assert parse_offsets("", (GOLDEN / "log-start-offset-checkpoint").read_bytes()) == {
        TopicPartition("golden-short", 0): 4
    }


@pytest.mark.parametrize("data", [b"", b"0", b"0\n", b"0\n0", b"0\n0\n", b"0\r\n0\r\n", b"+0\r0\r", b"\n"[:0]])
def test_an_empty_checkpoint(data: bytes) -> None:
    """A file that a crash left empty, or that ends behind the version, says nothing and is no fault."""
    assert parse_offsets(PATH, data) == {}


@pytest.mark.parametrize(
    "data",
    [b"0\n1\nt 0 5", b"0\r\n1\r\nt 0 5\r\n", b"0\r1\rt 0 5\r", b"0\n1\nt\t0   +5 \t\n", b"0\n2\nt 0 9\nt 0 5\n"],
)
def test_what_else_java_reads(data: bytes) -> None:
    """Any line end, any white space between words and a plus sign are read; of two lines the last counts."""
    assert parse_offsets(PATH, data) == {TopicPartition("t", 0): 5}


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1\n0\n", "version is 1"),
        (b"x\n0\n", "'x'"),
        (b" 0\n0\n", "' 0'"),
        (b"\n", "''"),
        (b"0\n2\nt 0 5\n", "announces 2 lines, and 1 follow"),
        (b"0\n0\nt 0 5\n", "announces 0 lines, and 1 follow"),
        (b"0\n-1\n", "'-1'"),
        (b"0\n1\n\n", "line 3"),
        (b"0\n1\nt 0 5\n\n", "line 4"),
        (b"0\n1\nt 0\n", "line 3"),
        (b"0\n1\nt 0 5 6\n", "line 3"),
        (b"0\n1\n t 0 5\n", "line 3"),
        (b"0\n1\nt x 5\n", "'x'"),
        (b"0\n1\nt 0 5x\n", "'5x'"),
        (b"0\n1\nt 0 1_000\n", "'1_000'"),
        (b"0\n1\nt 0 -5\n", "'-5'"),
        (b"0\n1\nt 2147483648 5\n", "2147483648"),
        (b"0\n1\nt 0 9223372036854775808\n", "9223372036854775808"),
        ("0\n1\nt 0 ٥\n".encode(), "٥"),
        (b"0\n1\n\xff 0 5\n", "byte 4 is not UTF-8"),
        (b"\x00" * 20, "\\x00"),
    ],
)
def test_damage_is_told_with_the_files_name(data: bytes, said: str) -> None:
    """Whatever Kafka would not have written is refused; the error says in which file, and what is wrong."""
    with pytest.raises(CorruptFile) as refused:
        parse_offsets(PATH, data)
    assert isinstance(refused.value, DiskError)
    assert refused.value.path == PATH
    assert str(refused.value).startswith(PATH)
    assert said in str(refused.value)
