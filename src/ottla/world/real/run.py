"""Programs that begin with a world: one loop, one world, one main coroutine.

A node inside of somebody else's program does not come through here: it makes a `RealWorld` on the loop that runs there.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from ottla.world.real.threads import DEFAULT_COUNT
from ottla.world.real.world import RealWorld
from ottla.world.tasks import Failure

T = TypeVar("T")


def new_loop() -> asyncio.AbstractEventLoop:
    """A loop of uvloop's, or asyncio's own where uvloop is missing. The event-loop policy stays as it is."""
    try:
        from uvloop import Loop  # noqa: PLC0415 -- it may be missing
    except ImportError:
        return asyncio.new_event_loop()
    return Loop()


def run(
    main: Callable[[RealWorld], Coroutine[Any, Any, T]],
    *,
    report: Failure | None = None,
    threads: int = DEFAULT_COUNT,
    helpers: int | None = None,
    loop_factory: Callable[[], asyncio.AbstractEventLoop] = new_loop,
) -> T:
    """Run a coroutine in a world on a loop of its own, close both, and give back its value.

    Control-C cancels the coroutine, which has its world until it has ended; then it is KeyboardInterrupt.
    """

    async def whole() -> T:
        async with RealWorld(report, threads=threads, helpers=helpers) as world:
            return await main(world)

    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(whole())
