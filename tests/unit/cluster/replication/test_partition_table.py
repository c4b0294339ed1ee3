"""Which partitions there are: by the topic's name and by its id."""

import pytest

from ottla.cluster.replication.partition import Partition, Settings
from ottla.cluster.replication.partition_table import PartitionTable
from ottla.protocol.codec.wire import Uuid
from tests.unit.cluster.replication.replicas import Controller

OLD, NEW = Uuid(b"old".ljust(16, b"\1")), Uuid(b"new".ljust(16, b"\1"))
SETTINGS = Settings(1, Controller([1]), lambda: 1, lambda topic: 1)


def test_a_partition_is_found_by_name_and_by_id() -> None:
    """Until it is removed; then by neither."""
    table = PartitionTable()
    partitions = [Partition(SETTINGS, "orders", index, OLD) for index in (0, 3)]
    for partition in partitions:
        table.add(partition)
    assert table.get("orders", 3) is table.get_by_id(OLD, 3) is partitions[1]
    assert (table.get("orders", 1), table.get("others", 0), table.get_by_id(NEW, 0)) == (None, None, None)
    assert (len(table), list(table)) == (2, partitions)
    for partition in table:
        table.remove(partition)
    assert (len(table), table.by_name, table.by_id) == (0, {}, {})


def test_of_one_name_there_is_one_topic() -> None:
    """The next one comes when the last one is gone."""
    table = PartitionTable()
    old = Partition(SETTINGS, "orders", 0, OLD)
    table.add(old)
    with pytest.raises(AssertionError, match="orders"):
        table.add(Partition(SETTINGS, "orders", 1, NEW))
    table.remove(old)
    table.add(Partition(SETTINGS, "orders", 1, NEW))
    assert table.get_by_id(OLD, 0) is None
