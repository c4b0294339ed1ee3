"""Tasks, groups and timeouts on any event loop, the same for the real world and the simulated one.

asyncio's own `Task`, `Future`, `Event`, `Lock` and `Queue` keep what waits in the order in which it came, so they are
used as they are. What asyncio keeps in sets is ordered by address, and no two runs are alike; so its `TaskGroup`,
`wait` and `gather` are not used, and this module has a group and an owner of tasks of its own.

What is always true:
- Tasks are cancelled in the order of their spawning, and all that was spawned is awaited before its owner is gone.
- A group raises the first failure itself; what failed later stands in its notes. A failure is never lost: where nobody
  waits for a task when it fails, its owner is told.
- Who was cancelled from outside is still cancelled afterwards (`Task.cancelling` and `uncancel` are kept in balance).
- A deadline follows the clock that is handed in, not the loop: clocks of simulated nodes drift.
"""

import asyncio
import contextlib
from asyncio import Event, Lock, Queue, Task
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Self, TypeVar

from ottla.world.api import Clock

__all__ = ["Cancelled", "Event", "Failure", "Lock", "Queue", "SpawnedTask", "SpawnedTasks", "TaskGroup", "timeout"]

Cancelled = asyncio.CancelledError

# What is told about a failure that nobody waits for: what failed, and how.
Failure = Callable[[str, BaseException], None]

T = TypeVar("T")


class TaskGroup:
    """Tasks that live and end together, for `async with`.

    The first failure, of a task or of the block, cancels everything else. A task that is cancelled by itself is no
    failure. What is spawned when the group is already ending is cancelled before its first step.
    """

    def __init__(self) -> None:
        self._tasks: dict[Task[Any], None] = {}  # in the order of spawning: unlike a set, a dict keeps it
        self._failure: BaseException | None = None
        self._parent: Task[Any] | None = None
        self._leaving = self._ending = self._parent_is_cancelled_by_us = False
        self._empty: asyncio.Future[None] | None = None

    async def __aenter__(self) -> Self:
        assert self._parent is None, "a group is entered once"
        self._parent = asyncio.current_task()
        assert self._parent is not None, "a group is entered by a task"
        return self

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> Task[T]:
        """Run a coroutine as part of the group."""
        if self._parent is None or (self._leaving and not self._tasks):
            coroutine.close()
            raise RuntimeError(f"{name} cannot join a group that was not entered, or has been left")
        task = asyncio.get_running_loop().create_task(coroutine, name=name)
        self._tasks[task] = None
        task.add_done_callback(self._ended)
        if self._ending:
            task.cancel()
        return task

    def cancel(self) -> None:
        """Ask all of them to end, and whatever is spawned from now on; the block itself goes on."""
        self._ending = True
        for task in tuple(self._tasks):
            task.cancel()

    def _ended(self, task: Task[Any]) -> None:
        del self._tasks[task]
        failure = None if task.cancelled() else task.exception()
        if failure is not None:
            self._failed(failure, task.get_name())
        if not self._tasks and self._empty is not None and not self._empty.done():
            self._empty.set_result(None)

    def _failed(self, failure: BaseException, name: str) -> None:
        if self._failure is not None:
            if self._failure is not failure:
                self._failure.add_note(f"{name} failed after that: {failure!r}")
            return
        self._failure = failure
        self.cancel()
        assert self._parent is not None
        if not self._leaving:  # The block waits for something else: throw it out of there.
            self._parent_is_cancelled_by_us = True
            self._parent.cancel()

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        parent = self._parent
        assert parent is not None
        self._leaving = True
        cancelled = error if isinstance(error, Cancelled) else None
        if cancelled is not None:
            self.cancel()
        elif error is not None:
            self._failed(error, "the block")
        if self._parent_is_cancelled_by_us and parent.uncancel() == 0:
            cancelled = None
        while self._tasks:
            self._empty = asyncio.get_running_loop().create_future()
            try:
                await self._empty
            except Cancelled as outside:
                cancelled = outside
                self.cancel()
        failure, self._failure = self._failure, None
        if failure is None:
            if cancelled is not None and cancelled is not error:
                raise cancelled
            return  # Whatever the block raised goes on by itself, unless it is our own cancellation.
        if parent.cancelling():
            # The failure is told now, and the cancellation from outside at the parent's next wait.
            parent.uncancel()
            parent.cancel()
        if failure is not error:
            _raise(failure)


def _raise(failure: BaseException) -> None:
    """Raise what happened in another task, with the context that it had there."""
    context = failure.__context__
    try:
        raise failure
    finally:
        failure.__context__ = context


class SpawnedTask(Task[T]):
    """A task that knows whether somebody has begun to wait for it."""

    is_awaited = False

    def __await__(self) -> Generator[Any, None, T]:
        self.is_awaited = True
        return super().__await__()


class SpawnedTasks:
    """The tasks that a world has spawned. Each that fails while nobody waits for it is told to the world's maker."""

    def __init__(self, failed: Failure) -> None:
        self._failed = failed
        self._tasks: dict[SpawnedTask[Any], None] = {}
        self._closing = False
        self._one_ended: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._tasks)

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> SpawnedTask[T]:
        """Run a coroutine on its own; if all are ending already, it is cancelled before its first step."""
        task = SpawnedTask(coroutine, loop=asyncio.get_running_loop(), name=name)
        self._tasks[task] = None
        task.add_done_callback(self._ended)
        if self._closing:
            task.cancel()
        return task

    def _ended(self, task: Task[Any]) -> None:
        assert isinstance(task, SpawnedTask)
        del self._tasks[task]
        failure = None if task.cancelled() else task.exception()
        if failure is not None and not task.is_awaited:
            self._failed(f"task {task.get_name()}", failure)
        if self._one_ended is not None and not self._one_ended.done():
            self._one_ended.set_result(None)

    async def close(self) -> None:
        """Cancel all, in the order of their spawning, and wait for them; also for those that they spawn meanwhile."""
        self._closing = True
        mine = asyncio.current_task()
        for task in tuple(self._tasks):
            if task is not mine:
                task.cancel()
        while len(self._tasks) > (mine in self._tasks):
            self._one_ended = asyncio.get_running_loop().create_future()
            await self._one_ended


async def timeout(clock: Clock, duration_ms: int, awaitable: Awaitable[T]) -> T:
    """The value of what is awaited, or `TimeoutError` after so long, having cancelled it."""
    task = asyncio.current_task()
    assert task is not None, "only a task can wait"
    cancelling = task.cancelling()
    expired = False

    def expire() -> None:
        nonlocal expired
        expired = True
        task.cancel()

    timer = clock.call_at(clock.monotonic_ms() + duration_ms, expire)
    try:
        return await awaitable
    except Cancelled:
        if expired and task.cancelling() - 1 <= cancelling:  # Otherwise somebody outside cancels it as well.
            raise TimeoutError(f"not done within {duration_ms} ms") from None
        raise
    finally:
        timer.cancel()
        if expired:
            await _take_back(task)


async def _take_back(task: Task[Any]) -> None:
    """Undo one cancellation of the current task, whether it was delivered or is still to come.

    Before Python 3.13 `uncancel` lowers the count only, and a cancellation that is still to come (a group inside has
    arranged for it again) would hit whatever the task waits for next.
    """
    if task.uncancel() == 0 and getattr(task, "_must_cancel", False):
        with contextlib.suppress(Cancelled):
            await asyncio.sleep(0)
