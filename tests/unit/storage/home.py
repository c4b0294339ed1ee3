"""A node's log directories in a simulated world, from one life of the node to the next."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ottla.errors import DiskError
from ottla.protocol.codec.wire import Uuid
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories.directory import LogDirectory, adopt, open_log_directories
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.loading import IsStray
from ottla.storage.manager.manager import DirectoryFailed, LogManager
from ottla.storage.names import TopicPartition
from ottla.world.api import World
from ottla.world.simulated.simulation import Simulation
from tests.unit.storage.logs import produced

TOPIC_ID = Uuid(bytes(range(16)))
ZERO, ONE, TWO = (TopicPartition("orders", number) for number in range(3))
MINUTE_MS = 60_000
CONFIG = LogManagerConfig()
LOGS = LogConfig(
    segment_bytes=2_000, segment_index_bytes=1_200, message_timestamp_after_max_ms=2**62, retention_ms=2**62
)


@dataclass
class Home:
    """A node's log directories, from one life to the next."""

    world: World
    paths: tuple[str, ...] = ("/a", "/b")
    config: LogManagerConfig = CONFIG
    logs: LogConfig = LOGS
    lost: list[tuple[str, list[TopicPartition]]] = field(default_factory=list)

    def manager(self, failed: DirectoryFailed | None = None) -> LogManager:
        """A manager that has loaded nothing."""
        directories = open_log_directories(self.world.disk, self.paths)
        adopt(directories, cluster_id="c", node_id=1, randbytes=self.world.rng.randbytes, now_ms=0)
        return LogManager(
            self.world,
            directories,
            self.config,
            CleanerConfig(),
            config_of=lambda topic: self.logs,
            directory_failed=failed or self.failed,
        )

    async def start(self, is_stray: IsStray = lambda found, directory: False) -> LogManager:
        """The next life."""
        manager = self.manager()
        await manager.load(is_stray)
        return manager

    def failed(self, directory: LogDirectory, error: DiskError, partitions: Sequence[TopicPartition]) -> None:
        """What a manager tells of a directory that went offline."""
        self.lost.append((directory.path, list(partitions)))

    def names(self, path: str) -> list[str]:
        """The directories in a log directory."""
        return [entry.name for entry in self.world.disk.list(path) if entry.is_directory]

    def abandon(self, manager: LogManager) -> None:
        """What a process leaves that just ends: nothing is written any more, and the locks are free."""
        for directory in manager.directories:
            directory.close()


def simulate(main: Callable[[World], Any], seed: int = 0) -> Any:
    """Run a scenario in a world of its own."""
    return Simulation(seed).run(main).value


def fill(log: Log, count: int) -> None:
    """Append so many batches of two records, all of them replicated."""
    for _ in range(count):
        assert log.append_as_leader(produced(2), 0) is not None
    log.update_high_watermark(log.log_end_offset)
