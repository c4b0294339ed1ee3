"""A segment: when it is indexed and closed, as Kafka does, and what its files hold then."""

from dataclasses import replace

import pytest

from ottla.protocol.records.builder import BatchFields
from ottla.storage.append.replica import analyze_from_raft_leader
from ottla.storage.log_config import LogConfig
from ottla.storage.names import FileKind
from ottla.storage.segments.offset_index import MAX_RELATIVE_OFFSET
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.segments.segment import Segment
from ottla.storage.segments.segments import Segments
from ottla.storage.segments.time_index import TimestampOffset
from ottla.world.api import World
from tests.unit.storage.logs import CONFIG, produced, run

WEEK_MS = 7 * 24 * 3_600_000


def append(segment: Segment, offset: int, count: int = 1, *, timestamp: int = 1_000, value: bytes = b"v" * 50) -> int:
    """Append a batch at an offset, with an index entry after each 4096 bytes; answers its size."""
    fields = BatchFields(base_offset=offset, partition_leader_epoch=0)
    data = produced(count, timestamp=timestamp, value=value, fields=fields)
    segment.append(analyze_from_raft_leader(data, LogConfig(), 0), segment.index_interval_bytes)
    return len(data)


def new_segment(world: World, base_offset: int = 0, config: LogConfig = CONFIG, *, interval: int = 4_096) -> Segment:
    """An empty one."""
    world.disk.make_directory("/data")
    return Segment.create(
        OpenFiles(world.disk, 5), "/data", base_offset, replace(config, index_interval_bytes=interval)
    )


def is_in_memory(segment: Segment) -> bool:
    """Whether the indexes are."""
    return segment.indexes.offsets is not None


def test_w39_an_entry_in_both_indexes_for_each_4096_bytes() -> None:
    """A batch gets an entry in both indexes when more than index.interval.bytes lie between it and the last one."""

    async def main(world: World) -> None:
        segment = new_segment(world)
        positions, position, last = [], 0, 0
        for at in range(200):
            if position - last > 4_096:
                positions.append((at, position))
                last = position
            position += append(segment, at, timestamp=1_000 + at, value=b"v" * (at * 7 % 300))
        offsets, times = segment.loaded_indexes()
        assert len(offsets) == len(positions) > 5
        assert [offsets.entry(at) for at in range(len(offsets))] == positions
        assert [times.entry(at) for at in range(len(times))] == [(1_000 + offset, offset) for offset, _ in positions]

    run(main)


def test_the_entry_of_a_batch_has_its_last_offset_and_its_start() -> None:
    """An index entry is the last offset of a batch and the position where that batch starts."""

    async def main(world: World) -> None:
        segment = new_segment(world)
        first = append(segment, 0, 3, value=b"v" * 5_000)
        append(segment, 3, 4)
        assert segment.loaded_indexes()[0].entry(0) == (6, first)

    run(main)


def test_a_timestamp_that_does_not_grow_is_no_entry() -> None:
    """The time index holds the largest timestamp so far and the last offset of the batch that brought it."""

    async def main(world: World) -> None:
        segment = new_segment(world)
        for at, timestamp in enumerate((500, 900, 100, 700)):
            append(segment, 2 * at, 2, timestamp=timestamp, value=b"v" * 5_000)
        times = segment.loaded_indexes()[1]
        assert [times.entry(at) for at in range(len(times))] == [(901, 3)]
        assert segment.largest == TimestampOffset(901, 3)

    run(main)


def test_closing_a_segment_trims_its_files() -> None:
    """Index files are preallocated while a segment is written, and hold their entries alone when it is closed; the
    time index ends with the largest timestamp.
    """

    async def main(world: World) -> None:
        config = replace(CONFIG, segment_index_bytes=1_000, preallocate=True, segment_bytes=100_000)
        segment = new_segment(world, config=config)

        def size(kind: FileKind) -> int:
            file = world.disk.open(segment.path(kind))
            return file.size()

        assert [size(kind) for kind in (FileKind.LOG, FileKind.OFFSET_INDEX, FileKind.TIME_INDEX)] == [
            100_000,
            1_000,
            996,
        ]
        written = append(segment, 0, value=b"v" * 5_000) + append(segment, 1, timestamp=2_000)
        segment.become_inactive(config)
        assert [size(kind) for kind in (FileKind.LOG, FileKind.OFFSET_INDEX, FileKind.TIME_INDEX)] == [written, 8, 12]
        segment.become_inactive(config)
        assert size(FileKind.TIME_INDEX) == 12
        assert not world.disk.exists(segment.path(FileKind.TRANSACTION_INDEX))

    run(main)


def test_w38_a_segment_is_closed_when_it_is_full_or_old() -> None:
    """Rolled: what does not fit into segment.bytes, or is later than segment.ms behind the first batch, or too far
    from the base offset. An empty segment is never rolled for its size or age.
    """

    async def main(world: World) -> None:
        config = LogConfig()
        segment = new_segment(world, 100)
        assert not segment.should_roll(2**30 + 1, 1_000, 100, config, 2**50)
        assert segment.should_roll(100, 1_000, 101 + MAX_RELATIVE_OFFSET, config, 0)
        assert not segment.should_roll(100, 1_000, 100 + MAX_RELATIVE_OFFSET, config, 0)
        size = append(segment, 100, timestamp=1_000)
        assert not segment.should_roll(2**30 - size, 1_000, 200, config, 0)
        assert segment.should_roll(2**30 - size + 1, 1_000, 200, config, 0)
        assert not segment.should_roll(100, 1_000 + WEEK_MS, 200, config, 2**50)
        assert segment.should_roll(100, 1_001 + WEEK_MS, 200, config, 0)
        segment.roll_jitter_ms = 10
        assert segment.should_roll(100, 1_000 + WEEK_MS - 9, 200, config, 0)

    run(main)


def test_a_segment_without_timestamps_ages_by_the_clock() -> None:
    """If its first batch has no timestamp, a segment is as old as its creation."""

    async def main(world: World) -> None:
        segment = new_segment(world)
        segment.created_ms = 5_000
        append(segment, 0, timestamp=-1)
        assert not segment.should_roll(100, -1, 5, LogConfig(), 5_000 + WEEK_MS)
        assert segment.should_roll(100, -1, 5, LogConfig(), 5_001 + WEEK_MS)

    run(main)


@pytest.mark.parametrize(("offset_entries", "time_entries", "is_full"), [
    (1_310_719, 0, False), (1_310_720, 0, True), (0, 873_811, False), (0, 873_812, True),
])  # fmt: skip
def test_w38_a_full_index_closes_the_segment(offset_entries: int, time_entries: int, is_full: bool) -> None:
    """Ten MiB hold 1,310,720 offset entries, and 873,813 time entries of which the last is kept for closing."""

    async def main(world: World) -> None:
        segment = new_segment(world)
        append(segment, 0)
        segment.indexes.saved_offsets, segment.indexes.saved_times = offset_entries, time_entries
        segment.indexes.offsets = segment.indexes.times = None
        assert segment.should_roll(100, 1_000, 5, LogConfig(), 0) == is_full

    run(main)


@pytest.mark.parametrize("interval", [4_096, 700, 9_000])
def test_forgotten_indexes_are_read_again(interval: int) -> None:
    """What was saved is given up and read back; what was not saved is kept; damaged files are made anew, with the
    topic's index.interval.bytes.
    """

    async def main(world: World) -> None:
        segment = new_segment(world, interval=interval)
        for at in range(30):
            append(segment, at, timestamp=1_000 + at, value=b"v" * 1_000)
        entries = segment.loaded_indexes()[0].encode()
        segment.forget()
        assert is_in_memory(segment)
        segment.save_indexes()
        segment.forget()
        assert not is_in_memory(segment)
        assert segment.loaded_indexes()[0].encode() == entries
        segment.forget()
        world.disk.open(segment.path(FileKind.OFFSET_INDEX)).write(3, [b"\xff"])
        assert segment.loaded_indexes()[0].encode() == entries
        assert world.disk.open(segment.path(FileKind.OFFSET_INDEX)).read(0, 999) == entries
        segment.forget()
        world.disk.unlink(segment.path(FileKind.TIME_INDEX))
        assert segment.loaded_indexes()[0].encode() == entries
        assert segment.largest == TimestampOffset(1_029, 29)

    run(main)


def test_w37_the_segment_of_an_offset() -> None:
    """The segment with the largest base offset that is not behind an offset; names have 20 digits."""

    async def main(world: World) -> None:
        bases = (0, 5_000_000, 10_000_000, 10_002_674)
        segments = Segments(new_segment(world, base) for base in reversed(bases))
        found = segments.floor(10_002_673)
        assert found is not None
        assert found.path(FileKind.LOG) == "/data/00000000000010000000.log"
        assert segments.active.base_offset == 10_002_674
        assert [segment.base_offset for segment in segments.from_offset(5_000_001)] == list(bases[1:])
        assert [segment.base_offset for segment in segments.between(4_999_999, 10_000_000)] == [0, 5_000_000]
        assert (segments.higher(5_000_000), segments.higher(10_002_674)) == (segments.at(10_000_000), None)
        segments.remove(10_002_674)
        assert segments.active.base_offset == 10_000_000
        assert Segments([segments.active]).floor(5) is None

    run(main)
