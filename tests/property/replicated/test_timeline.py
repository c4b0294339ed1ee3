"""State that can be taken back, against copies of what it was."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.replicated.timeline import Journal, TimelineDict, TimelineSet, TimelineValue

KEYS = st.sampled_from("abcd")
CHANGES = st.one_of(
    st.tuples(st.just("put"), KEYS, st.integers(0, 3)),
    st.tuples(st.just("drop"), KEYS, st.just(0)),
    st.tuples(st.just("add"), KEYS, st.just(0)),
    st.tuples(st.just("discard"), KEYS, st.just(0)),
    st.tuples(st.just("set"), st.just(""), st.integers(0, 3)),
)


class State:
    """One of each kind, sharing a journal."""

    def __init__(self) -> None:
        self.journal = Journal()
        self.entries: TimelineDict[str, int] = TimelineDict(self.journal)
        self.members: TimelineSet[str] = TimelineSet(self.journal)
        self.value = TimelineValue(self.journal, 0)

    def apply(self, kind: str, key: str, number: int) -> None:
        """Make one change."""
        match kind:
            case "put":
                self.entries[key] = number
            case "drop":
                self.entries.pop(key, None)
            case "add":
                self.members.add(key)
            case "discard":
                self.members.discard(key)
            case _:
                self.value.set(number)

    def copy(self) -> tuple[Any, ...]:
        """What it is now."""
        return dict(self.entries), set(self.members), self.value.get()


@given(
    records=st.lists(st.lists(CHANGES, max_size=4), max_size=12),
    forget=st.integers(0, 12),
    revert=st.integers(0, 12),
)
def test_reverting_gives_the_state_of_an_earlier_offset(
    records: list[list[tuple[str, str, int]]], forget: int, revert: int
) -> None:
    """After reverting to an offset that is not forgotten, state is what it was behind that record, and goes on."""
    state = State()
    copies = [state.copy()]
    for offset, changes in enumerate(records):
        state.journal.begin(offset)
        for change in changes:
            state.apply(*change)
        state.journal.end()
        copies.append(state.copy())
    forget, revert = min(forget, len(records)), min(revert, len(records))
    state.journal.forget_through(forget - 1)
    revert = max(forget, revert)
    state.journal.revert_to(revert - 1)
    assert state.copy() == copies[revert]
    for offset, changes in enumerate(records[revert:], revert):
        state.journal.begin(offset)
        for change in changes:
            state.apply(*change)
        state.journal.end()
    assert state.copy() == copies[-1]
    state.journal.forget_through(len(records))
    assert len(state.journal) == 0


def test_nothing_changes_outside_of_a_replay() -> None:
    """A change that no record made is our fault, and told at once."""
    state = State()
    with pytest.raises(AssertionError, match="by replay alone"):
        state.entries["a"] = 1
    state.journal.begin(0)
    state.entries["a"] = 1
    state.journal.end()
    for change in (("put", "a", 2), ("drop", "a", 0), ("add", "b", 0), ("set", "", 2)):
        with pytest.raises(AssertionError, match="by replay alone"):
            state.apply(*change)
    assert state.copy() == ({"a": 1}, set(), 0)


def test_setting_what_is_there_leaves_no_note() -> None:
    """A value that stays the same, and a member that is there, need not be taken back."""
    state = State()
    state.journal.begin(0)
    state.value.set(0)
    state.members.discard("a")
    assert len(state.journal) == 0


def test_offsets_only_go_on() -> None:
    """A record is replayed once."""
    journal = Journal()
    journal.begin(5)
    journal.end()
    with pytest.raises(AssertionError, match="offset 5 is replayed after 5"):
        journal.begin(5)
