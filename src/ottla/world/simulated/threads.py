"""A node's pool of threads, without threads: each call is made on the node's loop, some drawn time later.

What a call costs (a slow sync) keeps one of the pool's threads busy and nobody else. Its effect is there when it
begins, and who waits is told when it ends; a node that dies in between has done it, and has told nobody.

What is always true: calls begin in the order in which they were handed in, no more at a time than there are threads;
who waits goes on in the order in which they end.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from random import Random
from typing import Any, TypeVar

from ottla.world.simulated.loop import NodeDied, NodeLoop

T = TypeVar("T")

THREADS = 8  # until somebody resizes the pool
MAX_HANDOVER_NS = 200_000  # what it may take until a thread has a call, and until the loop has its outcome


class SimulatedThreads:
    """A life's `Threads`."""

    def __init__(self, loop: NodeLoop, rng: Random) -> None:
        self._loop, self._rng = loop, rng
        self._count, self._busy = THREADS, 0
        self._queue: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._last_begin_ns = 0

    async def run(self, call: Callable[..., T], *arguments: Any) -> T:
        """The call's value, or its exception."""
        outcome: asyncio.Future[T] = self._loop.create_future()
        self._queue.append((lambda: call(*arguments), outcome))
        self._begin()
        return await outcome

    def resize(self, count: int) -> None:
        """So many threads from now on."""
        assert count > 0, "a pool without threads does nothing"
        self._count = count
        self._begin()

    def _begin(self) -> None:
        """Give waiting calls to idle threads."""
        while self._queue and self._busy < self._count:
            self._busy += 1
            now_ns = self._loop.monotonic_ns()
            self._last_begin_ns = max(self._last_begin_ns + 1, now_ns + self._rng.randrange(MAX_HANDOVER_NS))
            self._loop.call_at_ns(self._last_begin_ns, self._make, *self._queue.popleft())

    def _make(self, call: Callable[[], Any], outcome: "asyncio.Future[Any]") -> None:
        value: Any = None
        error: BaseException | None = None

        def guarded() -> None:
            nonlocal value, error
            try:
                value = call()
            except (NodeDied, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as raised:
                error = raised

        _, cost_ns = self._loop.elsewhere(guarded)
        end_ns = self._loop.monotonic_ns() + cost_ns + self._rng.randrange(MAX_HANDOVER_NS)
        self._loop.call_at_ns(end_ns, self._ended, outcome, value, error)

    def _ended(self, outcome: "asyncio.Future[Any]", value: Any, error: BaseException | None) -> None:
        self._busy -= 1
        if not outcome.done():
            if error is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(value)
        self._begin()
