"""Work that is prepared side by side and finished one after the other, in the order in which it came.

A log's large batches are validated in threads, and must be appended in the order in which they were sent. So each takes
a turn when it comes, prepares itself at once, and waits for the turn before it before it finishes.

Always true: a turn ends whatever happens to its preparation, so nobody waits for ever; nothing is finished before what
came before it, errors included. Whoever waits may be cancelled; the turn goes on without them. How many there are at
once is bounded by whoever calls: a request each.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Generic, NamedTuple, TypeVar

from ottla.world.api import Future, World

P = TypeVar("P")
R = TypeVar("R")


class Failed(NamedTuple):
    """A preparation that raised."""

    error: Exception


class Turns(Generic[P, R]):
    """The turns of one log."""

    __slots__ = ("_count", "_last", "_world")

    def __init__(self, world: World) -> None:
        """Nobody waits."""
        self._world = world
        self._last: Future[Any] | None = None
        self._count = 0

    @property
    def are_waiting(self) -> bool:
        """Whether somebody has a turn that is not over."""
        return self._count > 0

    async def take(self, prepare: Coroutine[Any, Any, P], finish: Callable[[P], R]) -> R:
        """Prepare at once, and finish when everybody who came before has."""
        before, over, result = self._last, self._world.future(), self._world.future()
        self._last = over
        self._count += 1
        self._world.spawn(self._run(prepare, finish, before, over, result), "turn")
        value: R = await result
        return value

    async def _run(
        self,
        prepare: Coroutine[Any, Any, P],
        finish: Callable[[P], R],
        before: Future[Any] | None,
        over: Future[Any],
        result: Future[Any],
    ) -> None:
        try:
            prepared = await _outcome(prepare)
            if before is not None:
                await before
            _settle(result, prepared, finish)
        finally:
            self._count -= 1
            over.set_result(None)


async def _outcome(prepare: Coroutine[Any, Any, P]) -> P | Failed:
    try:
        return await prepare
    except Exception as error:
        return Failed(error)


def _settle(result: Future[Any], prepared: P | Failed, finish: Callable[[P], R]) -> None:
    """Finish, and tell whoever waits. It is finished all the same if nobody does any more."""
    if not isinstance(prepared, Failed):
        try:
            value = finish(prepared)
        except Exception as error:
            prepared = Failed(error)
        else:
            if not result.done():
                result.set_result(value)
            return
    if not result.done():
        result.set_exception(prepared.error)
