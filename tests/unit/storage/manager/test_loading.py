"""Loading: what a log directory holds, and how far a start is."""

from ottla.errors import CorruptFile
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.directories.partition_metadata import FILE_NAME
from ottla.storage.manager.loading import FoundLog, survey
from ottla.storage.manager.manager import LogManager, make_partition_directory
from ottla.storage.names import TopicPartition
from ottla.storage.whole_file import replace_whole_file
from ottla.world.api import World
from tests.unit.storage.home import ONE, TOPIC_ID, ZERO, Home, fill, simulate

MOVING = "orders-2.000102030405060708090a0b0c0d0e0f"


def test_what_a_directory_holds() -> None:
    """A survey tells logs, future ones, deleted ones, strays and what is none of ours; files are passed over."""

    async def main(world: World) -> None:
        directory = LogDirectory.open(world.disk, "/a")
        for name in ("orders-0", f"{MOVING}-future"):
            make_partition_directory(world.disk, "/a", f"/a/{name}", TOPIC_ID)
        for name in ("orders-1", f"{MOVING}-delete", f"{MOVING}-stray", "lost+found", "__cluster_metadata-0"):
            world.disk.make_directory(f"/a/{name}")
        found = survey(world.disk, directory)
        assert found.logs == [
            FoundLog(ZERO, "/a/orders-0", TOPIC_ID, is_future=False),
            FoundLog(ONE, "/a/orders-1", None, is_future=False),
            FoundLog(TopicPartition("orders", 2), f"/a/{MOVING}-future", TOPIC_ID, is_future=True),
        ]
        assert (found.deleted, found.strays) == ([f"/a/{MOVING}-delete"], [f"/a/{MOVING}-stray"])
        assert found.ignored == ["__cluster_metadata-0", "lost+found"]
        assert found.damaged == []

    simulate(main)


def test_a_directory_that_does_not_say_whose_it_is_any_more() -> None:
    """A damaged partition.metadata takes its log directory offline, as in Kafka: records may be another topic's."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        for partition in (ZERO, ONE):
            await manager.create(partition, TOPIC_ID)
        await manager.close()
        replace_whole_file(world.disk, f"/a/orders-0/{FILE_NAME}", b"version: 0")
        again = await home.start()
        broken, sound = again.directories
        assert isinstance(broken.failure, CorruptFile)
        assert sound.is_online
        assert (again.get(ZERO), again.get(ONE) is None) == (None, False)
        await again.close()

    simulate(main)


def test_progress_counts_down() -> None:
    """While logs are loaded it can be seen how many are left, down to none."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        for partition in (ZERO, ONE):
            fill((await manager.create(partition, TOPIC_ID)).log, 100)
        home.abandon(manager)
        again: LogManager = home.manager()
        loading = world.spawn(again.load(), "load")
        seen: set[int] = set()
        while not loading.done():
            await world.clock.sleep(1)
            if again.loading is not None:
                seen |= set(again.loading.progress.remaining_logs.values())
        assert {2, 0} <= seen
        assert (await loading).progress.remaining_segments == {}
        await again.close()

    simulate(main)
