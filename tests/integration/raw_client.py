"""A client that sends whatever it is given, to any broker, and does not mind what comes back.

A blocking socket and our codec for what goes around the bytes that are tried out. It never connects again by itself:
that a broker ends the connection is an answer too.
"""

import socket
import struct
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

from ottla.protocol.api_keys import BY_KEY, ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.headers import read_response_header, write_request_header
from ottla.protocol.messages.produce_fetch import (
    ProduceRequest,
    ProduceRequest_PartitionProduceData,
    ProduceRequest_TopicProduceData,
    ProduceResponse,
)

ANSWERED_WITHIN_S: Final = 60
BY_NAME: Final = 12  # the last version of Produce and Fetch that names topics


class RawClient:
    """One connection."""

    def __init__(self, address: str) -> None:
        host, port = address.split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=ANSWERED_WITHIN_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._correlation_id = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the connection."""
        self.socket.close()

    def send(self, request: Message, version: int) -> None:
        """Ask."""
        self.send_body(_api(request), version, request.to_bytes(version))

    def send_body(self, api: ApiKey, version: int, body: bytes) -> None:
        """Ask with these bytes. Who is closed upon while he sends finds it out when he reads."""
        self._correlation_id += 1
        frame = write_request_header(api, version, self._correlation_id, "raw") + body
        with suppress(ConnectionError):
            self.socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self) -> bytes | None:
        """The next frame; None if the broker has ended the connection."""
        try:
            head = self._exactly(4)
            return None if head is None else self._exactly(int(struct.unpack(">i", head)[0]))
        except ConnectionError:
            return None

    def _exactly(self, count: int) -> bytes | None:
        data = bytearray()
        while len(data) < count:
            piece = self.socket.recv(min(count - len(data), 1 << 20))
            if not piece:
                return None
            data += piece
        return bytes(data)

    def answer(self, response: type[Message], version: int) -> Any:
        """The answer to what was asked first; None if the broker has ended the connection."""
        frame = self.receive()
        if frame is None:
            return None
        _, body = read_response_header(frame, _api(response), version)
        return response.read(frame, version, body)

    def ask(self, request: Message, response: type[Message], version: int) -> Any:
        """Ask, and wait for the answer."""
        self.send(request, version)
        return self.answer(response, version)


def _api(message: Message | type[Message]) -> ApiKey:
    assert message.KEY is not None, message
    return BY_KEY[message.KEY]


def produce_request(topic: str, sections: dict[int, bytes | None], acks: int = -1) -> ProduceRequest:
    """A Produce request of one topic with these records for its partitions."""
    data = [ProduceRequest_PartitionProduceData(index, records) for index, records in sections.items()]
    return ProduceRequest(
        acks=acks, timeout_ms=30_000, topic_data=[ProduceRequest_TopicProduceData(name=topic, partition_data=data)]
    )


def produced(address: str, topic: str, sections: dict[int, bytes | None]) -> dict[int, int] | None:
    """The error code of each partition; None if the broker has ended the connection."""
    with RawClient(address) as client:
        answer = client.ask(produce_request(topic, sections), ProduceResponse, BY_NAME)
    if answer is None:
        return None
    return {row.index: row.error_code for topic in answer.responses for row in topic.partition_responses}
