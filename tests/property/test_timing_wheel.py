"""A timing wheel agrees with a sorted list, whatever is added, cancelled and however time moves."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.timing_wheel import Entry, TimingWheel


@dataclass
class SortedList:
    """What a timing wheel stands for, in the plainest way."""

    tick_ms: int
    now_ms: int
    pending: list[tuple[int, int]] = field(default_factory=list)  # (deadline, item)

    def advance(self, now_ms: int) -> list[int]:
        """What is due, by deadline."""
        self.now_ms = max(self.now_ms, now_ms)
        due = sorted(pair for pair in self.pending if self.tick_of(pair[0]) <= self.now_ms)
        self.pending = [pair for pair in self.pending if pair not in due]
        return [item for _, item in due]

    def tick_of(self, deadline_ms: int) -> int:
        """When the tick of a deadline begins."""
        return deadline_ms - deadline_ms % self.tick_ms


SHAPES = st.tuples(st.sampled_from([1, 2, 7, 20, 1_000]), st.sampled_from([2, 3, 20, 64]))
DELAYS = st.one_of(st.integers(-3, 30), st.integers(0, 10_000), st.integers(0, 10**9))
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), DELAYS),
        st.tuples(st.just("cancel"), st.integers(0, 60)),
        st.tuples(st.just("advance"), DELAYS),
        st.tuples(st.just("deadline"), st.just(0)),
    ),
    max_size=60,
)


@given(SHAPES, st.integers(0, 10**6), STEPS)
def test_agrees_with_a_sorted_list(shape: tuple[int, int], start_ms: int, steps: list[tuple[str, int]]) -> None:
    """Each item comes out in the advance that reaches its tick, once, by deadline; a cancelled one never."""
    tick_ms, size = shape
    wheel: TimingWheel[int] = TimingWheel(start_ms, tick_ms=tick_ms, wheel_size=size)
    model = SortedList(tick_ms, start_ms)
    entries: list[Entry[int]] = []
    for step, number in steps:
        if step == "add":
            entries.append(wheel.add(model.now_ms + number, len(entries)))
            model.pending.append((model.now_ms + number, len(entries) - 1))
        elif step == "cancel" and number < len(entries):
            entry = entries[number]
            pair = (entry.deadline_ms, entry.item)
            assert wheel.cancel(entry) == (pair in model.pending)
            model.pending = [other for other in model.pending if other != pair]
        elif step == "advance":
            due = wheel.advance(model.now_ms + number)
            expected = model.advance(model.now_ms + number)
            # Equal deadlines may come in another order than they were added in.
            assert sorted(due) == sorted(expected)
            assert [entries[item].deadline_ms for item in due] == [entries[item].deadline_ms for item in expected]
        wheel.check()
        assert len(wheel) == len(model.pending)
        assert (wheel.deadline() is None) == (not model.pending)


@given(SHAPES, st.lists(DELAYS, max_size=30))
def test_from_deadline_to_deadline(shape: tuple[int, int], delays: list[int]) -> None:
    """A shell that calls at `deadline` alone hands out everything in the very tick it is due in, in few calls."""
    tick_ms, size = shape
    wheel: TimingWheel[int] = TimingWheel(tick_ms=tick_ms, wheel_size=size)
    for delay_ms in delays:
        wheel.add(delay_ms, delay_ms)
    calls = 0
    handed_out = []
    while (now_ms := wheel.deadline()) is not None:
        due = wheel.advance(now_ms)
        assert all(max(0, item - item % tick_ms) == now_ms for item in due)
        handed_out += due
        calls += 1
        wheel.check()
    assert handed_out == sorted(delays)
    assert calls <= len(delays) * len(wheel._wheels) + 1


@pytest.mark.parametrize("shape", [(0, 20), (-1, 20), (1, 1), (1, 0)])
def test_impossible_shapes(shape: tuple[int, int]) -> None:
    """A wheel without a tick, or with fewer than two buckets, cannot be made."""
    with pytest.raises(AssertionError):
        TimingWheel(tick_ms=shape[0], wheel_size=shape[1])
