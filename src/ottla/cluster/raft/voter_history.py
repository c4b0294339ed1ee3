"""Voter sets and kraft.versions by the offset of the record that said them.

The newest set counts, committed or not (KIP-853): as with every change of a quorum by one, that is what makes two
majorities meet. When the log is cut, what was said behind the cut is void; when a snapshot takes the place of the log's
beginning, the last that was said before it stays.

Always true: offsets grow; without any record of the log the static voters count, in kraft.version 0. What the bootstrap
snapshot says has offset -1: it is in no log yet, and the first leader writes it there.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

from ottla.cluster.raft.control import KRaftVersionAt, VotersAt
from ottla.cluster.raft.voters import VoterSet

BOOTSTRAP_OFFSET: Final = -1
T = TypeVar("T")


class _History(Generic[T]):
    """Values, each in force from its offset on."""

    __slots__ = ("initial", "offsets", "values")

    def __init__(self, initial: T) -> None:
        self.initial = initial
        self.offsets: list[int] = []
        self.values: list[T] = []

    def add(self, offset: int, value: T) -> None:
        assert not self.offsets or offset > self.offsets[-1], f"{offset} after {self.offsets[-1]}"
        self.offsets.append(offset)
        self.values.append(value)

    @property
    def last(self) -> T:
        return self.values[-1] if self.values else self.initial

    def truncate(self, end_offset: int) -> None:
        kept = bisect_left(self.offsets, end_offset)
        del self.offsets[kept:], self.values[kept:]

    def trim(self, start_offset: int) -> None:
        gone = bisect_right(self.offsets, start_offset) - 1
        if gone > 0:
            del self.offsets[:gone], self.values[:gone]

    def at(self, offset: int) -> T:
        """What is in force for a record at this offset."""
        found = bisect_right(self.offsets, offset)
        return self.values[found - 1] if found else self.initial

    def clear(self) -> None:
        self.offsets.clear()
        self.values.clear()


class VoterHistory:
    """Who voted when."""

    __slots__ = ("_versions", "_voters")

    def __init__(self, static: VoterSet) -> None:
        self._voters: _History[VoterSet] = _History(static)
        self._versions: _History[int] = _History(0)

    @property
    def voters(self) -> VoterSet:
        """Who votes."""
        return self._voters.last

    @property
    def voters_offset(self) -> int | None:
        """Where the log says so; -1 for the bootstrap snapshot, None for the configuration."""
        return self._voters.offsets[-1] if self._voters.offsets else None

    @property
    def kraft_version(self) -> int:
        """The kraft.version in force."""
        return self._versions.last

    def voters_at(self, offset: int) -> VoterSet:
        """Who voted as of an offset: what a snapshot that ends behind it must say."""
        return self._voters.at(offset)

    def kraft_version_at(self, offset: int) -> int:
        """The kraft.version as of an offset."""
        return self._versions.at(offset)

    def add(self, changes: Iterable[VotersAt | KRaftVersionAt]) -> bool:
        """What was appended says this. True if anything was said."""
        changed = False
        for change in changes:
            changed = True
            if isinstance(change, VotersAt):
                self._voters.add(change.offset, change.voters)
            else:
                self._versions.add(change.offset, change.version)
        return changed

    def load(self, changes: Iterable[VotersAt | KRaftVersionAt], offset: int) -> None:
        """Begin anew with what a snapshot says, as of the last offset that it holds."""
        self._voters.clear()
        self._versions.clear()
        for change in changes:
            if isinstance(change, VotersAt):
                self._voters.clear()
                self._voters.add(offset, change.voters)
            else:
                self._versions.clear()
                self._versions.add(offset, change.version)

    def truncate(self, end_offset: int) -> None:
        """The log is cut here."""
        self._voters.truncate(end_offset)
        self._versions.truncate(end_offset)

    def trim(self, start_offset: int) -> None:
        """The log begins here: what is in force there stays, and what was before it goes."""
        self._voters.trim(start_offset)
        self._versions.trim(start_offset)
