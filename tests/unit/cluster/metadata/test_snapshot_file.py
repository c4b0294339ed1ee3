"""Snapshots as bytes: names, batches, and what is no snapshot."""

import pytest

from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.metadata.snapshot_file import (
    BATCH_BYTES,
    SnapshotHead,
    SnapshotId,
    SnapshotReader,
    control_batch,
    write_snapshot,
)
from ottla.errors import CorruptBatch, DamagedMetadata, OttlaError
from ottla.protocol.messages.control_records import SnapshotFooterRecord, VotersRecord
from ottla.protocol.messages.metadata_records import NoOpRecord, TopicRecord
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.control import ControlRecordType
from tests.unit.cluster.metadata.histories import batch_of, uuid

RECORDS = [VersionedRecord(TopicRecord(f"topic-{number}", uuid(number))) for number in range(2_000)]
HEAD = SnapshotHead(5, 1, VotersRecord(0, [VotersRecord.Voter(1, uuid(9))]))


def read(pieces: list[bytearray]) -> list[VersionedRecord]:
    """The records of these batches as a snapshot."""
    return list(SnapshotReader(memoryview(b"".join(pieces))).records())


def test_names() -> None:
    """Twenty digits of the end offset, ten of the epoch; what is unfinished or somebody else's is no snapshot."""
    assert SnapshotId(1234, 56).file_name == "00000000000000001234-0000000056.checkpoint"
    assert SnapshotId.parse("00000000000000001234-0000000056.checkpoint") == SnapshotId(1234, 56)
    for name in ("bootstrap.checkpoint", "1-1.checkpoint", "00000000000000001234-0000000056.checkpoint.part", "x"):
        assert SnapshotId.parse(name) is None


@pytest.mark.parametrize("head", [SnapshotHead(), SnapshotHead(7, 1), HEAD])
@pytest.mark.parametrize("count", [0, 1, 2_000])
def test_what_is_written_is_read(head: SnapshotHead, count: int) -> None:
    """Head and records, of any number of batches."""
    data = b"".join(write_snapshot(3, head, RECORDS[:count], 9))
    reader = SnapshotReader(memoryview(data))
    assert reader.head == head
    assert list(reader.records()) == RECORDS[:count]


def test_batches_are_small_and_offsets_have_no_gap() -> None:
    """No batch is much larger than a reader's turn should be; offsets count from the header to the footer."""
    pieces = [RecordBatch(memoryview(piece)) for piece in write_snapshot(3, HEAD, RECORDS, 9)]
    assert len(pieces) > 4
    assert max(piece.size_bytes for piece in pieces) < BATCH_BYTES + 100
    assert [piece.base_offset for piece in pieces] == [0, *(piece.next_offset for piece in pieces[:-1])]
    assert {piece.partition_leader_epoch for piece in pieces} == {3}
    assert [piece.is_control for piece in pieces] == [True, *[False] * (len(pieces) - 2), True]


def test_a_snapshot_that_is_not_whole() -> None:
    """Nothing, no header, no footer, more behind the footer, another header: each is told apart."""
    head, body, footer = write_snapshot(3, SnapshotHead(), RECORDS[:5], 9)
    with pytest.raises(DamagedMetadata, match="without a single batch"):
        read([])
    with pytest.raises(DamagedMetadata, match="does not begin with its header"):
        read([body, footer])
    with pytest.raises(DamagedMetadata, match="does not begin with its header"):
        read([footer])
    with pytest.raises(DamagedMetadata, match="without a footer"):
        read([head, body])
    with pytest.raises(DamagedMetadata, match="behind its footer"):
        read([head, body, footer, body])
    with pytest.raises(DamagedMetadata, match=r"\['SNAPSHOT_HEADER'\] where a snapshot has its footer"):
        read([head, head, footer])
    twice = [(ControlRecordType.SNAPSHOT_FOOTER, SnapshotFooterRecord())] * 2
    with pytest.raises(DamagedMetadata, match="has its footer"):
        read([head, control_batch(1, 3, twice, 9)])


def test_a_flipped_bit_is_found() -> None:
    """Wherever it is, reading ends in an error, and never with other records."""
    pieces = list(write_snapshot(3, SnapshotHead(), RECORDS[:3], 9))
    data = b"".join(pieces)
    ends = [sum(map(len, pieces[: at + 1])) for at in range(len(pieces))]
    starts = [0, *ends[:-1]]
    # Base offset and leader epoch are outside of the checksum, since brokers stamp them.
    unchecked = {start + at for start in starts for at in (*range(8), *range(12, 16))}
    for at in sorted(set(range(len(data))) - unchecked):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        with pytest.raises(OttlaError):
            list(SnapshotReader(memoryview(damaged)).records())
    with pytest.raises(CorruptBatch, match="cut off"):
        list(SnapshotReader(memoryview(data[:-1])).records())


def test_compressed_records_can_be_read() -> None:
    """Kafka writes none, but a reader does not mind; a snapshot may hold any record."""
    head, _, footer = write_snapshot(3, SnapshotHead(), RECORDS[:1], 9)
    body = bytearray(batch_of([NoOpRecord()], 1, 3).view)
    assert read([head, body, footer]) == [VersionedRecord(NoOpRecord())]
