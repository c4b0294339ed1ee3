"""Which neighbouring segments become one when they are cleaned, so that compaction does not leave a crumb of each.

Always true: every segment is in one group, in order; the batches of a group fit into one segment, its index entries
into one index, and its offsets into the 31 bits that an index entry has for them. A segment that is too large by itself
is a group of its own.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET


class SegmentSizes(NamedTuple):
    """What of a segment counts."""

    base_offset: int
    size_bytes: int
    offset_index_bytes: int
    time_index_bytes: int


def group_segments(
    segments: Sequence[SegmentSizes], segment_bytes: int, index_bytes: int, end_offset: int
) -> list[range]:
    """Groups, as ranges of positions in the sequence. `end_offset` is where the part that may be cleaned ends."""
    groups: list[range] = []
    start = 0
    while start < len(segments):
        size, offsets, times = segments[start][1:]
        end = start + 1
        while end < len(segments):
            nxt = segments[end]
            size, offsets, times = (
                size + nxt.size_bytes,
                offsets + nxt.offset_index_bytes,
                times + nxt.time_index_bytes,
            )
            # The next segment's last offset is not known without a scan: it is below the one after it.
            last_offset = (segments[end + 1].base_offset if end + 1 < len(segments) else end_offset) - 1
            is_far = nxt.size_bytes > 0 and last_offset - segments[start].base_offset > MAX_RELATIVE_OFFSET
            if size > segment_bytes or offsets > index_bytes or times > index_bytes or is_far:
                break
            end += 1
        groups.append(range(start, end))
        start = end
    return groups
