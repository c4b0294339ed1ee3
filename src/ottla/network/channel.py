"""The client's end: requests to one peer, over one TCP connection, for one purpose.

    request -> queue -> connect if need be -> ApiVersions -> authenticate -> the highest version both speak -> write
                                                                             -> answer, in the order of writing

Requests are pipelined and written in the order in which they came, as long as fewer than `max_in_flight` wait for their
answers and no more than `max_unsent_bytes` wait to be sent; the others wait in the queue, which is bounded too.

- A deadline that passes in the queue fails its request. If the request has been written, the answers behind it are late
  as well, so the connection is closed, as Kafka's clients do: the request fails with TimeoutError, others are lost.
- Who stops waiting is forgotten in the queue; what is written is answered all the same, and the answer dropped.
- When the connection ends, what was written on it fails with ConnectionLost. Nothing is sent twice: whether to ask
  again is for its sender to decide. What waits in the queue was never sent, and waits for the next connection.
- When no connection comes about, all that waits fails with the reason. The next attempt is made for the next request,
  after a pause that doubles with every failure, with a random part, between `reconnect.backoff.ms` and `.max.ms`.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

from ottla.errors import ChannelFull, ConnectFailed, ConnectionLost, OttlaError, UnsupportedVersion
from ottla.network.frames import SharedBuffer
from ottla.network.link import Asked, Link, api_of, fail
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.world.api import Address, Future, Task, Timer, TlsSettings, World

JITTER: Final = 0.2  # a fifth more or less, so that not all come back at once
CLOSE_MS: Final = 1_000

# How a client authenticates: it is given a function that asks on the new connection, and raises if it is not let in.
Authenticate = Callable[[Callable[[Message], Awaitable[Any]]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ChannelSettings:
    """What a client says about its connections, in Kafka's settings and with its defaults."""

    client_id: str | None = None
    tls: TlsSettings | None = None
    authenticate: Authenticate | None = None
    connect_timeout_ms: int = 10_000  # socket.connection.setup.timeout.ms
    request_timeout_ms: int = 30_000  # request.timeout.ms
    backoff_ms: int = 50  # reconnect.backoff.ms
    backoff_max_ms: int = 1_000  # reconnect.backoff.max.ms
    max_in_flight: int = 100  # max.in.flight.requests.per.connection; Kafka's client between nodes has 100 as well
    max_unsent_bytes: int = 1024 * 1024
    max_waiting: int = 10_000  # requests in the queue
    max_response_bytes: int = (1 << 31) - 1
    software_name: str = "ottla"
    software_version: str = "0.1.0"


class Channel:
    """Requests to one peer."""

    def __init__(
        self, world: World, address: Address, settings: ChannelSettings, shared_buffer: SharedBuffer | None = None
    ) -> None:
        self.world, self.address, self.settings = world, address, settings
        self.shared_buffer = shared_buffer or SharedBuffer()
        self.api_versions: ApiVersionsResponse | None = None  # what the peer said last
        self.connects = self.failures_in_a_row = 0
        self._versions: dict[int, tuple[int, int]] = {}
        self._queue: deque[Asked] = deque()
        self._link: Link | None = None  # what requests go over, once versions are agreed on
        self._new_link: Link | None = None  # what is to become it
        self._attempt: Task[None] | None = None
        self._next_attempt_ms = world.clock.monotonic_ms()
        self._timer: Timer | None = None
        self._timer_ms = 0
        self._closed = False

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection that requests go over."""
        return self._link is not None

    @property
    def waiting(self) -> int:
        """How many requests are not written yet."""
        return len(self._queue)

    @property
    def in_flight(self) -> int:
        """How many requests wait for their answers."""
        return 0 if self._link is None else len(self._link.in_flight)

    async def request(
        self, message: Message, *, timeout_ms: int | None = None, max_version: int | None = None, answered: bool = True
    ) -> Any:
        """Send a request; its answer, or why there is none. `answered` is false for what gets no answer (acks=0)."""
        return await self.send(message, timeout_ms=timeout_ms, max_version=max_version, answered=answered)

    def send(
        self, message: Message, *, timeout_ms: int | None = None, max_version: int | None = None, answered: bool = True
    ) -> Future[Any]:
        """The same without waiting; requests are written in the order of these calls."""
        timeout_ms = self.settings.request_timeout_ms if timeout_ms is None else timeout_ms
        deadline_ms = self.world.clock.monotonic_ms() + timeout_ms
        asked = Asked(message, api_of(message), deadline_ms, self.world.future(), answered, max_version)
        if self._closed:
            fail(asked, self._closing())
        elif not self._has_place():
            fail(asked, ChannelFull(f"{len(self._queue)} requests wait for a connection to {self.address}"))
        else:
            self._queue.append(asked)
            self.arm(deadline_ms)
            self.pump()
        return asked.answer

    def version_for(self, api: ApiKey, max_version: int | None = None) -> int:
        """The highest version that both sides speak, and the caller can use."""
        lowest, highest = self._versions.get(api, (0, -1))
        version = min(highest, api.max_version, highest if max_version is None else max_version)
        if version < max(lowest, api.min_version):
            spoken = f"speaks versions {lowest}-{highest} of it" if highest >= 0 else "does not know it"
            raise UnsupportedVersion(f"{api.name}: {self.address} {spoken}, we {api.min_version}-{api.max_version}")
        return version

    async def close(self) -> None:
        """Close the connection; whoever waits for an answer is told."""
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        attempt, links = self._attempt, [link for link in (self._link, self._new_link) if link is not None]
        if attempt is not None:
            attempt.cancel()
        self._fail_queue(self._closing())
        for link in links:
            await link.close(self._closing(), CLOSE_MS)
        while attempt is not None and not attempt.done():  # what is cancelled ends within a few turns of the loop
            await self.world.clock.sleep(0)

    def _closing(self) -> ConnectionLost:
        return ConnectionLost(f"the channel to {self.address} is closed")

    # The queue

    def _has_place(self) -> bool:
        if len(self._queue) >= self.settings.max_waiting:
            self._queue = deque(asked for asked in self._queue if not asked.answer.done())
        return len(self._queue) < self.settings.max_waiting

    def pump(self) -> None:
        """Write what may be written; connect if there is no connection."""
        link, queue = self._link, self._queue
        if link is None:
            if queue and self._attempt is None and not self._closed:
                self._attempt = self.world.spawn(self._connect(), f"connect to {self.address}")
            return
        while queue and link.has_room:
            asked = queue.popleft()
            if asked.answer.done():  # whoever asked has gone
                continue
            try:
                link.send(asked, self.version_for(asked.api, asked.max_version))
            except Exception as error:  # it cannot be said in a version of the peer's, or not at all
                asked.answer.set_exception(error)

    def _fail_queue(self, failure: OttlaError) -> None:
        queue, self._queue = self._queue, deque()
        for asked in queue:
            fail(asked, failure)

    # Connecting

    async def _connect(self) -> None:
        """One attempt, after the pause that the last one earned."""
        try:
            pause_ms = self._next_attempt_ms - self.world.clock.monotonic_ms()
            if pause_ms > 0:
                await self.world.clock.sleep(pause_ms)
            link = self._new_link = Link(self)
            await self._set_up(link)
        except OttlaError as error:
            self._failed(error)
        except TimeoutError:
            self._failed(ConnectFailed(f"{self.address} does not answer in time"))
        except BaseException:
            self._failed(ConnectFailed(f"connecting to {self.address} was broken off"))
            raise
        else:
            self._link, self._new_link = link, None
            self.connects += 1
            self.failures_in_a_row = 0
        finally:
            self._attempt = None
        self.pump()

    async def _set_up(self, link: Link) -> None:
        await link.open()
        answer = self.api_versions = await link.agree()
        self._versions = {each.api_key: (each.min_version, each.max_version) for each in answer.api_keys}
        if self.settings.authenticate is not None:
            await self.settings.authenticate(lambda message: link.ask(message, self.version_for(api_of(message))))
        if link.failure is not None:  # it has ended behind its last answer
            raise link.failure

    def _failed(self, error: OttlaError) -> None:
        link, self._new_link = self._new_link, None
        if link is not None:
            link.give_up(ConnectionLost(f"{self.address}: {error}"))
        self._back_off()
        self._fail_queue(error)

    def _back_off(self) -> None:
        settings = self.settings
        pause_ms = min(settings.backoff_max_ms, settings.backoff_ms << min(self.failures_in_a_row, 20))
        self.failures_in_a_row += 1
        jittered_ms = pause_ms * (1 - JITTER + 2 * JITTER * self.world.rng.random())
        self._next_attempt_ms = self.world.clock.monotonic_ms() + int(jittered_ms)

    def lost(self, link: Link) -> None:
        """A connection has ended; what waits, or comes next, makes a new one."""
        if self._link is link:
            self._link = None
            self._back_off()
            self.pump()

    # Deadlines

    def arm(self, deadline_ms: int) -> None:
        """One timer for the earliest deadline. It is not put off when that is met: when it fires, it looks anew."""
        if self._timer is None or deadline_ms < self._timer_ms:
            if self._timer is not None:
                self._timer.cancel()
            self._timer_ms = deadline_ms
            self._timer = self.world.clock.call_at(deadline_ms, self._expire)

    def _expire(self) -> None:
        self._timer = None
        now_ms = self.world.clock.monotonic_ms()
        for link in (self._link, self._new_link):
            late = None if link is None else next((each for each in link.in_flight if each.deadline_ms <= now_ms), None)
            if link is not None and late is not None:
                if not late.answer.done():
                    late.answer.set_exception(TimeoutError(f"{late.api.name}: no answer from {self.address} in time"))
                link.give_up(ConnectionLost(f"{self.address} does not answer in time"))
        waiting = deque(asked for asked in self._queue if not asked.answer.done())
        self._queue = deque(asked for asked in waiting if asked.deadline_ms > now_ms)
        for asked in waiting:
            if asked.deadline_ms <= now_ms:
                asked.answer.set_exception(TimeoutError(f"{asked.api.name}: no connection to {self.address} in time"))
        links = [link for link in (self._link, self._new_link) if link is not None]
        deadlines = [each.deadline_ms for each in self._queue] + [
            e.deadline_ms for link in links for e in link.in_flight
        ]
        if deadlines and not self._closed:
            self.arm(min(deadlines))
