"""Whatever a node does to its logs, and wherever in it the power fails: what was flushed is there in the next life."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from ottla.protocol.codec.wire import Uuid
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import LogDirectory, adopt, open_log_directories
from ottla.storage.log_config import LogConfig
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.loading import FoundLog
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.world.api import World
from ottla.world.simulated.simulation import Simulation
from tests.unit.storage.logs import offsets_from, produced

TOPIC_ID = Uuid(bytes(range(16)))
PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
LIVES = 6
MANAGER = LogManagerConfig(
    initial_task_delay_ms=5,
    high_watermark_checkpoint_interval_ms=7,
    flush_offset_checkpoint_interval_ms=11,
    flush_start_offset_checkpoint_interval_ms=13,
    delete_delay_ms=20,
)
LOGS = LogConfig(
    segment_bytes=1_000, segment_index_bytes=1_200, message_timestamp_after_max_ms=2**62, retention_ms=2**62,
    file_delete_delay_ms=20,
)  # fmt: skip


@dataclass
class Ledger:
    """What the rest of the cluster knows: what was flushed, and where each replica belongs."""

    flushed: dict[TopicPartition, tuple[int, int]] = field(default_factory=dict)  # from the first to behind the last
    assigned: dict[TopicPartition, str] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    lives: int = 0

    def is_stray(self, found: FoundLog, directory: LogDirectory) -> bool:
        """Whether a log lies where its partition does not belong, and is not on its way."""
        return not found.is_future and self.assigned.get(found.topic_partition, directory.path) != directory.path


class Life:
    """One life of the node: load, check, then do things until the power fails."""

    def __init__(self, world: World, ledger: Ledger) -> None:
        self.world, self.ledger = world, ledger
        directories = open_log_directories(world.disk, ["/a", "/b"])
        adopt(directories, cluster_id="c", node_id=1, randbytes=world.rng.randbytes, now_ms=0)
        self.manager = LogManager(world, directories, MANAGER, CleanerConfig(), config_of=lambda topic: LOGS)

    async def run(self) -> None:
        """All of it."""
        ledger = self.ledger
        await self.manager.load(ledger.is_stray)
        ledger.lives += 1
        await self.finish_moves()
        for partition, (start, end) in ledger.flushed.items():
            log = self.manager.get(partition)
            assert log is not None, f"{partition} is lost"
            assert log.log_end_offset >= end, f"{log} has lost what was flushed up to {end}"
            assert log.log_start_offset <= start
            assert await offsets_from(log, start) == list(range(start, log.log_end_offset))
            ledger.assigned[partition] = log.directory.rpartition("/")[0]
        self.manager.start_upkeep()
        while True:
            partition = PARTITIONS[self.world.rng.randrange(len(PARTITIONS))]
            what = ("append", "append", "append", "delete", "move")[self.world.rng.randrange(5)]
            await getattr(self, what)(partition)
            ledger.done[what] = ledger.done.get(what, 0) + 1

    async def finish_moves(self) -> None:
        """What the cluster has assigned to the directory where its future log is, is complete there."""
        for hosted in self.manager.table:
            if hosted.is_future and self.ledger.assigned.get(hosted.topic_partition) == hosted.directory.path:
                await self.manager.promote_future(hosted.topic_partition)

    async def append(self, partition: TopicPartition) -> None:
        """Append something, and flush it as a rule."""
        hosted = await self.manager.create(partition, TOPIC_ID)
        self.ledger.assigned[partition] = hosted.directory.path
        for _ in range(self.world.rng.randrange(10)):
            if hosted.log.append_as_leader(produced(2), 0) is None:
                await hosted.log.append_in_turn(produced(2), 0)
        if self.world.rng.randrange(4):
            end = hosted.log.log_end_offset
            await hosted.log.flush()
            if end > hosted.log.log_start_offset:
                self.ledger.flushed[partition] = hosted.log.log_start_offset, end

    async def delete(self, partition: TopicPartition) -> None:
        """Delete the log: from now on nothing of it has to be there."""
        self.ledger.flushed.pop(partition, None)
        self.ledger.assigned.pop(partition, None)
        await self.manager.delete(partition)

    async def move(self, partition: TopicPartition) -> None:
        """Move the log to the other directory."""
        hosted = self.manager.table.get(partition)
        if hosted is None or hosted.log.log_start_offset:
            return  # it may begin later if nothing of it was ever flushed, and a crash took its first segment
        await self.manager.delete(partition, is_future=True)
        (target,) = [directory for directory in self.manager.directories if directory is not hosted.directory]
        future = await self.manager.create_future(partition, TOPIC_ID, target)
        steps = hosted.log.log_end_offset
        while future.log.log_end_offset < hosted.log.log_end_offset:
            assert steps > 0, "the future log does not come nearer"
            steps -= 1
            fetched: Any = (await hosted.log.read_cold(future.log.log_end_offset, 500)).records
            await future.log.ready()
            assert future.log.append_as_follower(memoryview(bytearray(fetched)), 0) is not None
        await future.log.flush()
        self.ledger.assigned[partition] = target.path
        await self.manager.promote_future(partition)


@pytest.mark.parametrize("seed", range(30))
def test_a_crash_at_any_disk_call(seed: int) -> None:
    """Over several lives that end in the middle of some disk call, loading finds all that was flushed, once."""
    ledger, simulation = Ledger(), Simulation(seed)

    async def scenario(world: World) -> None:
        simulation.start("node", lambda life: Life(life, ledger).run())
        for _ in range(LIVES):
            simulation.crash_in_disk_call("node", 1 + world.rng.randrange(500))
            await simulation.ended("node")
            simulation.restart("node")
        await world.clock.sleep(200)

    simulation.run(scenario)
    assert ledger.lives >= 2
    assert sum(ledger.done.values()) > 10
