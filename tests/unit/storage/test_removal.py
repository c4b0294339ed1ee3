"""Segments that go: by retention, by truncation, with their log; and files that go with a delay."""

from dataclasses import replace

import pytest

from ottla.errors import OffsetOutOfRange
from ottla.storage.names import FileState, parse_file_name
from ottla.world.api import World
from tests.unit.storage.logs import CONFIG, DIRECTORY, Shelf, offsets_from, produced, run

RETAINING = replace(CONFIG, retention_ms=None, retention_bytes=6_000, segment_bytes=2_000, file_delete_delay_ms=1_000)


def states(world: World) -> dict[FileState, int]:
    """How many files of segments there are in each state."""
    counts: dict[FileState, int] = {}
    for entry in world.disk.list(DIRECTORY):
        name = parse_file_name(entry.name)
        if name is not None:
            counts[name.state] = counts.get(name.state, 0) + 1
    return counts


def test_retention_takes_whole_segments_from_the_start() -> None:
    """The log begins behind what retention took, readers below are out of range, and files go after the delay."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(RETAINING)
        for _ in range(100):
            log.append_as_leader(produced(2), 0)
        assert await log.delete_old_segments() == 0, "nothing above the high watermark goes"
        log.update_high_watermark(200)
        bases = [segment.base_offset for segment in log.segments]
        count = await log.delete_old_segments()
        assert 0 < count < len(bases)
        assert log.log_start_offset == bases[count]
        assert 6_000 <= log.size_bytes < 8_000 + len(produced(2))
        assert await offsets_from(log, log.log_start_offset) == list(range(bases[count], 200))
        with pytest.raises(OffsetOutOfRange):
            log.read(bases[count] - 1, 100)
        assert states(world)[FileState.DELETED] >= 3 * count
        await world.clock.sleep(2_000)
        assert FileState.DELETED not in states(world)
        assert await log.delete_old_segments() == 0

    run(main)


def test_a_log_is_never_without_a_segment() -> None:
    """If all of a log is too old, it begins a new segment at its end, and goes on there."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(RETAINING, retention_bytes=None, retention_ms=1))
        for _ in range(50):
            log.append_as_leader(produced(2), 0)
        log.update_high_watermark(100)
        await log.delete_old_segments()
        assert (log.log_start_offset, log.log_end_offset, log.size_bytes, len(log.segments)) == (100, 100, 0, 1)
        appended = log.append_as_leader(produced(), 0)
        assert appended is not None
        assert appended.first_offset == 100
        reloaded = await Shelf(world).log(RETAINING)
        assert (reloaded.log_start_offset, reloaded.log_end_offset) == (100, 101)

    run(main)


def test_a_truncation_takes_segments_and_their_snapshots() -> None:
    """What lies behind the offset goes with its snapshots; the log can grow again over the same offsets."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(RETAINING)
        for _ in range(60):
            log.append_as_leader(produced(2), 0)
        bases = [segment.base_offset for segment in log.segments]
        assert await log.truncate_to(bases[1] + 2)
        assert not await log.truncate_to(bases[1] + 2)
        assert [segment.base_offset for segment in log.segments] == bases[:2]
        assert all(offset <= bases[1] for offset in log.snapshots.offsets)
        for _ in range(60):
            log.append_as_leader(produced(2), 1)
        assert await offsets_from(log) == list(range(log.log_end_offset))
        assert [(entry.epoch, entry.offset) for entry in log.epochs.entries()] == [(0, 0), (1, bases[1] + 2)]
        await world.clock.sleep(2_000)
        assert await offsets_from(log) == list(range(log.log_end_offset))

    run(main)


def test_starting_anew_at_an_offset() -> None:
    """A follower whose leader has forgotten what it has begins at the leader's start, with nothing."""

    async def main(world: World) -> None:
        shelf = Shelf(world)
        log = await shelf.log(RETAINING)
        for _ in range(60):
            log.append_as_leader(produced(2), 3)
        await log.truncate_fully_and_start_at(500)
        assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (500, 500, 500)
        assert (log.size_bytes, log.epochs.entries(), log.snapshots.offsets) == (0, [], [])
        await log.truncate_fully_and_start_at(40, log_start_offset=10)
        assert (log.log_start_offset, log.log_end_offset) == (10, 40)
        await log.close()
        assert (await shelf.log(RETAINING)).log_end_offset == 40

    run(main)


def test_a_deleted_log_leaves_nothing() -> None:
    """Deleting a log removes its directory with all that is in it."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(RETAINING)
        for _ in range(60):
            log.append_as_leader(produced(2), 3)
        await log.flush()
        await log.delete()
        assert not world.disk.exists(DIRECTORY)

    run(main)
