"""Clocks of the operating system, and timers of the running loop.

What is always true: a callback sees a clock that has reached its deadline. The loop's own timers do not promise that:
uvloop counts whole milliseconds from the loop's cached time, which may lag behind, so a timer that is early is armed
again. Deadlines are whole milliseconds and are met within about one when the loop is idle.
"""

import asyncio
import time
from collections.abc import Callable

MILLION = 1_000_000


class RealTimer:
    """A call that has been arranged for later."""

    __slots__ = ("_callback", "_deadline_ms", "_handle", "_loop")

    def __init__(self, loop: asyncio.AbstractEventLoop, deadline_ms: int, callback: Callable[[], None]) -> None:
        self._loop, self._deadline_ms, self._callback = loop, deadline_ms, callback
        self._arm()

    def _arm(self) -> None:
        wait_ms = self._deadline_ms - time.monotonic_ns() // MILLION
        self._handle = self._loop.call_later(max(wait_ms, 0) / 1_000, self._due)

    def _due(self) -> None:
        if time.monotonic_ns() // MILLION < self._deadline_ms:
            self._arm()
        else:
            self._callback()

    def cancel(self) -> None:
        """Call it off."""
        self._handle.cancel()


class RealClock:
    """The machine's monotonic and wall clocks."""

    __slots__ = ("_loop",)

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def monotonic_ms(self) -> int:
        """Milliseconds that only ever go forward."""
        return time.monotonic_ns() // MILLION

    def monotonic_ns(self) -> int:
        """The same in nanoseconds."""
        return time.monotonic_ns()

    def wall_ms(self) -> int:
        """Milliseconds since 1970."""
        return time.time_ns() // MILLION

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> RealTimer:
        """Run the callback on the loop when the monotonic clock has reached the deadline."""
        return RealTimer(self._loop, deadline_ms, callback)

    async def sleep(self, duration_ms: int) -> None:
        """Wait so long; 0 lets everything else that is ready run once."""
        if duration_ms <= 0:
            await asyncio.sleep(0)
            return
        waiter = self._loop.create_future()
        timer = RealTimer(self._loop, self.monotonic_ms() + duration_ms, lambda: _wake(waiter))
        try:
            await waiter
        finally:
            timer.cancel()


def _wake(waiter: "asyncio.Future[None]") -> None:
    if not waiter.done():
        waiter.set_result(None)
