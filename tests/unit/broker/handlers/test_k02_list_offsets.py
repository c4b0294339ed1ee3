"""ListOffsets: the ends of a log and its timestamps, as each version may ask for them."""

import pytest

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    ListOffsetsRequest,
    ListOffsetsRequest_ListOffsetsPartition,
    ListOffsetsRequest_ListOffsetsTopic,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import DataBroker, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home
from tests.unit.storage.logs import produced


def request(*timestamps: int, index: int = 0, replica_id: int = -1) -> ListOffsetsRequest:
    """The same partition, or others, at these times."""
    partitions = [
        ListOffsetsRequest_ListOffsetsPartition(index + number, timestamp=timestamp)
        for number, timestamp in enumerate(timestamps)
    ]
    return ListOffsetsRequest(replica_id=replica_id, topics=[ListOffsetsRequest_ListOffsetsTopic("orders", partitions)])


def test_ends_and_times() -> None:
    """-1 is the high watermark, -2 the log's start, -3 the newest record, a time the first record not before it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        now_ms = world.clock.wall_ms()
        for number in range(3):
            await broker.ask(produce_request(produced(2, timestamp=now_ms - 1_000 + 10 * number)), 13)
        expected = {
            -1: (-1, 6),
            -2: (-1, 0),
            -3: (now_ms - 979, 5),
            -4: (-1, 0),
            -5: (-1, -1),
            -6: (-1, -1),
            0: (now_ms - 1_000, 0),
            now_ms - 995: (now_ms - 990, 2),
            now_ms: (-1, -1),
        }
        for timestamp, (found, offset) in expected.items():
            answer = await broker.ask(request(timestamp), 11)
            (row,) = answer.topics[0].partitions
            assert (row.error_code, row.timestamp, row.offset) == (ErrorCode.NONE, found, offset), timestamp
        await broker.stop()

    simulate(main)


@pytest.mark.parametrize("version", range(1, 12))
def test_every_version_can_be_answered(version: int) -> None:
    """Since version 4 the answer tells the leader epoch of what was found; before it has no room for that."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(produced(2)), 13)
        for timestamp in (-1, -2, 0):
            answer = await broker.ask(request(timestamp), version)
            (row,) = answer.topics[0].partitions
            assert (row.error_code, row.leader_epoch >= 0) == (ErrorCode.NONE, version >= 4)
        await broker.stop()

    simulate(main)
