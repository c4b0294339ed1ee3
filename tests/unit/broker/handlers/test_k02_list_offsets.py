"""ListOffsets: the ends of a log and its timestamps, as each version may ask for them."""

import pytest

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord
from ottla.protocol.messages.produce_fetch import (
    ListOffsetsRequest,
    ListOffsetsRequest_ListOffsetsPartition,
    ListOffsetsRequest_ListOffsetsTopic,
    ListOffsetsResponse,
    ListOffsetsResponse_ListOffsetsPartitionResponse,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home
from tests.unit.storage.logs import idempotent, produced

Row = ListOffsetsResponse_ListOffsetsPartitionResponse


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


def test_a_topic_is_answered_once() -> None:
    """However often it is named; without partitions it is left out. A partition that is named twice is refused."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        asked = request(-1)
        asked.topics = [*request(-1).topics, *request(-1, index=1).topics, *request(-1).topics]
        (topic,) = (await broker.ask(asked, 11)).topics
        found = [(row.partition_index, row.error_code) for row in topic.partitions]
        assert found == [(0, ErrorCode.INVALID_REQUEST), (1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
        assert not (await broker.ask(request(), 11)).topics
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


async def row(broker: DataBroker, asked: ListOffsetsRequest, version: int = 11) -> Row:
    """The one partition of an answer."""
    response = await broker.ask(asked, version)
    assert isinstance(response, ListOffsetsResponse)
    (topic,) = response.topics
    (only,) = topic.partitions
    return only


def test_questions_that_a_version_does_not_know_are_unsupported() -> None:
    """-3 since 7, -4 since 8, -5 since 9, -6 since 11; a number below is nobody's."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(), 13)
        for timestamp, since in ((-1, 1), (-2, 1), (-3, 7), (-4, 8), (-5, 9), (-6, 11), (-7, 12)):
            for version in range(1, 12):
                code = (await row(broker, request(timestamp), version)).error_code
                assert code == (ErrorCode.NONE if version >= since else ErrorCode.UNSUPPORTED_VERSION)
        await broker.stop()

    simulate(main)


def test_what_cannot_be_asked_here_has_its_code() -> None:
    """Unknown, led elsewhere, an epoch that is over or not known yet, asked for twice."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(
            Home(world), *CLUSTER[:-1], partition(0, epoch=5), partition(1, leader=2, replicas=(1, 2))
        )
        assert (await row(broker, request(-1, index=9))).error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert (await row(broker, request(-1, index=1))).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert (await row(broker, request(-1, index=1, replica_id=-2))).error_code == ErrorCode.NONE
        for epoch, code in ((4, ErrorCode.FENCED_LEADER_EPOCH), (6, ErrorCode.UNKNOWN_LEADER_EPOCH), (5, 0), (-1, 0)):
            asked = request(-1)
            asked.topics[0].partitions[0].current_leader_epoch = epoch
            assert (await row(broker, asked)).error_code == code
        twice = request(-1, -2)
        twice.topics[0].partitions[1].partition_index = 0
        response = await broker.ask(twice, 11)
        assert [each.error_code for each in response.topics[0].partitions] == [ErrorCode.INVALID_REQUEST]
        await broker.stop()

    simulate(main)


def test_a_new_leader_knows_no_end_before_its_epoch_is_safe() -> None:
    """KIP-207: OFFSET_NOT_AVAILABLE, before version 5 LEADER_NOT_AVAILABLE; the log's start is known all the same."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home, *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        await broker.ask(produce_request(acks=1), 13)
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=1))
        for timestamp in (-1, -3, 0):
            version = 7 if timestamp == -3 else 5
            found = await row(broker, request(timestamp), version)
            assert found.error_code == ErrorCode.OFFSET_NOT_AVAILABLE
        assert (await row(broker, request(-1), 4)).error_code == ErrorCode.LEADER_NOT_AVAILABLE
        assert (await row(broker, request(-2), 5)).error_code == ErrorCode.NONE
        assert (await row(broker, request(-1, replica_id=2), 5)).offset == 2  # a follower asks for the log's end
        await broker.stop()

    simulate(main)


def test_readers_of_committed_records_are_told_the_last_stable_offset() -> None:
    """Since version 2 the isolation level says which end is meant; what lies behind is found by no timestamp."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(), 13)
        log = broker.partition().log
        guard = log.producer_state.start_verification(7, 0, 0, 0, supports_epoch_bump=False)
        log.append_as_leader(idempotent(0, 3, open_=True), 0, guard=guard)
        broker.replicas.appended(broker.partition(), broker.leader())
        asked = request(-1)
        assert (await row(broker, asked)).offset == 5
        asked.isolation_level = 1
        assert (await row(broker, asked)).offset == 2
        asked.topics[0].partitions[0].timestamp = 1_002
        found = await row(broker, asked)
        assert (found.error_code, found.offset, found.timestamp) == (ErrorCode.NONE, -1, -1)
        asked.isolation_level = 0
        assert (await row(broker, asked)).offset == 4
        await broker.stop()

    simulate(main)
