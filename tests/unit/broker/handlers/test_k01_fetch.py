"""Fetch: what is read, how much of it, who waits, and what is refused."""

from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    FetchResponse,
    FetchResponse_PartitionData,
)
from ottla.protocol.records.batch import batches
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import ORDERS, DataBroker, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.storage.home import Home

Data = FetchResponse_PartitionData


def request(
    offset: int = 0, *, index: int = 0, version: int = 18, wait_ms: int = 0, min_bytes: int = 1, epoch: int = -1
) -> FetchRequest:
    """One partition, without a session."""
    partition = FetchRequest_FetchPartition(
        index, fetch_offset=offset, partition_max_bytes=1_000_000, current_leader_epoch=epoch
    )
    topic = {"topic_id": ORDERS} if version >= 13 else {"topic": "orders"}
    return FetchRequest(
        max_wait_ms=wait_ms,
        min_bytes=min_bytes,
        topics=[FetchRequest_FetchTopic(partitions=[partition], **topic)],
    )


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
        (response,) = waiting.responses
        assert records(row(response))
        await broker.stop()

    simulate(main)
