"""Timing wheels: where entries wait, when they are handed out, and that empty ticks cost nothing.

The examples with Kafka's name in their docstring were run on Apache Kafka 4.3's `TimingWheel`.
"""

import gc
import weakref

import pytest

from ottla.timing_wheel import Entry, Place, TimingWheel


def run_to_the_end(wheel: TimingWheel[str]) -> list[tuple[int, list[str]]]:
    """Advance as a shell does, from deadline to deadline: the times, and what was due at them."""
    advances = []
    while (deadline_ms := wheel.deadline()) is not None:
        advances.append((deadline_ms, wheel.advance(deadline_ms)))
        wheel.check()
    return advances


def test_slots_of_the_first_wheel() -> None:
    """In 20 ticks of 1 ms, a task of 2 ms at 0 waits in slot 2, and one of 8 ms at 2 in slot 10."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=1, wheel_size=20)
    first = wheel.add(2, "first")
    assert wheel.where(first) == Place(level=1, slot=2, bucket_ms=2)
    assert wheel.advance(2) == ["first"]
    second = wheel.add(2 + 8, "second")
    assert wheel.where(second) == Place(level=1, slot=10, bucket_ms=10)


@pytest.mark.parametrize(
    ("deadline_ms", "place"),
    [
        (2, Place(1, 2, 2)),
        (19, Place(1, 19, 19)),
        (20, Place(2, 1, 20)),
        (350, Place(2, 17, 340)),
        (399, Place(2, 19, 380)),
        (400, Place(3, 1, 400)),
        (446, Place(3, 1, 400)),
        (450, Place(3, 1, 400)),
        (455, Place(3, 1, 400)),
        (473, Place(3, 1, 400)),
        (799, Place(3, 1, 400)),
        (800, Place(3, 2, 800)),
        (7_999, Place(3, 19, 7_600)),
        (8_000, Place(4, 1, 8_000)),
    ],
)
def test_levels_reach_twenty_times_as_far_each(deadline_ms: int, place: Place) -> None:
    """Three levels of 20 reach 20, 400 and 8000 ms; level, slot and bucket of each deadline are Kafka's."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=1, wheel_size=20)
    assert wheel.where(wheel.add(deadline_ms, "task")) == place
    wheel.check()


@pytest.mark.parametrize("deadline_ms", [0, -1, -(10**9)])
def test_due_at_once(deadline_ms: int) -> None:
    """What is due already waits in no wheel, asks for a call at once, and is handed out by it."""
    wheel: TimingWheel[str] = TimingWheel()
    entry = wheel.add(deadline_ms, "late")
    assert wheel.where(entry) is None
    assert len(wheel) == 1
    assert wheel.deadline() == 0
    assert wheel.advance(0) == ["late"]
    assert not entry.is_pending
    assert wheel.deadline() is None


def test_an_entry_moves_down_the_levels() -> None:
    """450 ms: at 400 it moves to level 2, into bucket 440; at 440 to level 1, into bucket 450; at 450 it is due."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=1, wheel_size=20)
    entry = wheel.add(450, "task")
    assert wheel.advance(400) == []
    assert wheel.where(entry) == Place(level=2, slot=2, bucket_ms=440)
    assert wheel.advance(440) == []
    assert wheel.where(entry) == Place(level=1, slot=10, bucket_ms=450)
    assert wheel.advance(449) == []
    assert wheel.advance(450) == ["task"]


def test_a_clock_of_wheels() -> None:
    """With seconds, minutes and hours as wheels, 11:59:59 waits in slot 11 of the hours."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=1_000, wheel_size=60)
    entry = wheel.add(((11 * 60 + 59) * 60 + 59) * 1_000, "noon is near")
    assert wheel.where(entry) == Place(level=3, slot=11, bucket_ms=11 * 3_600_000)
    at = [time_ms // 1_000 for time_ms, _ in run_to_the_end(wheel)]
    assert at == [11 * 3_600, (11 * 60 + 59) * 60, (11 * 60 + 59) * 60 + 59]


def test_empty_ticks_cost_nothing() -> None:
    """Buckets at 200 and 840 are two advances, not 840."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=20, wheel_size=50)
    wheel.add(200, "a")
    wheel.add(840, "b")
    assert run_to_the_end(wheel) == [(200, ["a"]), (840, ["b"])]


def test_moving_down_costs_one_advance_a_level() -> None:
    """In wheels of 20 ms and 400 ms, 840 ms is in bucket 800 first: one advance to move down, one to be due."""
    wheel: TimingWheel[str] = TimingWheel(tick_ms=1, wheel_size=20)
    wheel.add(200, "a")
    wheel.add(840, "b")
    assert run_to_the_end(wheel) == [(200, ["a"]), (800, []), (840, ["b"])]


def test_wheels_are_made_when_they_are_needed() -> None:
    """A deadline in a year makes the wheels up to it, and is exact to the millisecond."""
    year_ms = 365 * 86_400_000
    wheel: TimingWheel[str] = TimingWheel(now_ms=123, wheel_size=20)
    entry = wheel.add(123 + year_ms, "birthday")
    place = wheel.where(entry)
    assert place is not None
    assert place.level == 9
    assert wheel.advance(122 + year_ms) == []
    assert wheel.advance(123 + year_ms) == ["birthday"]


def test_a_jump_hands_out_by_deadline() -> None:
    """However far time jumps, what is due comes out by deadline, and of equal ones the first added first."""
    wheel: TimingWheel[str] = TimingWheel(wheel_size=20)
    for name, deadline_ms in [("d", 473), ("e", 8_500), ("c", 446), ("a", 3), ("b", 410), ("d2", 473)]:
        wheel.add(deadline_ms, name)
    assert wheel.advance(8_499) == ["a", "b", "c", "d", "d2"]
    assert wheel.advance(10**12) == ["e"]
    wheel.check()


def test_time_that_stands_or_goes_back_changes_nothing() -> None:
    """A time that has passed already hands out what is due at once, and nothing else."""
    wheel: TimingWheel[str] = TimingWheel(now_ms=1_000)
    wheel.add(1_001, "later")
    wheel.add(999, "late")
    assert wheel.advance(500) == ["late"]
    assert wheel.advance(1_000) == []
    assert wheel.advance(1_001) == ["later"]


def test_a_tick_is_the_resolution() -> None:
    """With ticks of 10 ms, what lies within a tick is due when it begins."""
    wheel: TimingWheel[str] = TimingWheel(now_ms=7, tick_ms=10, wheel_size=4)
    wheel.add(25, "b")
    wheel.add(21, "a")
    wheel.add(30, "c")
    wheel.add(9, "at once")
    assert wheel.advance(19) == ["at once"]
    assert wheel.advance(20) == ["a", "b"]
    assert wheel.advance(29) == []
    assert wheel.advance(30) == ["c"]


@pytest.mark.parametrize("deadline_ms", [0, 5, 5_000])
def test_what_is_cancelled_is_never_handed_out(deadline_ms: int) -> None:
    """Cancelling says whether the timer was pending, once; what was cancelled never comes and asks for no call."""
    wheel: TimingWheel[str] = TimingWheel()
    before, entry, after = (wheel.add(deadline_ms, name) for name in ("before", "entry", "after"))
    assert len(wheel) == 3
    assert wheel.cancel(entry)
    assert not wheel.cancel(entry)
    assert not entry.is_pending
    assert wheel.where(entry) is None
    wheel.check()
    assert wheel.advance(10_000) == ["before", "after"]
    assert not wheel.cancel(before)
    assert not after.is_pending
    assert len(wheel) == 0


def test_an_emptied_bucket_asks_for_no_call() -> None:
    """When all of a bucket is cancelled, the deadline is that of the next one, and the bucket can be used again."""
    wheel: TimingWheel[str] = TimingWheel()
    soon = wheel.add(5, "soon")
    wheel.add(9, "then")
    wheel.cancel(soon)
    assert wheel.deadline() == 9
    wheel.check()
    wheel.add(5, "again")
    assert wheel.deadline() == 5
    assert run_to_the_end(wheel) == [(5, ["again"]), (9, ["then"])]


def test_a_cancelled_item_is_freed_at_once() -> None:
    """A cancelled or fired timer leaves nothing in the wheel that would keep it alive, and needs no collector."""

    class Held:
        pass

    gc.disable()
    try:
        wheel: TimingWheel[Held] = TimingWheel()
        references = []
        entries: list[Entry[Held]] = []
        for deadline_ms in (5, 5, 6):
            held = Held()
            references.append(weakref.ref(held))
            entries.append(wheel.add(deadline_ms, held))
            del held
        wheel.cancel(entries[1])
        wheel.advance(5)
        entries.clear()
        assert [reference() is not None for reference in references] == [False, False, True]
    finally:
        gc.enable()


def test_check_sees_what_is_broken() -> None:
    """`check` fails when an entry's deadline is changed behind the wheel's back, and when one is lost."""
    wheel: TimingWheel[str] = TimingWheel()
    entry = wheel.add(5, "task")
    entry.deadline_ms = 7
    with pytest.raises(AssertionError):
        wheel.check()
    entry.deadline_ms = 5
    wheel.check()
    wheel._queue.clear()
    with pytest.raises(AssertionError):
        wheel.check()
