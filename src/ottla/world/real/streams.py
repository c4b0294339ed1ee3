"""All streams of a network, and what they share: the loop, a buffer, and who is told about failures.

The shared buffer takes what arrives while a connection has no buffer of its receiver's to put it in: before it has a
receiver, and ciphertext. It is free again when the stream has been told how much arrived, so one is enough for all.
"""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from ottla.world.tasks import Failure

if TYPE_CHECKING:
    from ottla.world.real.stream import RealStream

SHARED_BUFFER_BYTES = 16_384 + 512  # one TLS record with what is around it


class Streams:
    """The streams that are not closed yet, in the order in which they came."""

    def __init__(self, loop: asyncio.AbstractEventLoop, report: Failure) -> None:
        self.loop, self.report = loop, report
        self.shared_buffer = memoryview(bytearray(SHARED_BUFFER_BYTES))
        self._alive: dict[RealStream, None] = {}
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._all_gone: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._alive)

    def add(self, stream: "RealStream") -> None:
        """A connection is there."""
        self._alive[stream] = None

    def remove(self, stream: "RealStream") -> None:
        """A connection is gone."""
        self._alive.pop(stream, None)
        if not self._alive and self._all_gone is not None and not self._all_gone.done():
            self._all_gone.set_result(None)

    def spawn(self, opening: Coroutine[Any, Any, None]) -> None:
        """Run what gives an accepted connection its transport: a few turns of the loop.

        It is never cancelled: uvloop would close the transport without telling its stream.
        """
        task = self.loop.create_task(opening)
        self._tasks[task] = None
        task.add_done_callback(self._opened)

    def _opened(self, task: asyncio.Task[None]) -> None:
        del self._tasks[task]
        if (error := task.exception()) is not None:
            self.report("accepting a connection", error)

    async def abort(self) -> None:
        """End all connections, and return when their receivers have been told."""
        for task in tuple(self._tasks):
            await task
        while self._alive:
            for stream in tuple(self._alive):
                stream.abort()
            self._all_gone = self.loop.create_future()
            await self._all_gone
