"""From a directory to a log: what is done when a partition is loaded.

First the names: leftovers of compaction and deletion are resolved as Kafka does (`.deleted` and `.cleaned` go, `.swap`
takes the place of what it replaces). Then, behind an unclean stop, the segments from the recovery point on are looked
through, and the log ends where a batch is damaged; index files that are damaged or missing are made anew. Then the
producers: the last snapshot, and the batches behind it.

Always true: a clean start reads names and sizes, the end of the last segment, and two small files; it trusts the rest,
as it trusts what lies below the recovery point after an unclean stop. Nothing in a file is a reason to raise; what is
wrong is cut or made anew, and stands in the report. A disk that refuses is a `DiskError`.

All of it runs in a thread, on files of its own; the loop gets the result.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage.leader_epochs import FILE_NAME as EPOCHS_FILE_NAME
from ottla.storage.leader_epochs import LeaderEpochs
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LoadedLog, LogServices
from ottla.storage.names import MAX_OFFSET, FileKind, FileName, FileState, TopicPartition, parse_file_name
from ottla.storage.producers.replay import Replay, rebuild_producers
from ottla.storage.producers.snapshots import ProducerSnapshots
from ottla.storage.producers.state import ProducerState
from ottla.storage.recovery.leftovers import resolve_leftovers
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.recovery.scan import check_segment
from ottla.storage.removal import remove_files
from ottla.storage.rolling import jitter_ms
from ottla.storage.segments.indexes import Indexes, read_transactions, read_unclosed_indexes
from ottla.storage.segments.offset_index import ENTRY_BYTES as OFFSET_BYTES
from ottla.storage.segments.offset_index import OffsetIndex
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.segments.scan import places
from ottla.storage.segments.segment import UNKNOWN, Segment
from ottla.storage.segments.segments import Segments
from ottla.storage.segments.time_index import ENTRY_BYTES as TIME_BYTES
from ottla.storage.segments.time_index import TimeIndex
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import Disk

FILES_OPEN: Final = 4  # while a log is loaded
Progress = Callable[[int, int], None]  # segments and bytes that are still to be looked through; called in the thread


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """What the checkpoints of the log directory say about a log."""

    is_clean: bool  # the log directory was left by a clean stop
    recovery_point: int = 0
    log_start_offset: int = 0


async def load_log(
    services: LogServices,
    topic_partition: TopicPartition,
    directory: str,
    config: LogConfig,
    start: StartingPoint,
    *,
    progress: Progress | None = None,
) -> tuple[Log, RecoveryReport]:
    """The log in a directory, which is made if it is missing; an empty one gets its first segment."""
    world = services.world
    now_ms = world.clock.wall_ms()
    loading = Loading(
        world.disk,
        directory,
        config,
        start,
        now_ms=now_ms,
        producer_id_expiration_ms=services.producer_id_expiration_ms,
        progress=progress or (lambda *_: None),
    )
    loaded = await world.threads.run(loading.load)
    for segment in loaded.segments:
        segment.close()
        segment.files = services.files
        segment.created_ms = now_ms  # there is no time of a file on our disk
    loaded.segments.active.roll_jitter_ms = jitter_ms(services, config)
    if loaded.recovery_point < start.recovery_point:
        await services.recovery_point_lowered(topic_partition, loaded.recovery_point)
    return Log(services, topic_partition, directory, config, loaded), loading.report


class Loading:
    """One log on its way from files to memory; lives in one thread."""

    def __init__(
        self,
        disk: Disk,
        directory: str,
        config: LogConfig,
        start: StartingPoint,
        *,
        now_ms: int,
        producer_id_expiration_ms: int,
        progress: Progress,
    ) -> None:
        self.disk, self.directory, self.config, self.start = disk, directory, config, start
        self.now_ms, self.expiration_ms, self.progress = now_ms, producer_id_expiration_ms, progress
        self.files = OpenFiles(disk, FILES_OPEN)
        self.report = RecoveryReport(was_clean=start.is_clean)
        self.producer_state = ProducerState()
        self.epochs_changed = False

    def load(self) -> LoadedLog:
        """Everything, one step after the other."""
        self.disk.make_directory(self.directory)
        resolve_leftovers(self.disk, self.directory, self.report)
        segments, damaged = self._found()
        self.snapshots = ProducerSnapshots.listed(self.disk, self.directory)
        self.epochs = self._epochs()
        self._recover(segments, damaged)
        log_end_offset = self._log_end(segments)
        log_start_offset = max(self.start.log_start_offset, segments.first.base_offset)
        for segment in segments:
            following = segments.higher(segment.base_offset)
            segment.end_offset_bound = log_end_offset if following is None else following.base_offset
        self.epochs_changed |= self.epochs.truncate_from_end(log_end_offset)
        self.epochs_changed |= self.epochs.truncate_from_start(log_start_offset)
        self._producers(segments, log_start_offset, log_end_offset)
        is_whole = self.start.is_clean and not self.report.truncated_bytes
        recovery_point = log_end_offset if is_whole else min(self.start.recovery_point, log_end_offset)
        return LoadedLog(
            segments,
            self.producer_state,
            self.snapshots,
            self.epochs,
            log_start_offset,
            log_end_offset,
            recovery_point,
            is_epochs_file_stale=self.epochs_changed,
        )

    def _found(self) -> tuple[Segments, set[int]]:
        """The segments by their files, and those whose indexes cannot be what they should be."""
        sizes: dict[FileName, int] = {}
        for entry in self.disk.list(self.directory):
            name = parse_file_name(entry.name)
            if name is not None and name.state is FileState.LIVE and not entry.is_directory:
                sizes[name] = entry.size
        segments, damaged = Segments(), set()
        for name, size in sizes.items():
            if name.kind is FileKind.LOG:
                segment, is_damaged = self._segment(name.offset, size, sizes)
                segments.add(segment)
                if is_damaged:
                    damaged.add(name.offset)
        for name in sizes:
            if name.kind is not FileKind.PRODUCER_SNAPSHOT and segments.at(name.offset) is None:
                self.report.note(f"{self.directory}/{name}: an index without a log, removed")
                self.disk.unlink(f"{self.directory}/{name}")
        return segments, damaged

    def _segment(self, base_offset: int, size: int, sizes: dict[FileName, int]) -> tuple[Segment, bool]:
        """A segment as the sizes of its files describe it, and whether its index files are to be made anew."""
        interval = self.config.index_interval_bytes
        segment = Segment(self.files, self.directory, base_offset, index_interval_bytes=interval)
        offset_bytes = sizes.get(FileName(base_offset, FileKind.OFFSET_INDEX))
        time_bytes = sizes.get(FileName(base_offset, FileKind.TIME_INDEX))
        segment.size_bytes = segment.indexed_position = size
        segment.has_aborted = FileName(base_offset, FileKind.TRANSACTION_INDEX) in sizes
        is_damaged = (
            offset_bytes is None or time_bytes is None or offset_bytes % OFFSET_BYTES or time_bytes % TIME_BYTES
        )
        if segment.has_aborted:
            try:
                read_transactions(self.disk, self.directory, base_offset, FileState.LIVE)
            except CorruptFile as error:
                self.report.note(str(error))
                is_damaged = True
        if size and not is_damaged:
            assert offset_bytes is not None
            assert time_bytes is not None
            segment.indexes = Indexes(base_offset, offset_bytes // OFFSET_BYTES, time_bytes // TIME_BYTES)
            segment.max_timestamp = UNKNOWN
        return segment, bool(is_damaged)

    def _epochs(self) -> LeaderEpochs:
        """What the checkpoint says; without a sound one, what the batches say that are looked through."""
        path = f"{self.directory}/{EPOCHS_FILE_NAME}"
        try:
            return LeaderEpochs.from_bytes(path, read_whole_file(self.disk, path))
        except NoSuchFile:
            return LeaderEpochs()
        except CorruptFile as error:
            self.report.note(str(error))
            self.epochs_changed = True
            return LeaderEpochs()

    def _recover(self, segments: Segments, damaged: set[int]) -> None:
        """Look through what cannot be trusted, in the order of the log, up to the first damage."""
        unflushed = [] if self.start.is_clean or not len(segments) else segments.from_offset(self.start.recovery_point)
        doubtful = {segment.base_offset for segment in unflushed}
        before = segments.floor(unflushed[0].base_offset - 1) if unflushed else None
        if before is not None and before.base_offset not in damaged:
            try:
                self._complete(before, unflushed[0].base_offset)
            except CorruptFile as error:
                self.report.note(str(error))
                damaged.add(before.base_offset)
        left = [segment for segment in segments if segment.base_offset in damaged or segment.base_offset in doubtful]
        while left:
            self.progress(len(left), sum(segment.size_bytes for segment in left))
            segment = left.pop(0)
            is_damaged, is_doubtful = segment.base_offset in damaged, segment.base_offset in doubtful
            cut = self._recover_segment(segments, segment, is_damaged=is_damaged, is_doubtful=is_doubtful)
            following = segments.higher(segment.base_offset)
            if is_doubtful and following is not None and self._is_torn(segment, following, is_cut=cut > 0):
                self._drop(segments, [later for later in segments if later.base_offset > segment.base_offset][::-1])
                break
        self.progress(0, 0)

    def _recover_segment(self, segments: Segments, segment: Segment, *, is_damaged: bool, is_doubtful: bool) -> int:
        """Look through a segment from its start, or from the recovery point if what lies before it can be used.

        A damaged one below the recovery point tells no leader epochs: those of later ones are known already.
        """
        position, next_offset = 0, segment.base_offset
        offsets, times = OffsetIndex(segment.base_offset), TimeIndex(segment.base_offset)
        if not is_damaged and self.start.recovery_point > segment.base_offset:
            trusted = self._trusted(segment)
            if trusted is not None:
                position, next_offset, offsets, times = trusted
        segment.trust(position, next_offset, offsets, times)
        self._rebuild_producers(segments, next_offset, self.start.log_start_offset)
        if is_doubtful:
            self.epochs_changed |= self.epochs.truncate_from_end(next_offset)
        replay = Replay(self.producer_state, self.epochs if is_doubtful else LeaderEpochs(), self.report)
        following = segments.higher(segment.base_offset)
        end_offset = MAX_OFFSET if following is None else following.base_offset
        cut = check_segment(segment, position, replay, self.config.index_interval_bytes, end_offset)
        self.epochs_changed |= replay.epochs_changed and is_doubtful
        if following is not None and segment.end_offset_bound <= end_offset:
            self.producer_state.end_offset = following.base_offset
        self.snapshots.take(self.producer_state)
        if is_damaged:
            segment.sync()  # nobody will, where it lies below the recovery point
            self.disk.sync_directory(self.directory)
        return cut

    def _complete(self, segment: Segment, end_offset: int) -> None:
        """The segment before the recovery point's: what it got when that was at its end already may be lost."""
        if segment.next_offset() > end_offset:
            self.report.note(f"{segment.file.path}: was truncated to {end_offset}, and is again")
            segment.truncate_to(end_offset, self.config, self.now_ms)
            segment.become_inactive(self.config)
            segment.sync()
        offsets, times = segment.loaded_indexes()
        if not segment.is_time_right(offsets, times):
            path = segment.path(FileKind.TIME_INDEX)
            raise CorruptFile(f"{path}: no batch is the one of its last entry {times.last}", path=path)
        segment.complete_times()

    def _is_torn(self, segment: Segment, following: Segment, *, is_cut: bool) -> bool:
        """Whether batches are missing between two segments: the end of a file was never written, or a whole one.

        Only compaction leaves such gaps by right. What is dropped for one lies above the recovery point.
        """
        if segment.end_offset_bound == following.base_offset:
            return False
        missing = f"offsets {segment.end_offset_bound} to {following.base_offset - 1} are missing"
        self.report.note(f"{segment.file.path}: {missing} behind it")
        return is_cut or not self.config.compact

    def _trusted(self, segment: Segment) -> tuple[int, int, OffsetIndex, TimeIndex] | None:
        """Where the recovery point lies in a segment, and its indexes up to there; None if they are no help.

        What was written of an entry when the disk refused or the machine went may have an offset that is too small:
        an entry of what lies above the recovery point then passes for one of what lies below.
        """
        recovery_point, read = self.start.recovery_point, segment.opened().read
        try:
            offsets, times = read_unclosed_indexes(self.disk, self.directory, segment.base_offset)
            offsets.truncate_to(recovery_point)
            times.truncate_to(recovery_point)
            at = 0
            if len(offsets):
                last_offset, at = offsets.entry(-1)
                if next(segment.places(at)).last_offset != last_offset:
                    return None
            if not segment.is_time_right(offsets, times):
                return None
            next_offset = segment.base_offset
            for place in places(read, segment.file.path, at, segment.size_bytes):
                if place.last_offset >= recovery_point:
                    return place.position, place.base_offset, offsets, times
                next_offset = place.last_offset + 1
        except (CorruptFile, NoSuchFile):
            return None
        # The segment ends before the recovery point: at it, or something is wrong.
        return (segment.size_bytes, next_offset, offsets, times) if next_offset == recovery_point else None

    def _drop(self, segments: Segments, gone: Sequence[Segment]) -> None:
        """Remove segments behind a damage."""
        for segment in gone:
            self.report.note(f"{segment.file.path}: lies behind the damage, removed")
            self.report.deleted_segments += 1
            segments.remove(segment.base_offset)
            segment.close()
            remove_files(self.disk, self.directory, segment.base_offset, FileState.LIVE)
            self.disk.sync_directory(self.directory)

    def _log_end(self, segments: Segments) -> int:
        """The offset behind the last batch; a log that ends before its start begins anew there."""
        start_offset = self.start.log_start_offset
        if len(segments):
            try:
                log_end_offset = segments.active.next_offset()
            except CorruptFile as error:  # a clean stop leaves nothing like it, but somebody may have been here since
                self.report.note(str(error))
                self._recover_segment(segments, segments.active, is_damaged=True, is_doubtful=True)
                log_end_offset = segments.active.next_offset()
            if log_end_offset >= start_offset:
                return log_end_offset
            self.report.note(f"the log ends at {log_end_offset}, before its start at {start_offset}: all is removed")
            self._drop(segments, list(segments))
            self.epochs_changed |= self.epochs.clear()
            self.snapshots.clear(self.producer_state, start_offset)
        segments.add(Segment.create(self.files, self.directory, start_offset, self.config, now_ms=self.now_ms))
        return start_offset

    def _producers(self, segments: Segments, log_start_offset: int, log_end_offset: int) -> None:
        """The producers as they are at the log's end."""
        self.snapshots.remove_strays([segment.base_offset for segment in segments])
        if self.start.is_clean and self.snapshots.latest_offset is None:
            # As Kafka: a log without snapshots that was left in order knows no producers, and is not read for them.
            self.producer_state.clear(log_end_offset)
            return
        self._rebuild_producers(segments, log_end_offset, log_start_offset)

    def _rebuild_producers(self, segments: Segments, end_offset: int, log_start_offset: int) -> None:
        """Load the last snapshot up to an offset, and replay what lies between."""
        rebuild_producers(
            self.snapshots,
            self.producer_state,
            self.disk,
            [(segment.base_offset, segment.file.path, segment.size_bytes) for segment in segments],
            log_start_offset,
            end_offset,
            self.now_ms,
            self.expiration_ms,
        )
