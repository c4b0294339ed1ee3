"""Collections that can be taken back to an earlier offset: an undo journal, and what keeps one.

State is changed the moment a record is replayed, so that the next decision sees it; but an append may fail, and a
leader may lose its office before its records are committed. So each change notes what was there before, under the
offset of its record. Taking back is undoing the notes, newest first; what is committed is forgotten.

(Kafka keeps a version of every entry for every snapshot. A journal costs one note a change and nothing to read, and all
that it cannot do is read old versions, which nobody here needs: see `decision`.)

What is always true: state after `revert_to(offset)` equals the state after the last record at or below that offset; a
journal holds notes of uncommitted records only. Order is kept: a key that is removed and taken back is where it was
last, so nothing may depend on the order of a `TimelineDict` but for being the same in every run.
"""

from collections import deque
from collections.abc import Callable, Iterator, MutableMapping
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")

NOTHING_REPLAYED = -1


class Journal:
    """The notes of one state machine."""

    def __init__(self) -> None:
        self.offset = NOTHING_REPLAYED  # of the record that is being, or was last, replayed
        self.next_offset = 0  # that the first record of a decision will have: the runtime says it before each
        self._notes: deque[tuple[int, Callable[[], object]]] = deque()
        self._is_replaying = False

    def __len__(self) -> int:
        return len(self._notes)

    def begin(self, offset: int) -> None:
        """A record with this offset is replayed from now on."""
        assert offset > self.offset, f"offset {offset} is replayed after {self.offset}"
        self.offset = offset
        self._is_replaying = True

    def end(self) -> None:
        """It has been replayed: until the next one nothing may change."""
        self._is_replaying = False

    def note(self, undo: Callable[[], object]) -> None:
        """Remember how to take a change back."""
        assert self._is_replaying, "state changes by replay alone"
        self._notes.append((self.offset, undo))

    def revert_to(self, offset: int) -> None:
        """Take back what was done by records above this offset."""
        notes = self._notes
        while notes and notes[-1][0] > offset:
            notes.pop()[1]()
        self.offset = min(self.offset, offset)
        self._is_replaying = False

    def forget_through(self, offset: int) -> None:
        """Records up to this offset are committed and will never be taken back."""
        notes = self._notes
        while notes and notes[0][0] <= offset:
            notes.popleft()

    def open_at(self, offset: int) -> None:
        """Records of a snapshot are replayed from now on; the last one that it stands for has this offset."""
        self.offset = offset
        self._is_replaying = True

    def load_at(self, offset: int) -> None:
        """State is that of a snapshot, or of nothing, whose last record has this offset."""
        self._notes.clear()
        self.offset = offset
        self._is_replaying = False


class TimelineDict(MutableMapping[K, V]):
    """A dict with a journal. Its values must not change in place, unless they have the same journal themselves."""

    __slots__ = ("_entries", "_journal")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._entries: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        return self._entries[key]

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __setitem__(self, key: K, value: V) -> None:
        entries = self._entries
        if key in entries:
            before = entries[key]
            self._journal.note(lambda: entries.__setitem__(key, before))
        else:
            self._journal.note(lambda: entries.__delitem__(key))
        entries[key] = value

    def __delitem__(self, key: K) -> None:
        entries = self._entries
        before = entries[key]
        self._journal.note(lambda: entries.__setitem__(key, before))
        del entries[key]

    def __repr__(self) -> str:
        return f"TimelineDict({self._entries!r})"


class TimelineSet(Generic[K]):
    """A set with a journal, in the order of adding."""

    __slots__ = ("_members",)

    def __init__(self, journal: Journal) -> None:
        self._members: TimelineDict[K, None] = TimelineDict(journal)

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: K) -> None:
        """Have a member; twice is once."""
        if member not in self._members:
            self._members[member] = None

    def discard(self, member: K) -> None:
        """Not have a member."""
        if member in self._members:
            del self._members[member]


class TimelineValue(Generic[V]):
    """One value with a journal."""

    __slots__ = ("_journal", "_value")

    def __init__(self, journal: Journal, value: V) -> None:
        self._journal, self._value = journal, value

    def get(self) -> V:
        """The value."""
        return self._value

    def set(self, value: V) -> None:
        """Another value."""
        before = self._value
        if value != before:
            self._journal.note(lambda: self._restore(before))
            self._value = value

    def _restore(self, value: V) -> None:
        self._value = value
