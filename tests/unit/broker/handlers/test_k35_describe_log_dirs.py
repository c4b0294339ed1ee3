"""What DescribeLogDirs answers, on a broker with two directories."""

import pytest

from ottla.errors import DiskError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import TopicRecord
from ottla.protocol.messages.topics import DescribeLogDirsRequest, DescribeLogDirsResponse
from ottla.protocol.messages.topics import DescribeLogDirsRequest_DescribableLogDirTopic as Asked
from ottla.storage.names import TopicPartition
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, DataBroker, partition, simulate
from tests.unit.storage.home import Home
from tests.unit.storage.logs import produced

PAY = Uuid(b"pay".ljust(16, b"\1"))
MORE = (partition(1), partition(2), TopicRecord("pay", PAY), partition(0, topic_id=PAY))
Told = dict[str, dict[str, list[int]]]


def told(response: DescribeLogDirsResponse) -> Told:
    """The partitions by directory and topic."""
    return {
        directory.log_dir: {
            topic.name: [each.partition_index for each in topic.partitions] for topic in directory.topics
        }
        for directory in response.results
    }


@pytest.mark.parametrize("version", DescribeLogDirsRequest.VERSIONS)
def test_what_lies_where(version: int) -> None:
    """Every directory with its partitions and their sizes; since version 4 with the size of its volume."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, *MORE)
        log = broker.logs.get(TopicPartition("orders", 0))
        assert log is not None
        await log.append_in_turn(produced(10), 0)
        everything = await broker.ask(DescribeLogDirsRequest(None), version)
        partitions = [
            (topic.name, each.partition_index, each.partition_size, each.offset_lag, each.is_future_key)
            for directory in everything.results
            for topic in directory.topics
            for each in topic.partitions
        ]
        assert sorted(partitions) == [
            ("orders", 0, log.size_bytes, 0, False),
            ("orders", 1, 0, 0, False),
            ("orders", 2, 0, 0, False),
            ("pay", 0, 0, 0, False),
        ]
        assert log.size_bytes > 0
        for directory in everything.results:
            sizes = (directory.total_bytes, directory.usable_bytes)
            assert (0 < sizes[1] <= sizes[0]) if version >= 4 else sizes == (-1, -1)
        asked = DescribeLogDirsRequest([Asked("orders", [1, 7]), Asked("nowhere", [0])])
        found = told(await broker.ask(asked, version))
        assert [topics for topics in found.values() if topics] == [{"orders": [1]}]
        assert told(await broker.ask(DescribeLogDirsRequest([]), version)) == {"/a": {}, "/b": {}}
        await broker.stop()

    simulate(main)


def test_directories_that_are_offline_or_cordoned() -> None:
    """One is KAFKA_STORAGE_ERROR and tells nothing, the other says that it gets no new partitions."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, *MORE, log_dirs="/a,/b", cordoned_log_dirs="/a")
        broken = broker.logs.directories[1]
        broker.logs.fail(broken, DiskError("broken", path=broken.path))
        first, second = (await broker.ask(DescribeLogDirsRequest(None), 5)).results
        assert (first.error_code, first.is_cordoned) == (ErrorCode.NONE, True)
        assert (second.error_code, second.is_cordoned, list(second.topics)) == (
            ErrorCode.KAFKA_STORAGE_ERROR,
            False,
            [],
        )
        await broker.stop()

    simulate(main)
