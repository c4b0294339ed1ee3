"""partition.metadata ties a directory to a topic's id."""

from pathlib import Path

import pytest

from ottla.errors import CorruptFile
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.uuids import parse_uuid
from ottla.storage.directories.partition_metadata import parse_partition_metadata, render_partition_metadata

PATH = "/data/t-0/partition.metadata"
TOPIC_ID = Uuid(bytes(range(16)))
GOLDEN = Path(__file__).parents[3] / "golden" / "kafka-4.3-logs"


def test_the_two_lines() -> None:
    """The file has a version and the topic id in base64, and no line end behind it."""
    assert render_partition_metadata(TOPIC_ID) == b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert parse_partition_metadata(PATH, render_partition_metadata(TOPIC_ID)) == TOPIC_ID


def test_a_real_kafkas_files() -> None:
    """What a real Kafka wrote is read, and is written again byte by byte the same."""
    files = sorted(GOLDEN.glob("*/partition.metadata"))
    assert len(files) >= 4
    ids = {parse_partition_metadata(str(file), file.read_bytes()) for file in files}
    assert len(ids) == len(files)
    for file in files:
        data = file.read_bytes()
        assert render_partition_metadata(parse_partition_metadata(str(file), data)) == data


@pytest.mark.parametrize(
    "data",
    [
        b"version: 0\r\ntopic_id: AAECAwQFBgcICQoLDA0ODw\r\n",
        b"version: 7\ntopic_id: AAECAwQFBgcICQoLDA0ODw\nwhatever: a later version adds\n",
        b"version:   0\ntopic_id:\tAAECAwQFBgcICQoLDA0ODw==",
    ],
)
def test_what_else_java_reads(data: bytes) -> None:
    """Later versions, more lines, other line ends and padding are read."""
    assert parse_partition_metadata(PATH, data) == TOPIC_ID


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"version: 0",
        b"version: 0\n",
        b"version: -1\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        b"version: x\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        b"version:0\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0OD",
        b"version: 0\ntopic_id: AAECAwQFBgcICQoLDA0OD!",
        b"version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA",
        b"version: 0\n\ntopic_id: AAECAwQFBgcICQoLDA0ODw",
        b"\xff\xfe",
    ],
)
def test_damage_is_told_with_the_files_name(data: bytes) -> None:
    """Anything else is refused, naming the file; so is the id zero, which no topic has."""
    with pytest.raises(CorruptFile, match=PATH) as refused:
        parse_partition_metadata(PATH, data)
    assert refused.value.path == PATH


def test_the_topic_id_of_the_golden_log_is_the_one_in_its_text() -> None:
    """The text of an id in the file is the text that Kafka's tools show."""
    text = (GOLDEN / "golden-plain-0" / "partition.metadata").read_text()
    assert parse_partition_metadata("", text.encode()) == parse_uuid(text.rpartition(" ")[2])
