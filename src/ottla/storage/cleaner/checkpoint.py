"""Where the dirty part of each log begins: `cleaner-offset-checkpoint`, one file in each log directory.

Always true: the file is written in a thread, by one writer at a time; what changed meanwhile is written after it. That
it lags behind does no harm: what is clean is cleaned once more. A damaged file is the same as none: all is dirty.
"""

from typing import TYPE_CHECKING

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage.directories.checkpoints import CLEANER_OFFSET, parse_offsets, render_offsets
from ottla.storage.names import TopicPartition
from ottla.storage.whole_file import read_whole_file, replace_whole_file

if TYPE_CHECKING:
    from ottla.world.api import Future, World


class CleanerCheckpoint:
    """The checkpoint of one log directory."""

    __slots__ = ("_is_stale", "_path", "_saving", "_world", "offsets")

    def __init__(self, world: "World", directory: str) -> None:
        """Read it, if it is there."""
        self._world = world
        self._path = f"{directory}/{CLEANER_OFFSET}"
        self._is_stale = False
        self._saving: Future[None] | None = None
        self.offsets: dict[TopicPartition, int] = {}
        try:
            self.offsets.update(parse_offsets(self._path, read_whole_file(world.disk, self._path)))
        except (NoSuchFile, CorruptFile):
            self._is_stale = True

    def set(self, topic_partition: TopicPartition, offset: int) -> None:
        """The log is clean below this offset."""
        if self.offsets.get(topic_partition) != offset:
            self.offsets[topic_partition] = offset
            self._is_stale = True

    def remove(self, topic_partition: TopicPartition) -> int | None:
        """The log is not in this directory any more."""
        offset = self.offsets.pop(topic_partition, None)
        self._is_stale = self._is_stale or offset is not None
        return offset

    async def save(self) -> None:
        """Bring all of it to the disk, and return when it is there."""
        while self._saving is not None:
            await self._saving
        if not self._is_stale:
            return
        self._saving = self._world.future()
        self._is_stale = False
        try:
            await self._world.threads.run(
                replace_whole_file, self._world.disk, self._path, render_offsets(self.offsets)
            )
        except BaseException:
            self._is_stale = True
            raise
        finally:
            self._saving.set_result(None)
            self._saving = None
