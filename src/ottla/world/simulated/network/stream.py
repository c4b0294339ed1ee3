"""One end of a connection: what the process holds of it, and the socket in its machine's kernel.

The process has the queue of what could not be sent yet, the receiver, and its wishes (limits, pauses); the kernel has
the two pipes. The kernel acts at the timeline's time, also while the process stands still; the process is told through
its loop, one callback for each kind of news at a time, as a poll would: readable, writable, too much waits, closed.

What is always true: `gone` says that the socket is no more (closed, reset, or dead with its process), and `_done` that
the program can do nothing more with the stream; a socket may be gone before its program has noticed. The receiver is
never called inside of a call of the program's, and `closed` comes last and once.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ottla.errors import ConnectionLost, DiskError, OttlaError
from ottla.world.api import Address, Chunk, FileRange, Receiver
from ottla.world.simulated.disk.file import SimulatedFile
from ottla.world.simulated.network.pipe import Pipe

if TYPE_CHECKING:
    from ottla.world.simulated.network.network import SimulatedNetwork

HIGH_BYTES, LOW_BYTES = 65_536, 16_384  # the limits of writing until somebody sets others
RANGE_BYTES = 65_536  # of a file, read in one call


class SimulatedStream:
    """A `Stream` of the simulated world."""

    __slots__ = (
        "_done", "_error", "_high", "_is_paused", "_loop", "_low", "_network", "_now_ns", "_over", "_queue", "_reads",
        "_receiver", "_tells_reading", "_tells_room", "_tells_writing", "_unsent", "gone", "incoming", "is_accepted",
        "local", "outgoing", "peer", "peer_certificate",
    )  # fmt: skip

    incoming: Pipe
    outgoing: Pipe

    def __init__(self, network: "SimulatedNetwork", local: Address, peer: Address) -> None:
        self.local, self.peer = local, peer
        self.peer_certificate: dict[str, Any] | None = None
        self.gone = self.is_accepted = False
        self._network, self._loop, self._now_ns = network, network.loop, network.loop.now_ns
        self._receiver: Receiver | None = None
        self._queue: deque[bytes | bytearray | memoryview | FileRange] = deque()
        self._unsent = 0
        self._high, self._low = HIGH_BYTES, LOW_BYTES
        self._reads = True
        self._error: OttlaError | None = None
        self._is_paused = self._done = self._over = False
        self._tells_reading = self._tells_room = self._tells_writing = False
        network.host.streams[self] = None

    @property
    def host_name(self) -> str:
        """Where this end is."""
        return self._network.host.name

    def start(self, receiver: Receiver) -> None:
        """From now on this one is told."""
        self._receiver = receiver
        self.readable()

    # What the program asks for

    def write(self, chunks: Sequence[Chunk]) -> None:
        """Send these behind what waits already."""
        if self._done:
            return
        if self.gone:
            self._end(self._error)
            return
        if not self._queue:
            size = 0
            for chunk in chunks:
                if type(chunk) is FileRange:
                    break
                size += len(chunk)
            else:
                if size <= self.outgoing.room():
                    if size:
                        self.outgoing.take(b"".join(chunks), self._now_ns())  # type: ignore[arg-type]
                    return
        waited = bool(self._queue)
        for chunk in chunks:
            if size := len(chunk):
                self._queue.append(_kept(chunk))
                self._unsent += size
        if not waited:
            self._flush()
        self._tell_writing()

    def unsent_bytes(self) -> int:
        """How much waits to be sent."""
        return self._unsent

    def set_write_limits(self, high: int, low: int) -> None:
        """When the receiver is told to pause and to go on."""
        self._high, self._low = high, low
        self._tell_writing()

    def pause_reading(self) -> None:
        """Read nothing more."""
        self._reads = False

    def resume_reading(self) -> None:
        """Read again."""
        if not self._reads:
            self._reads = True
            self.readable()

    def close(self) -> None:
        """Send what waits, then close."""
        if self._done:
            return
        self._done = True
        if not self._queue:
            self._shut()
            self._end(None)

    def abort(self) -> None:
        """Close at once; also what `close` has not finished yet."""
        if self._over:
            return
        self._break()
        self._end(None)

    # What the kernel tells the process

    @property
    def waits_for_room(self) -> bool:
        """Whether the process would send more if it could."""
        return bool(self._queue)

    def readable(self) -> None:
        """There is something to read: bytes, an end, or an error."""
        if self._tells_reading or not self._reads or self._receiver is None or self._done:
            return
        if self.incoming.unread or self._error is not None:
            self._tells_reading = True
            self._loop.call_soon(self._read)

    def writable(self) -> None:
        """There is room in the kernel's buffer, or an error."""
        if not self._tells_room:
            self._tells_room = True
            self._loop.call_soon(self._flush)

    def reset_by_peer(self) -> None:
        """The peer does not know this connection, or does not want it any more."""
        self._lose(f"{self.peer} has reset the connection")

    def reset_by_network(self) -> None:
        """Something in between has ended the connection."""
        self._lose(f"the connection with {self.peer} was reset")

    def gave_up(self, seconds: int) -> None:
        """The peer has acknowledged nothing for too long."""
        self._lose(f"{self.peer} has not answered for {seconds} s")

    def _lose(self, message: str) -> None:
        # As in a real kernel, a process that reads nothing and has nothing to send learns of it when it does either.
        self.outgoing.clear()
        if self.gone:
            return
        self._vanish()
        self._error = ConnectionLost(message)
        if self._queue:
            self.writable()
        self.readable()

    def process_died(self) -> None:
        """The kernel closes what a dead process had open: its peer sees an end, or a reset if it was not heard out."""
        if self.gone:
            return
        if self.is_accepted:
            self._shut()
        else:
            self._break()
        self.incoming.forget(self._now_ns())

    def power_lost(self) -> None:
        """The machine is off, and the peer is told nothing."""
        self.outgoing.power_lost()
        if not self.gone:
            self._vanish()
            self.incoming.forget(self._now_ns())

    # What the process does about it

    def _read(self) -> None:
        """Hand over what is there, as much as the receiver has room for."""
        self._tells_reading = False
        receiver, unread = self._receiver, self.incoming.unread
        if not self._reads or self._done or receiver is None:
            return
        if not unread:
            self._end(self._error)
            return
        try:
            if unread[0]:
                receiver.received(self._fill(receiver.buffer()))
            else:
                unread.popleft()
                receiver.ended()
        except Exception as error:
            self._blame(error)
            return
        if unread or self._error is not None:
            self.readable()

    def _fill(self, buffer: memoryview) -> int:
        unread, filled, size = self.incoming.unread, 0, len(buffer)
        assert size, "a receiver's buffer is not empty"
        while unread and filled < size and (piece := unread[0]):
            room = size - filled
            if len(piece) > room:
                view = memoryview(piece)
                buffer[filled:] = view[:room]
                unread[0] = view[room:]
                filled = size
            else:
                buffer[filled : filled + len(piece)] = piece
                filled += len(piece)
                unread.popleft()
        self.incoming.consume(filled, self._now_ns())
        return filled

    def _flush(self) -> None:
        """Give the kernel as much of what waits as it takes."""
        self._tells_room = False
        if self._over or not self._queue:
            return
        if self.gone:
            self._end(self._error)
            return
        queue = self._queue
        try:
            while queue and (room := self.outgoing.room()) > 0:
                data = self._next_bytes(queue[0], room)
                self._unsent -= len(data)
                self.outgoing.take(data, self._now_ns())
        except DiskError as error:
            self._break()
            self._end(error)
            return
        if not self._done:
            self._tell_writing()
        elif not queue:
            self._shut()
            self._end(None)

    def _next_bytes(self, chunk: Chunk, room: int) -> bytes:
        """The next bytes of the first chunk that waits, which is shortened by them."""
        queue = self._queue
        size = len(chunk)
        if isinstance(chunk, FileRange):
            part = min(room, size, RANGE_BYTES)
            data = chunk.file.read(chunk.position, part)
            if len(data) < part:
                path = chunk.file.path
                raise DiskError(f"{path} ends before position {chunk.position + part}", path=path)
            queue[0] = FileRange(chunk.file, chunk.position + part, size - part)
            if part == size:
                queue.popleft()
                chunk.file.close()
            return data
        if size <= room:
            queue.popleft()
            return bytes(chunk)
        view = memoryview(chunk)
        queue[0] = view[room:]
        return bytes(view[:room])

    def _tell_writing(self) -> None:
        """Arrange for the receiver to learn whether too much waits, if that has changed."""
        changed = self._unsent <= self._low if self._is_paused else self._unsent > self._high
        if changed and not self._tells_writing and not self._done:
            self._tells_writing = True
            self._loop.call_soon(self._pause_or_resume)

    def _pause_or_resume(self) -> None:
        self._tells_writing = False
        if self._done or self._receiver is None:
            return
        tell: Callable[[], None]
        if self._is_paused and self._unsent <= self._low:
            tell = self._receiver.writing_resumed
        elif not self._is_paused and self._unsent > self._high:
            tell = self._receiver.writing_paused
        else:
            return
        self._is_paused = not self._is_paused
        try:
            tell()
        except Exception as error:
            self._blame(error)

    # Ends

    def _blame(self, error: Exception) -> None:
        """The receiver has raised: it loses its connection, and whoever made the world is told after it."""
        if self._over:
            self._report(error)
            return
        self._break()
        self._end(error, self._report)

    def _report(self, error: Exception) -> None:
        self._loop.fail(error, f"a receiver of {self.peer}")

    def _shut(self) -> None:
        """Close the socket: behind what it holds comes an end, or a reset now if the peer was not heard out."""
        if self.gone:
            return
        unheard = any(self.incoming.unread)
        self._vanish()
        if unheard:
            self.outgoing.send_reset(self._now_ns())
        else:
            self.outgoing.finish(self._now_ns())

    def _break(self) -> None:
        if not self.gone:
            self._vanish()
            self.outgoing.send_reset(self._now_ns())

    def _vanish(self) -> None:
        """The socket is no more. What has arrived for a process that lives can still be read."""
        self.gone = True
        self._network.host.forget(self)

    def _end(self, error: Exception | None, report: Callable[[Exception], None] | None = None) -> None:
        """Arrange for the receiver to be told that it is over."""
        if self._over:
            return
        self._done = self._over = True
        for chunk in self._queue:
            if isinstance(chunk, FileRange):
                chunk.file.close()
        self._queue.clear()
        self._unsent = 0
        self.incoming.forget(self._now_ns())
        self._loop.call_soon(self._tell_closed, error, report)

    def _tell_closed(self, error: Exception | None, report: Callable[[Exception], None] | None) -> None:
        receiver, self._receiver = self._receiver, None
        try:
            if receiver is not None:
                receiver.closed(error)
        finally:  # what `closed` raises is told by the loop
            if report is not None and error is not None:
                report(error)


def _kept(chunk: Chunk) -> Chunk:
    """A chunk that can wait: the file of a range may be closed meanwhile, so it is opened once more."""
    if isinstance(chunk, FileRange):
        assert isinstance(chunk.file, SimulatedFile), "a file of another world"
        return FileRange(chunk.file.duplicate(), chunk.position, chunk.size)
    return chunk
