"""The quorum's log on the disk: Kafka's directory `__cluster_metadata-0`, on `ottla.storage`.

    segments and their indexes, leader-epoch-checkpoint, partition.metadata     a log like any other
    %020d-%010d.checkpoint                                                      its snapshots (`snapshots`)
    quorum-state                                                                what must not be forgotten

Appends go to the page cache on the loop, at once: the machine counts on what it appended. Where the disk is slow they
are written by a task, and read from where they wait (`unwritten`): neither the quorum nor the node stands still.

Always true: at a start the log is looked through from its beginning, as Kafka does, for nobody keeps a recovery point
for it; a log that does not hold what its newest snapshot stands for, because a crash came between the snapshot's name
and the cut, begins anew at that snapshot; a log that begins above 0 has a snapshot that ends there or later. Old
snapshots go, and the log before the oldest one that is left, when both are larger than `metadata.max.retention.bytes`
or older than `metadata.max.retention.ms`; the newest one stays.
"""

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Self

from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.messages import PARTITION, TOPIC
from ottla.cluster.raft.quorum_state import FILE_NAME as QUORUM_STATE
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.snapshots import SnapshotFiles
from ottla.cluster.raft.unwritten import MAX_BYTES, Unwritten
from ottla.errors import CorruptBatch, CorruptFile, DiskError, InvalidRecord, NoSuchFile, UnexpectedOffset
from ottla.protocol.records.batch import whole_batches
from ottla.protocol.records.columns import Bytes
from ottla.protocol.uuids import METADATA_TOPIC_ID
from ottla.storage.directories import partition_metadata
from ottla.storage.log import Log
from ottla.storage.log_values import LogServices
from ottla.storage.manager.manager import make_partition_directory
from ottla.storage.names import TopicPartition, directory_name
from ottla.storage.reading import FetchIsolation, blocking
from ottla.storage.recovery import doubted_tails
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.api import Disk, File, Timer, World

FILES_OPEN: Final = 16
METADATA_PARTITION: Final = TopicPartition(TOPIC, PARTITION)

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Part:
    """A snapshot that comes in pieces from the leader."""

    snapshot_id: OffsetAndEpoch
    path: str
    file: File
    size_bytes: int = 0


class DiskRaftLog:
    """The log of the quorum on one node; `ottla.cluster.raft.log.RaftLog`."""

    __slots__ = ("_config", "_log", "_part", "_timers", "_unwritten", "_world", "high_watermark", "snapshots")

    def __init__(self, world: World, log: Log, snapshots: SnapshotFiles, config: MetadataLogConfig) -> None:
        """Out of its parts; see `open`."""
        self._world, self._log, self.snapshots, self._config = world, log, snapshots, config
        self._unwritten = Unwritten(world, log)
        self._part: _Part | None = None
        self._timers: list[Timer] = []
        self.high_watermark = log.high_watermark

    @classmethod
    async def open(
        cls, world: World, log_directory: str, config: MetadataLogConfig, failed: Callable[[DiskError], None]
    ) -> Self:
        """The log in a log directory, made if it is missing. `failed` is told when the disk refuses something later."""
        directory = f"{log_directory}/{directory_name(METADATA_PARTITION)}"
        snapshots = await world.threads.run(_prepare, world.disk, log_directory, directory)

        def refused(error: DiskError) -> None:
            doubted_tails.mark(world.disk, directory)
            failed(error)

        services = LogServices(world, OpenFiles(world.disk, FILES_OPEN), refused, marked_directory=directory)
        start = StartingPoint(is_clean=False)
        log, report = await load_log(services, METADATA_PARTITION, directory, config.log, start)
        if report.notes or report.truncated_bytes:
            level = logging.WARNING if report.truncated_bytes or report.deleted_segments else logging.INFO
            logger.log(level, "the metadata log was repaired", extra={"log": directory, "report": report})
        raft_log = cls(world, log, snapshots, config)
        await raft_log._begin()
        await log.ready()
        return raft_log

    async def _begin(self) -> None:
        """Make the log fit its snapshots."""
        log, latest = self._log, self.snapshots.latest
        if latest is None:
            if log.log_start_offset > 0:
                text = f"{log.directory} begins at offset {log.log_start_offset}, and has no snapshot"
                raise CorruptFile(text, path=log.directory)
            return
        if not self._holds(latest):
            logger.warning("the metadata log begins anew", extra={"log": str(log), "snapshot": str(latest)})
            await log.truncate_fully_and_start_at(latest.offset)
        self._commit(latest.offset)
        await self._delete([name for name in self.snapshots.ids if name < latest and name.offset < self.start_offset])

    def _holds(self, snapshot_id: OffsetAndEpoch) -> bool:
        """Whether the log reaches the end of a snapshot, with the record there that the snapshot ends with."""
        log, (offset, epoch) = self._log, snapshot_id
        if offset > log.log_end_offset or offset < log.log_start_offset:
            return False
        return offset == log.log_start_offset or log.epochs.epoch_for_offset(offset - 1) == epoch

    # What Raft asks

    @property
    def directory(self) -> str:
        """Where it is."""
        return self._log.directory

    @property
    def truncations(self) -> int:
        """How often what had been written was taken away: who keeps what it has read looks here."""
        return self._log.truncations

    @property
    def start_offset(self) -> int:
        """The first offset in the log itself."""
        return self._log.log_start_offset

    @property
    def end_offset(self) -> int:
        """The next offset."""
        return self._unwritten.end.offset if self._unwritten else self._log.log_end_offset

    @property
    def is_choked(self) -> bool:
        """Whether more waits for a slow disk than a leader may have."""
        return self._unwritten.size_bytes > MAX_BYTES

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record, or of what stands for it."""
        if self._unwritten:
            return self._unwritten.end.epoch
        latest = self._log.epochs.latest_epoch
        return self._start.epoch if latest is None else latest

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot."""
        return self.snapshots.latest

    @property
    def earliest_snapshot(self) -> OffsetAndEpoch | None:
        """The oldest."""
        return self.snapshots.earliest

    @property
    def _start(self) -> OffsetAndEpoch:
        """Where the log begins, and the epoch before that, as far as a snapshot tells it."""
        offset = self.start_offset
        before = (name.epoch for name in self.snapshots.ids if name.offset == offset)
        return OffsetAndEpoch(offset, next(before, 0))

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch up to this one, and its end."""
        waiting = self._unwritten.end_for_epoch(epoch)
        if waiting is not None:
            return waiting
        epochs = self._log.epochs
        latest = epochs.latest_epoch
        if latest is None:
            return self._start
        found = epochs.end_offset_for(min(epoch, latest), self._log.log_end_offset)
        if epochs.start_offset_of(found.epoch) is None:
            return self._start  # from before all that the log has
        return OffsetAndEpoch(found.offset, found.epoch)

    def append(self, section: Bytes, epoch: int) -> None:
        """Append whole batches, if they follow; a part of one behind them is left out."""
        view = memoryview(section)
        whole, _ = whole_batches(view)
        offset, last_epoch = self.end_offset, self.last_epoch
        for batch in whole:
            if batch.base_offset != offset or batch.last_offset_delta < 0:
                raise UnexpectedOffset(f"{batch}, where offset {offset} follows")
            if not last_epoch <= batch.partition_leader_epoch <= epoch:
                raise InvalidRecord(f"{batch} of epoch {batch.partition_leader_epoch}, behind {last_epoch}, in {epoch}")
            offset, last_epoch = batch.next_offset, batch.partition_leader_epoch
        if not whole:
            raise CorruptBatch(f"{len(view)} bytes hold no whole batch")
        if self._unwritten or self._log.append_as_follower(view, epoch) is None:
            for batch in whole:
                batch.check()
            self._unwritten.append(whole)

    def read(self, offset: int, max_bytes: int, end_offset: int | None = None) -> bytes:
        """Whole batches, at least one; only committed ones, if the high watermark is given as the end."""
        log = self._log
        bound_offset = self.end_offset if end_offset is None else end_offset
        assert bound_offset in (self.end_offset, self.high_watermark)
        if self._unwritten and offset >= log.log_end_offset:
            return self._unwritten.read(offset, max_bytes, bound_offset)
        isolation = FetchIsolation.LOG_END
        if bound_offset < log.log_end_offset:
            self._commit(bound_offset)
            isolation = FetchIsolation.HIGH_WATERMARK
        found = log.read(offset, max_bytes, isolation, reader=blocking).records
        assert isinstance(found, bytes)
        return found

    def update_high_watermark(self, offset: int) -> None:
        """What is committed."""
        assert self.high_watermark <= offset <= self.end_offset
        self._commit(offset)

    def _commit(self, offset: int) -> None:
        """The log itself knows of it as far as it goes."""
        self.high_watermark = offset
        self._log.update_high_watermark(min(offset, self._log.log_end_offset))

    def snapshot_size(self, snapshot_id: OffsetAndEpoch) -> int | None:
        """A snapshot's size."""
        return self.snapshots.size(snapshot_id)

    def read_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, max_bytes: int) -> bytes:
        """A piece of one."""
        return self.snapshots.read(snapshot_id, position, max_bytes)

    # What effects ask

    async def sync(self, offset: int) -> None:
        """Return when everything below this offset survives a crash."""
        await self._unwritten.written(offset)
        await self._log.sync(offset)

    async def truncate(self, offset: int) -> None:
        """Cut the log."""
        assert self.high_watermark <= offset < self.end_offset
        await self._unwritten.written(self.end_offset)
        await self._log.truncate_to(offset)
        assert self.end_offset == offset

    async def write_election(self, state: ElectionState, version: int, voter_ids: tuple[int, ...]) -> None:
        """Keep what must not be forgotten."""
        data, path = state.to_bytes(version, voter_ids), f"{self.directory}/{QUORUM_STATE}"
        await self._world.threads.run(replace_whole_file, self._world.disk, path, data)

    async def read_election(self) -> ElectionState | None:
        """What was kept."""
        path = f"{self.directory}/{QUORUM_STATE}"
        try:
            data = await self._world.threads.run(read_whole_file, self._world.disk, path)
        except NoSuchFile:
            return None
        return ElectionState.from_bytes(path, data)

    # Snapshots

    def write_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, data: Bytes) -> None:
        """A piece that the leader sent, behind those before it; the first one begins anew."""
        if position == 0:
            self._drop_part()
            path = self.snapshots.part_path(snapshot_id, self._world.rng.randrange(2**63))
            self._part = _Part(snapshot_id, path, self._world.disk.open(path, create=True, exclusive=True))
        part = self._part
        assert part is not None
        assert (part.snapshot_id, part.size_bytes) == (snapshot_id, position)
        part.size_bytes += part.file.write(position, [data])

    async def install_snapshot(self, snapshot_id: OffsetAndEpoch) -> None:
        """It is complete: the log begins at its end."""
        part, self._part = self._part, None
        assert part is not None
        assert part.snapshot_id == snapshot_id
        await self._world.threads.run(part.file.sync)
        part.file.close()
        await self._world.threads.run(self.snapshots.name, part.path, snapshot_id)
        await self._unwritten.written(self.end_offset)
        await self._log.truncate_fully_and_start_at(snapshot_id.offset)
        self.snapshots.add(snapshot_id, part.size_bytes)
        self._commit(snapshot_id.offset)
        await self._delete([name for name in self.snapshots.ids if name.offset < snapshot_id.offset])

    async def take_snapshot(self, snapshot_id: OffsetAndEpoch, chunks: Iterable[Bytes]) -> bool:
        """Write one of our own state machine's, and delete what is too old then. False if it came too late."""
        world, latest = self._world, self.latest_snapshot
        assert snapshot_id.offset <= self.high_watermark, f"{snapshot_id} is not committed"
        if latest is not None and snapshot_id.offset <= latest.offset:
            return False
        path = self.snapshots.part_path(snapshot_id, world.rng.randrange(2**63))
        file = await world.threads.run(_create, world.disk, path)
        size_bytes, is_named = 0, False
        try:
            for chunk in chunks:
                size_bytes += await world.threads.run(file.write, size_bytes, (chunk,))
            await world.threads.run(file.sync)
            await self.sync(min(snapshot_id.offset, self.end_offset))
            latest = self.latest_snapshot
            if latest is None or snapshot_id.offset > latest.offset:  # else the leader's was newer, and came meanwhile
                await world.threads.run(self.snapshots.name, path, snapshot_id)
                self.snapshots.add(snapshot_id, size_bytes)
                is_named = True
        finally:
            file.close()
            if not is_named and world.disk.exists(path):
                world.disk.unlink(path)
        if is_named:
            await self.clean()
        return is_named

    async def clean(self) -> None:
        """Delete what retention says: snapshots, the oldest first, and the log before what is left."""
        config, now_ms = self._config, self._world.clock.wall_ms()
        ids = self.snapshots.ids
        total_bytes = self._log.size_bytes + sum(self.snapshots.size(name) or 0 for name in ids)
        gone: list[OffsetAndEpoch] = []
        for name in ids[:-1]:
            is_large = 0 <= config.retention_bytes < total_bytes
            if not is_large and not 0 <= config.retention_ms < now_ms - self.snapshots.timestamp(name):
                break
            total_bytes -= self.snapshots.size(name) or 0
            gone.append(name)
        if not gone:
            return
        first = ids[len(gone)]
        logger.info("deletes old snapshots", extra={"snapshots": len(gone), "start_offset": first.offset})
        self._commit(self.high_watermark)  # of which the log may know less, since it was behind
        self._log.maybe_increment_log_start_offset(first.offset)
        await self._log.delete_old_segments()
        await self._delete(gone)

    async def _delete(self, gone: list[OffsetAndEpoch]) -> None:
        """Take the names of snapshots away at once, and the files later."""
        world = self._world
        for name in gone:
            self.snapshots.forget(name)
        for name in gone:
            await world.threads.run(self.snapshots.mark_deleted, name)

        def begin() -> None:
            world.spawn(remove(), "delete snapshots")

        async def remove() -> None:
            for name in gone:
                try:
                    await world.threads.run(self.snapshots.remove, name)
                except DiskError as error:
                    self._log.fail(error)

        if gone:
            now_ms = world.clock.monotonic_ms()
            self._timers.append(world.clock.call_at(now_ms + self._config.log.file_delete_delay_ms, begin))
            del self._timers[:-100]

    def _drop_part(self) -> None:
        part, self._part = self._part, None
        if part is not None:
            part.file.close()
            self._world.disk.unlink(part.path)

    async def close(self) -> None:
        """Leave the directory as a clean stop does."""
        for timer in self._timers:
            timer.cancel()
        if self._part is not None:
            self._part.file.close()
        with suppress(DiskError):  # of which the log says the same
            await self._unwritten.written(self.end_offset)
        await self._log.close()


def _prepare(disk: Disk, log_directory: str, directory: str) -> SnapshotFiles:
    """The directory, made if it is missing, and the snapshots in it. Waits for the disk."""
    if not disk.exists(f"{directory}/{partition_metadata.FILE_NAME}"):
        make_partition_directory(disk, log_directory, directory, METADATA_TOPIC_ID)
    if doubted_tails.is_marked(disk, directory):
        doubted_tails.write_anew(disk, directory, 0)
        doubted_tails.unmark(disk, directory)
    return SnapshotFiles.found(disk, directory)


def _create(disk: Disk, path: str) -> File:
    return disk.open(path, create=True, exclusive=True)


assert BOOTSTRAP_SNAPSHOT.offset == 0, "the bootstrap snapshot stands for no record, so any log holds it"
