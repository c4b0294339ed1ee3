"""Asking the controller for other ISRs: one request at a time, until it is answered."""

from ottla.cluster.replication.alter_partition import RETRY_MS
from ottla.cluster.replication.isr import CommittedIsr
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResponse_PartitionData,
    AlterPartitionResponse_TopicData,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ME, ORDERS, DataBroker, partition, simulate
from tests.unit.storage.home import Home
from tests.unit.storage.logs import produced


async def lagging(world: World, count: int = 2) -> DataBroker:
    """A broker whose followers have been away for too long; nobody has looked yet."""
    records = [partition(index, replicas=(1, 2)) for index in range(count)]
    broker = await DataBroker.start(Home(world), *CLUSTER[:-1], *records, replica_lag_time_max_ms="10000")
    for index in range(count):
        broker.partition(index).log.append_as_leader(produced(), 0)
        broker.replicas.appended(broker.partition(index), broker.leader(index))
    return broker


def asked(broker: DataBroker) -> list[AlterPartitionRequest]:
    """What the controller was asked."""
    return [each for each in broker.controller.requests if isinstance(each, AlterPartitionRequest)]


def agreed(request: Message, *, leave_out: tuple[int, ...] = ()) -> AlterPartitionResponse:
    """All that was asked for is done, but for what is not answered at all."""
    if not isinstance(request, AlterPartitionRequest):
        return AlterPartitionResponse(error_code=ErrorCode.UNKNOWN_SERVER_ERROR)
    rows = [
        AlterPartitionResponse_PartitionData(
            each.partition_index,
            ErrorCode.NONE,
            ME,
            each.leader_epoch,
            [member.broker_id for member in each.new_isr_with_epochs],
            0,
            each.partition_epoch + 1,
        )
        for each in request.topics[0].partitions
        if each.partition_index not in leave_out
    ]
    return AlterPartitionResponse(topics=[AlterPartitionResponse_TopicData(ORDERS, rows)])


def test_what_is_asked_says_who_was_seen_in_which_life() -> None:
    """Version 3: members with their broker epochs, our own from the metadata, and the epochs of the partition."""

    async def main(world: World) -> None:
        broker = await lagging(world, 1)
        broker.controller.answers = agreed
        await world.clock.sleep(16_000)
        (request,) = asked(broker)
        assert (request.broker_id, request.broker_epoch) == (ME, 101)
        (row,) = request.topics[0].partitions
        assert [(each.broker_id, each.broker_epoch) for each in row.new_isr_with_epochs] == [(1, 101)]
        assert (row.leader_epoch, row.partition_epoch, row.leader_recovery_state) == (0, 0, 0)
        assert broker.leader().isr == CommittedIsr(frozenset({1}))
        await broker.stop()

    simulate(main)


def test_who_cannot_be_reached_is_asked_again() -> None:
    """After a pause, and with everything that has come meanwhile; an error of the whole request likewise."""

    async def main(world: World) -> None:
        broker = await lagging(world)
        await world.clock.sleep(16_000)
        before = len(asked(broker))
        assert before > 1
        broker.controller.answers = lambda request: AlterPartitionResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
        await world.clock.sleep(10 * RETRY_MS)
        assert len(asked(broker)) > before + 3
        assert broker.leader().isr.is_in_flight
        broker.controller.answers = agreed
        await world.clock.sleep(2 * RETRY_MS)
        assert [broker.leader(index).isr.isr for index in (0, 1)] == [{1}, {1}]
        count = len(asked(broker))
        await world.clock.sleep(60_000)
        assert len(asked(broker)) == count
        await broker.stop()

    simulate(main)


def test_what_is_not_answered_is_asked_again() -> None:
    """A controller that leaves a partition out has said nothing about it."""

    async def main(world: World) -> None:
        broker = await lagging(world)
        broker.controller.answers = lambda request: agreed(request, leave_out=(1,))
        await world.clock.sleep(16_000)
        assert [broker.leader(index).isr.is_in_flight for index in (0, 1)] == [False, True]
        broker.controller.answers = agreed
        await world.clock.sleep(2 * RETRY_MS)
        assert broker.leader(1).isr.isr == {1}
        await broker.stop()

    simulate(main)
