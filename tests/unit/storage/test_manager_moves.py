"""The logs of a node that are deleted, or moved to another directory."""

from dataclasses import replace

from ottla.world.api import World
from tests.unit.storage.home import LOGS, MINUTE_MS, ONE, TOPIC_ID, ZERO, Home, fill, simulate


def test_deleting() -> None:
    """A deleted log is gone at once, its directory has another name, and goes after the delay."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        fill((await manager.create(ZERO, TOPIC_ID)).log, 10)
        await manager.delete(ZERO)
        await manager.delete(ONE)
        assert manager.get(ZERO) is None
        (name,) = home.names("/a")
        assert name.startswith("orders-0.")
        assert name.endswith("-delete")
        again = (await manager.create(ZERO, TOPIC_ID)).log
        assert again.log_end_offset == 0
        await world.clock.sleep(2 * MINUTE_MS)
        assert (home.names("/a"), len(manager.deleted)) == (["orders-0"], 0)
        await manager.close()

    simulate(main)


def test_a_stop_leaves_deleted_directories_to_the_next_start() -> None:
    """What was deleted and not yet removed is removed by the next life, after its delay."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        await manager.create(ZERO, TOPIC_ID)
        await manager.delete(ZERO)
        await manager.close()
        await world.clock.sleep(5 * MINUTE_MS)
        assert len(home.names("/a")) == 1
        again = await home.start()
        assert len(again.deleted) == 1
        await world.clock.sleep(2 * MINUTE_MS)
        assert home.names("/a") == []
        await again.close()

    simulate(main)


def test_a_stop_lets_a_removal_end() -> None:
    """A directory that is being removed when the node stops is gone before the log directory is given up."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",), logs=replace(LOGS, file_delete_delay_ms=10))
        manager = await home.start()
        fill((await manager.create(ZERO, TOPIC_ID)).log, 50)
        await manager.delete(ZERO)
        while home.names("/a") and not manager.deleted.is_removing:
            await world.clock.sleep(0)
        await manager.close()
        assert home.names("/a") == []

    simulate(main)


def test_moving_a_log_to_another_directory() -> None:
    """A future log is filled beside the current one, also over a restart, takes its place, and the old one goes."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        fill((await manager.create(ZERO, TOPIC_ID)).log, 10)
        future = await manager.create_future(ZERO, TOPIC_ID, manager.directories[1])
        fill(future.log, 4)
        await manager.close()
        again = await home.start()
        found = again.get_future(ZERO)
        assert found is not None
        assert (found.log_end_offset, again.get(ZERO).log_end_offset) == (8, 20)  # type: ignore[union-attr]
        await found.ready()
        fill(found, 6)
        await again.promote_future(ZERO)
        assert (again.get(ZERO), again.get_future(ZERO)) == (found, None)
        assert home.names("/b") == ["orders-0"]
        assert [name.endswith("-delete") for name in home.names("/a")] == [True]
        fill(found, 1)
        await again.close()
        last = await home.start()
        assert last.table.get(ZERO).directory.path == "/b"  # type: ignore[union-attr]
        assert last.get(ZERO).log_end_offset == 22  # type: ignore[union-attr]
        await last.close()

    simulate(main)


def test_giving_up_a_move() -> None:
    """A future log is deleted without harm to the current one."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        fill((await manager.create(ZERO, TOPIC_ID)).log, 10)
        await manager.create_future(ZERO, TOPIC_ID, manager.directories[1])
        await manager.delete(ZERO, is_future=True)
        assert manager.get_future(ZERO) is None
        assert manager.get(ZERO).log_end_offset == 20  # type: ignore[union-attr]
        await manager.close()

    simulate(main)


def test_a_deleted_partition_is_not_on_its_way_any_more() -> None:
    """With a log its future one is deleted, so that a later partition of that name does not meet it."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        await manager.create(ZERO, TOPIC_ID)
        await manager.create_future(ZERO, TOPIC_ID, manager.directories[1])
        await manager.delete(ZERO)
        assert (manager.get(ZERO), manager.get_future(ZERO)) == (None, None)
        assert [name.endswith("-delete") for name in home.names("/a") + home.names("/b")] == [True, True]
        await manager.close()

    simulate(main)
