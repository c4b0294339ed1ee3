"""The metadata of a node follows the quorum's log: committed batches become images, images become snapshots.

    committed(offset) --> read a piece of the log --> Loader, in slices --> Publisher --> the node's parts
                                                                    +-----> a snapshot, when it is time for one

It begins with the newest snapshot of the log, and again whenever the log has gone on without it (a snapshot came from
the leader). Records are replayed in slices that leave the loop to others in between; an image is published for every
piece that was read, not for every batch.

A snapshot is written when `metadata.log.max.record.bytes.between.snapshots` have been replayed since the last, or when
`metadata.log.max.snapshot.interval.ms` have passed and there was anything: every node writes its own, out of an image
that is the end of a batch and in no transaction, while it goes on.

Always true: images contain committed records alone, in the order of the log. `caught_up` is over once: when everything
that a leader has told to be committed, and records of a controller among it, are in an image; then the subscribers hear
of it all. A fault of ours, or damage in the log that `on_damage` does not forgive, ends the following and is reported:
a node whose metadata stands still must not go on.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable, Iterator
from typing import Final, Protocol

from ottla.cluster.metadata.image import MetadataImage, Provenance
from ottla.cluster.metadata.loader import Loader, refuse
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotReader, write_snapshot
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.errors import DamagedMetadata, OttlaError
from ottla.protocol.records.batch import batches
from ottla.protocol.records.columns import Bytes
from ottla.world.api import Future, Task, World

READ_BYTES: Final = 1_048_576  # of the log for one image
BATCHES_A_SLICE: Final = 20  # small ones, in about a millisecond

logger = logging.getLogger(__name__)


class CommittedLog(Protocol):
    """What is followed: the quorum's log, as far as it is committed."""

    @property
    def start_offset(self) -> int:
        """The first offset that is in the log itself."""

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot's end offset and epoch."""

    def snapshot_size(self, snapshot_id: OffsetAndEpoch, /) -> int | None:
        """How many bytes it has."""

    def read_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, max_bytes: int, /) -> Bytes:
        """Its bytes. Waits for the disk."""


class Quorum(Protocol):
    """Where the log comes from, and where snapshots go: `ottla.cluster.raft.shell.RaftShell`."""

    @property
    def log(self) -> CommittedLog:
        """The log."""

    @property
    def high_watermark(self) -> int:
        """Everything below is committed."""

    @property
    def leader_high_watermark(self) -> int | None:
        """The highest that a leader has told of; None before one has."""

    def read(self, offset: int, max_bytes: int, end_offset: int | None = None) -> memoryview:
        """Whole batches."""

    def snapshot_head(self, snapshot_id: OffsetAndEpoch, last_contained_log_timestamp: int) -> SnapshotHead:
        """What stands before the records of a snapshot."""

    def take_snapshot(self, snapshot_id: OffsetAndEpoch, chunks: Iterable[Bytes]) -> Awaitable[bool]:
        """Keep a snapshot."""


class MetadataFollower:
    """Makes a node's images out of the log; a listener of the quorum."""

    def __init__(
        self,
        world: World,
        quorum: Quorum,
        publisher: Publisher,
        report: Callable[[str, Exception], None],
        *,
        on_damage: Callable[[DamagedMetadata], None] = refuse,
        max_bytes_between_snapshots: int = 20_971_520,
        max_snapshot_interval_ms: int = 3_600_000,
    ) -> None:
        self.world, self.quorum, self.publisher = world, quorum, publisher
        self.next_offset = 0  # the first one that is not in an image
        self.failure: Exception | None = None
        self._report, self._loader = report, Loader(publisher, on_damage)
        self._max_bytes, self._max_interval_ms = max_bytes_between_snapshots, max_snapshot_interval_ms
        self._bytes_since_snapshot = 0
        self._snapshot_ms = world.clock.monotonic_ms()
        self._following: Task[None] | None = None
        self._writing: Task[None] | None = None
        self._is_stopped = False
        self._has_caught_up = False
        self._waiting: list[tuple[int | None, Future[None]]] = []  # an offset, or None for having caught up

    @property
    def image(self) -> MetadataImage:
        """The newest image."""
        return self.publisher.image

    # What the quorum says

    def leader_changed(self, leader_id: int | None, epoch: int) -> None:
        """Who leads changes nothing that is committed."""

    def committed(self, offset: int) -> None:
        """There is more."""
        if self._following is None and not self._is_stopped and self.failure is None:
            self._following = self.world.spawn(self._follow(), "follow the metadata")

    def snapshot_installed(self, snapshot_id: OffsetAndEpoch) -> None:
        """There is a snapshot of the leader's, which stands for more than we may have read."""
        self.committed(snapshot_id.offset)

    # Waiting

    async def caught_up(self) -> None:
        """Return when the image is the cluster's present."""
        if not self._has_caught_up:
            await self._wait(None)

    async def reached(self, offset: int) -> None:
        """Return when the record at this offset is in the image."""
        if self.next_offset <= offset:
            await self._wait(offset)

    async def _wait(self, offset: int | None) -> None:
        if self.failure is not None or self._is_stopped:
            raise OttlaError(f"the metadata is not followed any more: {self.failure or 'this node stops'}")
        future = self.world.future()
        self._waiting.append((offset, future))
        await future

    def _tell(self) -> None:
        """Let those go on whose wait is over."""
        if not self._has_caught_up and self._is_present():
            self._has_caught_up = True
            self.publisher.catch_up()
        rest = []
        for offset, future in self._waiting:
            if future.done():
                continue
            if self._has_caught_up if offset is None else offset < self.next_offset:
                future.set_result(None)
            else:
                rest.append((offset, future))
        self._waiting = rest

    def _is_present(self) -> bool:
        """Whether we have what a leader said to be committed. A log without a controller's record is not begun yet."""
        told = self.quorum.leader_high_watermark
        return told is not None and self.next_offset >= told and self.image.features.metadata_version is not None

    async def stop(self) -> None:
        """Follow no more; whoever waits is told. A snapshot that is being written is given up."""
        self._is_stopped = True
        tasks = [task for task in (self._following, self._writing) if task is not None]
        for task in tasks:
            task.cancel()
        while not all(task.done() for task in tasks):
            await self.world.clock.sleep(0)
        self._give_up("this node stops")

    def _give_up(self, why: str) -> None:
        waiting, self._waiting = self._waiting, []
        for _, future in waiting:
            if not future.done():
                future.set_exception(OttlaError(f"the metadata is not followed any more: {why}"))

    # Following

    async def _follow(self) -> None:
        """Until everything that is committed is in an image."""
        try:
            while self._is_behind_snapshot() or self.next_offset < self.quorum.high_watermark:
                if self._is_behind_snapshot():
                    await self._load_snapshot()
                else:
                    await self._load_piece()
                self._tell()
            self._tell()
        except Exception as error:
            self.failure = error
            self._give_up(str(error))
            self._report("following the metadata", error)
        finally:
            self._following = None

    def _is_behind_snapshot(self) -> bool:
        """Whether the newest snapshot is what to go on with: at the start, and where the log begins behind us."""
        log = self.quorum.log
        latest = log.latest_snapshot
        return latest is not None and (self.next_offset < log.start_offset or self.next_offset == 0 < latest.offset)

    async def _load_snapshot(self) -> None:
        log = self.quorum.log
        latest = log.latest_snapshot
        assert latest is not None
        data = await self.world.threads.run(log.read_snapshot, latest, 0, log.snapshot_size(latest) or 0)
        reader = SnapshotReader(memoryview(data))
        offset, epoch = latest
        provenance = Provenance(offset - 1, epoch, reader.head.last_contained_log_timestamp, is_batch_aligned=True)
        for _ in self._loader.loading_snapshot(reader.records(), provenance):
            await self.world.clock.sleep(0)
        self.next_offset = offset
        self._snapshot_is_there()
        logger.info("The metadata is that of a snapshot", extra={"end_offset": offset, "epoch": epoch})

    async def _load_piece(self) -> None:
        """Replay some batches, and publish what they make."""
        piece = self.quorum.read(self.next_offset, READ_BYTES, self.quorum.high_watermark)
        for number, batch in enumerate(batches(piece), 1):
            for _ in self._loader.loading_batch(batch):
                await self.world.clock.sleep(0)
            self.next_offset = batch.next_offset
            if number % BATCHES_A_SLICE == 0:
                await self.world.clock.sleep(0)
        self._bytes_since_snapshot += len(piece)
        self._loader.publish()
        self._begin_snapshot()

    # Snapshots

    def _snapshot_is_there(self) -> None:
        self._bytes_since_snapshot, self._snapshot_ms = 0, self.world.clock.monotonic_ms()

    def _begin_snapshot(self) -> None:
        """Write one if it is time, the image allows it, and none is being written."""
        now_ms = self.world.clock.monotonic_ms()
        is_due = self._bytes_since_snapshot >= self._max_bytes
        is_due |= 0 < self._max_interval_ms <= now_ms - self._snapshot_ms
        image, is_open = self.image, self._loader.is_in_transaction
        is_due &= self.failure is None and not self._is_stopped
        if not is_due or self._writing is not None or is_open or image.features.metadata_version is None:
            return
        if not image.provenance.is_batch_aligned or image.provenance.last_contained_offset != self.next_offset - 1:
            return
        self._snapshot_is_there()
        self._writing = self.world.spawn(self._write_snapshot(image), "write a metadata snapshot")

    async def _write_snapshot(self, image: MetadataImage) -> None:
        place = image.provenance
        snapshot_id = OffsetAndEpoch(place.last_contained_offset + 1, place.last_contained_epoch)
        try:
            is_taken = await self.quorum.take_snapshot(snapshot_id, self._chunks(image, snapshot_id))
        except OttlaError as error:
            logger.error("No snapshot of the metadata", extra={"reason": str(error)})  # noqa: TRY400
        except Exception as error:
            self._report("writing a metadata snapshot", error)
        else:
            if is_taken:
                logger.info("A snapshot of the metadata", extra={"end_offset": snapshot_id.offset})
        finally:
            self._writing = None
        self._begin_snapshot()  # so much may have come meanwhile that it is time for the next

    def _chunks(self, image: MetadataImage, snapshot_id: OffsetAndEpoch) -> Iterator[bytearray]:
        head = self.quorum.snapshot_head(snapshot_id, image.provenance.last_contained_log_timestamp)
        return write_snapshot(snapshot_id.epoch, head, image.records(), self.world.clock.wall_ms())
