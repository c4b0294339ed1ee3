"""Real clocks: the machine's, on loops whose timers are less exact than the clocks."""

import asyncio
import time
from collections.abc import Callable
from contextvars import Context
from typing import TypeVarTuple

from ottla.world.real.clock import RealClock
from ottla.world.real.rng import RealRandomness

Arguments = TypeVarTuple("Arguments")


class HastyLoop(asyncio.SelectorEventLoop):
    """A loop whose timers all come too early, by half of their time."""

    def call_later(
        self, delay: float, callback: Callable[[*Arguments], object], *args: *Arguments, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return super().call_later(delay / 2, callback, *args, context=context)


def test_the_clocks_are_the_machines() -> None:
    """The monotonic and the wall clock show what the operating system's do."""
    clock = RealClock(asyncio.new_event_loop())
    before_ms, before_ns = time.time_ns() // 1_000_000, time.monotonic_ns()
    assert before_ms <= clock.wall_ms() <= time.time_ns() // 1_000_000
    assert before_ns <= clock.monotonic_ns() <= time.monotonic_ns()
    assert before_ns // 1_000_000 <= clock.monotonic_ms() <= time.monotonic_ns() // 1_000_000
    clock._loop.close()


def test_a_timer_that_comes_early_is_armed_again() -> None:
    """A timer never runs before the clock shows its deadline, however early the loop's timers come; and may be
    cancelled after it was armed again.
    """

    async def main() -> None:
        loop = asyncio.get_running_loop()
        clock, ran = RealClock(loop), loop.create_future()
        deadline_ms = clock.monotonic_ms() + 20
        clock.call_at(deadline_ms, lambda: ran.set_result(clock.monotonic_ms()))
        cancelled = clock.call_at(deadline_ms - 1, lambda: ran.set_result(-1))
        clock.call_at(deadline_ms - 5, cancelled.cancel)
        assert await ran >= deadline_ms

    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        runner.run(main())


def test_the_users_seed_does_not_make_us_predictable() -> None:
    """Two worlds draw differently, and a program that seeds Python's own generator has no say."""
    import random  # noqa: PLC0415 -- what the test is about

    random.seed(1)
    first = RealRandomness()
    random.seed(1)
    second = RealRandomness()
    assert first.randbytes(16) != second.randbytes(16)
