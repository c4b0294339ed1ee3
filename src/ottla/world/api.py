"""The world: everything that is not a function of its inputs, as small Protocols.

A program gets one `World` at its start and hands it down; nobody else touches a clock, a file, a socket, a thread or
randomness. There are two: `ottla.world.real` on asyncio and uvloop, and `ottla.world.simulated`, where a whole cluster
runs in one process from one seed. Ordinary coroutines run on both; what they wait for comes from here, so nothing
outside of `ottla.world` imports asyncio.

What is always true on both sides:
- The loop runs one thing at a time. Callbacks (a stream's, a timer's) run on the loop and never inside a call that they
  are about: what `connect` announces, it announces after it returned.
- Disk calls are plain and synchronous, and raise `DiskError`. Whoever calls decides what goes through `threads.run`.
- Nothing is written until it is synced: after a crash an unsynced write, rename or unlink may be there, torn, or not.
- `write` on a stream never waits: it takes all chunks, and tells its `Receiver` when there are too many of them.
- A task belongs to its group or to the world it was spawned in; cancelling is asking, and everything is awaited.

Each Protocol has one conformance suite (tests/conformance), which both implementations pass.
"""

from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

# Time


class Timer(Protocol):
    """A call that has been arranged for later."""

    def cancel(self) -> None:
        """Call it off; does nothing when it has run or been cancelled."""


class Clock(Protocol):
    """Time as this node sees it: clocks of different nodes drift, and wall clocks jump."""

    def monotonic_ms(self) -> int:
        """Milliseconds that only ever go forward: for deadlines and durations."""

    def monotonic_ns(self) -> int:
        """The same in nanoseconds: for measuring."""

    def wall_ms(self) -> int:
        """Milliseconds since 1970 in UTC: for timestamps that people and other nodes see. May jump either way."""

    def call_at(self, deadline_ms: int, callback: Callable[[], None]) -> Timer:
        """Run the callback when `monotonic_ms()` has reached the deadline; never inside this call."""

    async def sleep(self, duration_ms: int) -> None:
        """Wait so long; 0 lets everything else that is ready run once."""


class Randomness(Protocol):
    """Chance. Not for secrets unless `secret` is asked for."""

    def random(self) -> float:
        """A float in [0, 1)."""

    def randrange(self, stop: int, /) -> int:
        """An integer in [0, stop)."""

    def randbytes(self, count: int, /) -> bytes:
        """So many bytes."""

    def secret(self, count: int, /) -> bytes:
        """So many bytes that nobody can guess (the simulated world's are as seeded as all else)."""


# Disk


class File(Protocol):
    """An open file. Positions are the caller's: there is no cursor."""

    path: str

    def read(self, position: int, size: int) -> bytes:
        """Up to `size` bytes; fewer only where the file ends."""

    def read_cached(self, position: int, size: int) -> bytes | None:
        """The same if the bytes are in memory already, else None: a read that cannot block."""

    def write(self, position: int, chunks: Sequence["bytes | bytearray | memoryview"]) -> int:
        """Write all chunks one after the other and return how many bytes that were; all or an error, and on an error
        any prefix of them may have been written.
        """

    def sync(self) -> None:
        """Return when everything written to this file, and its size, survives a crash."""

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with zeros."""

    def size(self) -> int:
        """How long the file is now."""

    def duplicate(self) -> "File":
        """The same open file once more, to be closed by itself: for what is sent from it later."""

    def close(self) -> None:
        """Give the file up; unsynced writes stay as they are. Twice does nothing."""


class FileLock(Protocol):
    """An advisory lock that is held."""

    def release(self) -> None:
        """Give it up."""


@dataclass(frozen=True, slots=True)
class DirectoryEntry:
    """Something in a directory."""

    name: str
    is_directory: bool
    size: int


class Disk(Protocol):
    """Files and directories, by path. Every method may raise `DiskError`; `NoSuchFile` where something is missing."""

    def open(self, path: str, *, create: bool = False, exclusive: bool = False, read_only: bool = False) -> File:
        """Open a file; `create` makes it if it is missing, `exclusive` demands that it was missing."""

    def make_directory(self, path: str) -> None:
        """Make a directory and its parents; an existing one is no error."""

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory, replacing a file that is at the target, in one step."""

    def unlink(self, path: str) -> None:
        """Remove a file."""

    def list(self, path: str) -> Sequence[DirectoryEntry]:
        """What is in a directory, in the order of names."""

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory."""

    def sync_directory(self, path: str) -> None:
        """Return when the directory's entries (new names, renames, unlinks) survive a crash."""

    def free_bytes(self, path: str) -> int:
        """How much more the file system of this path can hold."""

    def total_bytes(self, path: str) -> int:
        """How much it can hold altogether."""

    def open_files_max(self) -> int:
        """How many files and connections this world's process may have open together."""

    def lock(self, path: str) -> FileLock:
        """Lock a file, made if missing, against every other process and every other lock of this one; `LockHeld` if
        somebody has it. The lock ends with the process, and is seen by a Java FileChannel's.
        """


# Network


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Pem:
    """Keys or certificates as PEM text."""

    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class KeyStore:
    """A PKCS12 file of keys and certificates."""

    path: str
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """What one end of a connection needs for TLS: a text is a PEM file's path. Checked when they are used first."""

    certificate_chain: str | Pem | KeyStore | None = None  # a server must have one
    private_key: str | Pem | None = None  # None: behind the certificates
    private_key_password: str | None = None
    trusted_certificates: str | Pem | KeyStore | None = None  # None: those of the system
    client_authentication: str = "none"  # none, requested, required: as `ssl.client.auth`
    enabled_protocols: tuple[str, ...] = ("TLSv1.2", "TLSv1.3")
    cipher_suites: tuple[str, ...] = ()
    verify_host_name: bool = True

    def __repr__(self) -> str:
        return f"TlsSettings(certificate_chain={self.certificate_chain!r}, trusted={self.trusted_certificates!r})"


@dataclass(frozen=True, slots=True)
class SocketBuffers:
    """How much the operating system holds for a connection in each direction; -1 leaves it to the system."""

    send_bytes: int = -1  # `socket.send.buffer.bytes`, a client's `send.buffer.bytes`
    receive_bytes: int = -1


@dataclass(frozen=True, slots=True)
class FileRange:
    """Bytes of a file that go out without passing through Python.

    They must be in the file by now and stay as they are until they are sent; the file may be closed meanwhile. If they
    turn out to be missing or cannot be read, the connection ends with that error, since its bytes would be out of step.
    """

    file: File
    position: int
    size: int

    def __len__(self) -> int:
        return self.size


Chunk = bytes | bytearray | memoryview | FileRange


class Receiver(Protocol):
    """Whoever owns a connection: called by its stream until `closed`, which is last and comes once.

    A receiver that raises loses its connection: `closed` tells it that exception, and so is whoever made the world.
    """

    def buffer(self) -> memoryview:
        """Where the next bytes go: not empty, and the receiver's again as soon as `received` has been called."""

    def received(self, count: int) -> None:
        """So many bytes are at the start of the buffer."""

    def ended(self) -> None:
        """The peer will send nothing more; it may still read. The connection stays until it is closed from here too."""

    def writing_paused(self) -> None:
        """More than the high-water mark waits to be sent."""

    def writing_resumed(self) -> None:
        """Less than the low-water mark waits to be sent."""

    def closed(self, error: Exception | None) -> None:
        """The connection is gone: None if it was closed as asked, from either side; else what ended it."""


class Stream(Protocol):
    """One end of a connection. Once it is closed or lost every method does nothing."""

    local: Address
    peer: Address
    peer_certificate: "dict[str, Any] | None"  # as `ssl.SSLSocket.getpeercert` gives it

    def write(self, chunks: Sequence[Chunk]) -> None:
        """Send these behind what waits already. Chunks must not change until they are sent; views hold plain bytes."""

    def unsent_bytes(self) -> int:
        """How much waits to be sent."""

    def set_write_limits(self, high: int, low: int) -> None:
        """When the receiver is told to pause and to go on: above `high`, not above `low` (64 and 16 KiB at first)."""

    def pause_reading(self) -> None:
        """Read nothing more from the peer, so that it is held up in turn. Twice is once."""

    def resume_reading(self) -> None:
        """Read again."""

    def close(self) -> None:
        """Send what waits, then close. Nothing is received any more. A peer that never reads is for `abort` to end."""

    def abort(self) -> None:
        """Close at once; what waits is lost, and the peer may see a reset."""


class Listener(Protocol):
    """A bound port."""

    address: Address  # with the port that was really bound

    def pause(self) -> None:
        """Accept nothing for now; what connects waits in the backlog."""

    def resume(self) -> None:
        """Accept again."""

    def replace_tls(self, settings: TlsSettings) -> None:
        """New connections use these; an error leaves the old ones in use."""

    async def close(self) -> None:
        """Accept nothing more and give the port up. Connections go on."""


class Network(Protocol):
    """Connections between nodes, and with clients."""

    async def host_name(self) -> str:
        """What other machines find this one by, as far as it knows; "localhost" where nobody finds it."""

    async def listen(
        self,
        address: Address,
        accept: Callable[[Stream], Receiver | None],
        *,
        tls: TlsSettings | None = None,
        backlog: int = 50,
        buffers: SocketBuffers = SocketBuffers(),
    ) -> Listener:
        """Bind (port 0: any free one; host "": every interface) and call `accept` with every connection, behind its TLS
        handshake; it returns the connection's receiver, or None to turn it away. A handshake that fails or takes too
        long costs that connection, and nobody is told. `AddressInUse` if the address cannot be bound, `ConfigError` if
        the TLS settings cannot be used.
        """

    async def connect(
        self,
        address: Address,
        receiver: Callable[[Stream], Receiver],
        *,
        tls: TlsSettings | None = None,
        timeout_ms: int = 30_000,
        buffers: SocketBuffers = SocketBuffers(),
    ) -> Stream:
        """Connect, TLS handshake included; `ConnectFailed` says why not. A name with several addresses has them tried
        one after the other, IPv4 first. `ConfigError` if the TLS settings cannot be used.
        """


# Work elsewhere


class Threads(Protocol):
    """A bounded pool for calls that release the GIL: fsync, cold reads, codecs, the kernel."""

    async def run(self, call: Callable[..., T], *arguments: Any) -> T:
        """The call's value, or its exception. Calls begin in the order in which they were handed in, and who waits goes
        on in the order in which they end. Cancelling the wait does not stop the call.
        """

    def resize(self, count: int) -> None:
        """So many threads from now on; calls that run are finished where they are."""


class Jobs(Protocol):
    """Helper processes for what is long and per record in Python, started on demand and ended when idle."""

    async def run(self, function: str, *values: Any) -> Any:
        """Call `package.module:function` with plain values elsewhere; its value, or `JobFailed`. Plain values are None,
        numbers, strings, bytes, and tuples, lists, dicts and sets of them. Cancelling the wait ends the job.
        """


# Tasks


class Task(Protocol[T_co]):
    """A coroutine that runs by itself."""

    def get_name(self) -> str:
        """What it was called when it was spawned."""

    def cancel(self) -> bool:
        """Ask it to end: `Cancelled` is thrown where it waits."""

    def done(self) -> bool:
        """Whether it has ended."""

    def __await__(self) -> Generator[Any, None, T_co]:
        """Wait until it has ended; its value or its exception."""


class Group(Protocol):
    """Tasks that live and end together: the first that fails cancels the others, in the order of their spawning."""

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> Task[T]:
        """Run a coroutine as part of the group."""

    def cancel(self) -> None:
        """Ask all of them to end."""

    async def __aenter__(self) -> Self:
        """Begin."""

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object, /) -> None:
        """Wait for all; raises the first failure of a task."""


class Future(Protocol[T]):
    """A value that will be there."""

    def set_result(self, result: T, /) -> None:
        """There it is; everybody who waits goes on, in the order in which they began to wait."""

    def set_exception(self, exception: type | BaseException, /) -> None:
        """There is an error instead."""

    def cancel(self) -> bool:
        """Nobody will bring it."""

    def done(self) -> bool:
        """Whether it is there, or an error, or cancelled."""

    def __await__(self) -> Generator[Any, None, T]:
        """Wait for it."""


class World(Protocol):
    """All of it, for one node."""

    # Read-only, so that a world may have its own kinds of them.

    @property
    def clock(self) -> Clock:
        """Time."""

    @property
    def rng(self) -> Randomness:
        """Chance."""

    @property
    def disk(self) -> Disk:
        """Files and directories."""

    @property
    def network(self) -> Network:
        """Connections."""

    @property
    def threads(self) -> Threads:
        """Where calls go that release the GIL."""

    @property
    def jobs(self) -> Jobs:
        """Where long work in Python goes."""

    def spawn(self, coroutine: Coroutine[Any, Any, T], name: str) -> Task[T]:
        """Run a coroutine on its own. If it fails while nobody waits for it, whoever made the world is told."""

    def group(self) -> Group:
        """`async with world.group() as group:`"""

    def future(self) -> Future[Any]:
        """A future of this world's loop."""

    async def timeout(self, duration_ms: int, awaitable: Awaitable[T]) -> T:
        """Its value, or `TimeoutError` after so long, having cancelled it."""
