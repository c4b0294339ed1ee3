"""A connection that sends whatever it is told to, and tells what came back: an answer, silence, or the end.

It is as dumb as can be, a blocking socket, since it has to send what no client would.
"""

import contextlib
import socket
import struct
from dataclasses import dataclass
from typing import Final

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.headers import write_request_header

ANSWERED_WITHIN_S: Final = 10.0
CLIENT_ID: Final = "differential"


@dataclass(frozen=True, slots=True)
class Closed:
    """The broker closed the connection."""


@dataclass(frozen=True, slots=True)
class Silent:
    """Nothing came."""


Outcome = bytes | Closed | Silent


class Wire:
    """To one listener; connects again after it was closed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._socket: socket.socket | None = None
        self._correlation_id = 0

    def send(self, api: ApiKey, version: int, body: bytes) -> None:
        """Send a request."""
        self._correlation_id += 1
        self.send_frame(write_request_header(api, version, self._correlation_id, CLIENT_ID) + body)

    def send_frame(self, frame: bytes) -> None:
        """Send these bytes behind their length."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self.port), timeout=ANSWERED_WITHIN_S)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):  # whoever was closed upon finds out by reading
            self._socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self) -> Outcome:
        """The next answer, header and all."""
        assert self._socket is not None
        try:
            (size,) = struct.unpack(">i", self._exactly(4))
            return self._exactly(size)
        except (ConnectionError, EOFError):
            self.close()
            return Closed()
        except TimeoutError:
            self.close()
            return Silent()

    def close(self) -> None:
        """Close it."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exactly(self, size: int) -> bytes:
        assert self._socket is not None
        data = bytearray()
        while len(data) < size:
            piece = self._socket.recv(min(1 << 20, size - len(data)))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)
