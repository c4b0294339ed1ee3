"""What Raft asks of its log, and the one question that every fetch asks of it: do we agree so far?

Appends go to the page cache and are there at once; what takes a disk's time (sync, truncation, snapshots) is an effect
that the machine answers and its shell carries out. Snapshots are named by the offset behind their last record and the
epoch of that record (KIP-630); offset 0 in epoch 0 is the bootstrap snapshot, which is nobody else's business.

Always true of a log: offsets run on from `start_offset`; epochs never fall; where `start_offset` is above 0, a
snapshot ends there or later; high watermark <= end offset, and nothing below the high watermark ever changes.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from ottla.protocol.records.columns import Bytes


class OffsetAndEpoch(NamedTuple):
    """A place in a log, with the epoch of the record before it; also a snapshot's name."""

    offset: int
    epoch: int

    def __str__(self) -> str:
        """As log lines show it."""
        return f"{self.offset}@{self.epoch}"


BOOTSTRAP_SNAPSHOT: Final = OffsetAndEpoch(0, 0)


class RaftLog(Protocol):
    """The log of the quorum on one node."""

    @property
    def start_offset(self) -> int:
        """The first offset that is still in the log itself."""

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""

    @property
    def last_epoch(self) -> int:
        """The epoch of the last record, or of the snapshot that stands for it; 0 where nothing ever was."""

    @property
    def high_watermark(self) -> int:
        """Everything below is committed; at a start, the end of the newest snapshot."""

    @property
    def latest_snapshot(self) -> OffsetAndEpoch | None:
        """The newest snapshot."""

    @property
    def earliest_snapshot(self) -> OffsetAndEpoch | None:
        """The oldest one that is still there; may be older than the log's start, until somebody has deleted it."""

    def end_offset_for_epoch(self, epoch: int) -> OffsetAndEpoch:
        """The largest epoch up to this one that the log knows, and where it ends."""

    def append(self, section: Bytes, epoch: int) -> None:
        """Append batches that bear their offsets; none may be of an epoch above `epoch`. A `PeerError` if unfit."""

    def read(self, offset: int, max_bytes: int) -> Bytes:
        """Whole batches from this offset on, at least one if there is any."""

    def update_high_watermark(self, offset: int) -> None:
        """Everything below is committed."""

    def snapshot_size(self, snapshot_id: OffsetAndEpoch) -> int | None:
        """A snapshot's size in bytes; None if it is not there."""

    def read_snapshot(self, snapshot_id: OffsetAndEpoch, position: int, max_bytes: int) -> Bytes:
        """A piece of it."""


@dataclass(frozen=True, slots=True)
class Agrees:
    """The reader's log is a part of ours."""


@dataclass(frozen=True, slots=True)
class Diverges:
    """It is not: its last epoch ended here with us, so that it cuts its log and asks again."""

    end: OffsetAndEpoch


@dataclass(frozen=True, slots=True)
class NeedsSnapshot:
    """What it needs next is not in our log any more."""

    snapshot_id: OffsetAndEpoch


Agreement = Agrees | Diverges | NeedsSnapshot


def agreement(log: RaftLog, fetch_offset: int, last_fetched_epoch: int) -> Agreement:
    """How a reader that is at this offset, behind a record of this epoch, goes on."""
    latest, earliest = log.latest_snapshot, log.earliest_snapshot
    if latest is not None and latest != BOOTSTRAP_SNAPSHOT and earliest is not None:
        # An empty reader is given the snapshot even where the log still begins at 0: it is the shorter way.
        if fetch_offset == 0 or fetch_offset < log.start_offset:
            return NeedsSnapshot(latest)
        # A snapshot that was taken over puts the log's start behind the snapshots before it. What is left of those says
        # nothing about the log: believed, it sent readers that were there already the snapshot for ever.
        if earliest.offset >= log.start_offset:
            is_other = fetch_offset == log.start_offset > 0 and last_fetched_epoch != earliest.epoch
            if is_other or last_fetched_epoch < earliest.epoch:
                return NeedsSnapshot(latest)
    end = log.end_offset_for_epoch(last_fetched_epoch)
    if end.epoch != last_fetched_epoch or end.offset < fetch_offset:
        return Diverges(end)
    return Agrees()


def truncation_offset(log: RaftLog, diverging: OffsetAndEpoch) -> int:
    """Where to cut our log, if the leader's ends so in the epoch that it named."""
    own = log.end_offset_for_epoch(diverging.epoch)
    if diverging.epoch in (own.epoch, 0):
        return min(own.offset, diverging.offset, log.end_offset)
    return own.offset
