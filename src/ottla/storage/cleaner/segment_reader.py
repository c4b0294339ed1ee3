"""Reading a closed segment from its start to its end, a piece at a time, as compaction does.

Always true: a piece is whole batches; it is read in a thread, with the file pinned; a batch larger than a piece is read
whole, since the log took it. What is no batch, or ends in the middle of one, is a `CorruptFile`.
"""

from typing import TYPE_CHECKING

from ottla.errors import CorruptFile, RecordError
from ottla.protocol.records.batch import LENGTH_END, RecordBatch, whole_batches

if TYPE_CHECKING:
    from ottla.storage.segments.segment import Segment
    from ottla.world.api import World


class SegmentReader:
    """A place in a segment."""

    __slots__ = ("_piece_bytes", "_world", "position", "segment")

    def __init__(self, world: "World", segment: "Segment", piece_bytes: int, position: int = 0) -> None:
        """Begin at a position where a batch starts."""
        self._world, self.segment, self._piece_bytes = world, segment, piece_bytes
        self.position = position

    async def next(self) -> list[RecordBatch]:
        """The batches of the next piece; none at the end."""
        remaining = self.segment.size_bytes - self.position
        if remaining <= 0:
            return []
        data = await self._read(min(self._piece_bytes, remaining))
        found = self._batches(data)
        if not found and len(data) < remaining:
            size_bytes = int.from_bytes(data[8:LENGTH_END], "big", signed=True) + LENGTH_END
            data = await self._read(max(min(size_bytes, remaining), len(data)))
            found = self._batches(data)
        if not found:
            raise self._corrupt("cut off")
        self.position += found[-1].position + found[-1].size_bytes
        return found

    async def _read(self, size_bytes: int) -> bytes:
        files, handle = self.segment.files, self.segment.file
        file = files.pin(handle)
        try:
            return await self._world.threads.run(file.read, self.position, size_bytes)
        finally:
            files.unpin(handle)

    def _batches(self, data: bytes) -> list[RecordBatch]:
        try:
            return whole_batches(memoryview(data))[0]
        except RecordError as error:
            raise self._corrupt(error) from None

    def _corrupt(self, reason: object) -> CorruptFile:
        path = self.segment.file.path
        return CorruptFile(f"{path}: at or behind byte {self.position} there is no whole batch: {reason}", path=path)
