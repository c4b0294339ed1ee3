"""A partition's log: the owner of its segments, its producers and its leader epochs, and of the offsets that bound it.

    log start  <=  last stable  <=  high watermark  <=  log end         what may be read
    log start  <=  recovery point  <=  log end                           what is on the disk

What is here is what happens all the time: appending, reading, and the watermarks. What changes a log's shape is in
modules of its own that this one calls: `rolling`, `truncation`, `removal` (retention, and what compaction replaces),
`flushing`; `recovery` makes a `Log` out of a directory, `offsets` answers ListOffsets.

Always true: only the loop changes a log, and a method that is not `async` touches the page cache alone. What takes
several steps has the log to itself meanwhile (`turns`). The log end moves when the bytes are written, so nothing
half-written is ever read. A `DiskError` ends the log: it is told to the directory's owner (`LogServices.failed`) and
raised, and every later change raises it again.

`append` is the hot path: about 5 µs of ours for a batch, beside the validation, the checksum and the write
(bench/storage.py).
"""

from collections.abc import Callable, Sequence
from functools import partial

from ottla.errors import DiskError, OffsetOutOfRange
from ottla.storage import appending, cold_reading, flushing, offsets, removal, rolling, truncation
from ottla.storage.append.info import AppendOrigin, LogAppendInfo
from ottla.storage.append.leader import Produced, place, validate_at_once
from ottla.storage.append.replica import analyze_from_raft_leader, analyze_replicated
from ottla.storage.appending import check, remember
from ottla.storage.leader_epochs import EpochEntry
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import Appended, LoadedLog, LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.offsets import TimestampAndOffset
from ottla.storage.pace import SLOW_WRITE_NS
from ottla.storage.producers.entry import AppendedBatch
from ottla.storage.producers.verification import NO_GUARD, VerificationGuard
from ottla.storage.readiness import is_ready, make_ready
from ottla.storage.reading import (
    FetchedRecords,
    FetchIsolation,
    Reader,
    aborted_between,
    aborted_in,
    cached,
    look_at,
    read_slice,
    slice_of,
)
from ottla.storage.segments.segment import Segment
from ottla.storage.segments.transaction_index import AbortedTransaction
from ottla.storage.turns import Turns
from ottla.world.api import FileRange


class Log:
    """One replica of one partition."""

    __slots__ = (
        "_failure",
        "_flusher",
        "_turns",
        "config",
        "directory",
        "epochs",
        "flushed_offset",
        "has_aborted",
        "high_watermark",
        "is_directory_synced",
        "is_epochs_file_stale",
        "last_flush_ms",
        "local_log_start_offset",
        "log_end_offset",
        "log_start_offset",
        "producer_state",
        "recovery_point",
        "segments",
        "services",
        "snapshots",
        "topic_partition",
        "truncations",
    )

    def __init__(
        self,
        services: LogServices,
        topic_partition: TopicPartition,
        directory: str,
        config: LogConfig,
        loaded: LoadedLog,
    ) -> None:
        """A log as recovery found it."""
        self.services, self.topic_partition, self.directory, self.config = services, topic_partition, directory, config
        self.segments, self.epochs = loaded.segments, loaded.epochs
        self.producer_state, self.snapshots = loaded.producer_state, loaded.snapshots
        self.log_start_offset = loaded.log_start_offset
        self.local_log_start_offset = max(loaded.log_start_offset, self.segments.first.base_offset)
        self.log_end_offset = loaded.log_end_offset
        self.recovery_point = max(loaded.recovery_point, min(loaded.log_start_offset, loaded.log_end_offset))
        self.flushed_offset = self.recovery_point
        self.high_watermark = self.log_start_offset
        self.has_aborted = any(segment.has_aborted for segment in self.segments)
        self.is_epochs_file_stale = loaded.is_epochs_file_stale
        self.is_directory_synced = False  # whether the directory's own name survives a crash
        self.last_flush_ms = services.world.clock.monotonic_ms()
        self.truncations = 0  # how often what had been written was taken away: who reads in steps looks here
        self._failure: DiskError | None = None
        self._flusher: flushing.Flusher | None = None
        self._turns: Turns | None = None

    def __repr__(self) -> str:
        """What a log line needs."""
        return (
            f"Log({self.directory}, start {self.log_start_offset}, high watermark {self.high_watermark}, "
            f"end {self.log_end_offset})"
        )

    # Appending

    def append_as_leader(
        self,
        section: memoryview,
        leader_epoch: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        *,
        guard: VerificationGuard = NO_GUARD,
        transaction_version: int = 0,
        zstd_allowed: bool = True,
    ) -> Appended | None:
        """Validate one batch, give it its place and write it; None if that is for `append_in_turn` to do.

        The batch is stamped where it lies. `PeerError` says what is wrong with it.
        """
        if self.must_take_turns:
            return None
        now_ms = self.services.world.clock.wall_ms()
        produced = validate_at_once(section, self.config, now_ms, origin, zstd_allowed=zstd_allowed)
        if produced is None:
            return None
        return self.append_produced(produced, leader_epoch, origin, guard, transaction_version)

    async def append_in_turn(
        self,
        section: memoryview,
        leader_epoch: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        *,
        guard: VerificationGuard = NO_GUARD,
        transaction_version: int = 0,
        zstd_allowed: bool = True,
        may_append: Callable[[], None] = lambda: None,
    ) -> Appended:
        """The same for what takes long: validated in a thread, appended in the order of the calls.

        The section is copied before this first waits. `may_append` is called at the last moment, and raises if this
        replica does not lead any more. Who is cancelled while waiting may have appended all the same.
        """
        return await appending.as_leader(
            self,
            appending.LeaderAppend(section, leader_epoch, origin, guard, transaction_version, zstd_allowed),
            may_append,
        )

    def append_produced(
        self,
        produced: Produced,
        leader_epoch: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        guard: VerificationGuard = NO_GUARD,
        transaction_version: int = 0,
    ) -> Appended:
        """Append what has been validated."""
        info = place(produced, self.config, self.log_end_offset, leader_epoch)
        duplicate = self.append(info, origin, guard, transaction_version)
        if duplicate is not None:
            return Appended.before(duplicate, self.log_start_offset)
        return Appended(info.first_offset, info.last_offset, info.log_append_time_ms, self.log_start_offset)

    def append_as_follower(self, section: memoryview, leader_epoch: int) -> LogAppendInfo | None:
        """Append what the leader has, byte for byte, as far as it is of no later epoch than the one we follow.

        None if that is for `append_as_follower_in_turn` to do.
        """
        if self.must_take_turns:
            return None
        info = analyze_replicated(section, self.config, self.log_end_offset, leader_epoch)
        if info.batches:
            self.append(info, AppendOrigin.REPLICATION)
        return info

    async def append_as_follower_in_turn(
        self, section: memoryview, leader_epoch: int, *, may_append: Callable[[], None] = lambda: None
    ) -> LogAppendInfo:
        """The same when others are done with the log, or its directory is slow; see `append_in_turn`."""
        return await appending.as_follower(self, section, leader_epoch, may_append)

    def append_as_raft_leader(self, section: memoryview, leader_epoch: int) -> LogAppendInfo | None:
        """Append batches that the quorum's leader made, with their offsets and epochs in them; None likewise."""
        if self.must_take_turns:
            return None
        info = analyze_from_raft_leader(section, self.config, leader_epoch)
        assert not info.batches or info.first_offset == self.log_end_offset, f"{info} does not follow {self}"
        if info.batches:
            self.append(info, AppendOrigin.RAFT_LEADER)
        return info

    async def append_as_raft_leader_in_turn(
        self, section: memoryview, leader_epoch: int, *, may_append: Callable[[], None] = lambda: None
    ) -> LogAppendInfo:
        """The same when others are done with the log, or its directory is slow; see `append_in_turn`."""
        return await appending.as_raft_leader(self, section, leader_epoch, may_append)

    def append(
        self,
        info: LogAppendInfo,
        origin: AppendOrigin,
        guard: VerificationGuard = NO_GUARD,
        transaction_version: int = 0,
    ) -> AppendedBatch | None:
        """Write batches behind the log's end, in a new segment if it is time for one: the append path.

        First everything that may refuse, then the write, then everything that remembers it. `appending.write` is the
        same for a directory that is slow.
        """
        duplicate, markers = check(self, info, origin, guard, transaction_version)
        if duplicate is not None:
            return duplicate
        config, clock = self.config, self.services.world.clock
        begin_ns = clock.monotonic_ns()
        try:
            segment = self.segments.active
            if segment.should_roll(len(info.data), info.max_timestamp, info.last_offset, config, clock.wall_ms()):
                segment = self.roll(info.first_offset)
            segment.append(info, config.index_interval_bytes)
            self.log_end_offset = info.last_offset + 1
            for aborted in remember(self, info, markers):
                segment.add_aborted(aborted)
                self.has_aborted = True
        except DiskError as error:
            raise self.fail(error) from None
        end_ns = clock.monotonic_ns()
        if end_ns - begin_ns > SLOW_WRITE_NS:
            self.services.pace.was_slow(end_ns)
        if self.is_flush_due:
            self.request_flush()
        return None

    @property
    def is_flush_due(self) -> bool:
        """Whether `flush.messages` records are not on the disk: whoever appended them waits for that (`sync`)."""
        return self.log_end_offset - self.flushed_offset >= self.config.flush_messages

    @property
    def is_busy(self) -> bool:
        """Whether what wants to change the log has to take a turn: others have one, or the directory is slow."""
        return self.services.pace.is_slow or (self._turns is not None and self._turns.are_waiting)

    @property
    def must_take_turns(self) -> bool:
        """Whether an append has to: the log is busy, or what an append asks is not in memory."""
        return (
            self.services.pace.is_slow
            or (self._turns is not None and self._turns.are_waiting)
            or not is_ready(self.segments.active)
        )

    async def ready(self) -> None:
        """Bring into memory what an append asks, in a thread: the next one is made at once."""
        if not is_ready(self.segments.active):
            await self.turns.alone(partial(make_ready, self))

    @property
    def turns(self) -> Turns:
        """Who has the log to itself, one after the other; made when it is first wanted."""
        if self._turns is None:
            self._turns = Turns(self.services.world)
        return self._turns

    def fail(self, error: DiskError) -> DiskError:
        """The disk refused: nothing is changed any more, and the directory's owner is told. Answers the error."""
        if self._failure is None:
            self._failure = error
            self.services.failed(error)
        return error

    @property
    def failure(self) -> DiskError | None:
        """What ended the log."""
        return self._failure

    # Reading

    def read(
        self,
        offset: int,
        max_bytes: int,
        isolation: FetchIsolation = FetchIsolation.LOG_END,
        *,
        min_one_message: bool = True,
        as_range: bool = False,
        range_least_bytes: int = 0,
        reader: Reader = cached,
    ) -> FetchedRecords:
        """Whole batches from an offset on; `NotCached` if they are not in memory: then it is for `read_cold`.

        As a range, if they have so many bytes, they are for `Stream.write`. A range is looked at here and there
        (`look_at`), so that what sends it on the loop does not wait for the disk.
        """
        bound_offset = self.readable_end(isolation) if isolation else self.log_end_offset
        if not self.log_start_offset <= offset <= self.log_end_offset:
            raise OffsetOutOfRange(
                f"offset {offset} of {self.topic_partition} is out of range: "
                f"the log has {self.log_start_offset} to {self.log_end_offset}"
            )
        segment = self.segments.floor(offset) if offset < bound_offset else None
        while segment is not None:
            read = reader(segment)
            found = slice_of(segment, offset, max_bytes, bound_offset, min_one_message=min_one_message, read=read)
            if found is not None:
                aborted = None
                if isolation == FetchIsolation.TXN_COMMITTED:
                    aborted = aborted_in(self.segments, found, offset, self.log_end_offset) if self.has_aborted else []
                if not found.size_bytes:
                    records: bytes | FileRange = b""
                elif as_range and found.size_bytes >= range_least_bytes:
                    look_at(found, read)
                    records = FileRange(segment.opened(), found.position, found.size_bytes)
                else:
                    records = read_slice(found, read)
                return self._fetched(records, aborted)
            segment = self.segments.higher(segment.base_offset)
        return self._fetched(b"", [] if isolation == FetchIsolation.TXN_COMMITTED else None)

    async def read_cold(
        self,
        offset: int,
        max_bytes: int,
        isolation: FetchIsolation = FetchIsolation.LOG_END,
        *,
        min_one_message: bool = True,
        as_range: bool = False,
    ) -> FetchedRecords:
        """The same for what is not in memory: it is brought in a thread, step by step."""
        return await cold_reading.read_cold(
            self, offset, max_bytes, isolation, min_one_message=min_one_message, as_range=as_range
        )

    def _fetched(self, records: bytes | FileRange, aborted: list[AbortedTransaction] | None) -> FetchedRecords:
        return FetchedRecords(
            records, self.log_start_offset, self.log_end_offset, self.high_watermark, self.last_stable_offset, aborted
        )

    def readable_end(self, isolation: FetchIsolation) -> int:
        """The offset that a reader must not reach."""
        if isolation == FetchIsolation.LOG_END:
            return self.log_end_offset
        return self.high_watermark if isolation == FetchIsolation.HIGH_WATERMARK else self.last_stable_offset

    def aborted_transactions(self, offset: int, end_offset: int) -> list[AbortedTransaction]:
        """The aborted transactions that touch a range of offsets."""
        return aborted_between(self.segments, self.segments.floor(offset) or self.segments.first, offset, end_offset)

    # Offsets

    @property
    def last_stable_offset(self) -> int:
        """The offset below which no transaction is open."""
        first_unstable = self.producer_state.first_unstable_offset
        if first_unstable is None or first_unstable >= self.high_watermark:
            return self.high_watermark
        return max(first_unstable, self.log_start_offset)

    @property
    def size_bytes(self) -> int:
        """The bytes of all batches."""
        return self.segments.size_bytes

    def update_high_watermark(self, offset: int) -> int:
        """Set the high watermark, within the log; answers what it is now."""
        self.high_watermark = high_watermark = min(max(offset, self.log_start_offset), self.log_end_offset)
        self.producer_state.advance_high_watermark(high_watermark)
        return high_watermark

    def maybe_increment_high_watermark(self, offset: int) -> bool:
        """Move the high watermark forward; False if it is there already."""
        assert offset <= self.log_end_offset, f"a high watermark of {offset} for {self}"
        return offset > self.high_watermark and self.update_high_watermark(offset) == offset

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Let the log begin later: DeleteRecords, or the leader's word. What lies before goes with its segments."""
        if offset > self.high_watermark:
            raise OffsetOutOfRange(
                f"the log of {self.topic_partition} cannot begin at {offset}: its high watermark is "
                f"{self.high_watermark}"
            )
        if offset <= self.log_start_offset:
            return False
        self.log_start_offset = offset
        self.local_log_start_offset = max(offset, self.local_log_start_offset)
        if self.epochs.truncate_from_start(offset):
            self.is_epochs_file_stale = True
        self.snapshots.advance_log_start(self.producer_state, offset)
        return True

    def assign_epoch_start(self, leader_epoch: int) -> None:
        """This replica leads from here on: the epoch begins at the log's end."""
        if self.epochs.assign(leader_epoch, self.log_end_offset):
            self.is_epochs_file_stale = True

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEntry:
        """The largest epoch up to this one, and where it ends: what tells a follower where to cut."""
        return self.epochs.end_offset_for(leader_epoch, self.log_end_offset)

    async def offset_for_timestamp(self, timestamp: int) -> TimestampAndOffset | None:
        """What ListOffsets asks: a timestamp, or one of -1 to -6."""
        return await offsets.offset_for_timestamp(self, timestamp)

    # What changes the log's shape, in the modules that know how

    def roll(self, expected_next_offset: int = 0) -> Segment:
        """Begin a new segment, at once: for who has the log to himself."""
        return rolling.roll(self, expected_next_offset)

    async def roll_in_turn(self) -> Segment:
        """The same when others are done with the log."""
        return await self.turns.alone(partial(rolling.roll_in_turn, self))

    async def truncate_to(self, offset: int) -> bool:
        """Cut everything from an offset on; False if there is nothing. The recovery point has to be saved after it."""
        return await self.turns.alone(partial(truncation.truncate_to, self, offset))

    async def truncate_fully_and_start_at(self, offset: int, log_start_offset: int | None = None) -> None:
        """Cut everything; the next record gets this offset."""
        await self.turns.alone(partial(truncation.truncate_fully_and_start_at, self, offset, log_start_offset))

    async def delete_old_segments(self) -> int:
        """Delete what retention says; answers how many segments."""
        return await removal.delete_old_segments(self)

    async def replace_segments(self, new: Sequence[Segment], old: Sequence[Segment]) -> None:
        """Put cleaned segments in the place of others."""
        await removal.replace_segments(self, new, old)

    async def new_cleaned_segment(self, base_offset: int) -> Segment:
        """An empty segment for compaction to write."""
        return await removal.new_cleaned_segment(self, base_offset)

    async def delete(self) -> None:
        """Remove all files of the log, whose directory has been renamed by its owner; then the directory."""
        await self.turns.alone(partial(removal.delete, self))

    def moved(self, directory: str) -> None:
        """The directory has another name now."""
        self.directory = directory
        self.snapshots.moved(directory)
        for segment in self.segments:
            segment.moved(directory)

    # The disk

    @property
    def flusher(self) -> flushing.Flusher:
        """Who brings the log to the disk; made when it is first wanted."""
        if self._flusher is None:
            self._flusher = flushing.Flusher(self)
        return self._flusher

    async def flush(self) -> None:
        """Bring everything to the disk, indexes and epochs too, and move the recovery point there."""
        await self.flusher.flush(self.log_end_offset)

    async def sync(self, offset: int | None = None) -> None:
        """Return when all records below an offset (or all there are) survive a crash. Many waiters share one fsync."""
        await self.flusher.sync(self.log_end_offset if offset is None else offset)

    async def settled(self) -> None:
        """Return when no thread is at the log's files to write or flush them: from then on, until the next await, its
        directory may be renamed.
        """
        while (self._turns is not None and self._turns.are_waiting) or self.flusher.is_running:
            await self.turns.over()
            await self.flusher.settled()

    def request_flush(self) -> None:
        """Flush in a while, without waiting for it."""
        self.flusher.request(self.log_end_offset)

    def release_idle(self) -> None:
        """Give back the memory of what is not in use: called now and then by whoever manages many logs."""
        if self.is_busy:
            return  # what is not saved yet would be written here
        for segment in self.segments:
            if not segment.file.used and not segment.file.pins:
                segment.save_indexes()
                segment.forget()
            segment.file.used = False

    async def close(self) -> None:
        """Leave the directory as a clean stop does: everything synced, indexes trimmed, producers in a snapshot."""
        await self.turns.alone(partial(flushing.close, self))
