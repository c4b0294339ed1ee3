"""Clocks of machines: each runs a little wrong, and its wall clock jumps.

A `MachineClock` belongs to a machine and survives its crashes, as a clock on a board does; it turns simulated time into
what that machine believes, and back again, in integers. A `SimulatedClock` is what a program on it is handed.

What is always true: a monotonic clock never goes back while a machine is up, and starts anywhere when it boots, so
that comparing those of two machines, or of one before and after a crash, is seen to be wrong. Timers follow it, so a
fast machine's come early. A jump moves the wall clock alone.
"""

import asyncio
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ottla.world.simulated.loop import NodeLoop

MILLION = 1_000_000
EPOCH_NS = 1_767_225_600 * 1_000_000_000  # a run begins at 2026-01-01T00:00:00Z
MAX_UPTIME_NS = 30 * 86_400 * 1_000_000_000


class MachineClock:
    """Simulated time as one machine counts it."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.drift_ppm = 0
        self._since_ns = 0  # simulated time at which the drift was set
        self._counted_ns = 0  # what the machine had counted then
        self._wall_offset_ns = EPOCH_NS
        self._monotonic_offset_ns = 0
        self.boot()

    def boot(self) -> None:
        """Start the monotonic clock anew, from some time or other."""
        self._monotonic_offset_ns = self._rng.randrange(MAX_UPTIME_NS)

    def drift(self, now_ns: int, ppm: int) -> None:
        """From now on count so many millionths too fast, or too slow if negative."""
        self._counted_ns, self._since_ns = self._count(now_ns), now_ns
        self.drift_ppm = ppm

    def jump(self, milliseconds: int) -> None:
        """Set the wall clock forward or back."""
        self._wall_offset_ns += milliseconds * MILLION

    def monotonic_ns(self, now_ns: int) -> int:
        """What the monotonic clock shows at a simulated time."""
        return self._count(now_ns) + self._monotonic_offset_ns

    def wall_ns(self, now_ns: int) -> int:
        """What the wall clock shows at a simulated time."""
        return self._count(now_ns) + self._wall_offset_ns

    def simulated_ns(self, monotonic_ns: int) -> int:
        """The first simulated time at which the monotonic clock shows at least this."""
        wanted = monotonic_ns - self._monotonic_offset_ns - self._counted_ns
        if self.drift_ppm:
            wanted = -(-wanted * MILLION // (MILLION + self.drift_ppm))
        return self._since_ns + wanted

    def _count(self, now_ns: int) -> int:
        elapsed_ns = now_ns - self._since_ns
        if self.drift_ppm:
            elapsed_ns = elapsed_ns * (MILLION + self.drift_ppm) // MILLION
        return self._counted_ns + elapsed_ns


class SimulatedClock:
    """A node's `Clock`."""

    __slots__ = ("_loop",)

    def __init__(self, loop: "NodeLoop") -> None:
        self._loop = loop

    def monotonic_ms(self) -> int:
        """Milliseconds that only ever go forward."""
        return self._loop.monotonic_ns() // MILLION

    def monotonic_ns(self) -> int:
        """The same in nanoseconds."""
        return self._loop.monotonic_ns()

    def wall_ms(self) -> int:
        """Milliseconds since 1970, as this machine believes."""
        return self._loop.wall_ns() // MILLION

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> asyncio.TimerHandle:
        """Run the callback when the monotonic clock shows the deadline."""
        return self._loop.call_at_ns(deadline_ms * MILLION, callback)

    async def sleep(self, duration_ms: int) -> None:
        """Wait so long on this machine's clock."""
        if duration_ms <= 0:
            await asyncio.sleep(0)
            return
        waiter = self._loop.create_future()
        timer = self._loop.call_at_ns(self._loop.monotonic_ns() + duration_ms * MILLION, _wake, waiter)
        try:
            await waiter
        finally:
            timer.cancel()


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
