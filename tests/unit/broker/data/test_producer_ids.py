"""Producer ids out of blocks."""

from typing import Any

import pytest

from ottla.broker.data.producer_ids import ProducerIds
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ottla.world.api import World
from ottla.world.simulated import SimulatedWorld
from tests.unit.network.ends import run

BLOCK = 10


class Controller:
    """Gives blocks of ten, from anywhere."""

    def __init__(self, world: World) -> None:
        self.world, self.asked, self.is_away = world, 0, False

    async def __call__(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """A block, after 5 ms."""
        assert request == AllocateProducerIdsRequest(1, 7)
        self.asked += 1
        block = self.asked
        await self.world.clock.sleep(5)
        if self.is_away:
            raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, "no controller")
        return AllocateProducerIdsResponse(producer_id_start=100 * block, producer_id_len=BLOCK)


def test_every_id_is_handed_out_once() -> None:
    """Ids come block by block; the next block is asked for before one is used up, and only one at a time."""

    async def main(world: SimulatedWorld) -> None:
        controller = Controller(world)
        ids = ProducerIds(world, 1, lambda: 7, controller)
        assert ids.take() is None
        found = [await ids.next() for _ in range(9)]
        assert (found, controller.asked) == (list(range(100, 109)), 1)
        await world.clock.sleep(10)
        assert controller.asked == 2, "nine tenths are used"
        more = [ids.take() for _ in range(2)]
        assert more == [109, 200]
        several = [world.spawn(ids.next(), f"{number}") for number in range(30)]
        found += [await each for each in several]
        assert len(set(found)) == len(found)
        await ids.stop()

    run(main)


def test_without_a_controller() -> None:
    """A producer that cannot have an id within some seconds is told to ask again; when there is a controller, it gets
    one.
    """

    async def main(world: SimulatedWorld) -> None:
        controller = Controller(world)
        controller.is_away = True
        ids = ProducerIds(world, 1, lambda: 7, controller)
        begun_ms = world.clock.monotonic_ms()
        with pytest.raises(RequestRefused) as refused:
            await ids.next()
        assert refused.value.code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        assert world.clock.monotonic_ms() - begun_ms < 6_000
        controller.is_away = False
        assert await ids.next() >= 100
        await ids.stop()

    run(main)


def test_who_gives_up_takes_nothing_from_others() -> None:
    """A producer whose wait is over leaves the others waiting, who get their ids when the controller answers."""

    async def main(world: SimulatedWorld) -> None:
        async def slow(request: Message, *, timeout_ms: int | None = None) -> Any:
            await world.clock.sleep(7_000)
            return AllocateProducerIdsResponse(producer_id_start=100, producer_id_len=BLOCK)

        ids = ProducerIds(world, 1, lambda: 7, slow)
        first = world.spawn(ids.next(), "first")
        await world.clock.sleep(4_000)
        second = world.spawn(ids.next(), "second")
        with pytest.raises(RequestRefused):
            await first
        assert await second == 100
        await ids.stop()

    run(main)


def test_an_error_of_the_controller_gives_no_ids() -> None:
    """A stale epoch, for instance, is no block."""

    async def main(world: SimulatedWorld) -> None:
        async def refuse(request: Message, *, timeout_ms: int | None = None) -> Any:
            return AllocateProducerIdsResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)

        ids = ProducerIds(world, 1, lambda: 7, refuse)
        with pytest.raises(RequestRefused):
            await ids.next()
        await ids.stop()

    run(main)
