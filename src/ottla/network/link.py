"""One TCP connection of a channel: what was asked on it, and the answers in the same order.

Always true: an answer is given once, to the request that it belongs to: the correlation id says so, and one that is not
the next in line ends the connection, since nothing behind it could be trusted. So does an answer that does not parse,
and whatever nobody has asked for. When the connection ends, everybody who waits is told, each with an error of his own.
"""

import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ottla.errors import ConnectFailed, ConnectionLost, MalformedMessage, OttlaError, PeerError
from ottla.network.frames import FrameBuffer
from ottla.protocol.api_keys import BY_KEY, ApiKey
from ottla.protocol.codec.message import Buffer, Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.framing import framed
from ottla.protocol.headers import read_api_versions_response, read_response_header, write_request_header
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from ottla.world.api import Future, Stream

if TYPE_CHECKING:
    from ottla.network.channel import Channel

RECHECK_MS: Final = 10
_NAMED_SINCE: Final = 3  # the version of ApiVersions that says who asks


@dataclass(slots=True)
class Asked:
    """A request that waits to be written, or for its answer."""

    message: Message | None  # None once it is written
    api: ApiKey
    deadline_ms: int
    answer: Future[Any]
    has_answer: bool = True
    max_version: int | None = None
    version: int = -1
    correlation_id: int = -1
    read: Callable[[Buffer, int, int], Message] | None = None  # frame, version, position


class Link:
    """The receiver of a channel's stream."""

    def __init__(self, channel: "Channel") -> None:
        self.in_flight: deque[Asked] = deque()
        self.failure: OttlaError | None = None
        self.is_over = False  # the stream has said its last
        self._channel, self._settings = channel, channel.settings
        self._frames = FrameBuffer(channel.shared_buffer)
        self._stream: Stream | None = None
        self._correlation_id = 0
        self._over: Future[None] | None = None
        self._rechecks = False

    @property
    def has_room(self) -> bool:
        """Whether one more request may be written now."""
        stream, settings = self._stream, self._settings
        if self.failure is not None or stream is None or len(self.in_flight) >= settings.max_in_flight:
            return False
        if stream.unsent_bytes() > settings.max_unsent_bytes:
            self._recheck_later()
            return False
        return True

    def _recheck_later(self) -> None:
        """What is sent before the stream has told us that it is too much, it never tells us of."""
        if not self._rechecks:
            self._rechecks = True
            clock = self._channel.world.clock
            clock.call_at(clock.monotonic_ms() + RECHECK_MS, self._recheck)

    def _recheck(self) -> None:
        self._rechecks = False
        if self.failure is None:
            self._channel.pump()

    # Beginning

    async def open(self) -> None:
        """Connect."""
        settings = self._settings
        self._stream = await self._channel.world.network.connect(
            self._channel.address, self._begin, tls=settings.tls, timeout_ms=settings.connect_timeout_ms
        )

    def _begin(self, stream: Stream) -> "Link":
        limit = self._settings.max_unsent_bytes
        stream.set_write_limits(high=limit, low=limit // 4)
        return self

    async def agree(self) -> ApiVersionsResponse:
        """Ask what the peer speaks, in our newest version; if it does not know that, in its own."""
        settings, address = self._settings, self._channel.address
        version = ApiKey.API_VERSIONS.max_version
        while True:
            named = version >= _NAMED_SINCE
            answer: ApiVersionsResponse = await self.ask(
                ApiVersionsRequest(
                    client_software_name=settings.software_name if named else "",
                    client_software_version=settings.software_version if named else "",
                ),
                version,
            )
            if answer.error_code == ErrorCode.NONE:
                return answer
            if answer.error_code != ErrorCode.UNSUPPORTED_VERSION or version == 0:
                raise ConnectFailed(f"{address} answers ApiVersions with {ErrorCode.of(answer.error_code).name}")
            # Brokers before KIP-511 do not say which version they know: 0 is what all of them do.
            known = {each.api_key: each.max_version for each in answer.api_keys}
            version = max(0, min(version - 1, known.get(ApiKey.API_VERSIONS, 0)))

    def ask(self, message: Message, version: int) -> Future[Any]:
        """Write a request of the connection's own, before the channel's, which have to wait."""
        world = self._channel.world
        deadline_ms = world.clock.monotonic_ms() + self._settings.request_timeout_ms
        asked = Asked(message, api_of(message), deadline_ms, world.future())
        self.send(asked, version)
        self._channel.arm(deadline_ms)
        return asked.answer

    # Requests

    def send(self, asked: Asked, version: int) -> None:
        """Write a request."""
        message, stream = asked.message, self._stream
        assert message is not None, "a request is written once"
        if self.failure is not None or stream is None:
            asked.answer.set_exception(ConnectionLost(f"no connection to {self._channel.address}"))
            return
        body = message.write(version)
        self._correlation_id = (self._correlation_id + 1) & 0x7FFF_FFFF
        asked.version, asked.correlation_id, asked.message = version, self._correlation_id, None
        header = write_request_header(asked.api, version, self._correlation_id, self._settings.client_id)
        if asked.has_answer:
            asked.read = (
                read_api_versions_response if asked.api is ApiKey.API_VERSIONS else response_reader(type(message))
            )
            self.in_flight.append(asked)
        stream.write(framed(header, body))
        if not asked.has_answer:
            asked.answer.set_result(None)

    # What the stream says

    def buffer(self) -> memoryview:
        """Where the next bytes go."""
        return self._frames.buffer()

    def received(self, count: int) -> None:
        """Answers, or parts of them."""
        frames, limit = self._frames, self._settings.max_response_bytes
        frames.received(count)
        try:
            while self.failure is None and (size := frames.next_size(limit)) is not None:
                self._answer(frames.take_for_good(size))
        except PeerError as error:
            self.give_up(ConnectionLost(f"{self._channel.address}: {error}"))
        if self.failure is None:
            frames.keep()
            self._channel.pump()

    def ended(self) -> None:
        """The peer has closed its side."""
        self.give_up(ConnectionLost(f"{self._channel.address} has closed the connection"))

    def writing_paused(self) -> None:
        """`has_room` sees that for itself."""

    def writing_resumed(self) -> None:
        """There is room again."""
        self._channel.pump()

    def closed(self, error: Exception | None) -> None:
        """The connection is gone."""
        self.is_over = True
        self._frames.clear()
        self.give_up(ConnectionLost(f"the connection to {self._channel.address} is gone: {error or 'closed'}"))
        if self._over is not None and not self._over.done():
            self._over.set_result(None)

    def _answer(self, frame: bytes | memoryview) -> None:
        if not self.in_flight:
            raise MalformedMessage("an answer that nobody has asked for")
        asked = self.in_flight[0]
        correlation_id, position = read_response_header(frame, asked.api, asked.version)
        if correlation_id != asked.correlation_id:
            raise MalformedMessage(f"answer {correlation_id} where {asked.correlation_id} was next")
        self.in_flight.popleft()
        if asked.answer.done():  # whoever asked has gone
            return
        assert asked.read is not None, "a request that has been written"
        try:
            value = asked.read(frame, asked.version, position)
        except PeerError as error:
            asked.answer.set_exception(error)
            raise
        asked.answer.set_result(value)

    # Ending

    def give_up(self, failure: OttlaError) -> None:
        """Break the connection, and tell everybody who still waits. The first reason counts."""
        if self.failure is None:
            self._fail(failure)
            if self._stream is not None:
                self._stream.abort()

    async def close(self, failure: OttlaError, grace_ms: int) -> None:
        """Send what is written, and close; whoever waits for an answer is told."""
        if self.failure is None:
            self._fail(failure)
            if self._stream is not None:
                self._stream.close()
        if self._stream is not None and not await self._is_over_within(grace_ms):
            self._stream.abort()
            await self._is_over_within(grace_ms)

    async def _is_over_within(self, duration_ms: int) -> bool:
        if not self.is_over:
            self._over = self._channel.world.future()
            try:
                await self._channel.world.timeout(duration_ms, self._over)
            except TimeoutError:
                return False
        return True

    def _fail(self, failure: OttlaError) -> None:
        self.failure = failure
        asked, self.in_flight = self.in_flight, deque()
        for each in asked:
            fail(each, failure)
        self._channel.lost(self)


def fail(asked: Asked, failure: OttlaError) -> None:
    """Tell whoever asked, with an error of his own: one that several raise would gather the traces of all."""
    if not asked.answer.done():
        asked.answer.set_exception(type(failure)(*failure.args))


def api_of(message: Message) -> ApiKey:
    """The API that a request is for."""
    assert message.KEY is not None, f"{type(message).__name__} is no request"
    return BY_KEY[message.KEY]


def response_reader(request: type[Message]) -> Callable[[Buffer, int, int], Message]:
    """What reads the answer to a request: its class is the neighbour in the generated module."""
    found = _READERS.get(request)
    if found is None:
        name = request.__name__.removesuffix("Request") + "Response"
        response: type[Message] = getattr(sys.modules[request.__module__], name)
        found = _READERS[request] = response.read
    return found


_READERS: dict[type[Message], Callable[[Buffer, int, int], Message]] = {}
