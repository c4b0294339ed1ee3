"""Bringing a log to the disk: off the loop, and once for all who wait.

There are two things to wait for. `sync` is what an append waits for that must survive: the bytes of the batches, one
fsync however many wait for it, since whoever comes while one is running shares the next. `flush` is what moves the
recovery point: the batches, their index entries, the leader epochs, and the directory with the names of new segments.
What lies above the recovery point is looked through after an unclean stop, so what was only synced is found again.

Always true: at most one pass runs for a log, and a pass changes nothing in the log before all of it is on the disk. A
pass during which the log was truncated is made again, since what was synced may not be what is there now. A disk that
refuses ends the log, and everybody who waits is told: an fsync that failed cannot be tried again.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ottla.errors import DiskError, NoSuchFile
from ottla.storage.leader_epochs import FILE_NAME as EPOCHS_FILE_NAME
from ottla.storage.names import FileKind
from ottla.storage.recovery.doubted_tails import marking
from ottla.storage.segments.indexes import Unsaved, sync_file, write_file
from ottla.storage.segments.segment import SEGMENT_KINDS, Segment
from ottla.storage.whole_file import replace_whole_file
from ottla.world.api import Disk, File, Future

if TYPE_CHECKING:
    from ottla.storage.log import Log


class Work(NamedTuple):
    """What a thread has to do for a pass, as plain values."""

    files: Sequence[File] = ()  # to be synced
    index_entries: Sequence[tuple[str, int, bytes]] = ()  # to be written: path, position, bytes
    paths: Sequence[str] = ()  # to be synced after that
    epochs: tuple[str, bytes] | None = None  # to be replaced: path, content
    directories: Sequence[str] = ()  # to be synced
    marked_directory: str | None = None  # to be marked if the disk refuses any of this


class Flusher:
    """Who waits for a log's disk, and how far it has been asked to go."""

    __slots__ = ("_closed", "_cut", "_log", "_resting", "_waiting", "_wanted_recovery_point", "is_running")

    def __init__(self, log: "Log") -> None:
        """Nobody waits."""
        self._log = log
        self._waiting: list[tuple[int, bool, Future[Any]]] = []  # offset, whether the recovery point is meant, who
        self._closed: list[Segment] = []  # since the last pass that moved the recovery point
        self._cut: list[Segment] = []  # since the last pass
        self._wanted_recovery_point = 0
        self.is_running = False
        self._resting: list[Future[Any]] = []  # who waits for the end of all passes

    async def sync(self, offset: int) -> None:
        """Return when all records below this offset survive a crash."""
        if offset > self._log.flushed_offset:
            await self._wait(offset, moves_recovery_point=False)

    async def flush(self, offset: int) -> None:
        """Return when the recovery point is at this offset."""
        if offset > self._log.recovery_point or self._log.is_epochs_file_stale:
            self._wanted_recovery_point = max(self._wanted_recovery_point, offset)
            await self._wait(offset, moves_recovery_point=True)

    def request(self, offset: int) -> None:
        """Move the recovery point to this offset, without anybody who waits."""
        self._wanted_recovery_point = max(self._wanted_recovery_point, offset)
        self._start()

    async def settled(self) -> None:
        """Return when no thread is at the log's files for a pass, and nobody waits for one."""
        while self.is_running:
            rest = self._log.services.world.future()
            self._resting.append(rest)
            await rest

    def segment_closed(self, segment: Segment) -> None:
        """A segment got its last index entries: in a while they are on the disk, and everything below its end is."""
        self._closed.append(segment)
        self.request(self._log.log_end_offset)

    def segment_cut(self, segment: Segment) -> None:
        """A segment was truncated. What was cut off could come back by a crash, and nothing may be synced behind it."""
        self._cut.append(segment)
        self.segment_closed(segment)

    async def _wait(self, offset: int, *, moves_recovery_point: bool) -> None:
        if self._log.failure is not None:
            raise self._log.failure
        done = self._log.services.world.future()
        self._waiting.append((offset, moves_recovery_point, done))
        self._start()
        await done

    def _start(self) -> None:
        if not self.is_running:
            self.is_running = True
            self._log.services.world.spawn(self._run(), f"flush {self._log.topic_partition}")

    async def _run(self) -> None:
        """Make passes until nobody waits for one. What was wanted may have been cut off since."""
        log = self._log
        try:
            while log.failure is None and (
                self._waiting
                or self._closed
                or min(self._wanted_recovery_point, log.log_end_offset) > log.recovery_point
            ):
                clock = log.services.world.clock
                begin_ms = clock.monotonic_ms()
                await self._pass()
                log.services.flush_took(clock.monotonic_ms() - begin_ms)
                self._tell()
        except DiskError as error:
            log.fail(error)
        finally:
            self.is_running = False
            if log.failure is not None:
                self._refuse(log.failure)
            resting, self._resting = self._resting, []
            for rest in resting:
                rest.set_result(None)

    async def _pass(self) -> None:
        """One round: everything that was there when it began."""
        log, wanted = self._log, min(self._wanted_recovery_point, self._log.log_end_offset)
        moves = wanted > log.recovery_point or self._closed or any(moves for _, moves, _ in self._waiting)
        target, truncations, epochs_are_stale = log.log_end_offset, log.truncations, log.is_epochs_file_stale
        segments = [segment for segment in log.segments.between(log.flushed_offset, target) if segment.size_bytes]
        cut = list(self._cut)
        segments += [segment for segment in cut if segment in log.segments and segment not in segments]
        closed, closing = list(self._closed), log.segments.between(log.recovery_point, wanted) if moves else []
        closing += [segment for segment in closed if segment in log.segments and segment not in closing]
        states = [segment.state for segment in closing]
        unsaved = [(segment, segment.indexes.unsaved()) for segment in closing]
        if moves:
            log.is_epochs_file_stale = False  # what changes while the thread writes makes it stale again
        files = [log.services.files.pin(segment.file) for segment in segments]
        work = self._work(segments + closing, files, unsaved, epochs_are_stale=bool(moves and epochs_are_stale))
        unnamed = [segment for segment in segments + closing if not segment.is_name_synced]
        for segment in unnamed:
            segment.is_name_synced = True  # a file that is made while the thread syncs takes it back
        try:
            await log.services.pace.sync(log.services.world, carry_out, log.services.world.disk, work)
        except NoSuchFile:
            log.is_epochs_file_stale |= epochs_are_stale
            for segment in unnamed:
                segment.is_name_synced = False
            if all(
                segment in log.segments and segment.state is state
                for segment, state in zip(closing, states, strict=True)
            ):
                raise
            return  # retention or compaction took or renamed a segment meanwhile: again, as things are now
        finally:
            for segment in segments:
                log.services.files.unpin(segment.file)
        if truncations != log.truncations:
            log.is_epochs_file_stale |= epochs_are_stale
            return
        for segment, entries in unsaved:
            segment.indexes.saved(entries)
        log.is_directory_synced |= bool(unnamed)
        del self._cut[: len(cut)]
        log.flushed_offset = max(log.flushed_offset, target)
        if moves:
            log.recovery_point = max(log.recovery_point, wanted)
            del self._closed[: len(closed)]
        log.last_flush_ms = log.services.world.clock.monotonic_ms()

    def _work(
        self,
        segments: list[Segment],
        files: list[File],
        unsaved: list[tuple[Segment, list[Unsaved]]],
        *,
        epochs_are_stale: bool,
    ) -> Work:
        """What the thread has to do, with everything in it that the loop may change meanwhile."""
        log = self._log
        directories = [log.directory] if any(not segment.is_name_synced for segment in segments) else []
        if directories and not log.is_directory_synced:
            directories.append(log.directory.rpartition("/")[0] or "/")
        return Work(
            files,
            [(segment.path(kind), at, data) for segment, entries in unsaved for kind, at, data in entries],
            [
                segment.path(kind)
                for segment, _ in unsaved
                for kind in SEGMENT_KINDS[1:]
                if kind is not FileKind.TRANSACTION_INDEX or segment.has_aborted
            ],
            (f"{log.directory}/{EPOCHS_FILE_NAME}", log.epochs.to_bytes()) if epochs_are_stale else None,
            directories,
            log.services.marked_directory,
        )

    def _tell(self) -> None:
        """Let those go on whose offset has been reached. A truncation reaches everything behind it."""
        log, rest = self._log, []
        for offset, moves, done in self._waiting:
            reached = log.recovery_point if moves else log.flushed_offset
            if min(offset, log.log_end_offset) <= reached:
                if not done.done():
                    done.set_result(None)
            else:
                rest.append((offset, moves, done))
        self._waiting = rest

    def _refuse(self, error: DiskError) -> None:
        waiting, self._waiting = self._waiting, []
        for _, _, done in waiting:
            if not done.done():
                done.set_exception(error)


def carry_out(disk: Disk, work: Work) -> None:
    """A pass's part of the disk: what blocks. Runs in a thread."""
    with marking(disk, work.marked_directory):
        for file in work.files:
            file.sync()
        for path, position, data in work.index_entries:
            write_file(disk, path, position, data)
        for path in work.paths:
            sync_file(disk, path)
        if work.epochs is not None:
            replace_whole_file(disk, *work.epochs)
        for directory in work.directories:
            disk.sync_directory(directory)


async def close(log: "Log") -> None:
    """Leave a log's directory as a clean stop does. Of a log that nobody touched, nothing is written."""
    if log.failure is None:
        await log.flusher.flush(log.log_end_offset)
        active = log.segments.active
        if active.is_preallocated or not active.indexes.are_saved or log.snapshots.latest_offset != log.log_end_offset:
            await log.services.world.threads.run(_leave, log, active)
    for segment in log.segments:
        segment.close()


def _leave(log: "Log", active: Segment) -> None:
    """The last of the disk, in a thread: nobody changes the log any more."""
    disk = log.services.world.disk
    with marking(disk, log.services.marked_directory):
        active.become_inactive(log.config)
        active.sync()
        log.snapshots.take(log.producer_state, sync=True)
        disk.sync_directory(log.directory)
