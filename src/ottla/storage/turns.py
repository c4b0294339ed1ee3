"""Work on a log that cannot be done in one step of the loop: one after the other, in the order in which it came.

A large batch is validated in a thread, a slow disk is written to from one, a truncation waits for the disk several
times: meanwhile nobody else may change the log. So each of them takes a turn when it comes, prepares itself at once,
waits for the turn before it, and then has the log to itself until it is finished. While anybody has a turn, what is
done at once otherwise (an append) takes one too.

Always true: a turn ends whatever happens to its preparation, so nobody waits for ever; nothing is finished before what
came before it, errors included. Whoever waits may be cancelled; the turn goes on without them. How many there are at
once is bounded by whoever calls: a request each.
"""

from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple, TypeVar

from ottla.world.api import Future, World

P = TypeVar("P")
R = TypeVar("R")


class Failed(NamedTuple):
    """A preparation that raised."""

    error: Exception


def _nobody() -> None:
    """Nobody wants to know."""


class Room:
    """The bytes that wait for their turns, in all logs of a directory: there is an end to them."""

    __slots__ = ("_held_bytes", "_max_bytes")

    def __init__(self, max_bytes: int) -> None:
        """Nothing waits."""
        self._held_bytes, self._max_bytes = 0, max_bytes

    def take(self, size_bytes: int) -> bool:
        """Whether there is room for so many more, which are held then; there always is for what comes alone."""
        if self._held_bytes and self._held_bytes + size_bytes > self._max_bytes:
            return False
        self._held_bytes += size_bytes
        return True

    def leave(self, size_bytes: int) -> None:
        """They are not held any more."""
        self._held_bytes -= size_bytes


class Slots:
    """Work of which only so much is done at once; the rest waits in the order in which it came."""

    __slots__ = ("_free", "_waiting", "_world")

    def __init__(self, world: World, count: int) -> None:
        """Nobody works."""
        self._world, self._free, self._waiting = world, count, deque[Future[None]]()

    async def run(self, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Wait for a slot, and work in it."""
        if self._free:
            self._free -= 1
        else:
            turn: Future[None] = self._world.future()
            self._waiting.append(turn)
            await turn
        try:
            return await work()
        finally:
            if self._waiting:
                self._waiting.popleft().set_result(None)
            else:
                self._free += 1


class Turns:
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

    async def take(
        self, prepare: Callable[[], Coroutine[Any, Any, P]], finish: Callable[[P], Coroutine[Any, Any, R]]
    ) -> R:
        """Prepare at once, and finish when everybody who came before has."""
        value: R = await self.begin(prepare, finish)
        return value

    def begin(
        self,
        prepare: Callable[[], Coroutine[Any, Any, P]],
        finish: Callable[[P], Coroutine[Any, Any, R]],
        ended: Callable[[], None] = _nobody,
    ) -> Future[R]:
        """The same for who is no coroutine: the turn is taken in this step, and its end is to be waited for. `ended` is
        called when nothing of it is kept any more.
        """
        before, over, result = self._last, self._world.future(), self._world.future()
        self._last = over
        self._count += 1
        self._world.spawn(self._run(prepare, finish, before, over, result, ended=ended), "turn")
        return result

    async def alone(self, work: Callable[[], Coroutine[Any, Any, R]]) -> R:
        """Do what needs no preparation, when everybody who came before is done."""
        return await self.take(_nothing, lambda _: work())

    async def over(self) -> None:
        """Return when everybody who has a turn now is done."""
        await self.alone(_nothing)

    async def _run(
        self,
        prepare: Callable[[], Coroutine[Any, Any, P]],
        finish: Callable[[P], Coroutine[Any, Any, R]],
        before: Future[Any] | None,
        over: Future[Any],
        result: Future[Any],
        *,
        ended: Callable[[], None],
    ) -> None:
        try:
            prepared = await _outcome(prepare())
            if before is not None:
                await before
            outcome = prepared if isinstance(prepared, Failed) else await _outcome(finish(prepared))
            if result.done():
                return  # nobody waits any more
            if isinstance(outcome, Failed):
                result.set_exception(outcome.error)
            else:
                result.set_result(outcome)
        finally:
            result.cancel()  # does nothing to one that is done
            self._count -= 1
            ended()
            over.set_result(None)


async def _outcome(coroutine: Coroutine[Any, Any, R]) -> R | Failed:
    try:
        return await coroutine
    except Exception as error:
        return Failed(error)


async def _nothing() -> None:
    """There is nothing to do."""
