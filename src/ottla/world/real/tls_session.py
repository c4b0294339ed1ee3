"""TLS over one connection, as bytes in and bytes out; no socket, no clock.

asyncio's own TLS transports are not used: each holds a buffer of 256 KB, does not say how much waits to be sent, closes
the connection when the peer has ended, and reports failed handshakes as faults of the program. Here the standard
library's `ssl.SSLObject` stands between two memory buffers, whose growth is bounded by the size of what they are fed.

    received ciphertext -> receive -> handshake / read_into -> plaintext
    plaintext -> encrypt -> ciphertext to send;   outgoing: what TLS has to say by itself

What is always true: whatever a call leaves in `outgoing` must be sent before anything that is encrypted later. Every
failure is `ConnectionLost`, which says OpenSSL's reason; the alert that tells the peer is in `outgoing` then.
"""

import contextlib
import ssl
from collections.abc import Sequence
from typing import Any

from ottla.errors import ConnectionLost

RECORD_BYTES = 16_384  # as much plaintext as one record holds, so a buffer never holds more than a few of them


class TlsSession:
    """One end of TLS."""

    __slots__ = ("_incoming", "_object", "_outgoing", "peer_has_ended")

    def __init__(self, context: ssl.SSLContext, *, server_side: bool, host: str | None = None) -> None:
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side=server_side, server_hostname=host)
        self.peer_has_ended = False

    def receive(self, data: memoryview) -> None:
        """Ciphertext from the peer; empty: there is no more."""
        if data:
            self._incoming.write(data)
        else:
            self._incoming.write_eof()

    def handshake(self) -> bool:
        """Go on with the handshake; whether it is done."""
        try:
            self._object.do_handshake()
        except ssl.SSLWantReadError:
            return False
        except (ssl.SSLError, OSError) as error:
            raise _failure("handshake", error) from error
        return True

    def peer_certificate(self) -> dict[str, Any] | None:
        """The certificate that the peer has shown, if it was checked."""
        return self._object.getpeercert() or None

    def read_into(self, buffer: memoryview) -> int:
        """Plaintext that is there, as far as the buffer goes; 0: nothing now, or never (`peer_has_ended`)."""
        if self.peer_has_ended:
            return 0
        try:
            count: int = self._object.read(len(buffer), buffer)  # type: ignore[assignment,unused-ignore]
        except ssl.SSLWantReadError:
            return 0
        except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
            # A peer that ends the connection without saying so in TLS is not told apart, as Java does not: the frames
            # above say themselves whether they are whole.
            count = 0
        except (ssl.SSLError, OSError) as error:
            raise _failure("connection", error) from error
        self.peer_has_ended = not count
        return count

    def encrypt(self, chunks: Sequence[bytes | bytearray | memoryview]) -> bytes:
        """The chunks as ciphertext, and before it whatever else TLS has to say."""
        try:
            for chunk in chunks:
                written = self._object.write(chunk)
                assert written == len(chunk), "a memory buffer takes everything"
        except (ssl.SSLError, OSError) as error:
            raise _failure("connection", error) from error
        return self._outgoing.read()

    def outgoing(self) -> bytes:
        """What TLS has to say by itself."""
        return self._outgoing.read()

    def end(self) -> bytes:
        """What tells the peer that nothing more will come."""
        with contextlib.suppress(ssl.SSLError, OSError):  # It wants to wait for the peer's farewell; we do not.
            self._object.unwrap()
        return self._outgoing.read()


def _failure(what: str, error: Exception) -> ConnectionLost:
    reason = getattr(error, "verify_message", None) or getattr(error, "reason", None) or str(error)
    if isinstance(error, ssl.SSLEOFError):
        reason = "the peer has ended it"
    return ConnectionLost(f"TLS {what} failed: {reason}")
