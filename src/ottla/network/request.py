"""A request on its way to an answer.

Serving has two stages. The first happens at once and in the order of arrival: the function that the server was given
looks at the frame, which is a view and dead when that function returns. The second, the answer, may come at any time
later; it leaves the connection in the order of the requests all the same.

An answer that costs much memory is better made when it is to be sent: `answer_when_sent` is given a function for that,
and a peer that reads slowly is then sent one such answer after the other instead of all of them waiting in memory.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ottla.network.figures import ApiFigures
from ottla.network.limits import Reason
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Chunk, Message
from ottla.protocol.framing import framed
from ottla.protocol.headers import write_response_header
from ottla.protocol.messages.connection import RequestHeader

if TYPE_CHECKING:
    from ottla.network.connection import Connection


class Request:
    """One request; exactly one of `answer`, `answer_when_sent`, `answer_nothing` and `refuse` is called, once."""

    __slots__ = (
        "_figures", "_forget", "_make", "api", "body", "chunks", "connection", "frame", "header", "received_ns",
        "returned_ns", "served_ns", "size_bytes",
    )  # fmt: skip

    def __init__(  # noqa: PLR0917 - made for every request, so by position
        self,
        connection: "Connection",
        api: ApiKey,
        header: RequestHeader,
        frame: memoryview,
        body: int,
        received_ns: int,
        served_ns: int,
        figures: ApiFigures,
    ) -> None:
        self.connection, self.api, self.header = connection, api, header
        self.frame, self.body = frame, body  # dead once the serving function has returned
        self.size_bytes = len(frame)
        self.received_ns, self.served_ns, self.returned_ns = received_ns, served_ns, 0
        self.chunks: Sequence[Chunk] | None = None  # the answer, framed, as soon as it is there
        self._make: Callable[[], Message] | None = None
        self._forget: Callable[[], object] | None = None
        self._figures = figures

    # Whoever asks

    @property
    def version(self) -> int:
        """The version that the request is in."""
        return self.header.request_api_version

    @property
    def client_id(self) -> str | None:
        """What the client calls itself."""
        return self.header.client_id

    @property
    def client_address(self) -> str:
        """Where it comes from."""
        return self.connection.stream.peer.host

    @property
    def principal(self) -> str:
        """Who it has proved to be."""
        return self.connection.barrier.principal

    @property
    def listener(self) -> str:
        """The name of the listener it came to."""
        return self.connection.listener.settings.name

    @property
    def security_protocol(self) -> str:
        """That of the listener."""
        return self.connection.listener.settings.security_protocol

    @property
    def is_wanted(self) -> bool:
        """Whether anybody is still there to be answered."""
        return not self.connection.is_closing

    # Answers

    def answer(self, response: Message, version: int | None = None) -> None:
        """Send this back, in the request's version unless another is said (as ApiVersions must, at times)."""
        assert self.chunks is None, f"{self.api.name} is answered twice"
        assert self._make is None, f"{self.api.name} is answered twice"
        self.chunks = self._framed(response, version)
        self.connection.answered(self)

    def answer_when_sent(self, make: Callable[[], Message]) -> None:
        """Send back what this makes; it is called when the answers before are sent and the peer reads them."""
        assert self.chunks is None, f"{self.api.name} is answered twice"
        assert self._make is None, f"{self.api.name} is answered twice"
        self._make = make
        self.connection.answered(self)

    def answer_nothing(self) -> None:
        """Send nothing back: what `acks=0` asks for."""
        assert self.chunks is None, f"{self.api.name} is answered twice"
        self.chunks = ()
        self.connection.answered(self)

    def refuse(self, why: str, reason: Reason = Reason.REFUSED) -> None:
        """Close the connection: what is left where no answer can be given, or none would be understood."""
        self.connection.close(reason, why)

    def throttle(self, duration_ms: int) -> None:
        """Read nothing more from this client for so long; what it has asked is answered all the same (KIP-219)."""
        self._figures.throttle_time.update(duration_ms)
        self.connection.throttle(duration_ms)

    def if_gone(self, forget: Callable[[], object]) -> None:
        """Call this, and nothing that was given before, if the connection ends before there is an answer."""
        self._forget = forget

    # For the connection

    def gone(self) -> None:
        """The connection has ended."""
        if self._forget is not None and self.chunks is None:
            self._forget()

    def ready(self) -> Sequence[Chunk] | None:
        """The answer, made now if that has been left for now; None: it is not there yet."""
        if self.chunks is None and self._make is not None:
            self.chunks = self._framed(self._make(), None)
        return self.chunks

    def count(self, now_ns: int) -> None:
        """It leaves now: how long it took."""
        returned_ns = self.returned_ns or now_ns
        figures = self._figures
        figures.total_time.update((now_ns - self.received_ns) // 1_000_000)
        figures.queue_time.update((self.served_ns - self.received_ns) // 1_000_000)
        figures.local_time.update((returned_ns - self.served_ns) // 1_000_000)
        figures.remote_time.update((now_ns - returned_ns) // 1_000_000)

    def _framed(self, response: Message, version: int | None) -> Sequence[Chunk]:
        header = self.header
        version = header.request_api_version if version is None else version
        return framed(write_response_header(self.api, version, header.correlation_id), response.write(version))
