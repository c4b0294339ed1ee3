"""A pool of threads for calls that release the GIL, resized while it works.

The idea: calls stand in one line under one lock; a thread takes the first, makes it, and hands its outcome to the loop.
Threads begin when a call finds none idle, and stay until the pool shrinks or closes. (The executors of
`concurrent.futures` cannot shrink.)

What is always true:
- Calls begin in the order in which they were handed in; waiters go on in the order in which the calls end.
- Every call that was handed in is made, whether somebody still waits for it or not, and before `close` returns.
- Each thread is joined by the loop when it has ended.

The line has no bound of its own: it is as long as there are those who wait, and these are bounded where they come from.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

DEFAULT_COUNT = 8  # as `num.io.threads`


@dataclass(slots=True)
class _Call:
    """A call in the line."""

    call: Callable[..., Any]
    arguments: tuple[Any, ...]
    waiter: "asyncio.Future[Any] | None"


def _outcome(call: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Any, BaseException | None]:
    """Make a call. A function of its own, so that the frame which an exception keeps knows no waiter and no cycle."""
    try:
        return call(*arguments), None
    except StopIteration as error:
        # A future refuses it, since whoever waits would end by it as by a return.
        wrapped = RuntimeError("a call in a thread raised StopIteration")
        wrapped.__cause__ = error
        return None, wrapped
    except BaseException as error:  # whatever it is, the waiter is told
        return None, error


def _settle(waiter: "asyncio.Future[Any]", value: Any, failure: BaseException | None) -> None:
    """Let the waiter go on, unless it was cancelled meanwhile."""
    if waiter.done():
        return
    if failure is None:
        waiter.set_result(value)
    else:
        waiter.set_exception(failure)


class RealThreads:
    """A bounded pool of threads. All but `_work` runs on the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, count: int = DEFAULT_COUNT) -> None:
        assert count >= 1
        self._loop = loop
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._count = count  # how many there may be
        self._alive = 0  # how many there are, without those that are about to end
        self._idle = 0  # how many of them wait for a call
        self._calls: deque[_Call] = deque()
        self._threads: dict[threading.Thread, None] = {}  # begun and not yet joined
        self._closing = False
        self._all_ended = asyncio.Event()

    async def run(self, call: Callable[..., T], *arguments: Any) -> T:
        """The call's value, or its exception."""
        waiter: asyncio.Future[T] = self._loop.create_future()
        self._hand_in(_Call(call, arguments, waiter))
        try:
            return await waiter
        finally:
            del waiter  # It keeps an exception, which keeps this frame.

    def make(self, call: Callable[..., Any], *arguments: Any) -> None:
        """Have a call made that nobody waits for; what it raises is lost."""
        self._hand_in(_Call(call, arguments, None))

    def resize(self, count: int) -> None:
        """So many threads from now on."""
        assert count >= 1
        with self._lock:
            self._count = count
            self._changed.notify_all()
            self._begin_threads()

    async def close(self) -> None:
        """Make all calls that are in the line, then end the threads. Nothing may be handed in any more."""
        with self._lock:
            self._closing = True
            self._changed.notify_all()
        if self._threads:
            await self._all_ended.wait()

    def _hand_in(self, call: _Call) -> None:
        with self._lock:
            assert not self._closing, "the pool is closed"
            self._calls.append(call)
            self._begin_threads()
            self._changed.notify()

    def _begin_threads(self) -> None:
        """Begin as many threads as there are calls that no idle one will take, and as there may be."""
        for _ in range(min(len(self._calls) - self._idle, self._count - self._alive)):
            thread = threading.Thread(target=self._work, name="ottla-thread", daemon=True)
            self._alive += 1
            self._all_ended.clear()
            self._threads[thread] = None
            thread.start()

    def _work(self) -> None:
        """What a thread does."""
        while (call := self._next()) is not None:
            value, failure = _outcome(call.call, call.arguments)
            if call.waiter is not None:
                self._tell(_settle, call.waiter, value, failure)
            del call, value, failure  # This thread may wait for the next call for long.
        self._tell(self._ended, threading.current_thread())

    def _next(self) -> _Call | None:
        """The first call in the line, as soon as there is one; None when this thread is to end."""
        with self._lock:
            while self._alive <= self._count:
                if self._calls:
                    return self._calls.popleft()
                if self._closing:
                    break
                self._idle += 1
                self._changed.wait()
                self._idle -= 1
            self._alive -= 1
            # This thread may have been woken for a call; the others must not sleep through it.
            self._changed.notify()
            return None

    def _tell(self, then: Callable[..., None], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(then, *arguments)
        except RuntimeError:
            # The loop was closed before the world was, and nobody is there any more who could be told.
            assert self._loop.is_closed()

    def _ended(self, thread: threading.Thread) -> None:
        thread.join()  # It has nothing left to do.
        del self._threads[thread]
        if not self._threads:
            self._all_ended.set()
