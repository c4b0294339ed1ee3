"""The cleaner of a node: which logs it cleans, when, and how others take a log away from it."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from ottla.config.layers import read_node
from ottla.errors import DiskError
from ottla.storage.cleaner.checkpoint import CleanerCheckpoint
from ottla.storage.cleaner.log_cleaner import CleanerConfig, LogCleaner
from ottla.storage.names import TopicPartition
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.cleaner.filled import COMPACTED, open_log, pairs, records, write

VALUE = b"v" * 100
CONFIG = CleanerConfig(backoff_ms=1_000, dedupe_buffer_bytes=1 << 20, io_buffer_bytes=10_000)
CHECKPOINT = "/logs/cleaner-offset-checkpoint"


def simulated(main: Callable[[SimulatedWorld], Coroutine[Any, Any, None]]) -> None:
    """Run a test in a simulated world."""
    Simulation(1).run(main)


def test_settings() -> None:
    """The defaults are those of the broker's table, and its settings are taken over."""
    node = {
        "process.roles": "broker",
        "node.id": "1",
        "controller.listener.names": "C",
        "controller.quorum.voters": "2@localhost:9093",
    }
    assert CleanerConfig.of(read_node(node)) == CleanerConfig()
    config = CleanerConfig.of(read_node({**node, "log.cleaner.threads": "3", "log.cleaner.backoff.ms": "7"}))
    assert (config.threads, config.backoff_ms) == (3, 7)


def test_the_dirtiest_log_is_cleaned_first() -> None:
    """One log at a time, the dirtiest first; then none is worth it; a log that is not compacted is never touched."""

    async def main(world: SimulatedWorld) -> None:
        logs = [await open_log(world, partition=number) for number in range(2)]
        logs.append(await open_log(world, replace(COMPACTED, compact=False), partition=2))
        cleaner = LogCleaner(world, CONFIG, lambda: logs)
        for log in logs:
            for _ in range(20):
                write(log, (b"a", VALUE))
            log.roll()
        first = await cleaner.clean_dirtiest()
        assert first is not None
        for _ in range(20):
            write(logs[0], (b"a", VALUE))
        logs[0].roll()
        assert len(records(logs[1])) == 20
        assert await cleaner.clean_dirtiest() is not None
        assert [len(records(log)) for log in logs] == [21, 1, 20]
        assert await cleaner.clean_dirtiest() is not None
        assert [len(records(log)) for log in logs] == [1, 1, 20]
        assert await cleaner.clean_dirtiest() is None
        assert CleanerCheckpoint(world, "/logs").offsets == {
            TopicPartition("topic", 0): 40,
            TopicPartition("topic", 1): 20,
        }

    simulated(main)


def test_it_goes_on_by_itself() -> None:
    """The cleaner looks again after log.cleaner.backoff.ms until it is cancelled; a disabled one does not run."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        await LogCleaner(world, replace(CONFIG, is_enabled=False), lambda: [log]).run()
        cleaner = LogCleaner(world, replace(CONFIG, threads=2), lambda: [log])
        async with world.group() as group:
            group.spawn(cleaner.run(), "cleaner")
            await world.clock.sleep(100)
            for _ in range(20):
                write(log, (b"a", VALUE))
            log.roll()
            assert len(records(log)) == 20
            await world.clock.sleep(2_000)
            assert len(records(log)) == 1
            group.cancel()

    simulated(main)


def test_workers_come_and_go() -> None:
    """log.cleaner.threads may change while the cleaner runs, to none and back."""

    async def main(world: SimulatedWorld) -> None:
        logs = [await open_log(world, partition=number) for number in range(3)]
        cleaner = LogCleaner(world, replace(CONFIG, threads=0), lambda: logs)
        async with world.group() as group:
            group.spawn(cleaner.run(), "cleaner")
            for log in logs:
                for _ in range(20):
                    write(log, (b"a", VALUE))
                log.roll()
            await world.clock.sleep(3_000)
            assert [len(records(log)) for log in logs] == [20, 20, 20]
            cleaner.reconfigured(replace(CONFIG, threads=2))
            await world.clock.sleep(3_000)
            assert [len(records(log)) for log in logs] == [1, 1, 1]
            cleaner.reconfigured(replace(CONFIG, threads=0))
            await world.clock.sleep(3_000)
            for _ in range(20):
                write(logs[0], (b"a", VALUE))
            logs[0].roll()
            await world.clock.sleep(3_000)
            assert len(records(logs[0])) == 21
            cleaner.reconfigured(CONFIG)
            await world.clock.sleep(3_000)
            assert len(records(logs[0])) == 1
            group.cancel()

    simulated(main)


def test_a_paused_log_is_in_nobodys_hands() -> None:
    """`pause` returns when the cleaning has ended, and nothing happens to the log until it is resumed as often."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        name = log.topic_partition
        for _ in range(60):
            write(log, (b"a", VALUE))
        log.roll()
        cleaner = LogCleaner(world, replace(CONFIG, io_max_bytes_per_second=10_000.0), lambda: [log])
        async with world.group() as group:
            group.spawn(cleaner.run(), "cleaner")
            await world.clock.sleep(50)
            await cleaner.pause(name)
            await cleaner.pause(name)
            before = records(log)
            assert len(before) > 1
            await log.truncate_to(30)
            await cleaner.truncated(log, 30)
            cleaner.resume(name)
            await world.clock.sleep(10_000)
            assert len(records(log)) == 30
            cleaner.resume(name)
            log.roll()
            await world.clock.sleep(10_000)
            assert len(records(log)) == 1
            group.cancel()

    simulated(main)


def test_a_log_that_cannot_be_cleaned() -> None:
    """A damaged log is left alone and named, and others are cleaned; new settings let it be tried again."""

    async def main(world: SimulatedWorld) -> None:
        logs = [await open_log(world, partition=number) for number in range(2)]
        for log in logs:
            for _ in range(20):
                write(log, (b"a", VALUE))
            log.roll()
        logs[0].segments.first.opened().write(80, [b"\x7f"])
        cleaner = LogCleaner(world, CONFIG, lambda: logs)
        while await cleaner.clean_dirtiest() is not None or len(cleaner.uncleanable) == 0:
            pass
        assert list(cleaner.uncleanable) == [TopicPartition("topic", 0)]
        assert "checksum" in cleaner.uncleanable[TopicPartition("topic", 0)]
        await cleaner.clean_dirtiest()
        assert len(records(logs[1])) == 1
        cleaner.reconfigured(CONFIG)
        assert not cleaner.uncleanable

    simulated(main)


def test_both_policies() -> None:
    """A log that is compacted and cut is cut by the cleaner too."""

    async def main(world: SimulatedWorld) -> None:
        config = replace(COMPACTED, delete=True, retention_ms=5_000)
        log = await open_log(world, config)
        for number in range(20):
            write(log, (b"%d" % (number % 4), VALUE))
        log.roll()
        cleaner = LogCleaner(world, CONFIG, lambda: [log])
        await cleaner.clean_dirtiest()
        assert len(records(log)) == 4
        await world.clock.sleep(5_001)
        write(log, (b"new", VALUE))
        await cleaner.clean_dirtiest()
        assert pairs(log) == [(b"new", VALUE)]
        assert log.log_start_offset == 20

    simulated(main)


def test_checkpoints_move_with_their_log() -> None:
    """A log that is moved takes its checkpoint along, and one that is deleted leaves none behind."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        name = log.topic_partition
        world.disk.make_directory("/other")
        other = CleanerCheckpoint(world, "/other")
        other.set(name, 17)
        await other.save()
        cleaner = LogCleaner(world, CONFIG, lambda: [log])
        await cleaner.moved(log, "/other")
        assert CleanerCheckpoint(world, "/other").offsets == {}
        assert CleanerCheckpoint(world, "/logs").offsets == {name: 17}
        await cleaner.truncated(log, 20)
        assert CleanerCheckpoint(world, "/logs").offsets == {name: 17}
        await cleaner.truncated(log, 5)
        assert CleanerCheckpoint(world, "/logs").offsets == {name: 5}
        await cleaner.forget(log)
        assert CleanerCheckpoint(world, "/logs").offsets == {}

    simulated(main)


def test_a_damaged_checkpoint() -> None:
    """A checkpoint that cannot be read is the same as none: everything is dirty."""

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory("/logs")
        world.disk.open(CHECKPOINT, create=True).write(0, [b"nonsense"])
        checkpoint = CleanerCheckpoint(world, "/logs")
        assert checkpoint.offsets == {}
        await checkpoint.save()
        checkpoint.set(TopicPartition("t", 1), 5)
        async with world.group() as group:
            for _ in range(3):
                group.spawn(checkpoint.save(), "save")
        assert CleanerCheckpoint(world, "/logs").offsets == {TopicPartition("t", 1): 5}

    simulated(main)


def test_a_disk_that_fails() -> None:
    """A disk that refuses ends the log, not the cleaner."""

    async def main(world: SimulatedWorld) -> None:
        failures: list[DiskError] = []
        log = await open_log(world, failed=failures.append)
        for _ in range(20):
            write(log, (b"a", VALUE))
        log.roll()
        await log.flush()
        for segment in log.segments:
            segment.close()
            world.disk.unlink(segment.file.path)
        cleaner = LogCleaner(world, CONFIG, lambda: [log])
        assert await cleaner.clean_dirtiest() is None
        assert failures == [log.failure]
        assert await cleaner.clean_dirtiest() is None

    simulated(main)
