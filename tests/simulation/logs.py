"""The logs suite: a node with two log directories on disks that everything happens to, and who remembers its promises.

A writer appends batches to partitions and flushes them; what was flushed is promised. After every start the node's logs
are held against the promises: every batch byte for byte, offsets without a hole, indexes that point at batches. A
directory whose disk refuses goes offline alone; a supervisor starts the node again after a while. At the end everything
is healed, and every partition must take batches again.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ottla.errors import DiskError, NodeDown, PeerError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.records.batch import RecordBatch
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import LogDirectory, adopt, open_log_directories
from ottla.storage.log_config import LogConfig
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.loading import FoundLog
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import DISK_FAULTS, NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from tests.simulation.suite import Report, Suite, replay
from tests.unit.storage.log_checks import check_log
from tests.unit.storage.logs import produced

NODE = "node"
DIRECTORIES = ("/a", "/b")
PARTITIONS = [TopicPartition("orders", number) for number in range(4)]
TOPIC_ID = Uuid(bytes(range(16)))
SUFFERING_MS = 75_000
HEALED_MS = 60_000  # within which every partition must have taken a batch
PATIENCE_MS = 5_000
OFFLINE_MS = 3_000  # for so long a node goes on with what is left of it
LARGEST_BATCH = 12  # records

KINDS = {
    name: kind for name, kind in (NODE_FAULTS | DISK_FAULTS).items() if name not in ("job-death", "bit-flip")
}  # a flushed bit that flips is no log's fault
RULES = ("flush", "sync names")


class DeafDisk:
    """A disk that does not sync names, and says that it has."""

    def __init__(self, disk: Any) -> None:
        self._disk = disk

    def __getattr__(self, name: str) -> Any:
        return getattr(self._disk, name)

    def sync_directory(self, path: str) -> None:
        """Not at all."""


class DeafWorld:
    """A world with such a disk."""

    def __init__(self, world: SimulatedWorld) -> None:
        self._world, self.disk = world, DeafDisk(world.disk)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world, name)


class Story:
    """One run: the node's lives, and what was promised."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        self.acknowledged = 0
        self._broken, self._rng = broken, self.simulation.rng("writer")
        self._pause_ms = self._rng.choice((10, 30, 100))
        self._config = LogConfig(
            segment_bytes=self._rng.choice((1_000, 5_000, 1_000_000)),
            segment_index_bytes=1_200,
            index_interval_bytes=self._rng.choice((1, 300)),
            message_timestamp_after_max_ms=2**62,
            retention_ms=2**62,
            flush_messages=self._rng.choice((1, 10, 2**62)),
        )
        self._promised: dict[TopicPartition, dict[int, int]] = {partition: {} for partition in PARTITIONS}
        self._assigned: dict[TopicPartition, str] = {}  # the directory of each, as the cluster would know it
        self._managers: dict[SimulatedWorld, LogManager] = {}  # of lives that serve

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, self.acknowledged, self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        simulation.start(NODE, self._program, may_fail=True)
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note(NODE, "plan", f"{plan}")
        writer = world.spawn(self._write(world), "writer")
        await Nemesis(simulation, plan, [NODE], kinds=KINDS, directories=DIRECTORIES).run(world, SUFFERING_MS)
        await world.timeout(HEALED_MS, self._must_go_on(world))
        writer.cancel()

    # The node

    async def _program(self, world: SimulatedWorld) -> None:
        failed = world.future()

        def told(directory: LogDirectory, error: DiskError, partitions: Sequence[TopicPartition]) -> None:
            self.simulation.note(NODE, "offline", f"{directory.path}, {len(partitions)} partitions: {error}")
            if not failed.done():
                failed.set_result(None)

        seen: Any = DeafWorld(world) if self._broken == "sync names" else world
        directories = open_log_directories(seen.disk, DIRECTORIES)
        ids = {"cluster_id": "c", "node_id": 1, "randbytes": world.rng.randbytes, "now_ms": 0}
        adopt(directories, **ids)  # type: ignore[arg-type]
        manager = LogManager(
            seen,
            directories,
            LogManagerConfig(initial_task_delay_ms=500, flush_offset_checkpoint_interval_ms=700),
            CleanerConfig(),
            config_of=lambda _: self._config,
            directory_failed=told,
        )
        await manager.load(self._is_stray)
        if len(manager.online) < len(DIRECTORIES) and not failed.done():
            failed.set_result(None)  # it was offline from the start
        try:
            await self._check(manager)
        except DiskError:
            raise
        except Exception as error:
            world.loop.fail(error, "recovery")  # a program may fail, but not by finding nonsense
            raise
        manager.start_upkeep()
        self._managers = {world: manager}
        await failed
        if any(directory.is_online for directory in directories):
            self.checks["the other goes on"] += 1
            await world.clock.sleep(OFFLINE_MS)

    def _is_stray(self, found: FoundLog, directory: LogDirectory) -> bool:
        """A log whose making failed half-way, after which it was made in the other directory."""
        return self._assigned.setdefault(found.topic_partition, directory.path) != directory.path

    async def _check(self, manager: LogManager) -> None:
        """What every start must find, in all directories that are online."""
        for partition, promised in self._promised.items():
            log = manager.get(partition)
            if log is None:
                assert not promised or len(manager.online) < len(DIRECTORIES), f"{partition} is gone"
                continue
            batches = {batch.base_offset: batch for batch in check_log(log)}
            self.checks["indexes"] += len(batches)
            for offset, crc in promised.items():
                found = batches.get(offset)
                assert found is not None, f"{log} has lost what was flushed at {offset}"
                assert found.crc == crc, f"{log} has another batch at {offset} than was flushed"
            self.checks["promises"] += len(promised)

    async def _append(self, partition: TopicPartition, world: SimulatedWorld) -> bool:
        """On the node: append some batches and flush them; False while it starts, or the partition is offline."""
        manager = self._managers.get(world)
        if manager is None or (manager.get(partition) is None and len(manager.online) < len(DIRECTORIES)):
            return False
        hosted = await manager.create(partition, TOPIC_ID)
        log, self._assigned[partition] = hosted.log, hosted.directory.path
        written: dict[int, int] = {}
        for _ in range(self._rng.randint(1, 3)):
            section = produced(self._rng.randint(1, LARGEST_BATCH), value=self._rng.randbytes(self._rng.randrange(300)))
            appended = log.append_as_leader(section, 0) or await log.append_in_turn(section, 0)
            written[appended.first_offset] = RecordBatch(section).crc
        if self._broken != "flush":
            await log.flush()
        self._promised[partition] |= written
        return True

    # The writer

    async def _write(self, world: SimulatedWorld) -> None:
        while True:
            await self._one(world, self._rng.choice(PARTITIONS))
            await world.clock.sleep(self._rng.randrange(2 * self._pause_ms))

    async def _one(self, world: SimulatedWorld, partition: TopicPartition) -> bool:
        try:
            done: bool = await world.timeout(PATIENCE_MS, self.simulation.call(NODE, partial(self._append, partition)))
        except (NodeDown, DiskError, PeerError, TimeoutError):
            return False
        self.acknowledged += done
        return done

    async def _must_go_on(self, world: SimulatedWorld) -> None:
        for partition in PARTITIONS:
            while not await self._one(world, partition):
                await world.clock.sleep(200)
                if not self.simulation.nodes[NODE].is_up:
                    self.simulation.restart(NODE)
        self.checks["progress"] += 1


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "logs"
LOGS = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"promises", "indexes", "the other goes on", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
