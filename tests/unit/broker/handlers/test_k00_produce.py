"""Produce: what is appended, what is refused and with which code, and who waits for whom."""

from dataclasses import replace

from ottla.errors import DiskError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, RemoveTopicRecord, TopicRecord
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
    ProduceResponse,
    ProduceResponse_PartitionProduceResponse,
)
from ottla.protocol.records.batch import CompressionType
from ottla.protocol.records.builder import BatchFields
from ottla.storage.append.leader import THREAD_LEAST_BYTES
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate
from tests.unit.storage.home import LOGS, Home
from tests.unit.storage.logs import idempotent, produced

Row = ProduceResponse_PartitionProduceResponse
AWAY = Uuid(b"away".ljust(16, b"\1"))


def request(  # what differs from the plainest request
    records: bytes | bytearray | memoryview | None = None,
    *,
    index: int = 0,
    acks: int = -1,
    version: int = 13,
    topic_id: Uuid = ORDERS,
    name: str = "orders",
    transactional_id: str | None = None,
) -> ProduceRequest:
    """One batch for one partition."""
    topic = ProduceRequest_TopicProduceData(
        partition_data=[ProduceRequest_PartitionProduceData(index, produced(2) if records is None else records)]
    )
    if version >= 13:
        topic.topic_id = topic_id
    else:
        topic.name = name
    return ProduceRequest(transactional_id, acks, 1_000, [topic])


def test_a_batch_is_appended_in_every_version() -> None:
    """Versions 3 to 13 append; the answer says where the first record lies."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for number, version in enumerate(range(3, 14)):
            answer = await broker.ask(request(version=version), version)
            (topic,) = answer.responses
            (row,) = topic.partition_responses
            assert (row.error_code, row.base_offset) == (ErrorCode.NONE, 2 * number)
            assert (topic.topic_id if version >= 13 else topic.name) == (ORDERS if version >= 13 else "orders")
        assert broker.leader().log.high_watermark == 22
        await broker.stop()

    simulate(main)


def test_only_a_batch_can_be_transactional() -> None:
    """Where a batch has its attributes, a message of an old format has its timestamp, and garbage has anything: such a
    section costs its partition, and a transactional batch the request.
    """

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for magic, code in (
            (0, ErrorCode.INVALID_RECORD),
            (1, ErrorCode.INVALID_RECORD),
            (7, ErrorCode.CORRUPT_MESSAGE),
        ):
            section = bytearray(produced(1))
            section[16], section[22] = magic, 0xFF
            asked = request(section, version=12)
            asked.topic_data[0].partition_data = [
                *asked.topic_data[0].partition_data,
                ProduceRequest_PartitionProduceData(1, produced(1)),
            ]
            answer = await broker.ask(asked, 12)
            codes = [each.error_code for each in answer.responses[0].partition_responses]
            assert codes == [code, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        await broker.stop()

    simulate(main)


def test_a_partition_is_written_to_once_a_request() -> None:
    """Of a partition that is named several times the last batch counts, and the answer names it once, as in Kafka."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        asked = request(produced(1))
        (topic,) = asked.topic_data
        (first,) = topic.partition_data
        again = [
            first,
            ProduceRequest_PartitionProduceData(5, produced(1)),
            ProduceRequest_PartitionProduceData(0, produced(3)),
        ]
        for topics in (
            [ProduceRequest_TopicProduceData(topic_id=ORDERS, partition_data=again)],
            [ProduceRequest_TopicProduceData(topic_id=ORDERS, partition_data=[each]) for each in again],
        ):
            end = broker.leader().log.log_end_offset
            answer = await broker.ask(ProduceRequest(None, -1, 1_000, topics), 13)
            (told,) = answer.responses
            assert [(each.index, each.error_code) for each in told.partition_responses] == [(0, 0), (5, 3)]
            assert broker.leader().log.log_end_offset == end + 3
        await broker.stop()

    simulate(main)


def test_who_has_gone_is_not_worked_for() -> None:
    """A large compressed batch whose sender goes before a thread has looked at it is left alone, unless the sender
    wanted no answer in the first place.
    """

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, segment_bytes=2**20)))
        gzip = BatchFields(compression_type=CompressionType.GZIP)
        large = produced(value=world.rng.randbytes(THREAD_LEAST_BYTES), fields=gzip)
        for acks, appended in ((-1, 0), (1, 0), (0, 1)):
            broker.send(request(bytearray(large), acks=acks), 13).go()
            await world.clock.sleep(1_000)
            assert broker.leader().log.log_end_offset == appended
        await broker.stop()

    simulate(main)


async def row(broker: DataBroker, asked: ProduceRequest, version: int = 13, client_id: str = "a-client") -> Row:
    """The one partition of an answer."""
    response = await broker.ask(asked, version, client_id=client_id)
    assert isinstance(response, ProduceResponse)
    (topic,) = response.responses
    (only,) = topic.partition_responses
    return only


def test_what_is_refused_has_its_code() -> None:
    """Each partition for itself: unknown, not led here, acks that mean nothing, records that are none."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(
            Home(world),
            *CLUSTER,
            partition(1, leader=2, replicas=(1, 2)),
            partition(2, leader=3, replicas=(2, 3)),
            partition(3, leader=-1, replicas=(1,)),
        )
        two = produced()
        damaged = bytearray(two)
        damaged[30] ^= 1
        cases: list[tuple[ProduceRequest, ErrorCode]] = [
            (request(index=1), ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(index=2), ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(index=3), ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(index=4), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(topic_id=AWAY), ErrorCode.UNKNOWN_TOPIC_ID),
            (request(acks=2), ErrorCode.INVALID_REQUIRED_ACKS),
            (request(acks=-2), ErrorCode.INVALID_REQUIRED_ACKS),
            (request(acks=2, index=4), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(b""), ErrorCode.INVALID_RECORD),
            (request(bytes(two) + bytes(two)), ErrorCode.INVALID_RECORD),
            (request(two[:40]), ErrorCode.INVALID_RECORD),
            (request(bytes(two) + bytes(20)), ErrorCode.CORRUPT_MESSAGE),
            (request(bytes(100)), ErrorCode.CORRUPT_MESSAGE),
            (request(two[:16].tobytes() + b"\3" + two[17:].tobytes()), ErrorCode.CORRUPT_MESSAGE),
            (request(two[:16].tobytes() + b"\1" + two[17:].tobytes()), ErrorCode.INVALID_RECORD),
            (request(damaged), ErrorCode.CORRUPT_MESSAGE),
            (request(produced(value=b"v" * 2_000_000)), ErrorCode.MESSAGE_TOO_LARGE),
            (request(idempotent(0, open_=True)), ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED),
            (request(idempotent(0, open_=True), transactional_id="t"), ErrorCode.INVALID_PRODUCER_ID_MAPPING),
        ]
        for asked, code in cases:
            found = await row(broker, asked)
            assert ErrorCode.of(found.error_code) is code
            assert (found.base_offset, found.log_append_time_ms, found.record_errors) == (-1, -1, ())
        assert broker.partition().log.log_end_offset == 0
        await broker.stop()

    simulate(main)


def test_what_lies_behind_a_batch_and_is_none_is_passed_over() -> None:
    """Too little for a header, or a batch that is cut: Kafka reads the whole ones alone."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for number, rest in enumerate((b"12345", bytes(produced())[:16], bytes(produced())[:50])):
            found = await row(broker, request(bytes(produced(2)) + rest))
            assert (found.error_code, found.base_offset) == (ErrorCode.NONE, 2 * number)
        await broker.stop()

    simulate(main)


def test_a_topic_without_partitions_is_left_out() -> None:
    """The answer names what was produced to, and nothing else."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        asked = request()
        asked.topic_data = [ProduceRequest_TopicProduceData(topic_id=AWAY), *asked.topic_data]
        answer = await broker.ask(asked, 13)
        assert [topic.topic_id for topic in answer.responses] == [ORDERS]
        await broker.stop()

    simulate(main)


def test_an_unknown_name_is_told_so() -> None:
    """Before topic ids a topic that is not there is UNKNOWN_TOPIC_OR_PARTITION."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        found = await row(broker, request(version=12, name="nowhere"), 12)
        assert found.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        await broker.stop()

    simulate(main)


def test_whoever_comes_to_the_wrong_broker_is_told_the_right_one() -> None:
    """Since version 10 the answer names the leader, and where it is found (KIP-951)."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1, leader=2, epoch=7, replicas=(1, 2)))
        for version in (9, 10, 13):
            response = await broker.ask(request(index=1, version=version), version)
            answer = response.responses[0].partition_responses[0]
            assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
            if version < 10:
                assert (answer.current_leader.leader_id, response.node_endpoints) == (-1, ())
                continue
            assert (answer.current_leader.leader_id, answer.current_leader.leader_epoch) == (2, 7)
            (place,) = response.node_endpoints
            assert (place.node_id, place.host, place.port, place.rack) == (2, "two", 9092, "r2")
        await broker.stop()

    simulate(main)


def test_rejected_records_are_named() -> None:
    """KIP-467: since version 8 the answer says which records of a batch broke a rule, and the log's start."""

    async def main(world: World) -> None:
        home = Home(world, logs=replace(LOGS, message_timestamp_after_max_ms=0))
        broker = await DataBroker.start(home)
        late = produced(2, timestamp=world.clock.wall_ms() + 10_000)
        found = await row(broker, request(late, version=8), 8)
        assert (found.error_code, found.base_offset, found.log_start_offset) == (ErrorCode.INVALID_TIMESTAMP, -1, 0)
        assert [each.batch_index for each in found.record_errors] == [0, 1]
        assert found.error_message
        await broker.stop()

    simulate(main)


def test_internal_topics_are_for_admin_clients() -> None:
    """INVALID_TOPIC_EXCEPTION for clients; a tool that calls itself as Kafka's admin client may repair them."""

    async def main(world: World) -> None:
        offsets = Uuid(b"offsets".ljust(16, b"\1"))
        broker = await DataBroker.start(
            Home(world), *CLUSTER, TopicRecord("__consumer_offsets", offsets), partition(0, topic_id=offsets)
        )
        for version, more in ((13, {"topic_id": offsets}), (12, {"name": "__consumer_offsets"})):
            asked = request(version=version, **more)
            assert (await row(broker, asked, version)).error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
            assert (await row(broker, asked, version, client_id="__admin_client")).error_code == ErrorCode.NONE
        await broker.stop()

    simulate(main)


def test_without_acknowledgement_there_is_no_answer() -> None:
    """`acks=0`: nothing is answered, and the connection ends if anything failed."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        fine = broker.send(request(acks=0), 13)
        assert (fine.responses, fine.refusals) == ([], [])
        assert broker.partition().log.log_end_offset == 2
        assert broker.send(request(acks=0, index=9), 13).refusals
        await broker.stop()

    simulate(main)


def test_acks_all_waits_for_those_in_sync() -> None:
    """The answer comes when the follower asks for what lies behind the batch; `acks=1` does not wait for it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        assert broker.send(request(acks=1), 13).responses
        waiting = broker.send(request(), 13)
        await world.clock.sleep(100)
        assert not waiting.responses
        for offset in (2, 4):
            broker.replicas.carry_out(
                broker.partition(), broker.leader().fetched(2, offset, 0, 102, world.clock.monotonic_ms())
            )
        assert waiting.responses
        late = broker.send(request(), 13)
        await world.clock.sleep(1_100)
        (response,) = late.responses
        assert isinstance(response, ProduceResponse)
        assert response.responses[0].partition_responses[0].error_code == ErrorCode.REQUEST_TIMED_OUT
        await broker.stop()

    simulate(main)


def test_too_few_in_sync_take_no_acks_all() -> None:
    """NOT_ENOUGH_REPLICAS, and nothing is appended; what was appended before waits until there are enough again."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        broker.min_isr = 2
        broker.replicas.reconfigure(["orders"])
        waiting = broker.send(request(), 13)
        broker.replay(PartitionChangeRecord(0, ORDERS, isr=[1]))
        found = await row(broker, request())
        assert (found.error_code, found.log_start_offset) == (ErrorCode.NOT_ENOUGH_REPLICAS, 0)
        assert (await row(broker, request(acks=1))).error_code == ErrorCode.NONE
        assert broker.partition().log.log_end_offset == 4
        assert not waiting.responses
        broker.min_isr = 1
        broker.replicas.reconfigure(["orders"])
        assert waiting.responses
        await broker.stop()

    simulate(main)


def test_produces_to_a_deleted_topic_fail_at_once() -> None:
    """Whoever waits for a partition that goes, or is led elsewhere, is told so in that step."""

    async def main(world: World) -> None:
        for change, code in (
            (RemoveTopicRecord(ORDERS), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (PartitionChangeRecord(0, ORDERS, leader=2), ErrorCode.NOT_LEADER_OR_FOLLOWER),
        ):
            home = Home(world, paths=(f"/{code}",))
            broker = await DataBroker.start(home, *CLUSTER[:-1], partition(0, replicas=(1, 2)))
            waiting = broker.send(request(), 13)
            assert not waiting.responses
            broker.replay(change)
            (response,) = waiting.responses
            assert isinstance(response, ProduceResponse)
            assert response.responses[0].partition_responses[0].error_code == code
            await broker.stop()

    simulate(main)


def test_batches_keep_the_order_of_their_requests() -> None:
    """Large compressed batches are looked at in threads, small ones at once; the log has them as they came."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, segment_bytes=2**30)))
        large = BatchFields(compression_type=CompressionType.GZIP)
        sent = []
        for number in range(12):
            noise = world.rng.randbytes(200_000 if number % 3 == 0 else 20)
            sent.append(broker.send(request(produced(1, value=noise, fields=large if number % 3 == 0 else None)), 13))
        assert not sent[1].responses
        await world.clock.sleep(1_000)
        found = []
        for answers in sent:
            (response,) = answers.responses
            assert isinstance(response, ProduceResponse)
            found.append(response.responses[0].partition_responses[0].base_offset)
        assert found == list(range(12))
        await broker.stop()

    simulate(main)


def test_a_failed_disk_is_told() -> None:
    """KAFKA_STORAGE_ERROR, for the batch that found out and for those after it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        log = broker.partition().log
        log.services.failed(DiskError("it clicks", path=log.directory))
        for _ in range(2):
            found = await row(broker, request())
            assert (found.error_code, found.log_start_offset) == (ErrorCode.KAFKA_STORAGE_ERROR, -1)
        await broker.stop()

    simulate(main)


def test_flush_messages_comes_before_the_answer() -> None:
    """With `flush.messages=1` a batch is on the disk when it is acknowledged, and nobody reads it before."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, flush_messages=1)))
        log = broker.partition().log
        answers = broker.send(request(produced(3)), 13)
        assert not answers.responses
        assert (log.log_end_offset, log.high_watermark) == (3, 0)
        while not answers.responses:
            await world.clock.sleep(1)
        assert (log.flushed_offset, log.high_watermark) == (3, 3)
        await broker.stop()

    simulate(main)


def test_a_log_is_lost_while_its_flush_is_waited_for() -> None:
    """A partition whose directory fails between the append and its flush answers with the storage error (seed 105 of
    the cluster suite: the answer asked the partition for a log that it no longer had).
    """

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, flush_messages=1)))
        answers = broker.send(request(produced(3), acks=-1), 13)
        broker.replicas.failed(broker.partition())
        while not answers.responses:
            await world.clock.sleep(1)
        (response,) = answers.responses
        assert isinstance(response, ProduceResponse)
        assert response.responses[0].partition_responses[0].error_code == ErrorCode.KAFKA_STORAGE_ERROR
        await broker.stop()

    simulate(main)
