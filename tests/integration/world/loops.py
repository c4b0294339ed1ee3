"""Worlds for tests that need ports: on both event loops, with everything that was reported raised at the end."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import uvloop

from ottla.world.real.run import run as run_world
from ottla.world.real.world import RealWorld

T = TypeVar("T")

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}


def run_on(loop: str, main: Callable[[RealWorld], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in a real world. The first failure that was reported, or told to the loop, is raised."""
    failures: list[BaseException] = []

    async def whole(world: RealWorld) -> T:
        world.loop.set_exception_handler(lambda _, told: failures.append(_failure(told)))
        return await main(world)

    value = run_world(whole, report=lambda _, error: failures.append(error), loop_factory=LOOPS[loop])
    for failure in failures:
        raise failure
    return value


def _failure(told: dict[str, Any]) -> BaseException:
    error = told.get("exception")
    return error if isinstance(error, BaseException) else AssertionError(told["message"])
