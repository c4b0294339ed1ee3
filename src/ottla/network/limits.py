"""What a listener is, and what a server lets its clients cost: values, in Kafka's settings and with its defaults.

Also the two closed sets that go with them: why a connection is not read from, and why it has ended.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag, StrEnum
from typing import Final

from ottla.network.handshake import SaslSettings
from ottla.world.api import Address, SocketBuffers, TlsSettings

UNLIMITED: Final = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class ListenerSettings:
    """One listener, as the broker's settings describe it."""

    name: str
    address: Address
    tls: TlsSettings | None = None
    sasl: SaslSettings | None = None
    is_control: bool = False  # the controller's: everything on it overtakes data
    is_protected: bool = False  # the one that other nodes use: the total limit makes room for it elsewhere
    max_connections: int = UNLIMITED
    max_creation_rate: int = UNLIMITED  # max.connection.creation.rate of this listener: connections a second
    backlog: int = 50  # socket.listen.backlog.size
    buffers: SocketBuffers = field(default_factory=SocketBuffers)
    security_protocol: str = field(init=False)  # Kafka's name for what goes before the first request

    def __post_init__(self) -> None:
        """Said once, since every request wants to know it."""
        object.__setattr__(
            self, "security_protocol", f"{'SASL_' * bool(self.sasl)}{'SSL' if self.tls else 'PLAINTEXT'}"
        )


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server lets its clients cost."""

    max_request_bytes: int = 104_857_600  # socket.request.max.bytes
    max_connections: int = UNLIMITED  # max.connections
    max_connections_per_ip: int = UNLIMITED  # max.connections.per.ip
    max_creation_rate: int = UNLIMITED  # max.connection.creation.rate, of all listeners together
    per_ip_overrides: Mapping[str, int] = field(default_factory=dict)  # max.connections.per.ip.overrides
    idle_ms: int = 600_000  # connections.max.idle.ms; negative: never
    queued_request_bytes: int = UNLIMITED  # queued.max.request.bytes
    failed_authentication_delay_ms: int = 100  # connection.failed.authentication.delay.ms
    max_unsent_bytes: int = 1024 * 1024  # above it a peer that does not read is not served
    max_in_flight: int = 64  # requests of one connection that wait for their answers
    max_in_flight_bytes: int = 4 * 1024 * 1024  # of these requests: some keep their records until they are answered


class Mute(IntFlag):
    """Why a connection is not read from."""

    NONE = 0
    BACKLOG = 1  # the peer does not read what it is sent
    IN_FLIGHT = 2  # too many requests wait for their answers
    MEMORY = 4  # all connections together hold too much
    QUEUED = 8  # it waits for its turn
    THROTTLE = 16  # it is over its quota
    AUTHENTICATION = 32  # its exchange has failed, and it is let wait for the answer
    STARTING = 64  # it came before the server began to serve
    STOPPING = 128  # the server stops: what is in flight is answered, nothing more is served


class Reason(StrEnum):
    """Why a connection has ended; each is counted."""

    PEER = "closed by peer"
    LOST = "lost"
    IDLE = "idle"
    STUCK = "does not read"
    OVERSIZED = "frame too large"
    MALFORMED = "malformed request"
    UNSUPPORTED = "API or version not served"
    REFUSED = "refused"
    AUTHENTICATION = "authentication failed"
    EXPIRED = "session expired"
    ROOM = "room for another node"
    MEMORY = "holds up memory"
    STOPPED = "server stops"
    OURS = "error of ours"
