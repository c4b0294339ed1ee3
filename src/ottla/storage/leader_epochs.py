"""Leader epochs of a log: at which offset each leader's records begin (KIP-101, KIP-279, KIP-320).

A follower that comes back asks the leader where the epoch that it knows last ended, and cuts its log there: nothing
that both have is lost, and nothing that only one of them has is kept. Consumers ask the same to notice that their
position was cut. An epoch ends where the next one begins, the last one at the log's end.

Always true: epochs and their start offsets both grow strictly, so both are found by bisection. Whatever stands in the
way of a new entry goes: a leader's word is newer than what is on disk.

The text form is `leader-epoch-checkpoint`: version, count, and `<epoch> <start offset>` a line. Nothing is written in
here: what changes the entries answers True, and its caller writes the file before anything relies on them.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, NamedTuple, Self

from ottla.storage.directories.checkpoints import parse_lines, parse_number, render_lines
from ottla.storage.names import MAX_OFFSET

FILE_NAME: Final = "leader-epoch-checkpoint"
MAX_EPOCH: Final = 2**31 - 1

UNDEFINED_EPOCH: Final = -1
UNDEFINED_EPOCH_OFFSET: Final = -1


class EpochEntry(NamedTuple):
    """An epoch and an offset: where it begins, or, in an answer, where it ends."""

    epoch: int
    offset: int


UNDEFINED: Final = EpochEntry(UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)


class LeaderEpochs:
    """The epochs of one log."""

    __slots__ = ("_epochs", "_start_offsets")

    def __init__(self, entries: Iterable[EpochEntry] = ()) -> None:
        self._epochs: list[int] = []
        self._start_offsets: list[int] = []
        for epoch, start_offset in entries:
            self.assign(epoch, start_offset)

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> Self:
        """What a checkpoint's content says; the path is for the error."""
        return cls(
            EpochEntry(parse_number(path, epoch, MAX_EPOCH), parse_number(path, offset, MAX_OFFSET))
            for epoch, offset in parse_lines(path, data, words_per_line=2)
        )

    def to_bytes(self) -> bytes:
        """The checkpoint's content."""
        return render_lines(f"{epoch} {offset}" for epoch, offset in self.entries())

    def __len__(self) -> int:
        return len(self._epochs)

    def entries(self) -> list[EpochEntry]:
        """Each epoch and its start offset, in order."""
        return list(map(EpochEntry, self._epochs, self._start_offsets))

    @property
    def latest_epoch(self) -> int | None:
        """The epoch of the last record; None if no epoch is known."""
        return self._epochs[-1] if self._epochs else None

    def assign(self, epoch: int, start_offset: int) -> bool:
        """The first record of an epoch is at this offset. True if that is news; a batch of the latest epoch is none."""
        assert epoch >= 0
        assert start_offset >= 0
        epochs, start_offsets = self._epochs, self._start_offsets
        if epochs and epoch == epochs[-1] and start_offset >= start_offsets[-1]:
            return False
        while epochs and (epochs[-1] >= epoch or start_offsets[-1] >= start_offset):
            epochs.pop()
            start_offsets.pop()
        epochs.append(epoch)
        start_offsets.append(start_offset)
        return True

    def start_offset_of(self, epoch: int) -> int | None:
        """Where an epoch begins; None if the log has nothing of it."""
        index = bisect_left(self._epochs, epoch)
        found = index < len(self._epochs) and self._epochs[index] == epoch
        return self._start_offsets[index] if found else None

    def end_offset_for(self, epoch: int, log_end_offset: int) -> EpochEntry:
        """The largest epoch up to the one that is asked for, and where it ends.

        An epoch from before the first that is known ends where that one begins, since older records are gone; so the
        asker goes on from there. One that nobody here has heard of, or no epoch at all, has the answer `UNDEFINED`.
        """
        epochs = self._epochs
        if epoch == UNDEFINED_EPOCH or not epochs or epoch > epochs[-1]:
            return UNDEFINED
        if epoch == epochs[-1]:
            return EpochEntry(epoch, log_end_offset)
        following = bisect_right(epochs, epoch)
        known = epochs[following - 1] if following else epoch
        return EpochEntry(known, self._start_offsets[following])

    def epoch_for_offset(self, offset: int) -> int | None:
        """The epoch that the record at an offset was written in; None for one from before the first epoch."""
        index = bisect_right(self._start_offsets, offset)
        return self._epochs[index - 1] if index else None

    def truncate_from_end(self, end_offset: int) -> bool:
        """The log ends here now: epochs without a record left go. True if any went."""
        kept = bisect_left(self._start_offsets, end_offset)
        changed = kept < len(self._epochs)
        del self._epochs[kept:], self._start_offsets[kept:]
        return changed

    def truncate_from_start(self, start_offset: int) -> bool:
        """The log begins here now: so does the epoch of that offset, and older ones go. True if anything changed."""
        gone = bisect_right(self._start_offsets, start_offset) - 1
        if gone < 0 or (gone == 0 and self._start_offsets[0] == start_offset):
            return False
        del self._epochs[:gone], self._start_offsets[:gone]
        self._start_offsets[0] = start_offset
        return True

    def clear(self) -> bool:
        """Forget all. True if there was any."""
        changed = bool(self._epochs)
        self._epochs.clear()
        self._start_offsets.clear()
        return changed

    def __repr__(self) -> str:
        """What a log line needs."""
        return f"LeaderEpochs({', '.join(f'{epoch} from {offset}' for epoch, offset in self.entries())})"
