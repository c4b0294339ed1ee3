"""What a request costs a server on its way in and out, without its handler: cut out, header, counted, answered.

The stream and the loop are as cheap as can be, so this is the network's own share of a request; "a read" is what
arrives together. The answer is of 4 bytes and made beforehand, since making it is the handler's. Beside it, for the
scale, what the header's reading and the answer's framing cost by themselves, which are part of the sum.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any

from bench.measure import best_of_turns, microseconds, table
from ottla.network.limits import ListenerSettings
from ottla.network.request import Request
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.framing import framed
from ottla.protocol.headers import read_request_header, write_request_header
from ottla.protocol.messages.groups import HeartbeatRequest, HeartbeatResponse
from ottla.world.api import Address

REQUESTS_A_READ = (1, 8, 64, 512)


class Stream:
    """A peer that takes everything at once."""

    local = peer = Address("127.0.0.1", 9092)
    peer_certificate = None

    def write(self, chunks: Sequence[Any]) -> None:
        """Sent."""

    def unsent_bytes(self) -> int:
        """Nothing."""
        return 0

    def set_write_limits(self, high: int, low: int) -> None:
        """Never reached."""

    def pause_reading(self) -> None:
        """Happens when a slice is spent."""

    def resume_reading(self) -> None:
        """And ends."""


class Loop:
    """The least that a server needs of a world: a clock, and calls that are due when the loop turns."""

    def __init__(self) -> None:
        self.clock = self
        self.due: list[Callable[[], None]] = []
        self.monotonic_ns = time.perf_counter_ns

    def monotonic_ms(self) -> int:
        """Milliseconds."""
        return time.perf_counter_ns() // 1_000_000

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> None:
        """With the next turn."""
        self.due.append(callback)

    def turn(self) -> None:
        """Run what is due."""
        due, self.due = self.due, []
        for each in due:
            each()


def served(requests: int) -> Callable[[], None]:
    """So many requests in one read, answered."""
    loop: Any = Loop()
    body = HeartbeatResponse().write(4)

    def serve(request: Request) -> None:
        request.answer(ANSWER)

    class Answer(HeartbeatResponse):
        def write(self, version: int) -> list[Any]:
            return body

    ANSWER = Answer()  # noqa: N806 - made beforehand
    server = Server(loop, [ListenerSettings("PLAIN", Address("", 0))], serve, print)
    stream: Any = Stream()
    listener = server.listeners["PLAIN"]
    listener.serve()
    receiver = listener.accept(stream)
    assert receiver is not None
    data = question() * requests

    def arrive() -> None:
        receiver.buffer()[: len(data)] = data
        receiver.received(len(data))
        loop.turn()
        while server.turns.waiting:  # what a preempted process could not do in a slice
            loop.turn()

    return arrive


def question() -> bytes:
    """A heartbeat."""
    header = write_request_header(ApiKey.HEARTBEAT, 4, 7, "consumer-orders-1")
    return b"".join(framed(header, HeartbeatRequest("orders", 3, "consumer-orders-1-31d2").write(4)))


def run() -> None:
    """Print the table."""
    frame = memoryview(question())[4:]
    parts = [lambda: read_request_header(frame), lambda: framed(b"....", [b"...."])]
    seconds = best_of_turns(*(served(requests) for requests in REQUESTS_A_READ), *parts)
    rows = [
        (f"{requests} requests a read", microseconds(time_ / requests))
        for requests, time_ in zip(REQUESTS_A_READ, seconds, strict=False)
    ]
    rows += [("of which the header", microseconds(seconds[-2])), ("of which framing", microseconds(seconds[-1]))]
    table("A request through the server, without its handler", ("what", "µs a request"), rows)
