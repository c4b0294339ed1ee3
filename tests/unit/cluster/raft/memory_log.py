"""A `RaftLog` in memory, with a disk that loses what was not synced.

Batches lie in a list; `disk` is what a crash leaves at least, and whatever was done since (appends and cuts, in order)
a crash may or may not leave, up to a point that is drawn. Snapshots are bytes by their name.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.errors import DiskFull, UnexpectedOffset
from ottla.protocol.records.batch import whole_batches
from ottla.protocol.records.columns import Bytes


@dataclass(frozen=True, slots=True)
class Stored:
    """A batch in a log."""

    base_offset: int
    next_offset: int
    epoch: int
    data: bytes


@dataclass(slots=True)
class Content:
    """What a log holds."""

    batches: list[Stored] = field(default_factory=list)
    start: OffsetAndEpoch = BOOTSTRAP_SNAPSHOT  # where the batches begin, and the epoch before them

    def copy(self) -> "Content":
        """As it is now."""
        return Content(list(self.batches), self.start)

    @property
    def end(self) -> OffsetAndEpoch:
        """Its end."""
        return OffsetAndEpoch(self.batches[-1].next_offset, self.batches[-1].epoch) if self.batches else self.start

    def cut(self, offset: int) -> None:
        """Keep what lies below an offset."""
        while self.batches and self.batches[-1].next_offset > offset:
            self.batches.pop()


Change = Stored | int  # an append, or a cut


class MemoryLog:
    """One replica's log and its disk."""

    def __init__(self) -> None:
        self.content, self.disk = Content(), Content()
        self.unsynced: deque[Change] = deque()
        self._synced = 0  # changes that are on the disk, or were overtaken
        self.snapshots: dict[OffsetAndEpoch, bytes] = {}
        self.partial: dict[OffsetAndEpoch, bytearray] = {}
        self.high_watermark = 0
        self.is_full = False  # no write succeeds: who asks for one gets a `DiskFull`

    # What Raft asks

    @property
    def start_offset(self) -> int:
        """The first offset in the log itself."""
        return self.content.start.offset

    @property
    def end_offset(self) -> int:
        """The next offset."""
        return self.content.end.offset

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record."""
        return self.content.end.epoch

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot."""
        return max(self.snapshots, default=None)

    @property
    def earliest_snapshot(self) -> OffsetAndEpoch | None:
        """The oldest."""
        return min(self.snapshots, default=None)

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch up to this one, and its end."""
        for batch in reversed(self.content.batches):
            if batch.epoch <= epoch:
                return OffsetAndEpoch(batch.next_offset, batch.epoch)
        return self.content.start

    def append(self, section: Bytes, epoch: int) -> None:
        """Append whole batches, if they follow."""
        whole, rest = whole_batches(memoryview(section))
        assert rest == 0
        offset, last_epoch = self.content.end
        for batch in whole:
            batch.check()
            if batch.base_offset != offset or not last_epoch <= batch.partition_leader_epoch <= epoch:
                raise UnexpectedOffset(f"{batch} at {offset}, behind epoch {last_epoch}, in epoch {epoch}")
            offset, last_epoch = batch.next_offset, batch.partition_leader_epoch
        for batch in whole:
            self.need_room()
            stored = Stored(batch.base_offset, batch.next_offset, batch.partition_leader_epoch, bytes(batch.view))
            self.content.batches.append(stored)
            self.unsynced.append(stored)

    def read(self, offset: int, max_bytes: int) -> Bytes:
        """Whole batches, at least one."""
        found = bytearray()
        for batch in self.batches_from(offset):
            if found and len(found) + len(batch.data) > max_bytes:
                break
            found += batch.data
        return bytes(found)

    def batches_from(self, offset: int) -> list[Stored]:
        """All batches that reach behind an offset."""
        batches, index = self.content.batches, len(self.content.batches)
        while index and batches[index - 1].next_offset > offset:
            index -= 1
        return batches[index:]

    def update_high_watermark(self, offset: int) -> None:
        """What is committed."""
        assert self.high_watermark <= offset <= self.end_offset
        self.high_watermark = offset

    def snapshot_size(self, snapshot_id: OffsetAndEpoch) -> int | None:
        """A snapshot's size."""
        return len(self.snapshots[snapshot_id]) if snapshot_id in self.snapshots else None

    def read_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, max_bytes: int) -> Bytes:
        """A piece of one."""
        return self.snapshots[snapshot_id][position : position + max_bytes]

    # What effects ask

    def need_room(self) -> None:
        """Before something is written."""
        if self.is_full:
            raise DiskFull("no room on the simulated disk", path="__cluster_metadata-0")

    def truncate(self, offset: int) -> None:
        """Cut the log."""
        assert offset >= self.high_watermark
        self.content.cut(offset)
        self.unsynced.append(offset)
        assert self.end_offset == offset

    @property
    def changes(self) -> int:
        """How many there ever were."""
        return self._synced + len(self.unsynced)

    def sync(self, changes: int) -> None:
        """So many of all changes that ever were are on the disk."""
        while self._synced < changes:
            _apply(self.disk, self.unsynced.popleft())
            self._synced += 1

    def write_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, data: Bytes) -> None:
        """A piece that the leader sent."""
        self.need_room()
        partial = self.partial.setdefault(snapshot_id, bytearray())
        if position == 0:
            partial.clear()
        assert len(partial) == position
        partial += data

    def install_snapshot(self, snapshot_id: OffsetAndEpoch) -> None:
        """It is complete: the log begins at its end. Older snapshots stay for now: their deletion may come late."""
        self.need_room()
        self.snapshots[snapshot_id] = bytes(self.partial.pop(snapshot_id))
        self.content = Content(start=snapshot_id)
        self.disk = self.content.copy()
        self._drop_changes()
        self.high_watermark = snapshot_id.offset

    def take_snapshot(self, snapshot_id: OffsetAndEpoch, data: bytes, *, keep: bool) -> None:
        """Our own state machine has written one; the log is cut before it, or kept for those who are behind."""
        assert snapshot_id.offset <= self.high_watermark
        self.sync(self.changes)  # before the snapshot gets its name
        self.snapshots[snapshot_id] = data
        if keep:
            return
        for content in (self.content, self.disk):
            content.batches = [batch for batch in content.batches if batch.base_offset >= snapshot_id.offset]
            content.start = snapshot_id
        self.snapshots = {name: held for name, held in self.snapshots.items() if name >= snapshot_id}

    def crash(self, draw: Callable[[int], int]) -> None:
        """The machine dies: some of what was not synced is gone."""
        self.sync(self._synced + draw(len(self.unsynced) + 1))
        self._drop_changes()
        self.content = self.disk.copy()
        self.partial.clear()
        self.high_watermark = max(self.content.start.offset, *(snapshot_id.offset for snapshot_id in self.snapshots), 0)

    def _drop_changes(self) -> None:
        self._synced += len(self.unsynced)
        self.unsynced.clear()

    def records(self, end_offset: int) -> list[Stored]:
        """The batches below an offset."""
        return [batch for batch in self.content.batches if batch.next_offset <= end_offset]


def _apply(content: Content, change: Change) -> None:
    if isinstance(change, int):
        content.cut(change)
    else:
        assert content.end.offset == change.base_offset
        content.batches.append(change)
