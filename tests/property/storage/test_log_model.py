"""A log does what a list does: appended, read, cut, rolled, retained, and opened again after any kind of stop.

And its indexes answer what a scan answers. Hypothesis draws the steps; all of them are made in one simulated world.
"""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors import OffsetOutOfRange
from ottla.protocol.records.batch import batches
from ottla.protocol.records.builder import BatchFields
from ottla.storage.log import Log
from ottla.storage.reading import FetchIsolation
from ottla.storage.recovery.recovery import StartingPoint
from ottla.storage.segments.offset_index import OffsetIndex
from ottla.storage.segments.time_index import TimeIndex
from ottla.storage.segments.transaction_index import AbortedTransaction, TransactionIndex
from ottla.world.api import FileRange, World
from tests.unit.storage.log_checks import check_log
from tests.unit.storage.logs import CONFIG, Shelf, produced, run

# Steps


@dataclass(frozen=True)
class Append:
    """A leader's batch; a gap of offsets before it makes it a follower's."""

    count: int
    size: int
    gap: int = 0


@dataclass(frozen=True)
class Read:
    """At a part of the log's length, with a size and a bound."""

    at: float
    max_bytes: int
    isolation: FetchIsolation


@dataclass(frozen=True)
class Truncate:
    """To the start of the so-manieth batch from the end; 0 is the end."""

    batches: int


@dataclass(frozen=True)
class Plain:
    """A step with nothing to draw but a number."""

    kind: str
    at: float = 0.0


STEPS = st.lists(
    st.one_of(
        st.builds(Append, st.integers(1, 5), st.integers(0, 100), st.sampled_from((0, 0, 0, 0, 7))),
        st.builds(Append, st.integers(1, 5), st.integers(0, 100)),
        st.builds(Read, st.floats(0, 1), st.sampled_from((0, 1, 150, 700, 10**6)), st.sampled_from(FetchIsolation)),
        st.builds(Truncate, st.integers(0, 6)),
        st.builds(Plain, st.sampled_from(("roll", "flush", "reopen", "recover", "idle", "clear"))),
        st.builds(Plain, st.sampled_from(("watermark", "delete_records", "retain")), st.floats(0, 1)),
    ),
    min_size=1,
    max_size=40,
)


class Model:
    """A log, and the list that it should be: each batch by its offsets and bytes."""

    def __init__(self, shelf: Shelf, log: Log) -> None:
        self.shelf, self.log = shelf, log
        self.config = log.config
        self.batches: list[tuple[int, int, bytes]] = []
        self.start = self.end = self.high_watermark = 0

    async def take(self, step: object) -> None:
        """Do a step to both."""
        match step:
            case Append():
                await self.append(step)
            case Read():
                await self.read(step)
            case Truncate():
                await self.truncate(step.batches)
            case Plain(kind, at):
                await getattr(self, kind)(at)
        assert (self.log.log_start_offset, self.log.log_end_offset) == (self.start, self.end)
        assert self.log.high_watermark == self.high_watermark

    async def append(self, step: Append) -> None:
        """A batch of the leader's, or one that a follower fetched."""
        await self.log.ready()
        value = b"v" * step.size
        base_offset = self.end + step.gap
        fields = BatchFields(base_offset=base_offset, partition_leader_epoch=0)
        section = produced(step.count, timestamp=self.end * 7 % 1_000, value=value, fields=fields)
        if step.gap:
            assert self.log.append_as_follower(section, 0) is not None
        else:
            section[:8] = bytes(8)
            assert self.log.append_as_leader(section, 0) is not None
        self.end = base_offset + step.count
        self.batches.append((base_offset, self.end - 1, bytes(section)))

    async def read(self, step: Read) -> None:
        """From any offset: whole batches from the one that has it on, up to size and bound, as bytes and as a range."""
        offset = self.start + round(step.at * (self.end - self.start))
        bound = self.end if step.isolation == FetchIsolation.LOG_END else self.high_watermark
        for min_one_message in (True, False):
            fetched = await self.log.read_cold(offset, step.max_bytes, step.isolation, min_one_message=min_one_message)
            ranged = await self.log.read_cold(
                offset, step.max_bytes, step.isolation, min_one_message=min_one_message, as_range=True
            )
            assert not isinstance(fetched.records, FileRange)
            if isinstance(ranged.records, FileRange):
                part = ranged.records
                assert part.file.read(part.position, part.size) == fetched.records
            else:
                assert ranged.records == fetched.records
            expected = [data for _, last, data in self.batches if last >= offset and last < bound]
            if offset >= bound:
                expected = []
            found = [bytes(batch.view) for batch in batches(memoryview(fetched.records))]
            assert found == expected[: len(found)]
            size = sum(map(len, found))
            assert size <= step.max_bytes or (min_one_message and len(found) == 1)
            if expected and (min_one_message or len(expected[0]) <= step.max_bytes) and offset < bound:
                assert found
        for outside in (self.start - 1, self.end + 1):
            with pytest.raises(OffsetOutOfRange):
                await self.log.read_cold(outside, 100)

    async def truncate(self, count: int) -> None:
        """Cut some batches at the end, and the gap before them: where a log ends is read from its last batch."""
        gone = self.batches[len(self.batches) - count :] if count else []
        kept = self.batches[: len(self.batches) - len(gone)]
        offset = self.end
        if gone:
            offset = kept[-1][1] + 1 if kept else self.log.segments.first.base_offset
        await self.log.truncate_to(offset)
        del self.batches[len(self.batches) - len(gone) :]
        self.end = offset
        self.start = min(self.start, offset)
        self.high_watermark = min(self.high_watermark, offset)

    async def clear(self, _: float) -> None:
        """Cut everything, and begin anew behind the end."""
        self.end += 3
        await self.log.truncate_fully_and_start_at(self.end)
        self.batches.clear()
        self.start = self.high_watermark = self.end

    async def roll(self, _: float) -> None:
        """Begin a segment."""
        self.log.roll()

    async def flush(self, _: float) -> None:
        """Bring it to the disk."""
        await self.log.flush()
        assert self.log.recovery_point == self.end

    async def idle(self, _: float) -> None:
        """Give memory back."""
        self.log.release_idle()
        self.log.release_idle()

    async def watermark(self, at: float) -> None:
        """Move the high watermark, either way."""
        self.high_watermark = self.start + round(at * (self.end - self.start))
        assert self.log.update_high_watermark(self.high_watermark) == self.high_watermark

    async def delete_records(self, at: float) -> None:
        """DeleteRecords, up to the high watermark."""
        offset = self.start + round(at * (self.high_watermark - self.start))
        self.log.maybe_increment_log_start_offset(offset)
        self.start = max(self.start, offset)

    async def retain(self, at: float) -> None:
        """Retention by size: whole segments go from the start, as far as the high watermark lets them."""
        self.log.config = replace(self.config, retention_bytes=round(at * 5_000))
        await self.log.delete_old_segments()
        self.log.config = self.config
        self.start = self.log.log_start_offset
        assert self.start <= self.high_watermark
        self.drop()

    def drop(self) -> None:
        """What lies in deleted segments is gone; in the segment with the start it is still on the disk."""
        first = self.log.segments.first.base_offset
        self.batches = [each for each in self.batches if each[1] >= first]

    async def reopen(self, _: float) -> None:
        """A clean stop, and a start."""
        await self.log.close()
        await self.load(StartingPoint(is_clean=True, recovery_point=self.end, log_start_offset=self.start))

    async def recover(self, _: float) -> None:
        """The process is killed, and started again: all is there that was written."""
        await self.log.flusher.settled()
        start = StartingPoint(is_clean=False, recovery_point=self.log.recovery_point, log_start_offset=self.start)
        await self.load(start)

    async def load(self, start: StartingPoint) -> None:
        """Load the log again: what is not recorded is the high watermark."""
        self.log = await self.shelf.log(self.config, start)
        self.log.update_high_watermark(self.high_watermark)


@settings(max_examples=120)
@given(steps=STEPS, segment_bytes=st.sampled_from((700, 2_000, 10_000)))
def test_a_log_agrees_with_a_list(steps: list[object], segment_bytes: int) -> None:
    """Whatever is done to it, a log holds the batches that a list would hold, and reads them as a list would."""

    async def main(world: World) -> None:
        shelf = Shelf(world, limit=3)
        # Compacted, as it says: gaps between batches are none of recovery's business.
        log = await shelf.log(replace(CONFIG, segment_bytes=segment_bytes, compact=True))
        model = Model(shelf, log)
        for step in steps:
            await model.take(step)
        found = check_log(model.log, is_compacted=True)
        assert [bytes(batch.view) for batch in found] == [data for _, _, data in model.batches]
        assert not shelf.errors

    run(main)


OFFSETS = st.lists(st.integers(0, 60), unique=True, max_size=30).map(sorted)


@given(OFFSETS, st.integers(-5, 70))
def test_an_offset_index_agrees_with_a_scan(offsets: list[int], wanted: int) -> None:
    """A look-up is the last entry not behind the offset, or position, and truncation keeps those before it."""
    index = OffsetIndex(100)
    for at, offset in enumerate(offsets):
        index.append(100 + offset, 10 + 5 * at)
    entries = [(100 + offset, 10 + 5 * at) for at, offset in enumerate(offsets)]
    offset = 100 + wanted
    assert index.position_before(offset) == max((at for entry, at in entries if entry <= offset), default=0)
    assert index.position_not_behind(wanted) == max((at for _, at in entries if at <= wanted), default=0)
    assert index.offset_from(wanted) == next((entry for entry, at in entries if at >= wanted), None)
    found = OffsetIndex.decode(100, index.encode(), "index")
    assert [found.entry(at) for at in range(len(found))] == entries
    index.truncate_to(offset)
    assert [index.entry(at) for at in range(len(index))] == [each for each in entries if each[0] < offset]


@given(st.lists(st.tuples(st.integers(-1, 50), st.integers(0, 3)), max_size=30), st.integers(-2, 60))
def test_a_time_index_agrees_with_a_scan(steps: list[tuple[int, int]], wanted: int) -> None:
    """A look-up is the last entry not above the timestamp, and only larger timestamps became entries."""
    index, entries, offset = TimeIndex(100), [(-1, 100)], 100
    for timestamp, delta in steps:
        offset += delta
        index.append(timestamp, offset)
        if timestamp > entries[-1][0]:
            entries.append((timestamp, offset))
    assert index.last == entries[-1]
    assert index.before(wanted) == max([each for each in entries if each[0] <= wanted], default=(-1, 100))
    index.truncate_to(100 + wanted)
    assert index.last == [each for each in entries if each[0] < 0 or each[1] < 100 + wanted][-1]


TRANSACTIONS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.integers(0, 9)), max_size=15)


@given(TRANSACTIONS, st.integers(0, 150), st.integers(0, 50))
def test_aborted_transactions_agree_with_a_scan(
    steps: list[tuple[int, int, int]], fetch_offset: int, size: int
) -> None:
    """What is gathered for a range is every transaction that touches it, of those that a reader may meet there."""
    index, last_offset, entries = TransactionIndex(0), 0, []
    for length, gap, open_since in steps:
        last_offset += gap
        entry = AbortedTransaction(1, max(last_offset - length, 0), last_offset, max(last_offset + 1 - open_since, 0))
        if entry.first_offset < entry.last_offset:
            entries.append(entry)
            index.append(entry)
    end_offset = fetch_offset + size
    found, is_complete = index.collect(fetch_offset, end_offset)
    touching = [each for each in entries if each.last_offset >= fetch_offset and each.first_offset < end_offset]
    assert found == touching[: len(found)]
    if not is_complete:
        assert found == touching
    assert list(TransactionIndex.decode(0, index.encode(), "index")) == entries
