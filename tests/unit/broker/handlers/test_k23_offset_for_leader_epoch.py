"""OffsetForLeaderEpoch: where epochs ended on the leader."""

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord
from ottla.protocol.messages.produce_fetch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochRequest_OffsetForLeaderPartition,
    OffsetForLeaderEpochRequest_OffsetForLeaderTopic,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home


def request(epoch: int, *, index: int = 0, current: int = -1, topic: str = "orders") -> OffsetForLeaderEpochRequest:
    """One partition."""
    asked = OffsetForLeaderEpochRequest_OffsetForLeaderPartition(index, current, epoch)
    return OffsetForLeaderEpochRequest(topics=[OffsetForLeaderEpochRequest_OffsetForLeaderTopic(topic, [asked])])


def test_epochs_end_where_the_next_one_begins() -> None:
    """W26: epoch 0 has 0-1, epoch 2 has 2-3; an epoch in between is answered with the one before, a later one not."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        await broker.ask(produce_request(), 13)
        for _ in range(2):
            broker.replay(PartitionChangeRecord(0, ORDERS, leader=1))
        await broker.ask(produce_request(), 13)
        for version in (2, 3, 4):
            for epoch, expected in ((0, (0, 2)), (1, (0, 2)), (2, (2, 4)), (3, (-1, -1)), (-1, (-1, -1))):
                response = await broker.ask(request(epoch), version)
                row = response.topics[0].partitions[0]
                assert (row.error_code, row.leader_epoch, row.end_offset) == (ErrorCode.NONE, *expected)
        await broker.stop()

    simulate(main)


def test_what_cannot_be_asked_here_has_its_code() -> None:
    """Unknown, led elsewhere, an epoch that is over or not known yet."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(
            Home(world), *CLUSTER[:-1], partition(0, epoch=5), partition(1, leader=2, replicas=(1, 2))
        )
        for asked, code in (
            (request(0, index=9), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(0, topic="nowhere"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(0, index=1), ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(0, current=4), ErrorCode.FENCED_LEADER_EPOCH),
            (request(0, current=6), ErrorCode.UNKNOWN_LEADER_EPOCH),
        ):
            row = (await broker.ask(asked, 4)).topics[0].partitions[0]
            assert (row.error_code, row.leader_epoch, row.end_offset) == (code, -1, -1)
        await broker.stop()

    simulate(main)
