"""What a walk over a segment's batches finds, and where it stops."""

import random
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import pytest
from crc32c import crc32c
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import RecordError
from ottla.protocol.records.batch import HEADER, HEADER_SIZE, LENGTH_END, MAGIC, RecordBatch
from ottla.protocol.records.kernel import compiled, pure

COLUMNS = ("offsets", "positions", "timestamps", "timestamp_offsets", "told", "told_after")
NUMBERS = (
    "next_offset", "latest_epoch", "max_timestamp", "offset_of_max_timestamp", "indexed_position", "indexed_timestamp",
)  # fmt: skip


@dataclass(frozen=True)
class Batch:
    """What of a batch a walk looks at."""

    base_offset: int
    last_offset_delta: int = 0
    epoch: int = 0
    timestamp: int = 1_000
    producer_id: int = -1
    section: bytes = b"records"

    def encoded(self) -> bytes:
        """The batch, with a checksum that is right."""
        size = HEADER_SIZE + len(self.section)
        fields = (0, self.last_offset_delta, 0, self.timestamp, self.producer_id, 0, 0, 1)
        checked = HEADER.pack(0, 0, 0, MAGIC, 0, *fields)[21:] + self.section
        return (
            HEADER.pack(self.base_offset, size - LENGTH_END, self.epoch, MAGIC, crc32c(checked), *fields)[:21] + checked
        )


def begun(twin: Any, **changes: int) -> Any:
    """A walk at the start of a segment whose base offset is 100, with an index entry for every 80 bytes."""
    numbers = {
        "base_offset": 100, "last_offset_max": 100 + 2**31 - 1, "end_offset": 2**63 - 1, "index_interval_bytes": 80,
        "next_offset": 100, "latest_epoch": -1, "max_timestamp": -1, "offset_of_max_timestamp": 100,
        "indexed_position": 0, "indexed_timestamp": -1,
    }  # fmt: skip
    return twin.BatchWalk(**(numbers | changes))


def encoded(*batches: Batch) -> bytes:
    """A window with these batches."""
    return b"".join(batch.encoded() for batch in batches)


def columns(walk: Any) -> dict[str, list[int]]:
    """What a walk collected."""
    return {name: list(getattr(walk, name)) for name in COLUMNS}


def numbers(walk: Any) -> dict[str, int]:
    """Where a walk stands."""
    return {name: getattr(walk, name) for name in NUMBERS}


class Model:
    """The rules of an append and of a recovery, batch by batch, with nothing but a `RecordBatch` and lists."""

    def __init__(self, walk: Any) -> None:
        self.base_offset, self.last_offset_max = walk.base_offset, walk.last_offset_max
        self.end_offset, self.interval = walk.end_offset, walk.index_interval_bytes
        self.now = numbers(walk)
        self.found: dict[str, list[int]] = {name: [] for name in COLUMNS}

    def walk(self, window: bytes, position: int) -> int:
        """The same answer as a walk's."""
        self.found["told"], self.found["told_after"] = [], []
        at = 0
        while self._take(window, at, position):
            at += RecordBatch(memoryview(window), at).size_bytes
        return at

    def _take(self, window: bytes, at: int, position: int) -> bool:
        try:
            batch = RecordBatch(memoryview(window), at)
            batch.check()
        except RecordError:
            return False
        now, found, last = self.now, self.found, batch.last_offset
        if not max(now["next_offset"], self.base_offset) <= batch.base_offset <= last <= self.last_offset_max:
            return False
        if batch.base_offset >= self.end_offset:
            return False
        known = batch.partition_leader_epoch == now["latest_epoch"] and batch.base_offset == now["next_offset"]
        if batch.producer_id >= 0 or not known:
            found["told"].append(at)
            found["told_after"].append(now["next_offset"])
        now["latest_epoch"] = max(now["latest_epoch"], batch.partition_leader_epoch)
        now["next_offset"] = last + 1
        if batch.max_timestamp > now["max_timestamp"]:
            now["max_timestamp"], now["offset_of_max_timestamp"] = batch.max_timestamp, last
        if position + at - now["indexed_position"] > self.interval:
            now["indexed_position"] = position + at
            found["offsets"].append(last - self.base_offset)
            found["positions"].append(position + at)
            if now["max_timestamp"] > now["indexed_timestamp"]:
                now["indexed_timestamp"] = now["max_timestamp"]
                found["timestamps"].append(now["max_timestamp"])
                found["timestamp_offsets"].append(now["offset_of_max_timestamp"] - self.base_offset)
        return True


def test_plain_batches_say_nothing_but_where_they_are(twin: ModuleType) -> None:
    """Of batches without producers, of one leader, a walk keeps what the indexes get, and the largest timestamp."""
    walk = begun(twin, latest_epoch=0)
    window = encoded(Batch(100, 4, timestamp=7), Batch(105, timestamp=9), Batch(106, 1, timestamp=8))
    assert walk.walk(window, 0) == len(window)
    assert columns(walk) == {
        "offsets": [7], "positions": [136], "timestamps": [9], "timestamp_offsets": [5], "told": [], "told_after": [],
    }  # fmt: skip
    assert numbers(walk) == {
        "next_offset": 108, "latest_epoch": 0, "max_timestamp": 9, "offset_of_max_timestamp": 105,
        "indexed_position": 136, "indexed_timestamp": 9,
    }  # fmt: skip


def test_producers_new_leaders_and_gaps_are_told_of(twin: ModuleType) -> None:
    """What a producer wrote, the first batch of a leader epoch, one of an older epoch, and one behind a gap."""
    walk = begun(twin)
    window = encoded(
        Batch(100, epoch=3), Batch(101, epoch=3), Batch(102, epoch=3, producer_id=0), Batch(103, epoch=5),
        Batch(104, epoch=4), Batch(105, epoch=5), Batch(109, epoch=5),
    )  # fmt: skip
    assert walk.walk(window, 0) == len(window)
    assert list(walk.told) == [68 * at for at in (0, 2, 3, 4, 6)]
    assert list(walk.told_after) == [100, 102, 103, 104, 106]
    assert walk.latest_epoch == 5


def test_the_next_window_goes_on_where_the_last_one_ended(twin: ModuleType) -> None:
    """A batch that goes on behind the window is left for the next one; what was told is that of the last window."""
    walk = begun(twin)
    whole = encoded(*(Batch(100 + at, producer_id=7) for at in range(6)))
    assert walk.walk(whole[: 3 * 68 + 40], 0) == 3 * 68
    assert list(walk.told) == [0, 68, 136]
    assert walk.walk(whole[3 * 68 :], 3 * 68) == 3 * 68
    assert list(walk.told) == [0, 68, 136]
    assert list(walk.positions) == [136, 272]
    assert walk.walk(b"", 6 * 68) == 0
    assert walk.next_offset == 106


@pytest.mark.parametrize(
    "bad",
    [
        Batch(100), Batch(-(2**63)), Batch(2**63 - 1), Batch(300), Batch(101, -1), Batch(101, -(2**31)),
        Batch(200, 2**31 - 1),
    ],
)  # fmt: skip
def test_it_stops_where_offsets_do_not_fit(twin: ModuleType, bad: Batch) -> None:
    """Below what follows, in the next segment, with an end before its begin, too far from the base: it is not kept."""
    walk = begun(twin, end_offset=300)
    window = encoded(Batch(100), bad, Batch(101))
    assert walk.walk(window, 0) == 68
    assert walk.next_offset == 101
    assert list(walk.told) == [0]


def test_it_stops_at_every_flip_that_a_checksum_sees(twin: ModuleType) -> None:
    """One bit of one byte, in the length, the magic, the checksum or behind it, ends the walk before that batch."""
    whole = bytearray(encoded(Batch(100), Batch(101)))
    for at in range(68, len(whole)):
        if 0 <= at - 68 < 8 or 12 <= at - 68 < 16:  # base offset and leader epoch
            continue
        whole[at] ^= 1 << at % 8
        assert begun(twin).walk(bytes(whole), 0) == 68, at
        whole[at] ^= 1 << at % 8
    assert begun(twin).walk(bytes(whole), 0) == len(whole)


def test_a_segment_that_an_index_cannot_describe_is_our_own_fault(twin: ModuleType) -> None:
    """Positions are of 32 bits."""
    with pytest.raises(AssertionError, match="a segment of"):
        begun(twin).walk(bytes(10), 2**31 - 5)


BATCHES = st.lists(
    st.builds(
        Batch,
        base_offset=st.just(0),
        last_offset_delta=st.sampled_from([0, 0, 1, 5, 900, -1, 2**31 - 1]),
        epoch=st.sampled_from([-1, 0, 0, 0, 1, 2, -(2**31), 2**31 - 1]),
        timestamp=st.sampled_from([-1, 0, 5, 5, 6, 2**63 - 1, -(2**63)]),
        producer_id=st.sampled_from([-1, -1, -1, 0, 7, -(2**63)]),
        section=st.binary(max_size=60),
    ),
    max_size=12,
)


@given(BATCHES, st.randoms(use_true_random=False), st.sampled_from([0, 80, 4096]))
def test_the_twins_agree_with_the_rules(batches: list[Batch], dice: random.Random, interval: int) -> None:
    """Whatever the batches are, in order or not, damaged or not, cut into any windows: both twins do what a plain
    reading of the rules does.
    """
    next_offset, window = 100, bytearray()
    for batch in batches:
        placed = replace(batch, base_offset=next_offset + dice.choice((0,) * 9 + (1, 70, -1, -(2**62))))
        next_offset = min(max(100, placed.base_offset + max(batch.last_offset_delta, 0) + 1), 2**40)
        window += placed.encoded()
    if window and dice.random() < 0.5:
        window[dice.randrange(len(window))] ^= 1 << dice.randrange(8)
    walks = [begun(twin, index_interval_bytes=interval, end_offset=100_000) for twin in (compiled, pure)]
    models = [Model(walk) for walk in walks]
    position = 0
    while True:
        cut = bytes(window[position : position + dice.randrange(800)])
        for walk, model in zip(walks, models, strict=True):
            walked = walk.walk(cut, position)
            assert walked == model.walk(cut, position)
            assert columns(walk) == model.found
            assert numbers(walk) == model.now
        position += walked
        if not walked and dice.random() < 0.5:
            break
