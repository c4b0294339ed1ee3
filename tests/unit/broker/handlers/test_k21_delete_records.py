"""DeleteRecords: where logs begin afterwards, who is waited for, what is refused."""

from dataclasses import replace

from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, TopicRecord
from ottla.protocol.messages.produce_fetch import (
    DeleteRecordsRequest,
    DeleteRecordsRequest_DeleteRecordsPartition,
    DeleteRecordsRequest_DeleteRecordsTopic,
    DeleteRecordsResponse,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.broker.handlers.test_k01_fetch import request as fetch_request
from tests.unit.broker.handlers.test_k01_fetch import row as fetched
from tests.unit.storage.home import LOGS, Home


def request(*offsets: int, index: int = 0, topic: str = "orders", timeout_ms: int = 100) -> DeleteRecordsRequest:
    """These offsets of this partition and those after it."""
    asked = [
        DeleteRecordsRequest_DeleteRecordsPartition(index + number, offset) for number, offset in enumerate(offsets)
    ]
    return DeleteRecordsRequest([DeleteRecordsRequest_DeleteRecordsTopic(topic, asked)], timeout_ms)


async def rows(broker: DataBroker, asked: DeleteRecordsRequest, version: int = 2) -> list[tuple[int, int]]:
    """Code and low watermark of each partition."""
    response = await broker.ask(asked, version)
    assert isinstance(response, DeleteRecordsResponse)
    return [(each.error_code, each.low_watermark) for topic in response.topics for each in topic.partitions]


def test_a_log_begins_later() -> None:
    """In every version; -1 is the high watermark; asking for less than is gone already changes nothing."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for _ in range(5):
            await broker.ask(produce_request(), 13)
        log = broker.partition().log
        assert await rows(broker, request(3), 0) == [(ErrorCode.NONE, 3)]
        assert await rows(broker, request(1), 1) == [(ErrorCode.NONE, 3)]
        assert log.log_start_offset == 3
        assert await rows(broker, request(-1), 2) == [(ErrorCode.NONE, 10)]
        assert (log.log_start_offset, log.high_watermark) == (10, 10)
        await broker.stop()

    simulate(main)


def test_a_partition_that_is_named_twice_is_cut_once() -> None:
    """The last offset counts, and there is one answer; a topic without partitions is left out of it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for _ in range(5):
            await broker.ask(produce_request(), 13)
        twice = request(7)
        twice.topics = [*request(4).topics, *request(7).topics, *request().topics, *request(topic="empty").topics]
        answer = await broker.ask(twice, 2)
        assert [topic.name for topic in answer.topics] == ["orders"]
        (row,) = answer.topics[0].partitions
        assert (row.error_code, row.low_watermark) == (ErrorCode.NONE, 7)
        assert broker.partition().log.log_start_offset == 7
        await broker.stop()

    simulate(main)


def test_what_is_refused_has_its_code() -> None:
    """Each partition for itself, and others are deleted from all the same."""

    async def main(world: World) -> None:
        offsets = Uuid(b"offsets".ljust(16, b"\1"))
        home = Home(world)
        broker = await DataBroker.start(
            home,
            *CLUSTER,
            partition(1, leader=2, replicas=(1, 2)),
            TopicRecord("__consumer_offsets", offsets),
            partition(0, topic_id=offsets),
        )
        await broker.ask(produce_request(), 13)
        assert await rows(broker, request(1, 0, 0)) == [
            (ErrorCode.NONE, 1),
            (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1),
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        ]
        assert await rows(broker, request(3)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]
        assert await rows(broker, request(-2)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]
        internal = request(0, topic="__consumer_offsets")
        assert await rows(broker, internal) == [(ErrorCode.INVALID_TOPIC_EXCEPTION, -1)]
        home.logs = replace(LOGS, compact=True, delete=False)
        broker.replicas.reconfigure(["orders"])
        assert await rows(broker, request(2)) == [(ErrorCode.POLICY_VIOLATION, -1)]
        home.logs = replace(LOGS, compact=True, delete=True)
        broker.replicas.reconfigure(["orders"])
        assert await rows(broker, request(2)) == [(ErrorCode.NONE, 2)]
        await broker.stop()

    simulate(main)


def test_the_other_replicas_are_waited_for() -> None:
    """The answer comes when the last living one begins as late; REQUEST_TIMED_OUT if that takes too long."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)), partition(1))

        def follow(log_start_offset: int) -> None:
            effects = broker.leader().fetched(2, 2, log_start_offset, 102, world.clock.monotonic_ms())
            broker.replicas.carry_out(broker.partition(), effects)

        for index in (0, 1):
            await broker.ask(produce_request(acks=1, index=index), 13)
        follow(0)
        waiting = broker.send(request(2, 1), 2)
        assert not waiting.responses
        follow(1)
        assert not waiting.responses
        follow(2)
        (response,) = waiting.responses
        assert isinstance(response, DeleteRecordsResponse)
        assert [each.low_watermark for each in response.topics[0].partitions] == [2, 1]
        await broker.ask(produce_request(acks=1), 13)
        broker.replicas.carry_out(broker.partition(), broker.leader().fetched(2, 4, 2, 102, world.clock.monotonic_ms()))
        assert await rows(broker, request(4, 2)) == [(ErrorCode.REQUEST_TIMED_OUT, -1), (ErrorCode.NONE, 2)]
        waiting = broker.send(request(4, timeout_ms=10_000), 2)
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=2))
        (response,) = waiting.responses
        assert isinstance(response, DeleteRecordsResponse)
        assert response.topics[0].partitions[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        await broker.stop()

    simulate(main)


def test_whoever_reads_what_is_deleted_is_told_so() -> None:
    """A fetch that waits at an offset that goes is OFFSET_OUT_OF_RANGE at once."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(), 13)
        waiting = broker.send(fetch_request(0, wait_ms=500, min_bytes=10**6), 18)
        assert not waiting.responses
        await rows(broker, request(1))
        await world.clock.sleep(5)
        (response,) = waiting.responses
        assert fetched(response).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        await broker.stop()

    simulate(main)
