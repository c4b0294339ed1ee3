"""What is seen of TLS in the simulation: a handshake that takes a round trip and both processes, and that can fail.

A hello looks like a TLS record and carries the path of its sender's certificate chain, or nothing. What follows it is
not encrypted, and every certificate is trusted: the world's own tests of TLS are those of the real one.

What is always true: a plain end that meets a TLS one gets bytes that it cannot understand, as it would for real, and
nothing behind the handshake is read before its receiver is there. A handshake that fails or takes too long ends its
connection; on the server's side nobody is told.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ottla.errors import ConnectFailed
from ottla.world.api import TlsSettings

if TYPE_CHECKING:
    import asyncio

    from ottla.world.simulated.clock import SimulatedClock
    from ottla.world.simulated.network.stream import SimulatedStream

HELLO = b"\x16\x03\x01"  # a record of type handshake, as TLS 1.0 and later begin with
ALERT = b"\x15\x03\x01\x00\x02\x02\x28"  # fatal: handshake_failure
HEAD_BYTES = 5
MAX_PATH_BYTES = 4_096
HANDSHAKE_TIMEOUT_MS = 60_000  # what asyncio waits


def certificate(path: str) -> dict[str, Any] | None:
    """What `peer_certificate` is for the certificate at a path."""
    return {"subject": ((("commonName", path),),)} if path else None


def _hello(settings: TlsSettings) -> bytes:
    chain = settings.certificate_chain
    assert chain is None or isinstance(chain, str), "a simulated certificate is a path"
    path = (chain or "").encode()
    return HELLO + len(path).to_bytes(2, "big") + path


class _Hello:
    """A receiver of one hello, which reads not one byte more."""

    def __init__(self, stream: "SimulatedStream") -> None:
        self.stream = stream
        self._bytes = bytearray(HEAD_BYTES + MAX_PATH_BYTES)
        self._filled, self._wanted = 0, HEAD_BYTES

    def buffer(self) -> memoryview:
        """As far as we know that the hello goes."""
        return memoryview(self._bytes)[self._filled : self._wanted]

    def received(self, count: int) -> None:
        """Another part of it."""
        self._filled += count
        size = int.from_bytes(self._bytes[3:HEAD_BYTES], "big")
        if self._filled >= HEAD_BYTES and (self._bytes[:3] != HELLO or size > MAX_PATH_BYTES):
            self.failed("its peer does not speak TLS, or does not want to")
            return
        if self._filled == HEAD_BYTES:
            self._wanted += size
        if self._filled == self._wanted:
            self.greeted(self._bytes[HEAD_BYTES : self._wanted].decode(errors="replace"))

    def ended(self) -> None:
        """The peer has gone in the middle of it."""
        self.failed("its peer has closed the connection")

    def writing_paused(self) -> None:
        """Hellos are short."""

    def writing_resumed(self) -> None:
        """The same."""

    def closed(self, error: Exception | None) -> None:
        """The connection is gone, in the middle of it."""
        self.failed(str(error or "it was closed"))

    def greeted(self, path: str) -> None:
        """The peer's hello is there."""
        raise NotImplementedError

    def failed(self, reason: str) -> None:
        """There will be no hello."""
        raise NotImplementedError


class ServerHandshake(_Hello):
    """Waits for a client's hello, answers it, and hands the connection over."""

    def __init__(
        self,
        stream: "SimulatedStream",
        settings: TlsSettings,
        clock: "SimulatedClock",
        hand_over: Callable[["SimulatedStream"], None],
    ) -> None:
        super().__init__(stream)
        self._settings, self._hand_over = settings, hand_over
        self._timer = clock.call_at(clock.monotonic_ms() + HANDSHAKE_TIMEOUT_MS, stream.abort)

    def begin(self) -> None:
        """Listen for the hello."""
        self.stream.start(self)

    def greeted(self, path: str) -> None:
        """The client's hello is there; a certificate that was not asked for is not looked at."""
        self._timer.cancel()
        asks = self._settings.client_authentication
        if asks == "required" and not path:
            self.stream.write([ALERT])
            self.stream.close()
            return
        self.stream.peer_certificate = certificate(path) if asks != "none" else None
        self.stream.write([_hello(self._settings)])
        self._hand_over(self.stream)

    def failed(self, reason: str) -> None:
        """The connection has cost enough."""
        del reason
        self._timer.cancel()
        self.stream.abort()


class ClientHandshake(_Hello):
    """Sends a hello and waits for the server's."""

    def __init__(self, stream: "SimulatedStream", settings: TlsSettings, done: "asyncio.Future[None]") -> None:
        super().__init__(stream)
        self._settings, self._done = settings, done

    def begin(self) -> None:
        """Greet the server."""
        self.stream.start(self)
        self.stream.write([_hello(self._settings)])

    def greeted(self, path: str) -> None:
        """The server has answered. What it sends next waits for the program's receiver."""
        self.stream.pause_reading()
        self.stream.peer_certificate = certificate(path)
        if not self._done.done():
            self._done.set_result(None)

    def failed(self, reason: str) -> None:
        """No TLS with this one."""
        if not self._done.done():
            self._done.set_exception(ConnectFailed(f"TLS with {self.stream.peer} failed: {reason}"))
