"""Which logs a node has, and in which of its directories: plain bookkeeping, no disk.

A partition has one log here, and for as long as it is being moved to another directory a second one, its future log.
Always true: a log is in one place of the table; what is in it lies in a directory that is online.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ottla.protocol.codec.wire import Uuid
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.names import TopicPartition

if TYPE_CHECKING:
    from ottla.storage.log import Log


@dataclass(slots=True, eq=False)
class HostedLog:
    """A log, and where it is."""

    log: "Log"
    directory: LogDirectory
    topic_id: Uuid | None  # None: an old directory without partition.metadata
    is_future: bool = False

    @property
    def topic_partition(self) -> TopicPartition:
        """Whose log it is."""
        return self.log.topic_partition


class LogTable:
    """All logs of a node."""

    __slots__ = ("_counts", "_current", "_future")

    def __init__(self) -> None:
        self._counts: Counter[LogDirectory] = Counter()  # logs in each directory, those that are being made included
        self._current: dict[TopicPartition, HostedLog] = {}
        self._future: dict[TopicPartition, HostedLog] = {}

    def __len__(self) -> int:
        return len(self._current) + len(self._future)

    def __contains__(self, hosted: HostedLog) -> bool:
        """Whether a log is in the table still."""
        return self.get(hosted.topic_partition, is_future=hosted.is_future) is hosted

    def __iter__(self) -> Iterator[HostedLog]:
        """Current and future ones, as they are now: the table may change while they are gone through."""
        return iter([*self._current.values(), *self._future.values()])

    def get(self, topic_partition: TopicPartition, *, is_future: bool = False) -> HostedLog | None:
        """The log of a partition."""
        return (self._future if is_future else self._current).get(topic_partition)

    def add(self, hosted: HostedLog) -> None:
        """There is one more."""
        side = self._future if hosted.is_future else self._current
        assert hosted.topic_partition not in side, f"{hosted.topic_partition} is there already"
        side[hosted.topic_partition] = hosted
        self._counts[hosted.directory] += 1

    def remove(self, topic_partition: TopicPartition, *, is_future: bool = False) -> HostedLog | None:
        """Forget one; None if there is none."""
        hosted = (self._future if is_future else self._current).pop(topic_partition, None)
        if hosted is not None:
            self._counts[hosted.directory] -= 1
        return hosted

    def promote(self, topic_partition: TopicPartition) -> HostedLog | None:
        """The future log is the current one from now on; answers the one whose place it takes."""
        future = self._future.pop(topic_partition)
        old = self.remove(topic_partition)
        future.is_future = False
        self._current[topic_partition] = future
        return old

    def in_directory(self, directory: LogDirectory) -> list[HostedLog]:
        """The logs that lie in a directory."""
        return [hosted for hosted in self if hosted.directory is directory]

    def remove_directory(self, directory: LogDirectory) -> list[HostedLog]:
        """Forget all logs of a directory; answers which."""
        gone = self.in_directory(directory)
        for hosted in gone:
            self.remove(hosted.topic_partition, is_future=hosted.is_future)
        return gone

    def least_loaded(self, directories: Sequence[LogDirectory]) -> list[LogDirectory]:
        """The directories with the fewest logs first; of equals, the one that is configured first."""
        return sorted(directories, key=self._counts.__getitem__)

    @contextmanager
    def making(self, directory: LogDirectory) -> Iterator[None]:
        """A log is being made there: it counts already, since others are made meanwhile."""
        self._counts[directory] += 1
        try:
            yield
        finally:
            self._counts[directory] -= 1
