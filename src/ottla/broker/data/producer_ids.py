"""Producer ids for idempotent producers: handed out from blocks that the controller gives this broker (KIP-730).

The next block is asked for when nine tenths of one are used, so that producers seldom wait. Ids that are left when a
broker stops are lost, as in Kafka: there are 2^63 of them.

Always true: no id is handed out twice; at most one request for a block is out, and at most one block lies in store. One
that fails is followed by the next when somebody wants an id, and not before a pause.
"""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from ottla.errors import OttlaError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ottla.world.api import Future, Task, World

logger = logging.getLogger(__name__)

PREFETCH_AT: Final = 0.9  # of a block
RETRY_PAUSE_MS: Final = 50
WAIT_MS: Final = 5_000  # for a block, before the producer is told to ask again
ASK_TIMEOUT_MS: Final = 5_000


class Ask(Protocol):
    """The controller's answer to a request of this node's own."""

    def __call__(self, request: Message, *, timeout_ms: int | None = None) -> Awaitable[Any]:
        """The answer."""


class ProducerIds:
    """What is left of the blocks."""

    def __init__(self, world: World, node_id: int, broker_epoch: Callable[[], int], ask: Ask) -> None:
        self._world, self._node_id, self._broker_epoch, self._ask = world, node_id, broker_epoch, ask
        self._block = range(0)
        self._used = 0
        self._stored: range | None = None
        self._is_asking = False
        self._asking: Task[None] | None = None
        self._waiting: list[Future[None]] = []  # for the answer to the request that is out

    def take(self) -> int | None:
        """An id, if one is at hand; if not, or if there are few, more are asked for."""
        if self._used == len(self._block) and self._stored is not None:
            self._block, self._used, self._stored = self._stored, 0, None
        producer_id = None
        if self._used < len(self._block):
            producer_id = self._block[self._used]
            self._used += 1
        if self._stored is None and self._used >= PREFETCH_AT * len(self._block):
            self._ask_for_more()
        return producer_id

    async def next(self) -> int:
        """An id; COORDINATOR_LOAD_IN_PROGRESS if there is none within some seconds: producers ask again then."""
        deadline_ms = self._world.clock.monotonic_ms() + WAIT_MS
        while (producer_id := self.take()) is None:
            assert self._is_asking, "whoever waits would wait for nothing"
            left_ms = deadline_ms - self._world.clock.monotonic_ms()
            if left_ms <= 0:
                raise RequestRefused(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, "There are no producer ids at hand.")
            waiting: Future[None] = self._world.future()
            self._waiting.append(waiting)
            with suppress(TimeoutError):
                await self._world.timeout(left_ms, waiting)
        return producer_id

    async def stop(self) -> None:
        """Ask for no more."""
        if self._asking is not None:
            self._asking.cancel()
            while not self._asking.done():  # what is cancelled ends within a few turns of the loop
                await self._world.clock.sleep(0)

    def _ask_for_more(self) -> None:
        if not self._is_asking:
            self._is_asking = True
            self._asking = self._world.spawn(self._allocate(), "AllocateProducerIds")

    async def _allocate(self) -> None:
        """Ask once. Whoever waits goes on when there is a block, or after a pause: nobody asks in a circle."""
        try:
            request = AllocateProducerIdsRequest(self._node_id, self._broker_epoch())
            response: AllocateProducerIdsResponse = await self._ask(request, timeout_ms=ASK_TIMEOUT_MS)
            if response.error_code == ErrorCode.NONE:
                first = response.producer_id_start
                self._stored = range(first, first + response.producer_id_len)
            else:
                await self._failed(ErrorCode.of(response.error_code).name)
        except OttlaError as error:
            await self._failed(str(error))
        finally:
            self._is_asking = False
            waiting, self._waiting = self._waiting, []
            for each in waiting:
                if not each.done():
                    each.set_result(None)

    async def _failed(self, why: str) -> None:
        logger.warning("no producer ids", extra={"why": why})
        await self._world.clock.sleep(RETRY_PAUSE_MS)
