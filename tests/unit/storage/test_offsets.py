"""ListOffsets: the first record with a timestamp, the largest timestamp, and the special questions."""

from dataclasses import replace

import pytest

from ottla.protocol.records.batch import CompressionType, TimestampType
from ottla.protocol.records.builder import BatchFields
from ottla.storage.offsets import Special, TimestampAndOffset
from ottla.world.api import World
from tests.unit.storage.logs import CONFIG, Shelf, produced, run

TIMESTAMPS = [100, 300, 200, 250, 900, 400, 1_000, 1_000, 50, 700] * 6


def first_with(timestamp: int, start: int = 0) -> TimestampAndOffset | None:
    """What a scan finds in records with TIMESTAMPS, three in a batch, each a millisecond later than the one before."""
    records = [TIMESTAMPS[at // 3] + at % 3 for at in range(3 * len(TIMESTAMPS))]
    return next((TimestampAndOffset(t, at, 4) for at, t in enumerate(records) if t >= timestamp and at >= start), None)


@pytest.mark.parametrize("codec", [CompressionType.NONE, CompressionType.LZ4])
def test_the_first_record_that_is_not_older(codec: CompressionType) -> None:
    """A timestamp finds the first record that has it or a later one, in any batch and segment, as a scan does."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(CONFIG, segment_bytes=1_500))
        for timestamp in TIMESTAMPS:
            log.append_as_leader(produced(3, timestamp=timestamp, fields=BatchFields(compression_type=codec)), 4)
        assert len(log.segments) > 3
        wanted = sorted({t + delta for t in TIMESTAMPS for delta in (-1, 0, 1, 2, 3)})
        for timestamp in wanted:
            assert await log.offset_for_timestamp(timestamp) == first_with(timestamp)
        log.update_high_watermark(log.log_end_offset)
        for start in (1, 20, 80, 160):
            log.maybe_increment_log_start_offset(start)
            for timestamp in (0, 250, 999, 1_002):
                assert await log.offset_for_timestamp(timestamp) == first_with(timestamp, start)
        assert await log.offset_for_timestamp(1_003) is None

    run(main)


def test_special_questions() -> None:
    """Start, end and largest timestamp, with their epochs; of a remote store there is nothing to say."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        assert await log.offset_for_timestamp(Special.MAX_TIMESTAMP) is None
        assert await log.offset_for_timestamp(Special.EARLIEST) == (-1, 0, -1)
        for epoch, timestamp in ((2, 500), (3, 900), (3, 700), (5, 900)):
            log.append_as_leader(produced(3, timestamp=timestamp), epoch)
        log.update_high_watermark(12)
        assert await log.offset_for_timestamp(Special.LATEST) == (-1, 12, 5)
        assert await log.offset_for_timestamp(Special.EARLIEST) == (-1, 0, 2)
        assert await log.offset_for_timestamp(Special.MAX_TIMESTAMP) == (902, 5, 3)
        log.maybe_increment_log_start_offset(4)
        assert await log.offset_for_timestamp(Special.EARLIEST) == (-1, 4, 3)
        assert await log.offset_for_timestamp(Special.EARLIEST_LOCAL) == (-1, 4, 3)
        assert await log.offset_for_timestamp(Special.LATEST_TIERED) == (-1, -1, -1)
        assert await log.offset_for_timestamp(Special.EARLIEST_PENDING_UPLOAD) == (-1, -1, -1)

    run(main)


def test_log_append_time_is_the_time_of_the_append() -> None:
    """Where the log sets the timestamps, a search by time finds the first record that was appended then."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(CONFIG, message_timestamp_type=TimestampType.LOG_APPEND_TIME))
        times = []
        for _ in range(5):
            await world.clock.sleep(100)
            appended = log.append_as_leader(produced(3), 0)
            assert appended is not None
            times.append(appended.log_append_time_ms)
        for at, time_ms in enumerate(times):
            assert await log.offset_for_timestamp(time_ms) == (time_ms, 3 * at, 0)
            assert await log.offset_for_timestamp(time_ms - 50) == (time_ms, 3 * at, 0)

    run(main)
