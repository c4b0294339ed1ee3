"""The loader on the metadata that real Kafkas wrote: 4.3 with voters in the log, 3.9 with a static quorum."""

import json
import re
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from ottla.cluster.metadata.bootstrap import BOOTSTRAP_FILE, bootstrap_file, bootstrap_records, levels_at
from ottla.cluster.metadata.image import MetadataImage, Provenance
from ottla.cluster.metadata.loader import Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import VersionedRecord, parse_record, records_in
from ottla.cluster.metadata.snapshot_file import SnapshotId, SnapshotReader, write_snapshot
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.metadata_records import ZkMigrationStateRecord
from ottla.protocol.records.batch import RecordBatch, batches

GOLDEN = Path(__file__).parents[3] / "golden"
NEW, OLD = GOLDEN / "kafka-4.3-metadata", GOLDEN / "kafka-3.9-metadata"
LOG = "00000000000000000000.log"
FORMATTED = NEW / "00000000000000000000-0000000000.checkpoint"
BOOTSTRAPS = [folder / BOOTSTRAP_FILE for folder in (NEW, OLD)]
SNAPSHOTS = sorted({*NEW.glob("*.checkpoint"), *OLD.glob("*.checkpoint")} - {FORMATTED, *BOOTSTRAPS})


def each(files: list[Path]) -> pytest.MarkDecorator:
    """Run a test for each of these files."""
    return pytest.mark.parametrize("file", files, ids=lambda file: f"{file.parent.name} {file.name}")


def log_until(folder: Path, end_offset: int | None = None) -> list[RecordBatch]:
    """The batches of a log, or those below an offset."""
    found = list(batches(memoryview((folder / LOG).read_bytes())))
    return [batch for batch in found if end_offset is None or batch.last_offset < end_offset]


def loaded(read: list[RecordBatch], loader: Loader | None = None) -> MetadataImage:
    """The image of these batches, on top of what a loader has."""
    loader = loader or Loader(Publisher())
    for batch in read:
        loader.load_batch(batch)
        loader.publish()
    return loader.image


def from_snapshot(file: Path) -> Loader:
    """A loader with a snapshot of Kafka's."""
    name = SnapshotId.parse(file.name)
    assert name is not None
    reader = SnapshotReader(memoryview(file.read_bytes()))
    loader = Loader(Publisher())
    place = Provenance(name.end_offset - 1, name.epoch, reader.head.last_contained_log_timestamp, is_batch_aligned=True)
    loader.load_snapshot(reader.records(), place)
    return loader


@each(SNAPSHOTS)
def test_the_log_says_what_kafkas_snapshots_say(file: Path) -> None:
    """Below each snapshot the log gives the image that Kafka's snapshot holds, down to offset, epoch and timestamp."""
    name = SnapshotId.parse(file.name)
    assert name is not None
    assert loaded(log_until(file.parent, name.end_offset)) == from_snapshot(file).image


@each(SNAPSHOTS)
def test_a_snapshot_and_the_tail_give_what_the_whole_log_gives(file: Path) -> None:
    """Reading on behind Kafka's snapshot ends in the same image as reading everything."""
    loader = from_snapshot(file)
    end_offset = loader.image.provenance.last_contained_offset + 1
    tail = [batch for batch in log_until(file.parent) if batch.base_offset >= end_offset]
    assert loaded(tail, loader) == loaded(log_until(file.parent))


@each(SNAPSHOTS)
def test_our_snapshots_hold_kafkas_records(file: Path) -> None:
    """What we write of the image are the records of Kafka's snapshot, in its versions; the order is ours.

    3.9 also says that there is no migration from ZooKeeper, which nobody says since 4.0.
    """
    theirs = SnapshotReader(memoryview(file.read_bytes())).records()
    kept = [record for record in theirs if not isinstance(record.message, ZkMigrationStateRecord)]
    assert sorted(map(_bytes, from_snapshot(file).image.records())) == sorted(map(_bytes, kept))


def _bytes(record: VersionedRecord) -> bytes:
    """A record, with what Kafka lists in the order of a hash table sorted."""
    message = record.message
    for name in ("end_points", "features", "entity"):
        if hasattr(message, name):
            setattr(message, name, sorted(getattr(message, name), key=repr))
    return record.to_bytes()


def said(file: Path) -> list[dict[str, Any]]:
    """The records that Kafka's tool finds in a file."""
    lines = file.with_name(file.name + ".dump").read_text().splitlines()
    return [json.loads(found[1]) for line in lines if (found := re.search(r"payload: (\{.*\})$", line))]


@each([NEW / LOG, OLD / LOG, *SNAPSHOTS])
def test_every_record_is_written_back_byte_for_byte(file: Path) -> None:
    """Each record that Kafka wrote is read, has the type and version that Kafka's tool names, and the same bytes."""
    values = []
    for batch in batches(memoryview(file.read_bytes())):
        values += [record for _, record in records_in(batch)]
    told = said(file)
    assert len(values) == len(told) > 0
    for record, line in zip(values, told, strict=True):
        kind = type(record.message).__name__.removesuffix("Record")
        assert kind.lower() == line["type"].removesuffix("_RECORD").replace("_", "").lower()
        assert record.version == line["version"]
        assert parse_record(record.to_bytes(), 0) == record


@pytest.mark.parametrize("folder", [NEW, OLD], ids=lambda folder: folder.name)
def test_the_image_is_what_was_asked_for(folder: Path) -> None:
    """Topics, partitions, settings, quotas, ACLs, credentials and tokens as they were left."""
    image = loaded(log_until(folder))
    counts = {name: len(image.topics.by_id[image.topics.ids[name]].partitions) for name in sorted(image.topics.ids)}
    assert counts == {"first": 3, "last": 1, "second": 2, "third": 40}
    assert image.configs.of(2, "first") == {"segment.bytes": "1048576"}
    assert image.configs.of(2, "gone") == {}
    assert image.configs.of(4, "")["message.max.bytes"] == "2000000"
    assert dict(image.client_quotas.entities) == {
        (("user", "alice"),): {"producer_byte_rate": 1024.0},
        (("client-id", None),): {"request_percentage": 50.5},
        (("client-id", "c"), ("user", None)): {"producer_byte_rate": 7.0},
    }
    assert [entry.resource_name for entry in image.acls.entries.values()] == ["first"]
    assert [(user.name, each.iterations) for user, each in image.scram.credentials.items()] == [("alice", 4096)]
    assert [token.owner for token in image.delegation_tokens.tokens.values()] == ["User:golden"]
    assert image.producer_ids.next_producer_id == 1000
    (broker,) = image.cluster.brokers.values()
    assert (broker.fenced, broker.in_controlled_shutdown) == (True, True)
    (partition, *_) = image.topics.by_id[image.topics.ids["first"]].partitions.values()
    assert partition.directories == broker.log_dirs


def test_what_differs_between_releases() -> None:
    """Metadata version, features, settings that came with 4.0, and whether a broker tells of cordoned directories."""
    old, new = loaded(log_until(OLD)), loaded(log_until(NEW))
    versions = (old.features.metadata_version, new.features.metadata_version)
    assert versions == (MetadataVersion.IBP_3_9_IV0, MetadataVersion.IBP_4_3_IV0)
    assert old.features.levels == {}
    assert new.features.level("eligible.leader.replicas.version") == 0
    assert (old.configs.of(32, "group"), new.configs.of(32, "group")) == ({}, {"consumer.session.timeout.ms": "50000"})
    assert "min.insync.replicas" in new.configs.of(4, "")
    assert [image.cluster.brokers[1].cordoned_log_dirs for image in (old, new)] == [None, ()]


@pytest.mark.parametrize("folder", [NEW, OLD], ids=lambda folder: folder.name)
def test_bootstrap_records_are_kafkas(folder: Path) -> None:
    """Formatting finalises the same features in the same order, at 4.3-IV0 as at 3.9-IV0."""
    version = loaded(log_until(folder)).features.metadata_version
    assert version is not None
    ours = bootstrap_records(levels_at(version))
    assert list(SnapshotReader(memoryview((folder / BOOTSTRAP_FILE).read_bytes())).records()) == ours
    written = b"".join(bootstrap_file(ours, 5))
    assert list(SnapshotReader(memoryview(written)).records()) == ours


@each([FORMATTED, *BOOTSTRAPS, *SNAPSHOTS])
def test_our_snapshot_files_are_kafkas_byte_for_byte(file: Path) -> None:
    """The same records at the same time in one batch make the very file that Kafka wrote."""
    data = file.read_bytes()
    first, *_ = read = list(batches(memoryview(data)))
    reader = SnapshotReader(memoryview(data))
    written = list(write_snapshot(first.partition_leader_epoch, reader.head, reader.records(), 0))
    theirs = [(batch.base_offset, batch.last_offset, batch.is_control, batch.size_bytes) for batch in read]
    ours = [RecordBatch(memoryview(batch)) for batch in written]
    assert [(batch.base_offset, batch.last_offset, batch.is_control, batch.size_bytes) for batch in ours] == theirs
    assert [bytes(batch.section) for batch in ours] == [bytes(batch.section) for batch in read]


def test_the_voters_of_a_formatted_directory() -> None:
    """The snapshot at offset 0 says who votes, and no records."""
    reader = SnapshotReader(memoryview(FORMATTED.read_bytes()))
    assert list(reader.records()) == []
    assert reader.head.kraft_version == 1
    assert reader.head.voters is not None
    (voter,) = reader.head.voters.voters
    directory_id = urlsafe_b64encode(voter.voter_directory_id).decode().rstrip("=")
    assert (voter.voter_id, [each.name for each in voter.endpoints]) == (1, ["CONTROLLER"])
    assert f'"voterDirectoryId":"{directory_id}"' in FORMATTED.with_name(FORMATTED.name + ".dump").read_text()
