"""The cleaner of a node: it cleans the dirtiest log, then the next, and sleeps when none is worth it.

`log.cleaner.threads` tasks do so at a time, each on a log of its own. As in Kafka, it is the cleaner too that deletes
the old segments of compacted logs, so that one log is never cleaned and cut at the same time; whoever else wants to
change the shape of a log (truncate, move, delete it) takes it away from the cleaner by `pause`, and gives it back.

Always true: a log is in one task's hands or in none; a paused one is in none when `pause` returns. A log that cannot be
cleaned (its files are damaged, its keys have no room in the map) is told about once and left alone until the node is
started again, or its settings are changed; other logs do not suffer.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ottla.config.config import Config
from ottla.errors import ConfigError, CorruptFile, DiskError, RecordError
from ottla.storage.cleaner.checkpoint import CleanerCheckpoint
from ottla.storage.cleaner.cleaning import Cleaning, CleaningAborted, CleaningMeans, CleaningStats
from ottla.storage.cleaner.policy import Cleanable, LogState, cleanable, dirtiest
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.names import TopicPartition

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.world.api import Future, Group, World

logger = logging.getLogger(__name__)

LEAST_PIECE_BYTES: Final = 4_096
LEAST_MAP_BYTES: Final = 1_536  # 64 keys
LOGS_A_TURN: Final = 32  # looked at before everybody else runs; 10 µs each


@dataclass(frozen=True, slots=True)
class CleanerConfig:
    """The settings of the cleaner; the defaults are Kafka's."""

    is_enabled: bool = True
    threads: int = 1
    dedupe_buffer_bytes: int = 134_217_728
    io_buffer_bytes: int = 524_288
    io_buffer_load_factor: float = 0.9
    io_max_bytes_per_second: float = 1.7976931348623157e308
    backoff_ms: int = 15_000

    @classmethod
    def of(cls, broker: Config) -> "CleanerConfig":
        """Those of a broker."""
        return cls(
            is_enabled=broker.boolean("log.cleaner.enable"),
            threads=broker.integer("log.cleaner.threads"),
            dedupe_buffer_bytes=broker.integer("log.cleaner.dedupe.buffer.size"),
            io_buffer_bytes=broker.integer("log.cleaner.io.buffer.size"),
            io_buffer_load_factor=broker.double("log.cleaner.io.buffer.load.factor"),
            io_max_bytes_per_second=broker.double("log.cleaner.io.max.bytes.per.second"),
            backoff_ms=broker.integer("log.cleaner.backoff.ms"),
        )


class LogCleaner:
    """The cleaner."""

    def __init__(self, world: "World", config: CleanerConfig, logs: "Callable[[], Sequence[Log]]") -> None:
        """`logs` answers all logs of the node whose directories are in service; which are compacted is looked up."""
        self._world, self._logs = world, logs
        self.config = config
        self._throttle = Throttle(config.io_max_bytes_per_second)
        self._checkpoints: dict[str, CleanerCheckpoint] = {}
        self._busy: dict[TopicPartition, Future[None]] = {}  # done when the log is in nobody's hands
        self._paused: dict[TopicPartition, int] = {}
        self._uncleanable: dict[TopicPartition, str] = {}
        self._group: Group | None = None
        self._workers: set[int] = set()
        self.last_stats: CleaningStats | None = None

    # For whoever owns the logs

    async def pause(self, topic_partition: TopicPartition) -> None:
        """Return when the log is in nobody's hands, and keep it so until it is resumed as often as it was paused."""
        self._paused[topic_partition] = self._paused.get(topic_partition, 0) + 1
        busy = self._busy.get(topic_partition)
        if busy is not None:
            await busy

    def resume(self, topic_partition: TopicPartition) -> None:
        """The log may be cleaned again."""
        count = self._paused[topic_partition] - 1
        if count:
            self._paused[topic_partition] = count
        else:
            del self._paused[topic_partition]

    async def truncated(self, log: "Log", offset: int) -> None:
        """The log was cut there: what is written behind it will be dirty."""
        checkpoint = self._checkpoint(log)
        if checkpoint.offsets.get(log.topic_partition, 0) > offset:
            checkpoint.set(log.topic_partition, offset)
            await checkpoint.save()

    async def forget(self, log: "Log") -> None:
        """The log is deleted."""
        self._uncleanable.pop(log.topic_partition, None)
        checkpoint = self._checkpoint(log)
        if checkpoint.remove(log.topic_partition) is not None:
            await checkpoint.save()

    async def moved(self, log: "Log", source: str) -> None:
        """The log has left a log directory for the one that it is in now; its checkpoint goes with it."""
        old = self._checkpoint_in(source)
        offset = old.remove(log.topic_partition)
        if offset is not None:
            self._checkpoint(log).set(log.topic_partition, offset)
            await self._checkpoint(log).save()
            await old.save()

    def reconfigured(self, config: CleanerConfig) -> None:
        """Use these settings from the next log on; the budget at once. What could not be cleaned is tried again."""
        self.config = config
        self._throttle.bytes_per_second = config.io_max_bytes_per_second
        self._uncleanable.clear()
        self._spawn_workers()

    @property
    def uncleanable(self) -> dict[TopicPartition, str]:
        """The logs that cannot be cleaned, and why."""
        return dict(self._uncleanable)

    # The work

    async def run(self) -> None:
        """Clean until it is cancelled."""
        if not self.config.is_enabled:
            return
        try:
            async with self._world.group() as group:
                self._group = group
                self._spawn_workers()
                await self._world.future()  # a group without workers would end, and more may be wanted later
        finally:
            self._group = None

    def _spawn_workers(self) -> None:
        """Have as many as `log.cleaner.threads` says; one too many ends when it has done what it does."""
        if self._group is None:
            return
        for number in range(self.config.threads):
            if number not in self._workers:
                self._workers.add(number)
                self._group.spawn(self._work(number), f"log cleaner {number}")

    async def _work(self, number: int) -> None:
        try:
            while number < self.config.threads:
                if await self.clean_dirtiest() is None:
                    await self._world.clock.sleep(self.config.backoff_ms)
        finally:
            self._workers.remove(number)

    async def clean_dirtiest(self) -> CleaningStats | None:
        """Clean the log that needs it most, and cut the compacted ones; None if no log was worth it."""
        chosen = await self._choose()
        stats = None
        if chosen is not None:
            log, part = chosen
            with self._hold(log):
                stats = await self._clean(log, part)
        for at, log in enumerate(self._logs()):
            if self._is_free(log):
                with self._hold(log):
                    await self._delete_old_segments(log)
            if at % LOGS_A_TURN == LOGS_A_TURN - 1:
                await self._world.clock.sleep(0)
        return stats

    def _is_free(self, log: "Log") -> bool:
        """Whether a log is compacted, and in nobody's hands."""
        name = log.topic_partition
        return (
            log.config.compact
            and log.failure is None
            and not (name in self._busy or name in self._paused or name in self._uncleanable)
        )

    def _hold(self, log: "Log") -> "_Hold":
        return _Hold(self._busy, log.topic_partition, self._world.future())

    async def _choose(self) -> "tuple[Log, Cleanable] | None":
        """The dirtiest log that is worth it. Looking at many takes turns with everybody else."""
        logs, parts = [log for log in self._logs() if self._is_free(log)], list[Cleanable]()
        now_ms = self._world.clock.wall_ms()
        for at, log in enumerate(logs):
            if at % LOGS_A_TURN == LOGS_A_TURN - 1:
                await self._world.clock.sleep(0)
            checkpoint = self._checkpoint(log)
            state = LogState(list(log.segments), log.log_start_offset, log.log_end_offset, log.last_stable_offset)
            part = cleanable(state, log.config, checkpoint.offsets.get(log.topic_partition), now_ms)
            if part.is_checkpoint_wrong:
                checkpoint.set(log.topic_partition, part.first_dirty_offset)
            parts.append(part)
        chosen = dirtiest(zip(parts, (log.config for log in logs), strict=True))
        if chosen is None or not self._is_free(logs[chosen]):  # another task, or its owner, may have been faster
            return None
        return logs[chosen], parts[chosen]

    async def _clean(self, log: "Log", part: Cleanable) -> CleaningStats | None:
        config = self.config
        tasks = max(config.threads, 1)
        means = CleaningMeans(
            self._world,
            self._throttle,
            max(config.dedupe_buffer_bytes // tasks, LEAST_MAP_BYTES),
            config.io_buffer_load_factor,
            max(config.io_buffer_bytes // tasks // 2, LEAST_PIECE_BYTES),
        )
        try:
            stats = await Cleaning(log, part, means, lambda: log.topic_partition not in self._paused).run()
            self._checkpoint(log).set(log.topic_partition, stats.next_dirty_offset)
            await self._checkpoint(log).save()
        except CleaningAborted:
            logger.info("cleaning ended early", extra={"partition": str(log.topic_partition)})
            return None
        except (RecordError, CorruptFile, ConfigError) as error:
            self._uncleanable[log.topic_partition] = str(error)
            logger.warning("a log cannot be cleaned: %s", error, extra={"partition": str(log.topic_partition)})
            return None
        except DiskError as error:
            log.fail(error)
            return None
        self.last_stats = stats
        logger.info("log cleaned", extra={"partition": str(log.topic_partition), "stats": stats})
        return stats

    async def _delete_old_segments(self, log: "Log") -> None:
        try:
            await log.delete_old_segments()
        except DiskError as error:
            log.fail(error)

    def _checkpoint(self, log: "Log") -> CleanerCheckpoint:
        return self._checkpoint_in(log.directory.rpartition("/")[0])

    def _checkpoint_in(self, directory: str) -> CleanerCheckpoint:
        checkpoint = self._checkpoints.get(directory)
        if checkpoint is None:
            checkpoint = self._checkpoints[directory] = CleanerCheckpoint(self._world, directory)
        return checkpoint


class _Hold:
    """A log is in a task's hands until it is done with it, however that ends."""

    __slots__ = ("_busy", "_ended", "_topic_partition")

    def __init__(
        self, busy: "dict[TopicPartition, Future[None]]", topic_partition: TopicPartition, ended: "Future[None]"
    ) -> None:
        self._busy, self._topic_partition, self._ended = busy, topic_partition, ended

    def __enter__(self) -> None:
        assert self._topic_partition not in self._busy, f"{self._topic_partition} is in a task's hands"
        self._busy[self._topic_partition] = self._ended

    def __exit__(self, *_: object) -> None:
        del self._busy[self._topic_partition]
        self._ended.set_result(None)
