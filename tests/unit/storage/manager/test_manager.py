"""The logs of a node: made, found again, kept, and lost with their directory alone."""

from dataclasses import replace

import pytest

from ottla.errors import ConfigError, DiskError
from ottla.storage.directories.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT, render_offsets
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.log_table import HostedLog
from ottla.storage.manager.manager import WantedLog
from ottla.storage.names import TopicPartition
from ottla.storage.whole_file import replace_whole_file
from ottla.world.api import World
from ottla.world.simulated.disk.faults import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from tests.unit.storage.home import LOGS, MINUTE_MS, ONE, TOPIC_ID, TWO, ZERO, Home, fill, simulate
from tests.unit.storage.logs import idempotent, offsets_from, produced


def test_logs_are_placed_where_the_fewest_are() -> None:
    """New logs take turns over the directories; one that is there is answered as it is."""

    async def main(world: World) -> None:
        manager = await Home(world).start()
        hosted = [await manager.create(partition, TOPIC_ID) for partition in (ZERO, ONE, TWO)]
        assert [found.directory.path for found in hosted] == ["/a", "/b", "/a"]
        assert await manager.create(ZERO, TOPIC_ID) is hosted[0]
        wanted = await manager.create(TopicPartition("x", 0), TOPIC_ID, directory=manager.directories[0])
        assert wanted.directory.path == "/a"
        assert manager.get(ZERO) is hosted[0].log
        assert (manager.get(TopicPartition("y", 0)), manager.get_future(ZERO)) == (None, None)
        await manager.close()

    simulate(main)


def test_a_cordoned_directory_gets_no_new_logs() -> None:
    """A directory in cordoned.log.dirs keeps its logs and gets none."""

    async def main(world: World) -> None:
        home = Home(world, config=LogManagerConfig(cordoned=("/a",)))
        manager = await home.start()
        for partition in (ZERO, ONE):
            assert (await manager.create(partition, TOPIC_ID)).directory.path == "/b"
        await manager.close()

    simulate(main)


def test_a_clean_stop_and_a_start() -> None:
    """After a clean stop everything is found again, nothing is looked through, and the next start is told the epoch."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        for number, partition in enumerate((ZERO, ONE, TWO), 1):
            fill((await manager.create(partition, TOPIC_ID)).log, 10 * number)
        manager.table.get(TWO).log.maybe_increment_log_start_offset(7)  # type: ignore[union-attr]
        await manager.close(broker_epoch=42)
        again = await home.start()
        assert [(directory.was_clean, directory.broker_epoch) for directory in again.directories] == [(True, 42)] * 2
        for number, partition in enumerate((ZERO, ONE, TWO), 1):
            hosted = again.table.get(partition)
            assert hosted is not None
            log = hosted.log
            assert (log.log_end_offset, log.high_watermark, log.recovery_point) == (20 * number,) * 3
            assert hosted.topic_id == TOPIC_ID
        assert again.get(TWO).log_start_offset == 7  # type: ignore[union-attr]
        assert await offsets_from(again.get(ZERO), 0) == list(range(20))  # type: ignore[arg-type]
        assert again.loading is not None
        assert again.loading.reports == {}
        await again.close()

    simulate(main)


def test_an_unclean_stop_and_a_start() -> None:
    """Without the sign of a clean stop logs are looked through from their recovery points, and nothing is lost."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        fill(log, 20)
        await log.flush()
        await manager.upkeep.write_recovery_points()
        await manager.upkeep.write_high_watermarks()
        fill(log, 5)
        home.abandon(manager)
        again = await home.start()
        assert [directory.was_clean for directory in again.directories] == [False, False]
        found = again.get(ZERO)
        assert found is not None
        assert (found.log_end_offset, found.high_watermark, found.recovery_point) == (50, 40, 40)
        await again.close()

    simulate(main)


def test_the_sign_of_a_clean_stop_counts_once() -> None:
    """A node that dies right after it has begun to load finds no sign of a clean stop the next time."""

    async def main(world: World) -> None:
        home = Home(world)
        await (await home.start()).close()
        home.abandon(await home.start())
        again = await home.start()
        assert not any(directory.was_clean for directory in again.directories)
        await again.close()

    simulate(main)


def test_damaged_checkpoints_are_as_good_as_none() -> None:
    """A start with damaged checkpoints looks through everything and serves it."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        fill((await manager.create(ZERO, TOPIC_ID)).log, 20)
        await manager.close()
        for name in (RECOVERY_POINT, LOG_START_OFFSET, HIGH_WATERMARK):
            replace_whole_file(world.disk, f"/a/{name}", b"\x00\x00")
        again = await home.start()
        assert again.loading is not None
        assert len(again.loading.surveys["/a"].damaged) == 3
        assert (again.get(ZERO).log_end_offset, again.get(ZERO).high_watermark) == (40, 0)  # type: ignore[union-attr]
        await again.close()
        assert render_offsets({ZERO: 40}).decode() == (await read_text(world, f"/a/{RECOVERY_POINT}"))

    async def read_text(world: World, path: str) -> str:
        file = world.disk.open(path, read_only=True)
        return file.read(0, 1_000).decode()

    simulate(main)


def test_strays_are_put_aside() -> None:
    """A log that the cluster does not want there is renamed, not loaded, and left alone ever after."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        for partition in (ZERO, ONE):
            await manager.create(partition, TOPIC_ID)
        await manager.close()
        again = await home.start(lambda found, directory: found.topic_partition == ZERO and found.topic_id == TOPIC_ID)
        assert (again.get(ZERO), again.get(ONE) is None) == (None, False)
        stray, live = sorted(home.names("/a"), key=len, reverse=True)
        assert stray.endswith("-stray")
        assert live == "orders-1"
        await again.close()
        last = await home.start()
        assert last.loading is not None
        assert last.loading.surveys["/a"].strays == [f"/a/{stray}"]
        assert last.get(ZERO) is None
        await last.close()

    simulate(main)


def test_other_directories_are_left_alone() -> None:
    """Directories that are no partition's, and the metadata log, are not touched."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        for name in ("lost+found", "__cluster_metadata-0", "whatever"):
            world.disk.make_directory(f"/a/{name}")
        manager = await home.start()
        assert len(manager.table) == 0
        await manager.close()
        assert home.names("/a") == ["__cluster_metadata-0", "lost+found", "whatever"]

    simulate(main)


def test_two_directories_of_one_partition() -> None:
    """A start that finds a partition twice does not guess: it names both."""

    async def main(world: World) -> None:
        home = Home(world)
        for path in ("/a", "/b"):
            one = replace(home, paths=(path,))
            manager = await one.start()
            await manager.create(ZERO, TOPIC_ID)
            await manager.close()
        with pytest.raises(ConfigError, match=r"/[ab]/orders-0 and /[ab]/orders-0 are both the log of orders-0"):
            await home.start()

    simulate(main)


def test_a_directory_fails_while_the_node_runs() -> None:
    """When a disk refuses a write, its directory goes offline alone: its logs are gone, the others go on."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        logs = [(await manager.create(partition, TOPIC_ID)).log for partition in (ZERO, ONE, TWO)]
        simulation.nodes["scenario"].disk.faults.begin(DiskFault(DiskFaultKind.WRITE_ERROR, "/a"))
        with pytest.raises(DiskError):
            fill(logs[0], 1)
        assert home.lost == [("/a", [ZERO, TWO])]
        assert [directory.is_online for directory in manager.directories] == [False, True]
        assert [manager.get(partition) for partition in (ZERO, ONE, TWO)] == [None, logs[1], None]
        fill(logs[1], 3)
        created = await manager.create(TopicPartition("x", 0), TOPIC_ID)
        assert created.directory.path == "/b"
        with pytest.raises(DiskError):
            await manager.create(TopicPartition("x", 1), TOPIC_ID, directory=manager.directories[0])
        await manager.upkeep.write_recovery_points()
        await manager.close(7)
        simulation.nodes["scenario"].disk.faults.heal()
        again = await home.start()
        assert [directory.was_clean for directory in again.directories] == [False, True]
        assert again.get(ONE).log_end_offset == 6  # type: ignore[union-attr]
        await again.close()

    simulation = Simulation(0)
    simulation.run(main)


def test_a_directory_fails_while_it_is_loaded() -> None:
    """A directory that cannot be read when the node starts is offline, and the node serves the others."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        for partition in (ZERO, ONE):
            fill((await manager.create(partition, TOPIC_ID)).log, 3)
        await manager.close()
        simulation.nodes["scenario"].disk.faults.begin(DiskFault(DiskFaultKind.READ_ERROR, "/a/orders-0"))
        again = await home.start()
        assert [(path, partitions) for path, partitions in home.lost] == [("/a", [])]
        assert (again.get(ZERO), again.get(ONE).log_end_offset) == (None, 6)  # type: ignore[union-attr]
        await again.close()

    simulation = Simulation(0)
    simulation.run(main)


def test_upkeep_takes_its_turns() -> None:
    """Retention, checkpoints, flushing by time and the end of silent producers happen without anybody asking."""

    async def main(world: World) -> None:
        logs = replace(
            LOGS, segment_bytes=1_000, retention_bytes=2_000, flush_ms=MINUTE_MS, message_timestamp_before_max_ms=2**62
        )
        config = LogManagerConfig(flush_check_interval_ms=MINUTE_MS, producer_id_expiration_ms=MINUTE_MS)
        home = Home(world, paths=("/a",), config=config, logs=logs)
        manager = await home.start()
        manager.start_upkeep()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        fill(log, 50)
        before = log.size_bytes
        await world.clock.sleep(20 * MINUTE_MS)
        assert log.size_bytes < before / 2
        assert log.log_start_offset > 0
        assert log.recovery_point == log.log_end_offset == 100
        (directory,) = manager.directories
        assert directory.read_checkpoint(RECOVERY_POINT) == {ZERO: 100}
        assert directory.read_checkpoint(HIGH_WATERMARK) == {ZERO: 100}
        await manager.close()

    simulate(main)


def test_producers_of_old_records_are_remembered_until_the_first_check() -> None:
    """A producer that wrote just now, with timestamps of last year, is not forgotten before the check is due."""

    async def main(world: World) -> None:
        home = Home(
            world, paths=("/a",), config=LogManagerConfig(), logs=replace(LOGS, message_timestamp_before_max_ms=2**62)
        )
        manager = await home.start()
        manager.start_upkeep()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        log.append_as_leader(idempotent(0, 3), 0)
        await world.clock.sleep(9 * MINUTE_MS)
        assert list(log.producer_state.producers) == [7]
        await world.clock.sleep(2 * MINUTE_MS)
        assert not log.producer_state.producers
        await manager.close()

    simulate(main)


def test_a_stop_while_upkeep_is_at_work() -> None:
    """Whenever a node is stopped, its stop is clean, and the checkpoints it leaves are whole."""

    async def main(world: World) -> None:
        home = Home(world, config=LogManagerConfig(high_watermark_checkpoint_interval_ms=1, initial_task_delay_ms=0))
        for life in range(20):
            manager = await home.start()
            assert all(directory.was_clean for directory in manager.directories) or not life
            log = (await manager.create(ZERO, TOPIC_ID)).log
            await log.ready()
            fill(log, 1)
            manager.start_upkeep()
            await world.clock.sleep(life % 7)
            await manager.close()
        assert (await home.start()).get(ZERO).high_watermark == 40  # type: ignore[union-attr]

    simulate(main)


def test_truncating() -> None:
    """Cutting a log through the manager leaves a recovery point that does not lie behind the cut."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        fill(log, 10)
        await log.flush()
        await manager.upkeep.write_recovery_points()
        await manager.truncate_to({ZERO: 6})
        (directory,) = manager.directories
        assert directory.read_checkpoint(RECOVERY_POINT) == {ZERO: 6}
        await manager.truncate_to({ZERO: 6})
        assert log.log_end_offset == 6
        await manager.truncate_fully_and_start_at(ZERO, 100)
        assert (log.log_start_offset, log.log_end_offset) == (100, 100)
        await manager.close()

    simulate(main)


def test_a_recovery_point_that_is_too_high_is_lowered_at_once() -> None:
    """A log that ends before its recovery point says so on the disk before it is served; of others nothing is lost."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        manager = await home.start()
        for partition in (ZERO, ONE):
            log = (await manager.create(partition, TOPIC_ID)).log
            fill(log, 5)
            await log.flush()
        await manager.upkeep.write_recovery_points()
        home.abandon(manager)
        file = world.disk.open("/a/orders-0/00000000000000000000.log")
        file.truncate(file.size() - 1)
        again = await home.start()
        (directory,) = again.directories
        assert directory.read_checkpoint(RECOVERY_POINT) == {ZERO: 8, ONE: 10}
        assert again.get(ZERO).log_end_offset == 8  # type: ignore[union-attr]
        await again.close()

    simulate(main)


def test_what_checkpoints_say_of_a_deleted_log_is_not_believed_of_the_next() -> None:
    """A stop in the middle of a deletion leaves offsets of a log that is gone; a later one of that name is not cut by
    them, nor trusted up to there.
    """

    async def main(world: World) -> None:
        home = Home(world, paths=("/a",))
        await (await home.start()).close()
        for name in (RECOVERY_POINT, LOG_START_OFFSET, HIGH_WATERMARK):
            replace_whole_file(world.disk, f"/a/{name}", render_offsets({ZERO: 5}))
        manager = await home.start()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        log.append_as_leader(produced(2), 0)
        home.abandon(manager)
        again = await home.start()
        found = again.get(ZERO)
        assert found is not None
        assert (found.log_start_offset, found.log_end_offset) == (0, 2)
        assert (found.recovery_point, found.high_watermark) == (0, 0)
        await again.close()

    simulate(main)


def test_new_settings_of_a_topic() -> None:
    """When a topic's settings change its logs follow the new ones."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        log = (await manager.create(ZERO, TOPIC_ID)).log
        home.logs = replace(home.logs, segment_bytes=777)
        manager.reconfigure("other")
        assert log.config.segment_bytes == 2_000
        manager.reconfigure("orders")
        assert log.config.segment_bytes == 777
        await manager.close()

    simulate(main)


def test_many_logs_are_made_at_once() -> None:
    """Each where it is wanted, or spread over the directories; one that is there already is as it was, and one whose
    directory refuses says so without keeping the others.
    """

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        known = await manager.create(ZERO, TOPIC_ID)
        manager.directories[1].go_offline(DiskError("it clicks", path="/b"))
        refused, there, *made = await manager.create_all(
            [
                WantedLog(ONE, TOPIC_ID, manager.directories[1]),
                WantedLog(ZERO, TOPIC_ID),
                *(WantedLog(TopicPartition("many", number), TOPIC_ID) for number in range(20)),
            ]
        )
        assert isinstance(refused, DiskError)
        assert there is known
        assert [each.topic_partition.partition for each in made if isinstance(each, HostedLog)] == list(range(20))
        assert len(manager.table) == 21
        await manager.close()

    simulate(main)


def test_logs_made_at_once_are_spread_over_the_directories() -> None:
    """Those that are being made count already."""

    async def main(world: World) -> None:
        home = Home(world, paths=("/a", "/b", "/c"))
        manager = await home.start()
        await manager.create_all([WantedLog(TopicPartition("many", number), TOPIC_ID) for number in range(30)])
        assert [len(manager.table.in_directory(directory)) for directory in manager.directories] == [10, 10, 10]
        await manager.close()

    simulate(main)


def test_many_logs_are_deleted_at_once() -> None:
    """They are gone with what the checkpoints said of them; others stay, and a missing one is no error."""

    async def main(world: World) -> None:
        home = Home(world)
        manager = await home.start()
        names = [TopicPartition("many", number) for number in range(20)]
        await manager.create_all([WantedLog(each, TOPIC_ID) for each in (*names, ONE)])
        await manager.checkpoints.write_all(RECOVERY_POINT)
        await manager.delete_all([*names, TWO])
        assert [hosted.topic_partition for hosted in manager.table] == [ONE]
        assert [each for directory in manager.directories for each in directory.read_checkpoint(RECOVERY_POINT)] == [
            ONE
        ]
        assert (
            sum(name.startswith("many-") and "-delete" not in name for path in home.paths for name in home.names(path))
            == 0
        )
        await manager.close()

    simulate(main)
