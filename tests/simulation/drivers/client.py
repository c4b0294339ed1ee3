"""A client that finds leaders by Metadata, writes and reads. It tries again until it is answered, as real ones do.

A producer has one batch on its way for a partition at a time, and sends it again, byte for byte, until it is told where
it lies: with a producer id that makes it idempotent, without one it may be written several times. A reader goes through
partitions and tells the history all it sees.
"""

from collections.abc import Sequence

from ottla.errors import OttlaError
from ottla.network.channel import Channel, ChannelSettings
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataRequest_MetadataRequestTopic as AskedTopic
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    FetchResponse,
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
    ProduceResponse,
)
from ottla.protocol.records.batch import CompressionType, whole_batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.record import records_of
from ottla.world.api import Address, World
from tests.simulation.drivers.history import History, Place

PAUSE_MS = 50  # after an answer that is none
REQUEST_TIMEOUT_MS = 3_000
FETCH_BYTES = 64 * 1024


class Refused(Exception):  # noqa: N818 - an answer, and no error of anybody's
    """The broker said no; the client looks for the leader anew."""


class Client:
    """Knows where leaders are."""

    def __init__(self, world: World, name: str, bootstrap: Sequence[Address], history: History) -> None:
        self.world, self.name, self.history = world, name, history
        self._settings = ChannelSettings(
            client_id=name, request_timeout_ms=REQUEST_TIMEOUT_MS, connect_timeout_ms=1_000
        )
        self._bootstrap, self._next = list(bootstrap), 0
        self._channels: dict[Address, Channel] = {}
        self._ids: dict[str, Uuid] = {}
        self._leaders: dict[Place, Address] = {}

    def _channel(self, address: Address) -> Channel:
        if address not in self._channels:
            self._channels[address] = Channel(self.world, address, self._settings)
        return self._channels[address]

    async def leader(self, place: Place) -> tuple[Channel, Uuid]:
        """Whom to ask about a partition."""
        if place not in self._leaders:
            await self._look(place.topic)
        if place not in self._leaders:
            raise Refused(f"nobody leads {place}")
        return self._channel(self._leaders[place]), self._ids[place.topic]

    def forget(self, place: Place) -> None:
        """What is known of a partition's leader is old."""
        self._leaders.pop(place, None)

    async def _look(self, topic: str) -> None:
        self._next = (self._next + 1) % len(self._bootstrap)
        channel = self._channel(self._bootstrap[self._next])
        answer: MetadataResponse = await channel.request(
            MetadataRequest(topics=[AskedTopic(name=topic)], allow_auto_topic_creation=False)
        )
        brokers = {each.node_id: Address(each.host, each.port) for each in answer.brokers}
        for found in answer.topics:
            self._ids[topic] = found.topic_id
            for partition in found.partitions:
                if partition.leader_id in brokers:
                    self._leaders[Place(topic, partition.partition_index)] = brokers[partition.leader_id]

    async def insist(self, place: Place) -> None:
        """Pause, and look anew."""
        self.forget(place)
        await self.world.clock.sleep(PAUSE_MS)


class Producer(Client):
    """Writes batches to one partition; `acks` as a producer's setting says it."""

    def __init__(  # noqa: PLR0917 - one of the drivers' few
        self, world: World, name: str, bootstrap: Sequence[Address], history: History, acks: int, producer_id: int
    ) -> None:
        """A producer id of -1 is none."""
        super().__init__(world, name, bootstrap, history)
        self._acks, self._producer_id = acks, producer_id
        self._written: dict[Place, int] = {}

    async def write(self, place: Place, count: int, codec: CompressionType) -> None:
        """Write so many records; returns when they are acknowledged."""
        first = self._written.get(place, 0)
        fields = BatchFields(compression_type=codec)
        if self._producer_id >= 0:
            fields = BatchFields(
                compression_type=codec, producer_id=self._producer_id, producer_epoch=0, base_sequence=first
            )
        texts = [f"{self.name} {number}" for number in range(first, first + count)]
        builder = BatchBuilder(fields)
        for text in texts:
            self.history.tries(place, text)
            builder.append(self.world.clock.wall_ms(), None, text.encode())
        batch = bytes(builder.build())
        while True:
            try:
                offset = await self._send(place, batch)
                break
            except (OttlaError, TimeoutError, Refused):
                await self.insist(place)
        self._written[place] = first + count
        for number, text in enumerate(texts):
            self.history.is_acknowledged(place, offset + number, text)

    async def _send(self, place: Place, batch: bytes) -> int:
        channel, topic_id = await self.leader(place)
        data = ProduceRequest_PartitionProduceData(place.partition, memoryview(batch))
        topic = ProduceRequest_TopicProduceData(name=place.topic, topic_id=topic_id, partition_data=[data])
        request = ProduceRequest(acks=self._acks, timeout_ms=REQUEST_TIMEOUT_MS, topic_data=[topic])
        answer: ProduceResponse = await channel.request(request)
        (row,) = answer.responses[0].partition_responses
        if row.error_code != ErrorCode.NONE:
            raise Refused(f"{place}: {row.error_code}")
        return row.base_offset


class Reader(Client):
    """Reads whole partitions."""

    async def read(self, place: Place, offset: int = 0) -> dict[int, str]:
        """Everything that there is now from an offset on, by offset."""
        found: dict[int, str] = {}
        while True:
            try:
                data, high_watermark = await self._fetch(place, offset)
            except (OttlaError, TimeoutError, Refused):
                await self.insist(place)
                continue
            whole, _ = whole_batches(memoryview(data))
            for batch in whole:
                batch.check()
                for record in records_of(batch):
                    if record.offset >= offset:
                        assert record.offset < high_watermark, f"{place}: {record.offset} is not safe yet"
                        found[record.offset] = (record.value or b"").decode()
                        self.history.is_read(place, record.offset, found[record.offset])
                offset = max(offset, batch.next_offset)
            if offset >= high_watermark:
                return found

    async def _fetch(self, place: Place, offset: int) -> tuple[bytes, int]:
        channel, topic_id = await self.leader(place)
        asked = FetchRequest_FetchPartition(place.partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES)
        topic = FetchRequest_FetchTopic(topic=place.topic, topic_id=topic_id, partitions=[asked])
        request = FetchRequest(max_wait_ms=100, min_bytes=1, max_bytes=FETCH_BYTES, topics=[topic])
        answer: FetchResponse = await channel.request(request)
        if answer.error_code != ErrorCode.NONE:
            raise Refused(f"{place}: {answer.error_code}")
        (row,) = answer.responses[0].partitions
        if row.error_code != ErrorCode.NONE:
            raise Refused(f"{place}: {row.error_code}")
        return bytes(row.records or b""), row.high_watermark
