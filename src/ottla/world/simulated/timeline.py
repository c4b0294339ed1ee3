"""Virtual time: what will happen, and when.

One heap of calls for a whole run. What is due at the same nanosecond happens in an order that the seed draws, because
two machines agree on no order either. Nobody waits: the time of the next call is simply now.

What is always true: time never goes back, and a call is made exactly once.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from random import Random
from typing import Any

NEVER = 1 << 62  # a time that does not come: 146 years after the start


class Timeline:
    """The calls that wait for their time."""

    __slots__ = ("_count", "_draw", "heap", "now_ns")

    def __init__(self, rng: Random) -> None:
        self.now_ns = 0
        # (time, drawn order, number, call, argument): the number keeps the heap from ever comparing calls. Loops look
        # at the first time themselves, once a callback, which is why the heap is no secret.
        self.heap: list[tuple[int, float, int, Callable[[Any], object], Any]] = []
        self._draw = rng.random
        self._count = 0

    @property
    def count(self) -> int:
        """How many calls were ever arranged."""
        return self._count

    def at(self, time_ns: int, call: Callable[[Any], object], argument: Any = None) -> None:
        """Arrange `call(argument)` for a time that is not yet over."""
        assert time_ns >= self.now_ns, f"{time_ns} ns is over: it is {self.now_ns} ns"
        self._count += 1
        heappush(self.heap, (time_ns, self._draw(), self._count, call, argument))

    def step(self) -> None:
        """Make the next call; there must be one."""
        time_ns, _, _, call, argument = heappop(self.heap)
        self.now_ns = time_ns
        call(argument)
