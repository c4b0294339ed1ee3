"""Clocks of simulated machines."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.world.simulated.clock import EPOCH_NS, MILLION, MachineClock

SECOND_NS = 1_000_000_000


def test_a_clock_runs_as_time_does() -> None:
    """Without drift a machine counts every nanosecond, and its wall clock begins in 2026."""
    clock = MachineClock(Random(1))
    start_ns = clock.monotonic_ns(0)
    assert clock.monotonic_ns(SECOND_NS + 1) - start_ns == SECOND_NS + 1
    assert clock.wall_ns(5) == EPOCH_NS + 5


def test_monotonic_clocks_start_anywhere() -> None:
    """Monotonic clocks of two machines, or of one before and after it booted, have nothing to do with each other."""
    clock, other = MachineClock(Random(1)), MachineClock(Random(2))
    before = clock.monotonic_ns(0)
    assert before != other.monotonic_ns(0)
    clock.boot()
    assert clock.monotonic_ns(0) != before


def test_a_jump_moves_the_wall_clock_alone() -> None:
    """Setting the clock changes what time it is, not how much time has passed."""
    clock = MachineClock(Random(1))
    before = clock.monotonic_ns(7)
    clock.jump(-3_000)
    assert clock.wall_ns(7) == EPOCH_NS + 7 - 3_000 * MILLION
    assert clock.monotonic_ns(7) == before


@pytest.mark.parametrize("ppm", [500, -500])
def test_a_drifting_clock_gains_or_loses(ppm: int) -> None:
    """500 ppm are half a millisecond a second, on both clocks, from the time at which the drift began."""
    clock = MachineClock(Random(1))
    start_ns = clock.monotonic_ns(0)
    clock.drift(10 * SECOND_NS, ppm)
    assert clock.monotonic_ns(10 * SECOND_NS) - start_ns == 10 * SECOND_NS
    assert clock.monotonic_ns(12 * SECOND_NS) - start_ns == 12 * SECOND_NS + 2 * ppm * 1_000
    assert clock.wall_ns(12 * SECOND_NS) == EPOCH_NS + 12 * SECOND_NS + 2 * ppm * 1_000


@given(st.lists(st.tuples(st.integers(0, 10**13), st.integers(-100_000, 100_000)), max_size=4), st.integers(1, 10**13))
def test_a_timer_is_due_when_the_clock_shows_it_and_not_before(drifts: list[tuple[int, int]], duration_ns: int) -> None:
    """The simulated time of a deadline is the first one at which the monotonic clock has reached it."""
    clock = MachineClock(Random(1))
    now_ns = 0
    for elapsed_ns, ppm in drifts:
        before = clock.monotonic_ns(now_ns + elapsed_ns)
        now_ns += elapsed_ns
        clock.drift(now_ns, ppm)
        assert clock.monotonic_ns(now_ns) == before
    deadline = clock.monotonic_ns(now_ns) + duration_ns
    due_ns = clock.simulated_ns(deadline)
    assert clock.monotonic_ns(due_ns) >= deadline > clock.monotonic_ns(due_ns - 1)
