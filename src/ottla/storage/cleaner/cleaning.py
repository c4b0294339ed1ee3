"""One cleaning of one log: what the rules of `dirty` and `filtering` say, done to its files.

Two walks. The first, over the dirty segments, learns the newest offset of each key; the second, over all from the first
segment on, writes what stays into segments with the suffix `.cleaned`, a group of old ones into one new, and puts each
into the log in the place of its group (`Log.replace_segments`). A crash at any moment leaves old segments or new ones.

Pieces are read, and large or compressed batches worked on, in threads. The rest is a few microseconds of Python for
each batch and stays on the loop in turns of `TURN_NS`: a thread of Python beside the loop would hold it up for 5 ms at
a time, since only one of them runs, and that is how long one waits for the other.

Always true: nobody but this cleaning knows a `.cleaned` segment; if the log is cut at either end, or the cleaning is no
longer wanted, it ends before the next replacement, and what was replaced so far stays right.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from ottla.errors import ConfigError, DiskError, NoSuchFile
from ottla.protocol.records.batch import CODEC_MASK, RecordBatch
from ottla.protocol.records.kernel.faults import MOST_LOAD
from ottla.storage.append.info import LogAppendInfo
from ottla.storage.cleaner.dirty import DirtyKeys
from ottla.storage.cleaner.filtering import BatchFilter, FilterRules, LastRecord
from ottla.storage.cleaner.grouping import SegmentSizes, group_segments
from ottla.storage.cleaner.policy import Cleanable
from ottla.storage.cleaner.segment_reader import SegmentReader
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.cleaner.transactions import CleanedTransactions
from ottla.storage.cold_reading import bring_indexes
from ottla.storage.names import FileState
from ottla.storage.removal import remove_files

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.segments.segment import Segment
    from ottla.world.api import World

T = TypeVar("T")

TURN_NS: Final = 70_000  # how long the loop is held at a time
THREAD_LEAST_BYTES: Final = 64 * 1024  # of a batch: from here on the kernel gives up the GIL
WRITE_BYTES: Final = 256 * 1024  # gathered before they are written


class CleaningAborted(Exception):  # noqa: N818  # no error: somebody wanted the log for himself
    """The cleaning ended before it was done."""


@dataclass(frozen=True, slots=True)
class CleaningMeans:
    """What a cleaning may use."""

    world: "World"
    throttle: Throttle
    dedupe_bytes: int = 134_217_728
    load_factor: float = MOST_LOAD
    piece_bytes: int = 262_144


@dataclass(slots=True)
class CleaningStats:
    """What a cleaning did."""

    first_dirty_offset: int = 0
    next_dirty_offset: int = 0
    map_bytes_read: int = 0
    bytes_read: int = 0
    bytes_written: int = 0
    records_read: int = 0
    records_retained: int = 0
    keyless_records: int = 0
    segments_before: int = 0
    segments_after: int = 0


class Cleaning:
    """A cleaning under way."""

    __slots__ = ("_is_wanted", "_log", "_means", "_part", "_truncations", "_turn_ends_ns", "stats")

    def __init__(
        self, log: "Log", part: Cleanable, means: CleaningMeans, is_wanted: Callable[[], bool] = lambda: True
    ) -> None:
        """Clean this part of a log, as long as that is wanted."""
        self._log, self._part, self._means, self._is_wanted = log, part, means, is_wanted
        self._truncations = log.truncations
        self._turn_ends_ns = 0
        self.stats = CleaningStats(part.first_dirty_offset, part.first_dirty_offset)

    async def run(self) -> CleaningStats:
        """Do it. Afterwards the log is clean below `next_dirty_offset`, unless `CleaningAborted` was raised."""
        part, means = self._part, self._means
        transactions = CleanedTransactions(self._log.aborted_transactions(part.first_dirty_offset, part.end_offset))
        make = partial(DirtyKeys, limit_bytes=means.dedupe_bytes, load_factor=means.load_factor)
        keys = await means.world.threads.run(make, part.first_dirty_offset, part.end_offset, transactions)
        await self._learn(keys)
        stats = await self._rewrite(keys)
        await means.world.threads.run(keys.forget)
        return stats

    async def _rewrite(self, keys: DirtyKeys) -> CleaningStats:
        """The second walk, over all that may have older records of these keys."""
        next_dirty_offset = keys.latest_offset + 1
        if next_dirty_offset <= self._part.first_dirty_offset:
            raise ConfigError(
                f"log.cleaner.dedupe.buffer.size: {self._means.dedupe_bytes} bytes have no room for the keys of the "
                f"batch of {self._log.topic_partition} at or behind offset {self._part.first_dirty_offset}"
            )
        segments = self._log.segments.between(0, next_dirty_offset)
        transactions = CleanedTransactions(
            self._log.aborted_transactions(segments[0].base_offset, segments[-1].end_offset_bound)
        )
        now_ms = self._means.world.clock.wall_ms()
        rules = FilterRules(keys, now_ms, self._log.config.delete_retention_ms, self._part.end_offset, {})
        filtering = BatchFilter(rules, transactions)
        config = self._log.config
        for group in group_segments(
            [
                SegmentSizes(segment.base_offset, segment.size_bytes, *segment.indexes.entry_bytes)
                for segment in segments
            ],
            config.segment_bytes,
            config.segment_index_bytes,
            self._part.end_offset,
        ):
            await self._clean_group([segments[at] for at in group], filtering, transactions)
        stats = self.stats
        stats.records_read, stats.records_retained = filtering.read_count, filtering.retained_count
        stats.keyless_records, stats.next_dirty_offset = filtering.keyless_count, next_dirty_offset
        return stats

    async def _learn(self, keys: DirtyKeys) -> None:
        """The first walk, until the dirty part ends or the map is full."""
        part, means = self._part, self._means
        for segment in self._log.segments.between(part.first_dirty_offset, part.end_offset):
            await bring_indexes(self._log, segment)
            position = segment.loaded_indexes()[0].position_before(part.first_dirty_offset)
            reader = SegmentReader(means.world, segment, means.piece_bytes, position)
            while batches := await self._next(reader):
                self.stats.map_bytes_read += sum(batch.size_bytes for batch in batches)
                for batch in batches:
                    await self._step(keys.add, batch)
                    if keys.is_full:
                        return
            following = self._log.segments.higher(segment.base_offset)
            keys.segment_ended(part.end_offset if following is None else following.base_offset)

    async def _clean_group(
        self, group: "Sequence[Segment]", filtering: BatchFilter, transactions: CleanedTransactions
    ) -> None:
        """Write what stays of some neighbouring segments into one, and put it in their place."""
        log = self._log
        cleaned = await log.new_cleaned_segment(group[0].base_offset)
        filtering.begin_group(last_records(log))
        is_done = False
        try:
            for segment in group:
                await self._clean_into(cleaned, segment, filtering)
            for aborted in transactions.take_retained():
                cleaned.add_aborted(aborted)
            cleaned.end_offset_bound = group[-1].end_offset_bound
            cleaned.created_ms = group[-1].created_ms
            self._check(*group)
            await log.replace_segments([cleaned], list(group))
            is_done = True
        finally:
            if not is_done and cleaned.state is FileState.CLEANED and log.failure is None:
                cleaned.close()
                remove_files(self._means.world.disk, log.directory, cleaned.base_offset, FileState.CLEANED)
        self._truncations = log.truncations
        self.stats.segments_before += len(group)
        self.stats.segments_after += 1

    async def _clean_into(self, cleaned: "Segment", segment: "Segment", filtering: BatchFilter) -> None:
        reader = SegmentReader(self._means.world, segment, self._means.piece_bytes)
        while batches := await self._next(reader):
            self.stats.bytes_read += sum(batch.size_bytes for batch in batches)
            kept: list[RecordBatch] = []
            kept_bytes = 0
            for batch in batches:
                remaining = await self._step(filtering.filter, batch)
                if remaining is not None:
                    kept.append(remaining)
                    kept_bytes += remaining.size_bytes
                if kept_bytes >= WRITE_BYTES:
                    await self._write(cleaned, kept, kept_bytes)
                    kept, kept_bytes = [], 0
            if kept:
                await self._write(cleaned, kept, kept_bytes)

    async def _write(self, cleaned: "Segment", kept: list[RecordBatch], size_bytes: int) -> None:
        data = memoryview(b"".join([batch.view for batch in kept]))
        info = LogAppendInfo(data, kept, kept[0].base_offset, kept[-1].last_offset)
        file = cleaned.files.pin(cleaned.file)
        try:
            await self._means.world.threads.run(file.write, cleaned.size_bytes, (data,))
        except DiskError as error:
            raise self._log.fail(error) from None
        finally:
            cleaned.files.unpin(cleaned.file)
        cleaned.written(info, self._log.config.index_interval_bytes)
        self.stats.bytes_written += size_bytes
        await self._pay(size_bytes)

    # Steps

    async def _next(self, reader: SegmentReader) -> list[RecordBatch]:
        """The next piece of a segment, paid for."""
        self._check(reader.segment)
        start = reader.position
        try:
            batches = await reader.next()
        except NoSuchFile:
            self._check(reader.segment)
            raise
        self._check(reader.segment)
        await self._pay(reader.position - start)
        self._turn_ends_ns = self._means.world.clock.monotonic_ns() + TURN_NS
        return batches

    async def _step(self, call: Callable[[RecordBatch], T], batch: RecordBatch) -> T:
        """Work on one batch, in a thread if it is large, and let everybody else run when the turn is over."""
        world = self._means.world
        if batch.attributes & CODEC_MASK or batch.size_bytes >= THREAD_LEAST_BYTES:
            return await world.threads.run(call, batch)
        outcome = call(batch)
        if world.clock.monotonic_ns() >= self._turn_ends_ns:
            await world.clock.sleep(0)
            self._turn_ends_ns = world.clock.monotonic_ns() + TURN_NS
        return outcome

    async def _pay(self, size_bytes: int) -> None:
        clock = self._means.world.clock
        wait_ms = self._means.throttle.wait_ms(size_bytes, clock.monotonic_ns())
        if wait_ms > 0:
            await clock.sleep(wait_ms)

    def _check(self, *segments: "Segment") -> None:
        """Raise if the cleaning must not go on: these segments may be gone, by a retention that is new to the log."""
        if self._log.failure is not None:
            raise self._log.failure
        is_cut = self._log.truncations != self._truncations or any(one not in self._log.segments for one in segments)
        if is_cut or not self._is_wanted():
            raise CleaningAborted(f"{self._log.topic_partition}")


def last_records(log: "Log") -> dict[int, LastRecord]:
    """Where the active producers of a log ended: compaction keeps the headers there."""
    return {
        producer_id: LastRecord(entry.last_data_offset, entry.producer_epoch)
        for producer_id, entry in log.producer_state.producers.items()
    }
