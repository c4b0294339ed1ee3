"""Snapshots of ours read by Kafka's own tools: kafka-dump-log and kafka-metadata-shell.

The shell replays whatever records a snapshot holds and shows the image, so it is also a judge of our replay: a history
and the image that we make of it must look the same to it.
"""

import json
import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from ottla.cluster.metadata.bootstrap import BOOTSTRAP_FILE, bootstrap_file, bootstrap_records, levels_at
from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotId, control_batch, write_snapshot
from ottla.protocol.codec.message import Message
from ottla.protocol.features import LATEST, MetadataVersion
from ottla.protocol.messages.control_records import SnapshotFooterRecord, VotersRecord
from ottla.protocol.records.batch import batches
from ottla.protocol.records.columns import Bytes
from ottla.protocol.records.control import ControlRecordType
from tests.integration.peer.jars import run_class
from tests.unit.cluster.metadata.histories import History, batch_of, replayed, uuid

NOW_MS = 1_700_000_000_000
NAME = SnapshotId(500, 3)
VOTER = VotersRecord.Voter(
    1, uuid(111), [VotersRecord.Endpoint("CONTROLLER", "host", 9093)], VotersRecord.KRaftVersionFeature(0, 1)
)
HEAD = SnapshotHead(NOW_MS - 1, 1, VotersRecord(0, [VOTER]))
ASKED_AT_MOST = 10
LOGGED = re.compile(r"^\d{4}-\d\d-\d\dT")  # what the tool's logger says, among what the tool says


def written(folder: Path, records: Iterable[VersionedRecord]) -> Path:
    """A snapshot of ours, as a file."""
    folder.mkdir(exist_ok=True)
    file = folder / NAME.file_name
    file.write_bytes(b"".join(write_snapshot(NAME.epoch, HEAD, records, NOW_MS)))
    return file


def dumped(file: Path) -> list[str]:
    """What kafka-dump-log prints about a snapshot."""
    arguments = ("--cluster-metadata-decoder", "--files", str(file))
    return run_class("org.apache.kafka.tools.DumpLogSegments", *arguments).splitlines()


def as_log(folder: Path, messages: list[Message], version: MetadataVersion) -> Path:
    """A history as a file that the shell takes for a snapshot: a batch a record, each of them an image of its own."""
    folder.mkdir(exist_ok=True)
    end = len(messages) + 1
    pieces: list[Bytes] = [
        control_batch(0, NAME.epoch, SnapshotHead().control_records(), NOW_MS),
        *(batch_of([message], offset, NAME.epoch, version).view for offset, message in enumerate(messages, 1)),
        control_batch(end, NAME.epoch, [(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())], NOW_MS),
    ]
    file = folder / NAME.file_name
    file.write_bytes(b"".join(pieces))
    return file


def tree(file: Path) -> list[str]:
    """The image that kafka-metadata-shell finds in a file, but for its place in the log.

    The shell reads the file and applies it on two threads, and does not wait for the second: what it shows may be an
    image on the way. Its place says so, and then it is asked again.
    """
    last_offset = list(batches(memoryview(file.read_bytes())))[-2].last_offset
    for _ in range(ASKED_AT_MOST):
        said = run_class("org.apache.kafka.shell.MetadataShell", "--snapshot", str(file), "tree", "/image").splitlines()
        at = said.index("provenance:")
        if said[at + 1].strip().startswith(f"offset {last_offset},"):
            del said[at : at + 2]
            return [line for line in said if not LOGGED.match(line)]
    raise AssertionError(f"kafka-metadata-shell never came to offset {last_offset}, but to: {said[at + 1]}")


def test_dump_log_reads_our_snapshots(tmp_path: Path) -> None:
    """Header, quorum, every record in its version, footer: as we wrote them, from more than one batch."""
    image = replayed(History(random.Random(1)).messages(1_500))
    records = [*image.records(), *(record for record in image.records() for _ in range(5))]
    lines = dumped(written(tmp_path, records))
    assert lines[1] == f"Snapshot end offset: {NAME.end_offset}, epoch: {NAME.epoch}"
    batches = [dict(re.findall(r"(\w+): (\S+)", line)) for line in lines if line.startswith("baseOffset:")]
    assert len(batches) > 3
    assert {batch["partitionLeaderEpoch"] for batch in batches} == {str(NAME.epoch)}
    assert [batch["isControl"] for batch in batches] == ["true", *["false"] * (len(batches) - 2), "true"]
    payloads = [json.loads(found[1]) for line in lines if (found := re.search(r"payload: (\{.*\})$", line))]
    kinds = [type(record.message).__name__.removesuffix("Record").lower() for record in records]
    assert [each["type"].removesuffix("_RECORD").replace("_", "").lower() for each in payloads] == kinds
    assert [each["version"] for each in payloads] == [record.version for record in records]
    text = "\n".join(lines)
    assert f'SnapshotHeader {{"version":0,"lastContainedLogTimestamp":{NOW_MS - 1}}}' in text
    assert 'KRaftVersion {"version":0,"kRaftVersion":1}' in text
    assert '"voterId":1' in text
    assert 'SnapshotFooter {"version":0}' in text


@pytest.mark.parametrize("version", [LATEST, MetadataVersion.IBP_3_9_IV0], ids=lambda version: version.text)
@pytest.mark.parametrize("seed", range(2))
def test_kafka_replays_a_history_as_we_do(tmp_path: Path, seed: int, version: MetadataVersion) -> None:
    """What Kafka makes of the records of a history is what it makes of the snapshot that we make of them."""
    messages = History(random.Random(seed), version).messages(300)
    history = as_log(tmp_path / "history", messages, version)
    snapshot = written(tmp_path / "snapshot", replayed(messages).records())
    seen = tree(snapshot)
    assert any("PartitionRegistration(" in line for line in seen)
    assert seen == tree(history)


def test_a_bootstrap_file_of_ours(tmp_path: Path) -> None:
    """Kafka's tool knows it for one, and finds the features in it."""
    file = tmp_path / BOOTSTRAP_FILE
    file.write_bytes(b"".join(bootstrap_file(bootstrap_records(levels_at(MetadataVersion.IBP_4_0_IV3)), NOW_MS)))
    lines = dumped(file)
    assert lines[1] == "KRaft bootstrap snapshot"
    levels = dict(re.findall(r'"name":"([^"]+)","featureLevel":(\d+)', "\n".join(lines)))
    assert levels == {"metadata.version": "25", "group.version": "1", "transaction.version": "2"}
