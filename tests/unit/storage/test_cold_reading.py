"""What a read does not find in memory: it is told, brought, and read again."""

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.storage.cold_reading import bring_indexes
from ottla.storage.log import Log
from ottla.storage.names import FileKind
from ottla.storage.reading import READ_AHEAD_BYTES, IndexesForgotten, NotCached, Slice, look_at
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.segments.segment import Segment
from ottla.world.api import World
from tests.unit.storage.log_checks import check_log
from tests.unit.storage.logs import Shelf, offsets_from, produced, run


async def filled(shelf: Shelf) -> Log:
    """A log of several segments, on the disk."""
    log = await shelf.log()
    for at in range(60):
        log.append_as_leader(produced(3, timestamp=1_000 + at), 0)
    await log.flush()
    return log


async def idle(shelf: Shelf) -> Log:
    """The same, whose indexes were forgotten."""
    log = await filled(shelf)
    for _ in range(2):
        log.release_idle()
    assert not any(segment.indexes.are_loaded for segment in log.segments)
    return log


def test_forgotten_indexes_are_brought_and_not_read_on_the_loop() -> None:
    """A read of a log that was idle says that its indexes are to be brought; a cold one brings them, and no others."""

    async def main(world: World) -> None:
        log = await idle(Shelf(world))
        for offset in (0, 100, 179):
            with pytest.raises(IndexesForgotten):
                log.read(offset, 500)
            assert (await log.read_cold(offset, 500)).records
        assert sum(segment.indexes.are_loaded for segment in log.segments) == 3
        assert await offsets_from(log) == list(range(180))
        check_log(log)

    run(main)


def test_indexes_that_are_damaged_or_gone_are_made_anew() -> None:
    """Whatever happened to the files of a log that was idle: it is read as before, and its indexes are right."""

    async def main(world: World) -> None:
        log = await idle(Shelf(world))
        first, second, third, *_ = log.segments
        world.disk.unlink(first.path(FileKind.OFFSET_INDEX))
        world.disk.open(second.path(FileKind.TIME_INDEX)).truncate(0)
        world.disk.open(third.path(FileKind.OFFSET_INDEX)).write(0, [b"\xff" * 8])
        assert await offsets_from(log) == list(range(180))
        check_log(log)

    run(main)


def test_a_timestamp_is_looked_up_in_a_log_that_was_idle() -> None:
    """ListOffsets brings the indexes that it needs, of a log that was just loaded too."""

    async def main(world: World) -> None:
        shelf = Shelf(world)
        log = await idle(shelf)
        await log.close()
        for found in (log, await shelf.log()):
            for at in (0, 17, 59):
                answer = await found.offset_for_timestamp(1_002 + at)
                assert answer is not None
                assert answer.timestamp == 1_002 + at
            newest = await found.offset_for_timestamp(-3)
            assert newest is not None
            assert newest.timestamp == 1_061

    run(main)


def test_what_was_loaded_and_changed_meanwhile_stays() -> None:
    """Indexes that an append loads and extends while a thread reads their files keep what the append added."""

    async def main(world: World) -> None:
        log = await idle(Shelf(world))
        active = log.segments.active
        bringing = world.spawn(bring_indexes(log, active), "bring")
        await world.clock.sleep(0)
        active.loaded_transactions()
        active.loaded_indexes()
        while active is log.segments.active and active.indexes.are_saved:
            assert log.append_as_leader(produced(3, timestamp=2_000), 0) is not None
        await bringing
        check_log(log)

    run(main)


@given(st.integers(0, 10**9), st.integers(1, 40 * READ_AHEAD_BYTES), st.data())
def test_a_range_is_looked_at_from_its_start_to_its_end(position: int, size: int, data: st.DataObject) -> None:
    """No hole as large as what the system reads ahead passes, the first and the last byte never; and then all of the
    range is to be brought.
    """
    hole = data.draw(st.integers(position, position + size - 1))
    end = data.draw(st.integers(hole + 1, position + size))

    async def main(world: World) -> None:
        segment = Segment(OpenFiles(world.disk, 1), "/data", 0, index_interval_bytes=4096)
        asked = list[int]()

        def read(at: int, count: int) -> bytes:
            asked.append(at)
            if hole <= at < end:
                raise NotCached(segment, at, count)
            return bytes(count)

        missing = missing_of(lambda: look_at(Slice(segment, position, size), read))
        if missing is None:
            assert end - hole < READ_AHEAD_BYTES
            assert position < hole < end < position + size
        else:
            assert (missing.segment, missing.position, missing.size) == (segment, position, size)
        assert all(position <= at < position + size for at in asked)
        assert len(asked) <= size // READ_AHEAD_BYTES + 2

    run(main)


def missing_of(call: Callable[[], object]) -> NotCached | None:
    """What a read says that it misses."""
    try:
        call()
    except NotCached as missing:
        return missing
    return None


def test_a_range_that_is_not_in_memory_is_brought_before_it_is_sent() -> None:
    """A read as a range either knows its bytes in memory or says which are to be brought; the cold one answers both."""

    async def main(world: World) -> None:
        log, told = await filled(Shelf(world)), 0
        for offset in range(0, 180, 3):
            missing = missing_of(partial(log.read, offset, 400, as_range=True))
            told += missing is not None
            assert missing is None or missing.size > 0
            found = (await log.read_cold(offset, 400, as_range=True)).records
            assert len(found) > 0
        assert 0 < told < 60

    run(main)
