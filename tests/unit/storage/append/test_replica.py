"""What a follower takes from its leader, and the metadata quorum's leader from itself."""

from dataclasses import replace

import pytest

from ottla.errors import CorruptBatch, InvalidRecord, RecordListTooLarge, UnexpectedOffset
from ottla.protocol.records.batch import NO_TIMESTAMP
from ottla.protocol.records.builder import BatchFields
from ottla.storage.append.replica import analyze_from_raft_leader, analyze_replicated
from ottla.storage.log_config import LogConfig
from tests.unit.storage.append.batches import NOW_MS, batch_of, patched

CONFIG = LogConfig(max_message_bytes=10)  # a follower takes what its leader took, under the settings of that time


def placed(base_offset: int, count: int = 2, epoch: int = 3, timestamp: int = NOW_MS) -> bytearray:
    """A batch that has its place."""
    return batch_of(*[timestamp] * count, fields=BatchFields(base_offset, epoch))


def test_offsets_and_epochs_are_taken_as_they_are() -> None:
    """A follower's bytes are the leader's: nothing is changed, gaps are fine, sizes are not compared anew."""
    section = placed(100) + placed(105, 3, timestamp=NOW_MS + 9) + placed(120, 1, epoch=4)
    before = bytes(section)
    info = analyze_replicated(memoryview(section), CONFIG, 100, leader_epoch=4)
    assert (info.first_offset, info.last_offset, info.record_count) == (100, 120, 6)
    assert (info.max_timestamp, info.offset_of_max_timestamp) == (NOW_MS + 9, 107)
    assert (info.last_leader_epoch, info.log_append_time_ms, info.is_rewritten) == (4, NO_TIMESTAMP, False)
    assert [batch.base_offset for batch in info.batches] == [100, 105, 120]
    assert bytes(info.data) == before == bytes(section)


def test_a_part_of_a_batch_is_left_out() -> None:
    """A fetch ends where its byte limit fell: the part of a batch at its end is left for the next fetch."""
    first = placed(5)
    for length in (0, 1, 16, 17, 60, 61, len(first) - 1):
        info = analyze_replicated(memoryview(first + placed(7)[:length]), CONFIG, 5, leader_epoch=3)
        assert (info.last_offset, bytes(info.data)) == (6, bytes(first))


def test_nothing_to_append() -> None:
    """An empty fetch, or less than a batch, has no batches."""
    for section in (bytearray(), placed(5)[:30]):
        info = analyze_replicated(memoryview(section), CONFIG, 5, leader_epoch=3)
        assert (info.batches, len(info.data), info.last_offset) == ((), 0, -1)


def test_batches_of_a_later_epoch_are_left_out() -> None:
    """What a leader sent after it had lost the leadership ends the append before it (KAFKA-18723)."""
    section = placed(5) + placed(7, epoch=9) + placed(9)
    info = analyze_replicated(memoryview(section), CONFIG, 5, leader_epoch=8)
    assert info.last_offset == 6
    assert not analyze_replicated(memoryview(section), CONFIG, 5, leader_epoch=2).batches


def test_a_batch_before_the_log_end() -> None:
    """Offsets that are there already are refused; whoever catches that learns where the batches lie."""
    with pytest.raises(UnexpectedOffset, match="6 follows") as caught:
        analyze_replicated(memoryview(placed(5) + placed(7)), CONFIG, 6, leader_epoch=3)
    assert (caught.value.first_offset, caught.value.last_offset) == (5, 8)


@pytest.mark.parametrize("second", [5, 6, 4, -3])
def test_offsets_that_do_not_go_up(second: int) -> None:
    """Batches that overlap, or go back, are refused."""
    section = memoryview(placed(5) + placed(second))
    with pytest.raises(UnexpectedOffset, match="have to go up"):
        analyze_replicated(section, CONFIG, 5, leader_epoch=3)
    with pytest.raises(UnexpectedOffset, match="have to go up"):
        analyze_from_raft_leader(section, CONFIG, leader_epoch=3)


def test_a_batch_without_a_range() -> None:
    """A last offset before the base offset is refused, and so is a negative count."""
    for position in (23, 57):
        with pytest.raises(UnexpectedOffset):
            analyze_replicated(patched(placed(5), ">i", position, -1), CONFIG, 5, leader_epoch=3)


def test_a_wrong_checksum() -> None:
    """The bytes came over a network: a wrong checksum is refused, in any of the batches."""
    section = placed(5) + placed(7)
    section[-1] ^= 1
    with pytest.raises(CorruptBatch):
        analyze_replicated(memoryview(section), CONFIG, 5, leader_epoch=3)


def test_more_than_a_segment_holds() -> None:
    """An append has to fit into a segment: RECORD_LIST_TOO_LARGE."""
    section = placed(5) + placed(7)
    config = replace(CONFIG, segment_bytes=len(section))
    assert analyze_replicated(memoryview(section), config, 5, leader_epoch=3).record_count == 4
    with pytest.raises(RecordListTooLarge):
        analyze_replicated(memoryview(section), replace(config, segment_bytes=len(section) - 1), 5, leader_epoch=3)


def test_the_quorums_leader() -> None:
    """The metadata log's leader writes several batches at once, with their offsets, each of its own epoch."""
    section = placed(5) + placed(7)
    info = analyze_from_raft_leader(memoryview(section), CONFIG, leader_epoch=3)
    assert (info.first_offset, info.last_offset, len(info.batches)) == (5, 8, 2)
    with pytest.raises(InvalidRecord, match="not of 4"):
        analyze_from_raft_leader(memoryview(section), CONFIG, leader_epoch=4)
    with pytest.raises(CorruptBatch, match="left over"):
        analyze_from_raft_leader(memoryview(section[:-1]), CONFIG, leader_epoch=3)
