"""The event loop of one simulated node: ordinary coroutines, futures and timeouts run on it unchanged.

Every life of a node has a loop of its own, so what belongs to whom is never in question: to kill a node is to turn its
loop no more, to pause it is to turn it later. All loops share one `Timeline`, on which a loop has at most one wake that
counts. Within a loop callbacks run in the order in which they became ready, as asyncio promises; the interleaving of
loops, and timers due at the same nanosecond, are drawn by the seed.

What is always true: each callback costs its node some virtual time, and a slow call to a disk costs it more
(`charge`), so a node may be ahead of the others by what it is busy with; what it does then happens at that later time.
A loop that has stopped takes everything and does nothing, silently: the dead have no say.

What it does not do: sockets, executors, signals. A world has its own doors for those.
"""

import asyncio
from asyncio.events import _set_running_loop
from collections import deque
from collections.abc import Callable, Coroutine, Generator
from contextvars import Context
from heapq import heapify, heappop, heappush
from random import Random
from typing import Any, TypeVar, TypeVarTuple, Unpack

from ottla.world.simulated.clock import MachineClock
from ottla.world.simulated.timeline import NEVER, Timeline

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

CALLBACKS_PER_TURN = 1_000  # so that a node that is never done cannot keep the run from looking at its limits
FEW = 64  # tasks or cancelled timers that are not worth tidying away
CLOSES = 100  # how often a buried coroutine may insist on another `await`


class NodeDied(BaseException):
    """Unwinds what a node is doing when it dies in the middle of it. Nobody but a loop catches this."""


class NodeLoop(asyncio.AbstractEventLoop):
    """The loop of one life of one node."""

    def __init__(
        self,
        name: str,
        *,
        timeline: Timeline,
        clock: MachineClock,
        rng: Random,
        failed: Callable[[BaseException, str], None],
        step_ns: int = 1_000,
    ) -> None:
        self.name, self.step_ns, self.stopped, self.steps = name, step_ns, False, 0
        self._timeline, self._clock, self._failed, self._draw = timeline, clock, failed, rng.random
        self._ready: deque[asyncio.Handle] = deque()
        self._timers: list[tuple[int, float, int, asyncio.TimerHandle]] = []  # by this machine's monotonic clock
        self._timer_count = self._cancelled_timers = 0
        self._timer_ns = NEVER  # when the first timer is due
        self._wake_ns = NEVER  # the wake that counts; others on the timeline are stale
        self._local_ns = timeline.now_ns
        self._elsewhere_ns: int | None = None  # what a call in a thread has cost until now
        self._paused = False
        self._tasks: list[asyncio.Task[Any]] = []  # the living and some dead, in the order of their making
        self._tidy_at = FEW
        self._task_count = 0

    # Time

    def now_ns(self) -> int:
        """Simulated time where this node is: ahead of the timeline while it is busy."""
        return max(self._local_ns, self._timeline.now_ns) + (self._elsewhere_ns or 0)

    def charge(self, cost_ns: int) -> None:
        """Keep this node busy for so long, or the thread that a call is made in."""
        if self._elsewhere_ns is not None:
            self._elsewhere_ns += cost_ns
        else:
            self._local_ns = self.now_ns() + cost_ns

    def elsewhere(self, call: Callable[[], T]) -> tuple[T, int]:
        """Make a call in a thread: its value, and for how long it keeps that thread, not this loop, busy."""
        assert self._elsewhere_ns is None, "a thread does not hand calls to threads"
        self._elsewhere_ns = 0
        try:
            return call(), self._elsewhere_ns
        finally:
            self._elsewhere_ns = None

    def monotonic_ns(self) -> int:
        """This machine's monotonic clock."""
        return self._clock.monotonic_ns(self.now_ns())

    def wall_ns(self) -> int:
        """This machine's wall clock."""
        return self._clock.wall_ns(self.now_ns())

    def time(self) -> float:
        """The monotonic clock in seconds, as asyncio wants it."""
        return self.monotonic_ns() / 1e9

    def clock_changed(self) -> None:
        """Timers are due at another time, because the machine's clock runs at another speed."""
        self._set_timer()
        self._arm()

    # Callbacks

    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Run the callback after everything that is ready now."""
        handle = asyncio.Handle(callback, args, self, context)
        ready = self._ready
        ready.append(handle)
        if len(ready) == 1:
            self._arm()
        return handle

    def call_soon_threadsafe(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """The same: there are no threads here."""
        return self.call_soon(callback, *args, context=context)

    def call_later(
        self, delay: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run the callback so many seconds later."""
        return self.call_at_ns(self.monotonic_ns() + round(delay * 1e9), callback, *args, context=context)

    def call_at(
        self, when: float, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Run the callback at a time of `time()`."""
        return self.call_at_ns(round(when * 1e9), callback, *args, context=context)

    def call_at_ns(
        self,
        monotonic_ns: int,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Run the callback when the monotonic clock shows this."""
        handle = asyncio.TimerHandle(monotonic_ns / 1e9, callback, args, self, context)
        self._timer_count += 1
        heappush(self._timers, (monotonic_ns, self._draw(), self._timer_count, handle))
        if self._timers[0][3] is handle:
            self._set_timer()
            self._arm()
        return handle

    def _timer_handle_cancelled(self, _handle: asyncio.TimerHandle) -> None:
        # Cancelled timers stay in the heap until they are due, or until they are the larger part of it: nearly every
        # timeout is cancelled, and a heap that only grows would be most of a long run's memory.
        self._cancelled_timers += 1
        if self._cancelled_timers > FEW and self._cancelled_timers * 2 > len(self._timers):
            self._timers = [timer for timer in self._timers if not timer[3].cancelled()]
            heapify(self._timers)
            self._cancelled_timers = 0
            self._set_timer()

    def _set_timer(self) -> None:
        self._timer_ns = self._clock.simulated_ns(self._timers[0][0]) if self._timers else NEVER

    # Futures and tasks

    def create_future(self) -> "asyncio.Future[Any]":
        """A future of this loop."""
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Generator[Any, None, T] | Coroutine[Any, Any, T],
        *,
        name: str | None = None,
        context: Context | None = None,
        **options: Any,
    ) -> "asyncio.Task[T]":
        """A task of this loop. Without a name it gets one that is the same in every run, unlike asyncio's."""
        self._task_count += 1
        coroutine: Any = coro
        task: asyncio.Task[T] = asyncio.Task(
            coroutine, loop=self, name=name or f"{self.name}-task-{self._task_count}", context=context, **options
        )
        self.adopt(task)
        return task

    def adopt(self, task: asyncio.Task[Any]) -> None:
        """Keep a task, so that it is not forgotten, and closed in its turn when this node is buried."""
        self._tasks.append(task)
        if len(self._tasks) > self._tidy_at:
            self._tasks = [task for task in self._tasks if not task.done()]
            self._tidy_at = 2 * len(self._tasks) + FEW

    # Turning

    def _arm(self) -> None:
        """See to it that the timeline wakes this loop for what is ready or due next."""
        wake_ns = self._local_ns if self._ready else self._timer_ns
        if wake_ns < self._wake_ns and not self.stopped and not self._paused:
            self._wake_ns = max(wake_ns, self._local_ns, self._timeline.now_ns)
            self._timeline.at(self._wake_ns, self._turn, self._wake_ns)

    def _turn(self, wake_ns: int) -> None:
        """Run callbacks until none is left, or until it is somebody else's time."""
        if wake_ns != self._wake_ns or self.stopped or self._paused:
            return
        self._local_ns = wake_ns
        heap, ready = self._timeline.heap, self._ready
        last_step = self.steps + CALLBACKS_PER_TURN
        _set_running_loop(self)
        try:
            while self.steps < last_step and not self.stopped:
                if self._timer_ns <= self._local_ns:
                    self._collect_timers()
                if not ready:
                    break
                handle = ready.popleft()
                if not handle._cancelled:  # noqa: SLF001  # every loop of asyncio's does it so
                    handle._run()  # noqa: SLF001
                    self._local_ns += self.step_ns
                    self.steps += 1
                if heap and heap[0][0] <= self._local_ns:
                    break
        finally:
            _set_running_loop(None)
            self._wake_ns = NEVER
            self._arm()

    def _collect_timers(self) -> None:
        """Make ready what is due."""
        now_ns = self._clock.monotonic_ns(self._local_ns)
        while self._timers and self._timers[0][0] <= now_ns:
            handle = heappop(self._timers)[3]
            if handle.cancelled():
                self._cancelled_timers -= 1
            else:
                self._ready.append(handle)
        self._set_timer()

    # Pause and death

    def pause(self) -> None:
        """Stand still, as a stopped process does."""
        self._paused = True

    def resume(self) -> None:
        """Go on."""
        self._paused = False
        self._wake_ns = NEVER
        self._local_ns = self.now_ns()
        self._arm()

    def stop(self) -> None:
        """Turn no more. Everything is kept as it stands, so that no `finally` runs because something was forgotten."""
        self.stopped = True

    def bury(self) -> None:
        """Close what never ended, at the end of a run, in the order of its making."""
        assert self.stopped, "only the dead are buried"
        # What a `finally` spawns must land here, where it is closed in its turn: without a running loop asyncio would
        # look for one of the thread's own, or make it.
        _set_running_loop(self)
        try:
            position = 0
            while position < len(self._tasks):  # closing one may make another
                _close_task(self._tasks[position])
                position += 1
        finally:
            _set_running_loop(None)
        self._tasks.clear()
        self._ready.clear()
        self._timers.clear()

    # What asyncio asks of a loop beyond that

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        """A callback raised. What futures report when they are collected is left out: collection has no fixed time."""
        if "handle" in context:
            self.fail(context["exception"], f"a callback of {self.name}")

    def fail(self, error: BaseException, what: str) -> None:
        """Something of this node failed and nobody is there to deal with it; when the node is dead, nobody minds."""
        if not self.stopped:
            self._failed(error, what)

    def is_running(self) -> bool:
        """Whether it may still turn."""
        return not self.stopped

    def is_closed(self) -> bool:
        """Never, as far as asyncio is concerned: a closed loop would complain where the dead must be silent."""
        return False

    def get_debug(self) -> bool:
        """No: asyncio's debugging looks at the wall clock."""
        return False


def _close_task(task: asyncio.Task[Any]) -> None:
    """Close the coroutine of a task that will not go on, however often it insists on another `await`."""
    if task.done():
        return
    task._log_destroy_pending = False  # type: ignore[attr-defined]  # noqa: SLF001
    coroutine: Any = task.get_coro()
    for _ in range(CLOSES):
        if _closed(coroutine):
            return


def _closed(coroutine: Any) -> bool:
    """Close a coroutine that will never run again; whether it accepts that. What it has left to say is not heard."""
    try:
        coroutine.close()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        return "ignored GeneratorExit" not in str(error)
    return True
