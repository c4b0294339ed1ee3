"""DescribeProducers: what a leader remembers of those who wrote to it."""

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import DescribeProducersRequest, DescribeProducersRequest_TopicRequest
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home
from tests.unit.storage.logs import idempotent


def request(*indexes: int, topic: str = "orders") -> DescribeProducersRequest:
    """These partitions."""
    return DescribeProducersRequest([DescribeProducersRequest_TopicRequest(topic, indexes)])


def test_producers_are_told_with_their_last_batch() -> None:
    """Id, epoch, last sequence and timestamp; -1 where no transaction is open and no coordinator has written."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(idempotent(0, 3)), 13)
        await broker.ask(produce_request(idempotent(0, 2, producer_id=9, epoch=4)), 13)
        log = broker.partition().log
        guard = log.producer_state.start_verification(8, 0, 0, 0, supports_epoch_bump=False)
        log.append_as_leader(idempotent(0, 1, producer_id=8, open_=True), 0, guard=guard)
        (row,) = (await broker.ask(request(0), 0)).topics[0].partitions
        assert row.error_code == ErrorCode.NONE
        assert [
            (each.producer_id, each.producer_epoch, each.last_sequence, each.last_timestamp, each.coordinator_epoch)
            for each in row.active_producers
        ] == [(7, 0, 2, 1_002, -1), (8, 0, 0, 1_000, -1), (9, 4, 1, 1_001, -1)]
        assert [each.current_txn_start_offset for each in row.active_producers] == [-1, 5, -1]
        await broker.stop()

    simulate(main)


def test_only_the_leader_tells() -> None:
    """NOT_LEADER_OR_FOLLOWER on a follower, UNKNOWN_TOPIC_OR_PARTITION for what is not there, or cannot be."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1, leader=2, replicas=(1, 2)))
        rows = (await broker.ask(request(1, 2), 0)).topics[0].partitions
        assert [row.error_code for row in rows] == [
            ErrorCode.NOT_LEADER_OR_FOLLOWER,
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ]
        for name in ("", ".", "a/b", "x" * 250):
            (row,) = (await broker.ask(request(0, topic=name), 0)).topics[0].partitions
            assert row.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
        await broker.stop()

    simulate(main)
