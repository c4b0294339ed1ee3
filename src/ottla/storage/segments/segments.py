"""The segments of a log in the order of their base offsets, found by bisection.

Always true: base offsets grow strictly; after a log is loaded there is at least one segment, and the last one is the
one that is appended to.
"""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from ottla.storage.segments.segment import Segment


class Segments:
    """Segments by base offset."""

    __slots__ = ("_base_offsets", "_segments", "active")

    active: Segment

    def __init__(self, segments: Iterable[Segment] = ()) -> None:
        """These, in any order."""
        self._base_offsets = array("q")
        self._segments: list[Segment] = []
        for segment in segments:
            self.add(segment)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._segments)

    def __iter__(self) -> Iterator[Segment]:
        """All of them, from the first on."""
        return iter(self._segments)

    def __contains__(self, segment: object) -> bool:
        """Whether this very segment is one of them."""
        return isinstance(segment, Segment) and self.at(segment.base_offset) is segment

    @property
    def first(self) -> Segment:
        """The one with the least base offset."""
        return self._segments[0]

    @property
    def size_bytes(self) -> int:
        """The bytes of all batches."""
        return sum(segment.size_bytes for segment in self._segments)

    def add(self, segment: Segment) -> None:
        """Put a segment in its place; one with the same base offset is replaced."""
        at = bisect_left(self._base_offsets, segment.base_offset)
        if at < len(self._base_offsets) and self._base_offsets[at] == segment.base_offset:
            self._segments[at] = segment
        else:
            self._base_offsets.insert(at, segment.base_offset)
            self._segments.insert(at, segment)
        self.active = self._segments[-1]

    def remove(self, base_offset: int) -> None:
        """Take a segment out."""
        at = bisect_left(self._base_offsets, base_offset)
        assert self._base_offsets[at] == base_offset, f"there is no segment {base_offset}"
        del self._base_offsets[at]
        del self._segments[at]
        if self._segments:
            self.active = self._segments[-1]

    def at(self, base_offset: int) -> Segment | None:
        """The segment with this base offset."""
        segment = self.floor(base_offset)
        return segment if segment is not None and segment.base_offset == base_offset else None

    def floor(self, offset: int) -> Segment | None:
        """The segment that an offset belongs into: the last one that does not begin behind it."""
        at = bisect_right(self._base_offsets, offset)
        return self._segments[at - 1] if at else None

    def higher(self, base_offset: int) -> Segment | None:
        """The first segment that begins behind an offset."""
        at = bisect_right(self._base_offsets, base_offset)
        return self._segments[at] if at < len(self._segments) else None

    def from_offset(self, offset: int) -> list[Segment]:
        """The segment that an offset belongs into, or the first one, and all behind it."""
        return self._segments[max(bisect_right(self._base_offsets, offset) - 1, 0) :]

    def between(self, start_offset: int, end_offset: int) -> list[Segment]:
        """Those that may hold offsets from one on and below another."""
        return [segment for segment in self.from_offset(start_offset) if segment.base_offset < end_offset]
