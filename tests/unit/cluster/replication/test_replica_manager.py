"""The replica manager: partitions come, change hands and go as the metadata says, and with the disks below them."""

from ottla.cluster.replication.follower import Follower
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Gone, Offline
from ottla.errors import DiskError
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    AlterPartitionResponse_PartitionData,
    AlterPartitionResponse_TopicData,
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsResponse,
    AssignReplicasToDirsResponse_DirectoryData,
    AssignReplicasToDirsResponse_PartitionData,
    AssignReplicasToDirsResponse_TopicData,
)
from ottla.protocol.messages.metadata_records import (
    ConfigRecord,
    FenceBrokerRecord,
    PartitionChangeRecord,
    RemoveTopicRecord,
    TopicRecord,
    UnfenceBrokerRecord,
)
from ottla.protocol.messages.produce_fetch import ProduceResponse
from ottla.storage.names import TopicPartition
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ME, ORDERS, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home
from tests.unit.storage.logs import produced

AGAIN = Uuid(b"orders again".ljust(16, b"\1"))
ORDERS_0 = TopicPartition("orders", 0)


def assigned(request: Message, code: int) -> AssignReplicasToDirsResponse:
    """Each replica is answered so."""
    assert isinstance(request, AssignReplicasToDirsRequest)
    return AssignReplicasToDirsResponse(
        directories=[
            AssignReplicasToDirsResponse_DirectoryData(
                directory.id,
                [
                    AssignReplicasToDirsResponse_TopicData(
                        topic.topic_id,
                        [
                            AssignReplicasToDirsResponse_PartitionData(each.partition_index, code)
                            for each in topic.partitions
                        ],
                    )
                    for topic in directory.topics
                ],
            )
            for directory in request.directories
        ]
    )


def test_a_partition_gets_a_log_and_leads() -> None:
    """A topic that appears is led as soon as its log is there, and every replica of one has a log of its own."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        assert (broker.leader().epoch, broker.leader().log.high_watermark) == (0, 0)
        broker.replay(partition(1, epoch=4), partition(2, leader=2, replicas=(2, 3)))
        assert broker.replicas.table.get("orders", 1) is not None
        assert broker.partition(1).refusal() == ErrorCode.NOT_LEADER_OR_FOLLOWER  # until it has its log
        await broker.replicas.settled()
        assert (broker.leader(1).epoch, broker.partition(1).log.topic_partition) == (4, TopicPartition("orders", 1))
        assert broker.replicas.table.get("orders", 2) is None
        assert broker.replicas.missing("orders", 2) == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert broker.replicas.missing("orders", 3) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert broker.replicas.missing_by_id(AGAIN, 0) == ErrorCode.UNKNOWN_TOPIC_ID
        await broker.stop()

    simulate(main)


def test_what_was_safe_is_safe_after_a_restart() -> None:
    """After a clean stop the high watermark is where it was, at once: all logs are loaded with what was noted."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home)
        for _ in range(5):
            broker.partition().log.append_as_leader(produced(), 0)
        broker.replicas.appended(broker.partition(), broker.leader())
        await broker.stop()
        records = (*CLUSTER[:-1], partition(0, leader=2, epoch=1, replicas=(1, 2)))
        broker = await DataBroker.start(home, *records)
        assert isinstance(broker.partition().role, Follower)
        assert (broker.partition().log.high_watermark, broker.partition().log.log_end_offset) == (5, 5)
        await broker.stop()

    simulate(main)


def test_a_broker_that_stops_sends_everybody_elsewhere() -> None:
    """NOT_LEADER_OR_FOLLOWER from that step on, also for who waits; what the metadata says then changes nothing."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        waiting = broker.send(produce_request(), 13)
        await broker.replicas.stop()
        (response,) = waiting.responses
        assert isinstance(response, ProduceResponse)
        assert response.responses[0].partition_responses[0].error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=1), partition(1))
        assert broker.partition().refusal() == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert broker.replicas.table.get("orders", 1) is None
        await broker.logs.close()

    simulate(main)


def test_a_leader_becomes_a_follower_and_leads_again() -> None:
    """The role follows the metadata, in the step in which it comes; each time of leading begins an epoch."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        broker.partition().log.append_as_leader(produced(3), 0)
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=2))
        assert isinstance(broker.partition().role, Follower)
        assert broker.partition().refusal() == ErrorCode.NOT_LEADER_OR_FOLLOWER
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=1))
        assert (broker.leader().epoch, broker.leader().epoch_start_offset) == (2, 3)
        assert [tuple(each) for each in broker.partition().log.epochs.entries()] == [(0, 0), (2, 3)]
        await broker.stop()

    simulate(main)


def test_a_deleted_topic_is_gone_at_once() -> None:
    """Out of the table in the same step; its log goes afterwards, and nothing is left in the checkpoints."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home)
        gone = broker.partition()
        broker.replay(RemoveTopicRecord(ORDERS))
        assert isinstance(gone.role, Gone)
        assert broker.replicas.table.get("orders", 0) is None
        assert broker.replicas.missing("orders", 0) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        await broker.replicas.settled()
        assert broker.logs.get(ORDERS_0) is None
        await broker.stop()
        assert not any(name == "orders-0" for path in home.paths for name in home.names(path))

    simulate(main)


def test_a_topic_made_anew_under_its_name_has_nothing_of_the_old_one() -> None:
    """In one image or in two, and while the first one's log is still being made."""

    async def main(world: World) -> None:
        for together in (True, False):
            broker = await DataBroker.start(Home(world, paths=(f"/a{together}", f"/b{together}")))
            broker.partition().log.append_as_leader(produced(3), 0)
            records = TopicRecord("orders", AGAIN), partition(0, topic_id=AGAIN)
            if together:
                broker.replay(RemoveTopicRecord(ORDERS), *records)
            else:
                broker.replay(RemoveTopicRecord(ORDERS))
                broker.replay(*records)
            assert broker.replicas.table.get_by_id(ORDERS, 0) is None
            await broker.replicas.settled()
            found = broker.partition()
            assert (found.topic_id, found.log.log_end_offset) == (AGAIN, 0)
            assert isinstance(found.role, Leader)
            hosted = broker.logs.table.get(ORDERS_0)
            assert hosted is not None
            assert hosted.topic_id == AGAIN
            await broker.stop()

    simulate(main)


def test_a_topic_deleted_while_its_log_is_made_leaves_none() -> None:
    """Whatever is said while the disk is waited for, in the end it is as was said last."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home, *CLUSTER[:-2])
        broker.replay(TopicRecord("orders", ORDERS), partition(0), partition(1))
        broker.replay(RemoveTopicRecord(ORDERS))
        broker.replay(TopicRecord("orders", AGAIN), partition(0, topic_id=AGAIN))
        broker.replay(RemoveTopicRecord(AGAIN))
        await broker.replicas.settled()
        assert len(broker.replicas.table) == 0
        assert len(broker.logs.table) == 0
        await broker.stop()

    simulate(main)


def test_a_replica_that_is_given_to_others_goes() -> None:
    """A reassignment away from this broker deletes its log here, and one back makes a new one."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        broker.partition().log.append_as_leader(produced(3), 0)
        broker.replay(PartitionChangeRecord(0, ORDERS, replicas=[2, 3], isr=[2, 3], leader=2))
        assert broker.replicas.table.get("orders", 0) is None
        await broker.replicas.settled()
        assert broker.logs.get(ORDERS_0) is None
        broker.replay(PartitionChangeRecord(0, ORDERS, replicas=[1], isr=[1], leader=1))
        await broker.replicas.settled()
        assert broker.leader().log.log_end_offset == 0
        await broker.stop()

    simulate(main)


def test_a_failed_directory_takes_its_partitions_alone() -> None:
    """KAFKA_STORAGE_ERROR for those in it, from that step on; the others go on."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, *(partition(index) for index in range(1, 4)))
        lost = broker.logs.directories[0]
        in_it = {hosted.topic_partition.partition for hosted in broker.logs.table.in_directory(lost)}
        assert 0 < len(in_it) < 4
        broker.logs.fail(lost, DiskError("it clicks", path=lost.path))
        for index in range(4):
            if index in in_it:
                assert isinstance(broker.partition(index).role, Offline)
                assert broker.partition(index).refusal() == ErrorCode.KAFKA_STORAGE_ERROR
            else:
                assert isinstance(broker.partition(index).role, Leader)
        broker.replay(PartitionChangeRecord(min(in_it), ORDERS, leader=1))
        await broker.replicas.settled()
        assert broker.partition(min(in_it)).refusal() == ErrorCode.KAFKA_STORAGE_ERROR
        await broker.stop()

    simulate(main)


def test_the_controller_is_told_where_a_replica_lies() -> None:
    """With several directories the broker chooses, and says so (KIP-858), until the controller has heard it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        broker.replay(partition(1))
        await world.clock.sleep(500)
        codes = [ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.NONE]
        broker.controller.answers = lambda request: assigned(request, codes.pop(0))
        await world.clock.sleep(10_000)
        count = len(broker.controller.requests)
        told = broker.controller.requests[-1]
        assert isinstance(told, AssignReplicasToDirsRequest)
        assert (told.broker_id, told.broker_epoch) == (ME, 101)
        found = {
            each.partition_index: directory.id
            for directory in told.directories
            for topic in directory.topics
            for each in topic.partitions
        }
        expected = {hosted.topic_partition.partition: hosted.directory.directory_id for hosted in broker.logs.table}
        assert found == expected
        await world.clock.sleep(60_000)
        assert len(broker.controller.requests) == count
        await broker.stop()

    simulate(main)


def test_a_partition_goes_where_the_controller_wants_it() -> None:
    """A directory's id in the metadata decides, and then there is nothing to tell."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home, *CLUSTER[:-1])
        for index, directory in enumerate(broker.logs.directories):
            assert directory.directory_id is not None
            record = partition(index)
            record.directories = [directory.directory_id]
            broker.replay(record)
        await broker.replicas.settled()
        for index, directory in enumerate(broker.logs.directories):
            hosted = broker.logs.table.get(TopicPartition("orders", index))
            assert hosted is not None
            assert hosted.directory is directory
        assert broker.controller.requests == []
        await broker.stop()

    simulate(main)


def test_the_settings_of_a_topic_reach_its_logs() -> None:
    """A changed topic is configured anew, and `min.insync.replicas` with it."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home, *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        home.logs = type(home.logs)(retention_ms=5)
        broker.min_isr = 2
        assert broker.leader().has_enough_in_sync
        broker.replay(ConfigRecord(2, "orders", "retention.ms", "5"))
        assert broker.partition().log.config.retention_ms == 5
        assert broker.leader().min_isr == 2
        await broker.stop()

    simulate(main)


def test_who_falls_behind_leaves_the_isr_when_the_controller_agrees() -> None:
    """Twice in `replica.lag.time.max.ms` a leader looks; it asks one request at a time, and again if it must."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(
            Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2, 3)), partition(1, replicas=(1, 2))
        )
        refusals = [ErrorCode.UNKNOWN_SERVER_ERROR, ErrorCode.NONE]

        def answer(request: Message) -> Message:
            if not isinstance(request, AlterPartitionRequest):
                return AssignReplicasToDirsResponse()
            (topic,) = request.topics
            code = refusals.pop(0) if refusals else ErrorCode.NONE
            return AlterPartitionResponse(
                topics=[
                    AlterPartitionResponse_TopicData(
                        ORDERS,
                        [
                            AlterPartitionResponse_PartitionData(
                                each.partition_index,
                                code,
                                ME,
                                each.leader_epoch,
                                [member.broker_id for member in each.new_isr_with_epochs],
                                0,
                                each.partition_epoch + 1,
                            )
                            for each in topic.partitions
                        ],
                    )
                ]
            )

        broker.controller.answers = answer
        for index in (0, 1):
            broker.partition(index).log.append_as_leader(produced(), 0)
            broker.replicas.appended(broker.partition(index), broker.leader(index))
        assert broker.leader().log.high_watermark == 0
        await world.clock.sleep(46_000)
        asked = [each for each in broker.controller.requests if isinstance(each, AlterPartitionRequest)]
        assert [len(each.topics[0].partitions) for each in asked] in ([2, 2], [1, 1, 2], [1, 2, 1], [1, 2])
        for index in (0, 1):
            assert broker.leader(index).isr.isr == {1}
            assert broker.leader(index).log.high_watermark == 1
            assert broker.partition(index).partition_epoch == 1
        await broker.stop()

    simulate(main)


def test_a_broker_that_is_fenced_is_not_waited_for_to_join() -> None:
    """Who may join is what the newest image says."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        brokers = broker.leader()._brokers
        assert (brokers.epoch_of(2), brokers.may_join(2)) == (102, True)
        broker.replay(FenceBrokerRecord(2, 102))
        assert (brokers.epoch_of(2), brokers.may_join(2)) == (None, False)
        broker.replay(UnfenceBrokerRecord(2, 102))
        assert brokers.may_join(2)
        await broker.stop()

    simulate(main)
