"""What was appended to the quorum's log and is not in its files yet, because the disk is slow (`storage.pace`).

The machine counts on what it appended, at once, and so do those who fetch it; the loop must not wait for a sick disk,
on which other log directories and the node's heartbeats would wait too. So while the log's directory is slow, batches
lie here, are read from here, and are written by a task, in order; a sync waits for that first.

Always true: what is here follows the log's end without a gap; as soon as something is in the log, it is here no more;
nothing is appended past what waits here. A disk that refuses ends the log, and everybody who waits is told.
"""

from collections import deque
from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.errors import DiskError
from ottla.protocol.records.batch import RecordBatch
from ottla.storage.log import Log
from ottla.world.api import Future, World

MAX_BYTES: Final = 16_777_216  # of a leader whose disk holds it up so long that it had better not lead


@dataclass(frozen=True, slots=True)
class Waiting:
    """A batch."""

    base_offset: int
    next_offset: int
    epoch: int
    data: bytes


class Unwritten:
    """The batches that wait for the disk."""

    __slots__ = ("_batches", "_is_writing", "_log", "_waiting", "_world", "size_bytes")

    def __init__(self, world: World, log: Log) -> None:
        """Nothing waits."""
        self._world, self._log = world, log
        self._batches: deque[Waiting] = deque()
        self._is_writing = False
        self._waiting: list[Future[None]] = []
        self.size_bytes = 0

    def __bool__(self) -> bool:
        """Whether anything waits."""
        return bool(self._batches)

    @property
    def end(self) -> OffsetAndEpoch:
        """Behind the last batch."""
        last = self._batches[-1]
        return OffsetAndEpoch(last.next_offset, last.epoch)

    def end_for_epoch(self, epoch: int) -> OffsetAndEpoch | None:
        """The end of the last batch of this epoch or an older one; None if all that waits is of newer ones."""
        for waiting in reversed(self._batches):
            if waiting.epoch <= epoch:
                return OffsetAndEpoch(waiting.next_offset, waiting.epoch)
        return None

    def read(self, offset: int, max_bytes: int, end_offset: int) -> bytes:
        """Whole batches from an offset on, at least one, that lie below the end."""
        found: list[bytes] = []
        for waiting in self._batches:
            if waiting.next_offset <= offset:
                continue
            max_bytes -= len(waiting.data)
            if waiting.next_offset > end_offset or (found and max_bytes < 0):
                break
            found.append(waiting.data)
        return b"".join(found)

    def append(self, batches: list[RecordBatch]) -> None:
        """These follow. They are copied, since a receive buffer does not last so long."""
        for batch in batches:
            data = bytes(batch.view)
            self._batches.append(Waiting(batch.base_offset, batch.next_offset, batch.partition_leader_epoch, data))
            self.size_bytes += len(data)
        if not self._is_writing:
            self._is_writing = True
            self._world.spawn(self._write(), "write the metadata log")

    async def written(self, offset: int) -> None:
        """Return when everything below this offset is in the log's files."""
        while self._batches and self._batches[0].base_offset < offset:
            if self._log.failure is not None:
                raise self._log.failure
            future = self._world.future()  # not the task: who waits for a task, and is cancelled, cancels it
            self._waiting.append(future)
            await future

    async def _write(self) -> None:
        try:
            while self._batches:
                first = self._batches[0]
                await self._log.append_as_follower_in_turn(memoryview(first.data), first.epoch)
                self._batches.popleft()
                self.size_bytes -= len(first.data)
                self._tell()
        except DiskError as error:
            self._log.fail(error)
        finally:
            self._is_writing = False
            self._tell()

    def _tell(self) -> None:
        """Let everybody look again."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)
