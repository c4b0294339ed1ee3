"""Which logs a node has, and where."""

from typing import Any

import pytest

from ottla.errors import DiskError
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.log_table import HostedLog, LogTable
from ottla.storage.names import TopicPartition
from tests.unit.storage.machines import Machine


class Named:
    """All that the table wants of a log."""

    def __init__(self, partition: int) -> None:
        self.topic_partition = TopicPartition("t", partition)


def directories(*paths: str) -> list[LogDirectory]:
    """Directories that nobody has opened."""
    disk = Machine(0).boot()
    return [LogDirectory(disk, path) for path in paths]


def hosted(partition: int, directory: LogDirectory, *, is_future: bool = False) -> HostedLog:
    """A log in a directory."""
    log: Any = Named(partition)
    return HostedLog(log, directory, None, is_future)


def test_the_least_loaded_directory_comes_first() -> None:
    """A new log goes where the fewest are, future ones counted too; of equals to the first that is configured."""
    a, b, c = directories("/a", "/b", "/c")
    table = LogTable()
    assert table.least_loaded([a, b, c]) == [a, b, c]
    table.add(hosted(0, a))
    table.add(hosted(1, b))
    table.add(hosted(0, b, is_future=True))
    assert table.least_loaded([a, b, c]) == [c, a, b]
    assert table.least_loaded([b, a]) == [a, b]


def test_a_partition_has_one_log_and_one_future_one() -> None:
    """Current and future logs do not stand in each other's way, and each is there once."""
    a, b = directories("/a", "/b")
    table, partition = LogTable(), TopicPartition("t", 0)
    current, future = hosted(0, a), hosted(0, b, is_future=True)
    table.add(current)
    table.add(future)
    assert (table.get(partition), table.get(partition, is_future=True)) == (current, future)
    assert (len(table), list(table), table.in_directory(b)) == (2, [current, future], [future])
    with pytest.raises(AssertionError):
        table.add(hosted(0, b))
    assert table.promote(partition) is current
    assert (table.get(partition), table.get(partition, is_future=True), future.is_future) == (future, None, False)
    assert table.remove(partition) is future
    assert table.remove(partition) is None


def test_a_directory_takes_its_logs_with_it() -> None:
    """When a directory is gone so are its logs, and no others."""
    a, b = directories("/a", "/b")
    table = LogTable()
    stays, goes, moving = hosted(0, a), hosted(1, b), hosted(0, b, is_future=True)
    for log in (stays, goes, moving):
        table.add(log)
    b.go_offline(DiskError("broken", path="/b"))
    assert table.remove_directory(b) == [goes, moving]
    assert list(table) == [stays]
