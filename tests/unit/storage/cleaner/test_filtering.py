"""What of a log stays when it is compacted, batch by batch."""

from collections.abc import Sequence

import pytest

from ottla.errors import CorruptBatch
from ottla.protocol.records.batch import NO_TIMESTAMP, CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.record import records_of
from ottla.storage.cleaner.filtering import LastRecord
from tests.unit.storage.cleaner.logs import NOW_MS, RETENTION_MS, BatchList, Pair

HORIZON_MS = NOW_MS + RETENTION_MS
A, B = (b"a", b"1"), (b"b", b"1")
A2, B2 = (b"a", b"2"), (b"b", b"2")
NO_A = (b"a", None)


def log_of(*batches: Sequence[Pair]) -> BatchList:
    """A log of these batches."""
    log = BatchList()
    for pairs in batches:
        log.write(*pairs)
    return log


def test_the_newest_value_of_a_key_stays() -> None:
    """W41: of M1 and M2 with the same key M1 goes, and M2 keeps its offset."""
    cleaned = log_of([A, B], [A2]).cleaned()
    assert [(record.offset, record.key, record.value) for record in cleaned.records()] == [
        (1, b"b", b"1"),
        (2, b"a", b"2"),
    ]
    assert cleaned.shape() == [(0, 1, 1), (2, 2, 1)]


def test_commits_of_an_idle_consumer() -> None:
    """W40: a consumer that is idle at offset 10 commits it N times; one record remains."""
    commit = (b"\x00\x01\x00\x05group\x00\x05topic\x00\x00\x00\x00", b"\x00\x03" + (10).to_bytes(8, "big"))
    cleaned = log_of(*([commit] for _ in range(50))).cleaned()
    assert cleaned.pairs() == [commit]
    assert cleaned.shape() == [(49, 49, 1)]


def test_a_batch_that_stays_whole_stays_as_it_is() -> None:
    """Where nothing goes, not a byte is changed."""
    log = log_of([A, B], [(b"c", b"1")])
    assert log.cleaned().bytes() == log.bytes()


@pytest.mark.parametrize("codec", CompressionType)
@pytest.mark.parametrize("timestamp_type", TimestampType)
def test_a_batch_that_loses_records(codec: CompressionType, timestamp_type: TimestampType) -> None:
    """What remains of a batch keeps offsets, timestamps, codec, epoch, producer fields and last offset."""
    log = BatchList()
    whole = log.write(
        A, B, (b"c", b"1"), producer_id=4, epoch=2, sequence=9, codec=codec, timestamp_type=timestamp_type
    )
    expected = list(records_of(whole))[1]
    log.write(A2, (b"c", b"2"))
    batch = log.cleaned().batches[0]
    batch.check()
    assert list(records_of(batch)) == [expected]
    assert (batch.base_offset, batch.last_offset, batch.count) == (0, 2, 1)
    assert (batch.compression_type, batch.timestamp_type) == (codec, timestamp_type)
    assert (batch.producer_id, batch.producer_epoch, batch.base_sequence, batch.last_sequence) == (4, 2, 9, 11)
    assert batch.partition_leader_epoch == 5
    assert batch.max_timestamp == expected.timestamp


def test_records_without_key_go() -> None:
    """A log that became compacted later may have records without keys: they are dropped."""
    cleaned = log_of([(None, b"1"), B]).cleaned()
    assert cleaned.pairs() == [B]


def test_a_tombstone_gets_a_horizon() -> None:
    """The first cleaning that keeps a tombstone writes down when it may go (KIP-534), and no later one changes that."""
    log = log_of([A], [NO_A, B])
    once = log.cleaned()
    assert once.pairs() == [NO_A, B]
    batch = once.batches[0]
    assert batch.delete_horizon_ms == HORIZON_MS
    assert [record.timestamp for record in records_of(batch)] == [NOW_MS, NOW_MS + 1]
    later = once.cleaned(now_ms=HORIZON_MS - 1)
    assert later.bytes() == once.bytes()


def test_a_tombstone_that_is_overwritten() -> None:
    """A horizon is for tombstones that stay: a batch that loses its only one gets none."""
    cleaned = log_of([NO_A, B], [A]).cleaned()
    assert cleaned.pairs() == [B, A]
    assert [batch.delete_horizon_ms for batch in cleaned.batches] == [None, None]


def test_a_tombstone_goes_behind_its_horizon() -> None:
    """From its horizon on a tombstone goes, and the horizon stays with what remains of its batch."""
    log = log_of([NO_A, B]).cleaned()
    log.write((b"c", b"1"))
    gone = log.cleaned(now_ms=HORIZON_MS)
    assert gone.pairs() == [B, (b"c", b"1")]
    assert gone.batches[0].delete_horizon_ms == HORIZON_MS
    assert gone.cleaned(now_ms=HORIZON_MS + 5).bytes() == gone.bytes()


def test_a_batch_of_which_nothing_remains() -> None:
    """A batch all of whose records go, goes with them."""
    assert log_of([A], [B], [A2], [B2]).cleaned().shape() == [(2, 2, 1), (3, 3, 1)]


def test_the_end_of_the_cleaned_part_remains_known() -> None:
    """The last batch of what is cleaned stays as an empty header, so that no offset is lost."""
    log = log_of([NO_A]).cleaned()
    emptied = log.cleaned(now_ms=HORIZON_MS)
    batch = emptied.batches[0]
    batch.check()
    assert emptied.shape() == [(0, 0, 0)]
    assert (batch.base_timestamp, batch.delete_horizon_ms) == (NO_TIMESTAMP, None)
    assert emptied.cleaned().bytes() == emptied.bytes()
    emptied.write(B)
    assert emptied.cleaned().shape() == [(1, 1, 1)]


@pytest.mark.parametrize("codec", [CompressionType.NONE, CompressionType.ZSTD])
def test_the_last_batch_of_an_active_producer(codec: CompressionType) -> None:
    """The header of an active producer's last batch stays for its sequence; others of it go, and other producers'."""
    log = BatchList()
    log.write(A, producer_id=1, sequence=0, codec=codec)
    log.write(A, B, producer_id=1, sequence=1, codec=codec)
    log.write(A, producer_id=2, sequence=7, codec=codec)
    log.write(A2, B2)
    cleaned = log.cleaned(last_records={1: LastRecord(2, 0)})
    assert cleaned.shape() == [(1, 2, 0), (4, 5, 2)]
    header = cleaned.batches[0]
    header.check()
    assert (header.producer_id, header.base_sequence, header.last_sequence) == (1, 1, 2)
    assert header.compression_type is CompressionType.NONE
    assert cleaned.cleaned().shape() == [(4, 5, 2)]


def test_a_producer_of_markers_alone() -> None:
    """Where no records of a producer's epoch are known, it is a marker's header that stays, and no other's."""
    log = log_of([A])
    log.write(A, producer_id=1)
    log.write(A2)
    assert log.cleaned(last_records={1: LastRecord(-1, 0)}).shape() == [(2, 2, 1)]


def test_records_behind_what_was_looked_at_stay() -> None:
    """What lies behind the part that the map knows is kept, with keys and without."""
    log = log_of([A], [A2], [(None, b"x"), A], [A2])
    cleaned = log.cleaned(end_offset=2)
    assert cleaned.pairs() == [A2, (None, b"x"), A, A2]


def test_a_full_map_cleans_what_it_knows() -> None:
    """A map without room for all keys cleans up to the last batch that it has whole."""
    log = log_of(
        *([(b"%d" % key, b"1")] for key in range(60)), [(b"0", b"2")], *([(b"x%d" % at, b"")] for at in (1, 2))
    )
    cleaned = log.cleaned(map_bytes=24 * 64)
    assert len(cleaned.pairs()) == 63
    assert cleaned.cleaned(start_offset=57).pairs() == log.pairs()[1:]


def test_a_wrong_checksum_is_not_made_right() -> None:
    """A batch that has rotted on the disk is refused, and not written anew with a right checksum."""
    for start_offset in (0, 2):
        log = log_of([A, B], [A])
        damaged = bytearray(log.batches[0].view)
        damaged[-3] ^= 1
        log.batches[0] = RecordBatch(memoryview(damaged))
        with pytest.raises(CorruptBatch):
            log.cleaned(start_offset=start_offset)
