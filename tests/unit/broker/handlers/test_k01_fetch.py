"""Fetch: what is read, how much of it, who waits, and what is refused."""

import tracemalloc
from dataclasses import replace

import pytest

from ottla.broker.handlers import k01_fetch
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, RemoveTopicRecord, TopicRecord
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    FetchRequest_ReplicaState,
    FetchResponse,
    FetchResponse_PartitionData,
)
from ottla.protocol.records.batch import batches
from ottla.storage.append.info import AppendOrigin
from ottla.world.api import FileRange, World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate, to_bytes
from tests.unit.broker.handlers.test_k00_produce import AWAY
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import LOGS, Home
from tests.unit.storage.logs import idempotent, marker, produced

Data = FetchResponse_PartitionData


def request(  # what differs from the plainest request
    offset: int = 0,
    *,
    index: int = 0,
    version: int = 18,
    wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = 2**31 - 1,
    epoch: int = -1,
    last_epoch: int = -1,
    isolation: int = 0,
    replica_id: int = -1,
    replica_epoch: int = -1,
    session: tuple[int, int] = (0, -1),
    topic_id: Uuid = ORDERS,
) -> FetchRequest:
    """One partition; without a session, unless it is said."""
    partition = FetchRequest_FetchPartition(
        index,
        fetch_offset=offset,
        partition_max_bytes=1_000_000,
        current_leader_epoch=epoch,
        last_fetched_epoch=last_epoch,
    )
    topic = FetchRequest_FetchTopic(partitions=[partition])
    if version >= 13:
        topic.topic_id = topic_id
    else:
        topic.topic = "orders"
    asked = FetchRequest(
        max_wait_ms=wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=isolation,
        session_id=session[0],
        session_epoch=session[1],
        topics=[topic] if index >= 0 else (),
    )
    if version >= 15:
        asked.replica_state = FetchRequest_ReplicaState(replica_id, replica_epoch)
    else:
        asked.replica_id = replica_id
    return asked


def row(response: Message) -> Data:
    """The one partition of an answer."""
    assert isinstance(response, FetchResponse)
    (topic,) = response.responses
    (data,) = topic.partitions
    return data


def records(data: Data) -> bytes:
    """The bytes that it has."""
    assert data.records is not None
    return bytes(data.records)


def test_what_was_produced_is_fetched_in_every_version() -> None:
    """Versions 4 to 18 give the batches as they lie in the log."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        for _ in range(5):
            await broker.ask(produce_request(), 13)
        for version in range(4, 19):
            data = row(await broker.ask(request(3, version=version), version))
            assert (data.error_code, data.high_watermark) == (ErrorCode.NONE, 10)
            assert [batch.base_offset for batch in batches(memoryview(records(data)))] == [2, 4, 6, 8]
        await broker.stop()

    simulate(main)


def test_large_answers_are_ranges_of_files_and_cold_ones_are_brought() -> None:
    """What is large goes out from the file itself; what is not in memory is read in a thread. The bytes are the same,
    and the range stays whole when the log's own handle is closed before it is sent.
    """

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, segment_bytes=2**30, max_message_bytes=2**20)))
        for _ in range(6):
            await broker.ask(produce_request(produced(1, value=b"v" * 100_000)), 13)
        kinds = set()
        for _ in range(40):
            answers = broker.send(request(version=17), 17)
            while not answers.responses:
                await world.clock.sleep(1)
            (response,) = answers.responses
            kinds.add(type(row(response).records))
            broker.partition().log.segments.active.close()
            frame = FetchResponse.read(memoryview(to_bytes(response, 17)), 17)
            assert [batch.base_offset for batch in batches(memoryview(records(row(frame))))] == list(range(6))
        assert kinds == {FileRange, bytes}
        await broker.stop()

    simulate(main)


def test_a_fetch_waits_for_the_next_batch() -> None:
    """At the log's end an answer waits until something is produced, and no longer than `max_wait_ms`."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        begin_ms = world.clock.monotonic_ms()
        assert not records(row(await broker.ask(request(wait_ms=500), 18)))
        assert 500 <= world.clock.monotonic_ms() - begin_ms < 510
        waiting = broker.send(request(wait_ms=500), 18)
        assert not waiting.responses
        await broker.ask(produce_request(), 13)
        await world.clock.sleep(5)
        (response,) = waiting.responses
        assert records(row(response))
        await broker.stop()

    simulate(main)


def test_what_cannot_be_read_has_its_code() -> None:
    """Each partition for itself, with a high watermark of -1 and no records."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(
            Home(world), *CLUSTER[:-1], partition(0, epoch=5), partition(1, leader=2, epoch=7, replicas=(1, 2))
        )
        await broker.ask(produce_request(), 13)
        cases = [
            (request(index=9), 18, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            (request(topic_id=AWAY), 18, ErrorCode.UNKNOWN_TOPIC_ID),
            (request(3), 18, ErrorCode.OFFSET_OUT_OF_RANGE),
            (request(-1), 18, ErrorCode.OFFSET_OUT_OF_RANGE),
            (request(epoch=4), 18, ErrorCode.FENCED_LEADER_EPOCH),
            (request(epoch=6), 18, ErrorCode.UNKNOWN_LEADER_EPOCH),
            (request(epoch=5), 18, ErrorCode.NONE),
            (request(index=1, version=10), 10, ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(index=1, version=11), 11, ErrorCode.NONE),  # a consumer may read from a follower (KIP-392)
            (request(index=1, epoch=6, version=11), 11, ErrorCode.FENCED_LEADER_EPOCH),
            (request(index=1, replica_id=2), 18, ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(replica_id=2), 18, ErrorCode.NOT_LEADER_OR_FOLLOWER),
            (request(replica_id=2, epoch=5), 18, ErrorCode.UNKNOWN_LEADER_EPOCH),
        ]
        for asked, version, code in cases:
            data = row(await broker.ask(asked, version))
            assert ErrorCode.of(data.error_code) is code
            if code:
                assert (data.high_watermark, data.last_stable_offset, data.log_start_offset) == (-1, -1, -1)
                assert not records(data)
        await broker.stop()

    simulate(main)


def test_sizes_and_isolations_that_are_none_are_faults_of_the_whole() -> None:
    """As in Kafka: UNKNOWN_SERVER_ERROR for less than nothing, where there is something; for an isolation level that
    there is not, the whole request, and before topic ids each partition.
    """

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        assert row(await broker.ask(request(max_bytes=-1), 18)).error_code == ErrorCode.NONE
        await broker.ask(produce_request(), 13)
        assert row(await broker.ask(request(max_bytes=-1), 18)).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        response = await broker.ask(request(isolation=7), 18)
        assert (response.error_code, response.responses) == (ErrorCode.UNKNOWN_SERVER_ERROR, ())
        response = await broker.ask(request(isolation=7, version=11), 11)
        assert response.error_code == row(response).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
        await broker.stop()

    simulate(main)


def test_an_error_is_answered_at_once_but_an_unknown_partition_waits_with_the_others() -> None:
    """What this broker has and cannot read is told without waiting; what nobody knows does not make others hurry."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        assert broker.send(request(5, wait_ms=500), 18).responses
        assert broker.send(request(index=7, wait_ms=500), 18).responses
        asked = request(wait_ms=500)
        asked.topics = [*asked.topics, *request(index=7).topics]
        waiting = broker.send(asked, 18)
        assert not waiting.responses
        await broker.ask(produce_request(), 13)
        await world.clock.sleep(5)
        assert waiting.responses
        await broker.stop()

    simulate(main)


def test_whoever_comes_to_the_wrong_broker_is_told_the_right_one() -> None:
    """Since version 16 the answer names the leader, and where it is found (KIP-951)."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1, leader=2, epoch=7, replicas=(1, 2)))
        response = await broker.ask(request(index=1, epoch=6), 18)
        assert row(response).error_code == ErrorCode.FENCED_LEADER_EPOCH
        assert (row(response).current_leader.leader_id, row(response).current_leader.leader_epoch) == (2, 7)
        (place,) = response.node_endpoints
        assert (place.node_id, place.host, place.port, place.rack) == (2, "two", 9092, "r2")
        await broker.stop()

    simulate(main)


def test_the_first_partition_with_records_gives_at_least_one_batch() -> None:
    """`max_bytes` counts over all partitions, in their order; `fetch.max.bytes` of the broker bounds it."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, *(partition(index) for index in (1, 2)))
        size = len(produced(2))
        for index in (1, 2):
            for _ in range(3):
                await broker.ask(produce_request(index=index), 13)

        async def sizes(max_bytes: int) -> list[int]:
            asked = request(max_bytes=max_bytes)
            asked.topics = [
                FetchRequest_FetchTopic(topic_id=ORDERS, partitions=[request(index=index).topics[0].partitions[0]])
                for index in (0, 1, 2)
            ]
            response = await broker.ask(asked, 18)
            return [len(data.records) // size for topic in response.responses for data in topic.partitions]

        assert await sizes(0) == [0, 1, 0]
        assert await sizes(2 * size) == [0, 2, 0]
        assert await sizes(5 * size) == [0, 3, 2]
        assert await sizes(10**6) == [0, 3, 3]
        broker.path.fetch_max_bytes = 4 * size
        assert await sizes(10**6) == [0, 3, 1]
        await broker.stop()

    simulate(main)


def test_a_fetch_waits_for_enough_bytes() -> None:
    """`min_bytes` counts over all partitions; what is there when the time is over is answered all the same."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1))
        size = len(produced(2))
        asked = request(wait_ms=500, min_bytes=3 * size)
        asked.topics = [*asked.topics, *request(index=1).topics]
        waiting = broker.send(asked, 18)
        for index, is_there in ((0, False), (1, False), (0, True)):
            await broker.ask(produce_request(index=index), 13)
            await world.clock.sleep(5)
            assert bool(waiting.responses) == is_there
        (response,) = waiting.responses
        assert isinstance(response, FetchResponse)
        assert [len(records(data)) for topic in response.responses for data in topic.partitions] == [2 * size, size]
        late = await broker.ask(request(4, wait_ms=50, min_bytes=10**6), 18)
        assert not records(row(late))
        await broker.stop()

    simulate(main)


def test_what_was_there_before_counts_as_well() -> None:
    """A fetch that has found something, but not enough, keeps how much that was and not the records: it is answered as
    soon as another partition has the rest, with all of it, and many of them cost nothing while they wait.
    """

    async def main(world: World) -> None:
        home = Home(world, logs=replace(LOGS, segment_bytes=2**20))
        broker = await DataBroker.start(home, *CLUSTER, partition(1))
        large = produced(value=world.rng.randbytes(100_000))
        await broker.ask(produce_request(large), 13)
        asked = request(wait_ms=60_000, min_bytes=len(large) + 10, max_bytes=2**30)
        asked.topics = [*asked.topics, *request(index=1).topics]
        tracemalloc.start()
        waiting = [broker.send(asked, 18) for _ in range(40)]
        await world.clock.sleep(1_000)
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert held < 10 * len(large)
        assert not any(each.responses for each in waiting)
        await broker.ask(produce_request(index=1), 13)
        await world.clock.sleep(5)
        for each in waiting:
            (response,) = each.responses
            assert isinstance(response, FetchResponse)
            found = [len(records(data)) for topic in response.responses for data in topic.partitions]
            assert found == [len(large), len(produced(2))]
        await broker.stop()

    simulate(main)


def test_a_wide_fetch_lets_others_in_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many partitions are looked at before others have the loop; what comes to one of them meanwhile, when the
    fetch does not wait yet, is noticed all the same.
    """
    monkeypatch.setattr(k01_fetch, "PARTITIONS_AT_ONCE", 2)

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1))
        asked = request(wait_ms=60_000)
        asked.topics = [*asked.topics, *(topic for index in range(1, 7) for topic in request(index=index).topics)]
        waiting = broker.send(asked, 18)
        assert not waiting.responses
        await broker.ask(produce_request(), 13)
        await world.clock.sleep(5)
        (response,) = waiting.responses
        assert isinstance(response, FetchResponse)
        told = {data.partition_index: data for topic in response.responses for data in topic.partitions}
        assert list(told) == list(range(7))
        assert records(told[0])
        assert {told[index].error_code for index in range(2, 7)} == {ErrorCode.UNKNOWN_TOPIC_OR_PARTITION}
        await broker.stop()

    simulate(main)


def test_whoever_waits_for_a_partition_that_goes_is_told_so() -> None:
    """At once: the topic is deleted, another broker leads, the leader's epoch is another."""

    async def main(world: World) -> None:
        for number, (change, asked, code) in enumerate(
            (
                (RemoveTopicRecord(ORDERS), request(wait_ms=500), ErrorCode.UNKNOWN_TOPIC_ID),
                (
                    PartitionChangeRecord(0, ORDERS, leader=2),
                    request(wait_ms=500, version=10),
                    ErrorCode.NOT_LEADER_OR_FOLLOWER,
                ),
                (
                    PartitionChangeRecord(0, ORDERS, leader=1),
                    request(wait_ms=500, epoch=0),
                    ErrorCode.FENCED_LEADER_EPOCH,
                ),
            )
        ):
            home = Home(world, paths=(f"/{number}",))
            broker = await DataBroker.start(home, *CLUSTER[:-1], partition(0, replicas=(1, 2)))
            waiting = broker.send(asked, 10 if asked.topics[0].topic else 18)
            assert not waiting.responses
            broker.replay(change)
            (response,) = waiting.responses
            assert ErrorCode.of(row(response).error_code) is code
            await broker.stop()

    simulate(main)


def test_consumers_read_what_is_safe_and_followers_all() -> None:
    """W19: up to the high watermark; a follower's fetch is what moves it, and tells when it does."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2)))
        await broker.ask(produce_request(acks=1), 13)
        waiting = broker.send(request(wait_ms=500), 18)
        assert not waiting.responses

        async def follow(offset: int, replica_epoch: int = 102) -> Data:
            return row(await broker.ask(request(offset, replica_id=2, replica_epoch=replica_epoch, epoch=0), 18))

        assert records(await follow(0))
        assert broker.leader().log.high_watermark == 0
        assert (await follow(2, 99)).error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER  # of an earlier life (KIP-903)
        assert (await follow(2)).high_watermark == 2
        assert broker.leader().log.high_watermark == 2
        await world.clock.sleep(5)
        (response,) = waiting.responses
        assert records(row(response))
        assert (await follow(9)).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        assert broker.leader().followers[2].log_end_offset == 2
        await broker.stop()

    simulate(main)


def test_a_reader_of_another_history_is_told_where_they_part() -> None:
    """Since version 12: its last epoch ended earlier here; it is told so, and given nothing."""

    async def main(world: World) -> None:
        home = Home(world)
        broker = await DataBroker.start(home)
        await broker.ask(produce_request(), 13)
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=1))
        await broker.ask(produce_request(), 13)
        for offset, last_epoch, parts in ((4, 0, (0, 2)), (3, 0, (0, 2)), (2, 0, (-1, -1)), (4, 1, (-1, -1))):
            data = row(await broker.ask(request(offset, last_epoch=last_epoch, wait_ms=0), 18))
            assert (data.diverging_epoch.epoch, data.diverging_epoch.end_offset) == parts
            assert data.error_code == ErrorCode.NONE
            assert bool(records(data)) == (offset == 2)
        data = row(await broker.ask(request(2, last_epoch=9), 18))
        assert data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
        await broker.stop()

    simulate(main)


def test_read_committed_ends_at_the_last_stable_offset() -> None:
    """What an open transaction wrote is not given; who was aborted is listed, null for read_uncommitted."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        part, leader = broker.partition(), broker.leader()

        def write(batch: memoryview, origin: AppendOrigin) -> None:
            guard = part.log.producer_state.start_verification(7, 0, 0, 0, supports_epoch_bump=False)
            part.log.append_as_leader(batch, 0, origin, guard=guard)
            broker.replicas.appended(part, leader)

        write(idempotent(0, 2, open_=True), AppendOrigin.CLIENT)
        open_ = row(await broker.ask(request(isolation=1), 18))
        assert (open_.high_watermark, open_.last_stable_offset, records(open_)) == (2, 0, b"")
        assert open_.aborted_transactions == ()
        write(marker(committed=False), AppendOrigin.COORDINATOR)
        ended = row(await broker.ask(request(isolation=1), 18))
        assert (ended.last_stable_offset, len(records(ended)) > 0) == (3, True)
        assert ended.aborted_transactions is not None
        assert [(each.producer_id, each.first_offset) for each in ended.aborted_transactions] == [(7, 0)]
        assert row(await broker.ask(request(), 18)).aborted_transactions is None
        await broker.stop()

    simulate(main)


def test_a_session_tells_what_is_new() -> None:
    """KIP-227 end to end: the first answer tells all, the following ones only what has changed, errors each time."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER, partition(1))
        asked = request(session=(0, 0))
        asked.topics = [*asked.topics, *request(index=1).topics]
        first = await broker.ask(asked, 18)
        session_id = first.session_id
        assert session_id > 0
        assert [data.partition_index for topic in first.responses for data in topic.partitions] == [0, 1]

        async def go_on(epoch: int, asked: FetchRequest | None = None) -> list[tuple[int, int, bool]]:
            asked = asked or request(index=-1)
            asked.session_id, asked.session_epoch = session_id, epoch
            response = await broker.ask(asked, 18)
            assert (response.error_code, response.session_id) == (ErrorCode.NONE, session_id)
            return [
                (data.partition_index, data.error_code, bool(data.records))
                for topic in response.responses
                for data in topic.partitions
            ]

        assert await go_on(1) == []
        await broker.ask(produce_request(index=1), 13)
        assert await go_on(2) == [(1, 0, True)]
        assert await go_on(3, request(2, index=1)) == []
        assert await go_on(4, request(5, index=1)) == [(1, ErrorCode.OFFSET_OUT_OF_RANGE, False)]
        assert await go_on(5) == [(1, ErrorCode.OFFSET_OUT_OF_RANGE, False)]
        assert await go_on(6, request(2, index=1)) == [(1, 0, False)]
        broker.replay(RemoveTopicRecord(ORDERS))
        broker.replay(TopicRecord("orders", AWAY), partition(0, topic_id=AWAY))
        await broker.replicas.settled()
        unknown = ErrorCode.UNKNOWN_TOPIC_ID
        assert sorted(await go_on(7)) == [(0, unknown, False), (1, unknown, False)]
        refused = await broker.ask(request(index=-1, session=(session_id, 7)), 18)
        assert (refused.error_code, refused.session_id) == (ErrorCode.INVALID_FETCH_SESSION_EPOCH, 0)
        await broker.stop()

    simulate(main)
