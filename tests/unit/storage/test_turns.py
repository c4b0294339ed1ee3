"""How many may work at once, and how much may wait. A log's turns are proved with the log."""

from ottla.storage.turns import Room, Slots
from ottla.world.api import World
from ottla.world.simulated.simulation import Simulation


def test_only_so_many_work_at_once() -> None:
    """The others wait in the order in which they came; who fails gives his place to the next as well."""

    async def main(world: World) -> None:
        slots, at_work, most, seen = Slots(world, 2), 0, 0, list[int]()

        async def work(number: int) -> None:
            nonlocal at_work, most
            at_work += 1
            most = max(most, at_work)
            seen.append(number)
            await world.clock.sleep(10 * number + 10)
            at_work -= 1
            assert number != 1, "it fails"

        async def wait_and_work(number: int) -> None:
            try:
                await slots.run(lambda: work(number))
            except AssertionError:
                seen.append(-number)

        for task in [world.spawn(wait_and_work(number), "work") for number in range(6)]:
            await task
        assert most == 2
        assert [number for number in seen if number >= 0] == list(range(6))
        assert -1 in seen
        assert [await slots.run(lambda: one(world)) for _ in range(2)] == [1, 1]

    Simulation(1).run(main)


async def one(world: World) -> int:
    """Some work."""
    await world.clock.sleep(1)
    return 1


def test_there_is_room_for_so_much() -> None:
    """What would be too much is not let in, unless it comes alone; what leaves makes room."""
    room = Room(10)
    assert room.take(6)
    assert not room.take(5)
    assert room.take(4)
    room.leave(6)
    assert room.take(6)
    room.leave(6)
    room.leave(4)
    assert room.take(1_000), "else it could never be appended"
    assert not room.take(1)
