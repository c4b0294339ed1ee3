"""Directories of deleted partitions, which go after `file.delete.delay.ms`: readers may still be at them.

Always true: a directory is renamed before it is told here, so that a node that stops meanwhile finds it by its name
and removes it after its next start. Stopping calls off what has not begun.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.errors import DiskError
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.removal import remove_directory

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.world.api import Task, Timer, World


class DeletedLogs:
    """What waits for its removal."""

    def __init__(self, world: "World", failed: Callable[[LogDirectory, DiskError], None]) -> None:
        self._world, self._failed = world, failed
        self._timers: dict[str, Timer] = {}  # by path
        self._tasks: dict[str, Task[None]] = {}

    def __len__(self) -> int:
        """How many directories wait, or are being removed."""
        return len(self._timers) + len(self._tasks)

    @property
    def is_removing(self) -> bool:
        """Whether one is being removed right now."""
        return bool(self._tasks)

    def add(self, directory: LogDirectory, path: str, delay_ms: int, log: "Log | None" = None) -> None:
        """Remove a directory after the delay, and its log with it if it is open."""

        def begin() -> None:
            del self._timers[path]
            self._tasks[path] = self._world.spawn(self._remove(directory, path, log), f"remove {path}")

        self._timers[path] = self._world.clock.call_at(self._world.clock.monotonic_ms() + delay_ms, begin)

    async def stop(self) -> None:
        """Leave what waits to the next start, and let end what has begun: nobody else may have the directory before."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        for task in list(self._tasks.values()):
            await task

    async def _remove(self, directory: LogDirectory, path: str, log: "Log | None") -> None:
        try:
            if directory.is_online:
                if log is not None:
                    await log.delete()
                else:
                    await self._world.threads.run(remove_directory, self._world.disk, path)
        except DiskError as error:
            self._failed(directory, error)
        finally:
            self._tasks.pop(path, None)
