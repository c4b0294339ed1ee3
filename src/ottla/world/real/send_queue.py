"""What waits to be sent on one connection: bytes and ranges of files, in their order.

Bytes are never copied here: a chunk that is too large for one go is cut into views. A range holds its file's
descriptor, so that the file may be closed, and given a new name or none, while the range waits.

What is always true: `size` is the sum of what is left of all chunks, and no empty chunk is ever kept.
"""

from collections import deque
from collections.abc import Sequence

from ottla.errors import DiskError
from ottla.world.api import Chunk, FileRange
from ottla.world.real.file import Descriptor, RealFile

Bytes = bytes | bytearray | memoryview


class QueuedRange:
    """What is left to send of a range of a file."""

    __slots__ = ("descriptor", "path", "position", "size")

    def __init__(self, range_: FileRange) -> None:
        assert isinstance(range_.file, RealFile), "only files of this world can be sent"
        assert range_.position >= 0, "a range begins within its file"
        self.descriptor: Descriptor = range_.file.descriptor
        self.path, self.position, self.size = range_.file.path, range_.position, range_.size

    def missing(self) -> DiskError:
        """What to say when the file ends before the range does."""
        return DiskError(f"{self.path} ends at {self.position}, {self.size} bytes before its range", path=self.path)


class SendQueue:
    """The chunks of one connection that the transport has not been given yet."""

    __slots__ = ("_chunks", "size")

    def __init__(self) -> None:
        self._chunks: deque[Bytes | QueuedRange] | None = None  # a deque takes 600 bytes: idle connections have none
        self.size = 0

    def add(self, chunks: Sequence[Chunk]) -> None:
        """Put chunks behind those that wait already. Raises DiskError for a file that is closed, having put none."""
        kept: list[Bytes | QueuedRange] = [
            QueuedRange(chunk) if isinstance(chunk, FileRange) else chunk for chunk in chunks if len(chunk)
        ]
        size = sum(map(len, chunks))
        assert size >= 0
        if self._chunks is None:
            self._chunks = deque()
        self._chunks += kept
        self.size += size

    def first_range(self) -> QueuedRange | None:
        """The range whose turn it is, if it is a range's turn."""
        first = self._chunks[0] if self._chunks else None
        return first if isinstance(first, QueuedRange) else None

    def take_bytes(self, limit: int) -> list[Bytes]:
        """Take bytes from the front, up to the next range and no more than the limit."""
        taken: list[Bytes] = []
        chunks = self._chunks
        left = limit
        while chunks and left and not isinstance(first := chunks[0], QueuedRange):
            if len(first) > left:
                view = memoryview(first)
                first, chunks[0] = view[:left], view[left:]
            else:
                chunks.popleft()
            taken.append(first)
            left -= len(first)
        self._took(limit - left)
        return taken

    def advance(self, count: int) -> None:
        """So many bytes of the range at the front have been sent."""
        assert self._chunks
        range_ = self._chunks[0]
        assert isinstance(range_, QueuedRange)
        assert 0 < count <= range_.size
        range_.position += count
        range_.size -= count
        if not range_.size:
            self._chunks.popleft()
        self._took(count)

    def clear(self) -> None:
        """Forget everything."""
        self._chunks, self.size = None, 0

    def _took(self, count: int) -> None:
        self.size -= count
        if not self.size:
            assert not self._chunks
            self._chunks = None
