"""What a node does for its logs now and then: retention, flushing by time, checkpoints, forgetting silent producers.

Each duty has its interval, as in Kafka; `run` does one of them once. A disk that refuses has told the directory's owner
by the time that its error comes here, so the other logs go on.
"""

import logging
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final

from ottla.errors import DiskError
from ottla.storage.directories.checkpoints import HIGH_WATERMARK, LOG_START_OFFSET, RECOVERY_POINT
from ottla.storage.directories.directory_checkpoints import DirectoryCheckpoints
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.log_table import HostedLog, LogTable
from ottla.world.tasks import Lock

if TYPE_CHECKING:
    from ottla.world.api import Future, Task, World

LONGEST_SLEEP_MS: Final = 7 * 86_400_000  # no timer of an interval that means never
RELEASE_IDLE_INTERVAL_MS: Final = 60_000
LOGS_A_TURN: Final = 64  # looked at before everybody else runs

logger = logging.getLogger(__name__)

Duty = Callable[[], Coroutine[Any, Any, None]]


class Upkeep:
    """The duties of one node."""

    def __init__(
        self,
        world: "World",
        table: LogTable,
        checkpoints: DirectoryCheckpoints,
        config: LogManagerConfig,
        changing: Lock,
    ) -> None:
        """`changing` is held by whoever gives a log's directory another name: retention keeps away from that."""
        self._world, self._table, self._checkpoints, self._config = world, table, checkpoints, config
        self._changing = changing
        self._tasks: dict[str, Task[None]] = {}
        self._working: dict[str, Future[Any]] = {}  # duties that are being done; done when they are
        self._is_stopping = False

    def start(self) -> None:
        """Begin, each duty after `log.initial.task.delay.ms`.

        Producers are looked at after the first interval only, as in Kafka: one whose records are old may have written
        them a moment ago.
        """
        config = self._config
        duties: list[tuple[str, int, Duty]] = [
            ("retention", config.retention_check_interval_ms, self.delete_old_segments),
            ("flush", config.flush_check_interval_ms, self.flush_old),
            ("recovery points", config.flush_offset_checkpoint_interval_ms, self.write_recovery_points),
            ("log start offsets", config.flush_start_offset_checkpoint_interval_ms, self.write_log_start_offsets),
            ("high watermarks", config.high_watermark_checkpoint_interval_ms, self.write_high_watermarks),
            ("producer expiration", config.producer_id_expiration_check_interval_ms, self.expire_producers),
            ("idle logs", RELEASE_IDLE_INTERVAL_MS, self.release_idle),
        ]
        for name, interval_ms, duty in duties:
            first_ms = interval_ms if duty == self.expire_producers else config.initial_task_delay_ms
            self._tasks[name] = self._world.spawn(self._repeat(name, duty, first_ms, interval_ms), f"upkeep: {name}")

    def reconfigured(self, config: LogManagerConfig) -> None:
        """From now on these are the settings; how often a duty is due stays as it was."""
        self._config = config

    async def stop(self) -> None:
        """Begin nothing more, and wait for what is being done: two must not write one checkpoint at the same time."""
        self._is_stopping = True
        for name, task in self._tasks.items():
            if name not in self._working:
                task.cancel()
        for ended in list(self._working.values()):
            await ended
        self._tasks.clear()

    async def _repeat(self, name: str, duty: Duty, first_ms: int, interval_ms: int) -> None:
        await self._sleep(first_ms)
        while not self._is_stopping:
            ended = self._working[name] = self._world.future()
            try:
                await duty()
            finally:
                del self._working[name]
                ended.set_result(None)
            await self._sleep(max(1, interval_ms))

    async def _sleep(self, left_ms: int) -> None:
        while left_ms and not self._is_stopping:
            part_ms = min(left_ms, LONGEST_SLEEP_MS)
            await self._world.clock.sleep(part_ms)
            left_ms -= part_ms

    # The duties

    async def delete_old_segments(self) -> None:
        """Apply retention to all logs but the compacted ones, which are the cleaner's."""
        for number, hosted in enumerate(self._table):
            if not hosted.log.config.compact:
                async with self._changing:
                    await self._retain(hosted)
            await self._yield(number)

    async def _retain(self, hosted: HostedLog) -> None:
        """Apply retention to a log, if it is there still."""
        if hosted in self._table:
            try:
                await hosted.log.delete_old_segments()
            except DiskError as error:
                hosted.log.fail(error)

    async def flush_old(self) -> None:
        """Flush logs whose `flush.ms` is over."""
        now_ms = self._world.clock.monotonic_ms()
        for hosted in self._table:
            log = hosted.log
            if now_ms - log.last_flush_ms >= log.config.flush_ms and log.recovery_point < log.log_end_offset:
                log.request_flush()

    async def write_recovery_points(self) -> None:
        """Say up to where each log is on the disk."""
        await self._checkpoints.write_all(RECOVERY_POINT)

    async def write_log_start_offsets(self) -> None:
        """Say where each log begins."""
        await self._checkpoints.write_all(LOG_START_OFFSET)

    async def write_high_watermarks(self) -> None:
        """Say up to where each log is replicated."""
        await self._checkpoints.write_all(HIGH_WATERMARK)

    async def expire_producers(self) -> None:
        """Forget producers that have been silent for too long."""
        now_ms = self._world.clock.wall_ms()
        for number, hosted in enumerate(self._table):
            hosted.log.producer_state.expire(now_ms, self._config.producer_id_expiration_ms)
            await self._yield(number)

    async def release_idle(self) -> None:
        """Give back the memory of logs that nobody used."""
        for number, hosted in enumerate(self._table):
            try:
                hosted.log.release_idle()
            except DiskError as error:
                hosted.log.fail(error)
            await self._yield(number)

    async def _yield(self, number: int) -> None:
        if number % LOGS_A_TURN == LOGS_A_TURN - 1:
            await self._world.clock.sleep(0)
