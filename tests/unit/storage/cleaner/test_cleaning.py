"""One cleaning, done to the files of a log."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from ottla.errors import ConfigError, CorruptBatch, CorruptFile
from ottla.protocol.records.batch import CompressionType, batches
from ottla.protocol.records.builder import BatchFields
from ottla.storage.cleaner.cleaning import THREAD_LEAST_BYTES, Cleaning, CleaningAborted
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.log_config import LogConfig
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.cleaner.filled import (
    COMPACTED,
    dirty_part,
    end_transaction,
    means,
    names,
    open_log,
    pairs,
    records,
    write,
)

VALUE = b"v" * 100


def simulated(main: Callable[[SimulatedWorld], Coroutine[Any, Any, None]]) -> None:
    """Run a test in a simulated world."""
    Simulation(1).run(main)


def test_a_log_is_compacted() -> None:
    """Of every key the newest record remains, at its offset; small segments become one; the active one is left."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        for number in range(40):
            write(log, (b"key-%d" % (number % 5), b"%d " % number + VALUE))
        log.roll()
        write(log, (b"key-0", b"last"))
        before = {record.offset: record for record in records(log)}
        stats = await Cleaning(log, dirty_part(log), means(world)).run()
        found = records(log)
        assert [record.offset for record in found] == [35, 36, 37, 38, 39, 40]
        assert all(record == before[record.offset] for record in found)
        assert (stats.next_dirty_offset, stats.records_read, stats.records_retained) == (40, 40, 5)
        assert stats.segments_after == stats.segments_before > 5
        assert stats.bytes_written < stats.bytes_read == stats.map_bytes_read
        assert log.log_end_offset == 41
        again = await Cleaning(log, dirty_part(log), means(world)).run()
        assert (again.records_read, again.records_retained) == (5, 5)
        assert again.segments_after == 1
        assert records(log) == found

    simulated(main)


def test_what_was_cleaned_is_there_after_a_restart() -> None:
    """Cleaned segments, their indexes and their transaction index are loaded as all others; nothing is left over."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        for number in range(20):
            write(log, (b"key-%d" % (number % 3), VALUE))
        aborted = BatchFields(producer_id=5, producer_epoch=0, base_sequence=0, is_transactional=True)
        write(log, (b"aborted", VALUE), fields=aborted)
        end_transaction(log, 5, committed=False)
        write(log, (b"end", VALUE))
        log.roll()
        await Cleaning(log, dirty_part(log), means(world)).run()
        expected = records(log)
        assert [record.key for record in expected] == [b"key-2", b"key-0", b"key-1", b"end"]
        assert [entry.producer_id for entry in log.aborted_transactions(0, log.log_end_offset)] == [5]
        await log.close()
        again = await open_log(world)
        assert records(again) == expected
        assert [entry.producer_id for entry in again.aborted_transactions(0, log.log_end_offset)] == [5]
        assert again.log_end_offset == log.log_end_offset
        assert not names(world, ".cleaned")
        assert not names(world, ".swap")

    simulated(main)


def test_the_last_batch_of_an_active_producer() -> None:
    """An idempotent producer goes on after its records were compacted away and the broker was started again."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        fields = BatchFields(producer_id=5, producer_epoch=0, base_sequence=0)
        write(log, (b"a", VALUE), fields=fields)
        write(log, (b"a", VALUE), fields=replace(fields, base_sequence=1))
        write(log, (b"a", VALUE))
        log.roll()
        await Cleaning(log, dirty_part(log), means(world)).run()
        assert [record.offset for record in records(log)] == [2]
        first = log.segments.first
        left = batches(memoryview(first.opened().read(0, first.size_bytes)))
        assert [(batch.base_offset, batch.count, batch.last_sequence) for batch in left] == [(1, 0, 1), (2, 1, -1)]
        await log.close()
        again = await open_log(world, is_clean=False)
        assert write(again, (b"b", VALUE), fields=replace(fields, base_sequence=2)) == 3

    simulated(main)


@pytest.mark.parametrize("codec", CompressionType)
def test_large_and_compressed_batches(codec: CompressionType) -> None:
    """Batches larger than a piece, and compressed ones, are cleaned as all others."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world, replace(COMPACTED, segment_bytes=1 << 20))
        large = bytes(THREAD_LEAST_BYTES)
        for number in range(3):
            write(log, (b"same", large), (b"key-%d" % number, large), codec=codec)
        log.roll()
        await Cleaning(log, dirty_part(log), means(world)).run()
        assert [(record.offset, record.key) for record in records(log)] == [
            (1, b"key-0"),
            (3, b"key-1"),
            (4, b"same"),
            (5, b"key-2"),
        ]

    simulated(main)


def test_a_small_map_takes_several_rounds() -> None:
    """A round ends where the map is full, and the next goes on from there; a map without room says which setting."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        for number in range(60):
            write(log, (b"key-%d" % (number % 30), VALUE))
        log.roll()
        dirty_from, rounds = 0, 0
        while dirty_from < 60:
            stats = await Cleaning(log, dirty_part(log, dirty_from), means(world, dedupe_bytes=24 * 12)).run()
            assert stats.next_dirty_offset > dirty_from
            dirty_from, rounds = stats.next_dirty_offset, rounds + 1
        assert rounds > 2
        assert sorted(key or b"" for key, _ in pairs(log)) == sorted(b"key-%d" % number for number in range(30))
        write(log, *((b"%d" % number, b"") for number in range(40)))
        log.roll()
        with pytest.raises(ConfigError, match=r"log\.cleaner\.dedupe\.buffer\.size"):
            await Cleaning(log, dirty_part(log, 60), means(world, dedupe_bytes=24 * 12)).run()

    simulated(main)


def test_everything_goes() -> None:
    """A log whose last records are tombstones keeps its end, once they are gone."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world, replace(COMPACTED, delete_retention_ms=100))
        write(log, (b"a", VALUE))
        write(log, (b"a", None))
        log.roll()
        await Cleaning(log, dirty_part(log), means(world)).run()
        assert pairs(log) == [(b"a", None)]
        await world.clock.sleep(101)
        await Cleaning(log, dirty_part(log), means(world)).run()
        assert pairs(log) == []
        await log.close()
        again = await open_log(world, is_clean=False)
        assert (again.log_start_offset, again.log_end_offset) == (0, 2)
        assert write(again, (b"b", VALUE)) == 2

    simulated(main)


def test_a_damaged_batch_stops_the_cleaning() -> None:
    """What has rotted is told, and the log stays as it was: no half-written segment is left."""

    async def main(world: SimulatedWorld) -> None:
        for position, error in ((80, CorruptBatch), (16, CorruptFile), (9, CorruptFile)):
            log = await open_log(world, name=f"rotten-{position}")
            for _ in range(12):
                write(log, (b"a", VALUE))
            log.roll()
            bases = [segment.base_offset for segment in log.segments]
            log.segments.first.opened().write(position, [b"\x7f"])
            with pytest.raises(error):
                await Cleaning(log, dirty_part(log), means(world)).run()
            assert [segment.base_offset for segment in log.segments] == bases
            assert not [entry for entry in world.disk.list(log.directory) if entry.name.endswith(".cleaned")]

    simulated(main)


def test_a_cleaning_that_is_not_wanted_any_more() -> None:
    """A cleaning ends before it replaces anything once it is not wanted, or the log was truncated."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        for _ in range(30):
            write(log, (b"a", VALUE))
        log.roll()
        before = records(log)
        wanted = iter([True] * 12)
        with pytest.raises(CleaningAborted):
            await Cleaning(log, dirty_part(log), means(world), lambda: next(wanted, False)).run()
        assert records(log) == before
        assert not names(world, ".cleaned")
        cleaning = Cleaning(log, dirty_part(log), means(world))
        await log.truncate_to(25)
        with pytest.raises(CleaningAborted):
            await cleaning.run()

    simulated(main)


def test_a_log_that_is_cut_at_its_start() -> None:
    """Segments that retention takes meanwhile do not come back, and a file that is gone does no harm."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world, replace(COMPACTED, file_delete_delay_ms=10))
        for number in range(30):
            write(log, (b"%d" % number, VALUE))
        log.roll()
        slow = replace(means(world), throttle=Throttle(1_000))
        task = world.spawn(Cleaning(log, dirty_part(log), slow).run(), "cleaning")
        await world.clock.sleep(7_000)  # the map is complete by then, and the first segment under way
        log.config = LogConfig(retention_ms=0, file_delete_delay_ms=10)
        await log.delete_old_segments()
        with pytest.raises(CleaningAborted):
            await task
        assert records(log) == []
        assert (log.failure, log.log_start_offset) == (None, 30)
        assert not names(world, ".cleaned")

    simulated(main)


def test_the_budget() -> None:
    """Bytes that are read and written are paid for in time."""

    async def main(world: SimulatedWorld) -> None:
        log = await open_log(world)
        for number in range(30):
            write(log, (b"%d" % number, VALUE))
        log.roll()
        start = world.clock.monotonic_ms()
        stats = await Cleaning(log, dirty_part(log), replace(means(world), throttle=Throttle(1_000))).run()
        moved = stats.map_bytes_read + stats.bytes_read + stats.bytes_written
        assert moved - 50 <= world.clock.monotonic_ms() - start <= moved + 1_000

    simulated(main)
