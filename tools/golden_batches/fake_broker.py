"""A broker of one topic with one partition, on loopback: just enough for a producer to send and a consumer to fetch.

It keeps the record sections of Produce requests as they came, and answers every Fetch with one section that it was
given. Nothing is stored, checked or numbered; acknowledgements name offset 0. It is for getting batches out of clients
that have no other door, and for showing them ours.
"""

import socketserver
import threading
from types import TracebackType
from typing import Self

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.framing import framed
from ottla.protocol.headers import read_request_header, version_to_answer_in, write_response_header
from ottla.protocol.messages.cluster import MetadataResponse
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.protocol.messages.groups import FindCoordinatorResponse
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchResponse,
    ListOffsetsResponse,
    ProduceRequest,
    ProduceResponse,
)
from ottla.protocol.messages.transactions import InitProducerIdResponse

TOPIC = "golden"
TOPIC_ID = Uuid(b"golden-batches-1")
COORDINATOR_NOT_AVAILABLE = 15
# Versions that name the topic, so that nothing needs to know its id; Produce 3 is the first of the batch format.
SERVED = {
    ApiKey.PRODUCE: (3, 9),
    ApiKey.FETCH: (4, 12),
    ApiKey.LIST_OFFSETS: (1, 7),
    ApiKey.METADATA: (0, 12),
    ApiKey.FIND_COORDINATOR: (0, 3),
    ApiKey.API_VERSIONS: (0, 3),
    ApiKey.INIT_PRODUCER_ID: (0, 4),
}


class _Connection(socketserver.StreamRequestHandler):
    """One client's connection."""

    server: "FakeBroker"

    def handle(self) -> None:
        """Answer requests in their order until the client leaves."""
        while len(size := self.rfile.read(4)) == 4:
            frame = memoryview(self.rfile.read(int.from_bytes(size, "big")))
            api, header, body = read_request_header(frame)
            version = version_to_answer_in(api, header.request_api_version)
            answer = self.server.answer(api, version, frame, body)
            chunks = framed(write_response_header(api, version, header.correlation_id), answer.write(version))
            self.wfile.write(b"".join(chunks))


class FakeBroker(socketserver.ThreadingTCPServer):
    """Serves within a `with` statement; `produced` grows while clients produce."""

    daemon_threads = True

    def __init__(self, fetched: bytes = b"", end_offset: int = 0) -> None:
        """Listen on a port of the system's choice; `fetched` is what a consumer gets, up to `end_offset`."""
        super().__init__(("127.0.0.1", 0), _Connection)
        self.fetched = fetched
        self.end_offset = end_offset
        self.produced: list[bytes] = []

    def __enter__(self) -> Self:
        """Begin to serve, from a thread."""
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop, and close the port."""
        self.shutdown()
        self.server_close()

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.server_address[1]}"

    def answer(self, api: ApiKey, version: int, frame: memoryview, body: int) -> Message:
        """The response to one request."""
        match api:
            case ApiKey.API_VERSIONS:
                served = [ApiVersionsResponse.ApiVersion(key, *versions) for key, versions in SERVED.items()]
                return ApiVersionsResponse(api_keys=served)
            case ApiKey.METADATA:
                return self._metadata()
            case ApiKey.INIT_PRODUCER_ID:
                return InitProducerIdResponse(producer_id=4_711, producer_epoch=3)
            case ApiKey.FIND_COORDINATOR:
                return FindCoordinatorResponse(error_code=COORDINATOR_NOT_AVAILABLE)
            case ApiKey.PRODUCE:
                return self._produce(ProduceRequest.read(frame, version, body))
            case ApiKey.FETCH:
                return self._fetch(FetchRequest.read(frame, version, body))
            case ApiKey.LIST_OFFSETS:
                return self._list_offsets()
            case _:
                raise ValueError(f"{api.name} is not served")

    def _metadata(self) -> MetadataResponse:
        partition = MetadataResponse.MetadataResponsePartition(leader_id=1, replica_nodes=[1], isr_nodes=[1])
        topic = MetadataResponse.MetadataResponseTopic(name=TOPIC, topic_id=TOPIC_ID, partitions=[partition])
        broker = MetadataResponse.MetadataResponseBroker(1, "127.0.0.1", self.server_address[1])
        return MetadataResponse(brokers=[broker], cluster_id="golden", controller_id=1, topics=[topic])

    def _produce(self, request: ProduceRequest) -> ProduceResponse:
        for topic in request.topic_data:
            for partition in topic.partition_data:
                assert partition.records is not None
                self.produced.append(bytes(partition.records))
        stored = ProduceResponse.PartitionProduceResponse(index=0)
        return ProduceResponse(responses=[ProduceResponse.TopicProduceResponse(TOPIC, partition_responses=[stored])])

    def _fetch(self, request: FetchRequest) -> FetchResponse:
        offsets = [partition.fetch_offset for topic in request.topics for partition in topic.partitions]
        records = self.fetched if min(offsets, default=0) < self.end_offset else b""
        found = FetchResponse.PartitionData(
            high_watermark=self.end_offset, last_stable_offset=self.end_offset, log_start_offset=0, records=records
        )
        answered = [FetchResponse.FetchableTopicResponse(TOPIC, partitions=[found])] if offsets else []
        return FetchResponse(responses=answered)

    def _list_offsets(self) -> ListOffsetsResponse:
        found = ListOffsetsResponse.ListOffsetsPartitionResponse(offset=0)
        return ListOffsetsResponse(topics=[ListOffsetsResponse.ListOffsetsTopicResponse(TOPIC, [found])])
