"""Collections that can be taken back to an earlier offset: an undo journal, and what keeps one.

State is changed the moment a record is replayed, so that the next decision sees it; but an append may fail, and a
leader may lose its office before its records are committed. So each change notes what was there before, under the
offset of its record. Taking back is undoing the notes, newest first; what is committed is forgotten. A note is one
tuple, since a decision may leave a hundred thousand of them: with a function for each the garbage collector had more to
do than the decision.

(Kafka keeps a version of every entry for every snapshot. A journal costs one note a change and nothing to read, and all
that it cannot do is read old versions, which nobody here needs: see `decision`.)

What is always true: state after `revert_to(offset)` equals the state after the last record at or below that offset; a
journal holds notes of uncommitted records only. Order is kept: a key that is removed and taken back is where it was
last, so nothing may depend on the order of a `TimelineDict` but for being the same in every run.
"""

from collections import deque
from collections.abc import Iterator, MutableMapping
from typing import Any, Final, Generic, TypeVar, overload

K = TypeVar("K")
V = TypeVar("V")
D = TypeVar("D")

NOTHING_REPLAYED = -1
ABSENT: Final = object()  # what stood under a key where nothing did


class Journal:
    """The notes of one state machine."""

    def __init__(self) -> None:
        self.offset = NOTHING_REPLAYED  # of the record that is being, or was last, replayed
        self.next_offset = 0  # that the first record of a decision will have: the runtime says it before each
        self._notes: deque[tuple[int, dict[Any, Any], object, object]] = deque()
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

    def note(self, entries: dict[Any, Any], key: object, before: object) -> None:
        """Remember what stands in a dict under a key that is about to change."""
        assert self._is_replaying, "state changes by replay alone"
        self._notes.append((self.offset, entries, key, before))

    def revert_to(self, offset: int) -> None:
        """Take back what was done by records above this offset."""
        notes = self._notes
        while notes and notes[-1][0] > offset:
            _, entries, key, before = notes.pop()
            if before is ABSENT:
                del entries[key]
            else:
                entries[key] = before
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
        self._journal.note(entries, key, entries.get(key, ABSENT))
        entries[key] = value

    def __delitem__(self, key: K) -> None:
        entries = self._entries
        self._journal.note(entries, key, entries[key])
        del entries[key]

    @overload
    def get(self, key: K, /) -> V | None: ...
    @overload
    def get(self, key: K, /, default: V | D) -> V | D: ...
    def get(self, key: K, /, default: object = None) -> object:
        """The value, or the default: faster than what a mapping brings along."""
        return self._entries.get(key, default)

    def __repr__(self) -> str:
        return f"TimelineDict({self._entries!r})"


class TimelineSet(Generic[K]):
    """A set with a journal, in the order of adding."""

    __slots__ = ("_journal", "_members")

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._members: dict[K, None] = {}

    def __contains__(self, member: object) -> bool:
        return member in self._members

    def __iter__(self) -> Iterator[K]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def add(self, member: K) -> None:
        """Have a member; twice is once."""
        members = self._members
        if member not in members:
            self._journal.note(members, member, ABSENT)
            members[member] = None

    def discard(self, member: K) -> None:
        """Not have a member."""
        members = self._members
        if member in members:
            self._journal.note(members, member, None)
            del members[member]


class TimelineValue(Generic[V]):
    """One value with a journal."""

    __slots__ = ("_journal", "_place")

    def __init__(self, journal: Journal, value: V) -> None:
        self._journal = journal
        self._place: dict[None, V] = {None: value}

    def get(self) -> V:
        """The value."""
        return self._place[None]

    def set(self, value: V) -> None:
        """Another value."""
        before = self._place[None]
        if value != before:
            self._journal.note(self._place, None, before)
            self._place[None] = value
