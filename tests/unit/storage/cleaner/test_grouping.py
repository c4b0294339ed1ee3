"""Which segments become one."""

from ottla.storage.cleaner.grouping import SegmentSizes, group_segments


def groups_of(
    *segments: SegmentSizes, segment_bytes: int = 100, index_bytes: int = 80, end: int = 1_000
) -> list[list[int]]:
    """The base offsets of each group."""
    found = group_segments(segments, segment_bytes, index_bytes, end)
    assert [at for group in found for at in group] == list(range(len(segments)))
    return [[segments[at].base_offset for at in group] for group in found]


def sized(*sizes: int) -> list[SegmentSizes]:
    """Segments of ten offsets with these sizes and no index entries."""
    return [SegmentSizes(10 * at, size, 0, 0) for at, size in enumerate(sizes)]


def test_by_size() -> None:
    """As many neighbours become one as fit into segment.bytes; the next begins another."""
    assert groups_of(*sized(40, 60, 1)) == [[0, 10], [20]]
    assert groups_of(*sized(40, 61, 30)) == [[0], [10, 20]]
    assert groups_of(*sized(500, 10, 500)) == [[0], [10], [20]]
    assert groups_of() == []


def test_by_index() -> None:
    """The index entries of a group fit into one index, each kind by itself."""
    entries = SegmentSizes
    assert groups_of(entries(0, 1, 40, 0), entries(10, 1, 40, 0), entries(20, 1, 1, 0)) == [[0, 10], [20]]
    assert groups_of(entries(0, 1, 0, 41), entries(10, 1, 0, 40)) == [[0], [10]]


def test_by_offsets() -> None:
    """Offsets of a group do not lie further apart than an index entry can say; an empty segment does not count."""
    far = 2**31
    assert groups_of(SegmentSizes(0, 1, 0, 0), SegmentSizes(10, 1, 0, 0), end=far) == [[0, 10]]
    assert groups_of(SegmentSizes(0, 1, 0, 0), SegmentSizes(10, 1, 0, 0), end=far + 1) == [[0], [10]]
    assert groups_of(
        SegmentSizes(0, 1, 0, 0), SegmentSizes(10, 1, 0, 0), SegmentSizes(far + 1, 1, 0, 0), end=2 * far
    ) == [
        [0],
        [10],
        [far + 1],
    ]
    assert groups_of(SegmentSizes(0, 1, 0, 0), SegmentSizes(10, 0, 0, 0), end=far + 1) == [[0, 10]]
