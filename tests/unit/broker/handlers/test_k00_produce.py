"""Produce: what is appended, what is refused and with which code, and who waits for whom."""

from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
    ProduceResponse_PartitionProduceResponse,
)
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import ORDERS, DataBroker, simulate
from tests.unit.storage.home import Home
from tests.unit.storage.logs import produced

Row = ProduceResponse_PartitionProduceResponse


def request(
    records: bytes | memoryview | None = None, *, index: int = 0, acks: int = -1, version: int = 13
) -> ProduceRequest:
    """One batch for one partition."""
    records = produced(2) if records is None else records
    topic = {"topic_id": ORDERS} if version >= 13 else {"name": "orders"}
    data = [ProduceRequest_PartitionProduceData(index, records)]
    return ProduceRequest(
        acks=acks, timeout_ms=1_000, topic_data=[ProduceRequest_TopicProduceData(partition_data=data, **topic)]
    )


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
