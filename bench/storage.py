"""The storage: what a leader's look at a batch costs beside checksum and kernel, and how fast a log is compacted.

Compaction runs on a real disk, in a directory that is removed afterwards, fsync and all. What it does to everybody else
on the loop is measured by a task that asks to be called each millisecond, beside a compaction and beside a loop that is
merely busy in turns of the same length: what both have in common is the machine's.
"""

import random
import tempfile
from collections.abc import Coroutine
from typing import Any

from crc32c import crc32c

from bench.measure import best_of_turns, microseconds, table
from ottla.protocol.records.batch import CRC_START, HEADER_SIZE, CompressionType, RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.kernel import validate
from ottla.storage.append.leader import place, validate_at_once, validate_produced
from ottla.storage.cleaner.cleaning import TURN_NS, Cleaning, CleaningMeans
from ottla.storage.cleaner.policy import LogState, cleanable
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import World
from ottla.world.real.run import run as run_in_world

NOW_MS = 1_700_000_000_000
BATCH_BYTES = 16 * 1024
KEYS = 20_000
LOG_BYTES = {100: 24 << 20, 1_000: 96 << 20}
COMPACTED = LogConfig(compact=True, delete=False, segment_bytes=16 << 20)


def batch_of(record_bytes: int, size_bytes: int = BATCH_BYTES, dice: random.Random | None = None) -> bytearray:
    """A batch of records of this size, all told; with keys drawn at random, or with one."""
    building = BatchBuilder(BatchFields())
    while building.size_bytes < size_bytes:
        number = dice.randrange(KEYS) if dice is not None else 7
        building.append(NOW_MS, b"key-%08d" % number, bytes(max(record_bytes - 24, 0)))
    return building.build()


def validation() -> None:
    """A leader's look at a batch of 16 KiB, and what of it is the checksum and the kernel's walk."""
    rows = []
    for record_bytes in (100, 1_000, BATCH_BYTES):
        buffer = memoryview(batch_of(record_bytes))
        count, config = RecordBatch(buffer).count, LogConfig()

        def append(buffer: memoryview = buffer, config: LogConfig = config) -> None:
            buffer[:8] = bytes(8)
            produced = validate_at_once(buffer, config, NOW_MS)
            assert produced is not None
            place(produced, config, 1_234_567, 8)

        def walk(buffer: memoryview = buffer, count: int = count) -> None:
            validate(buffer[HEADER_SIZE:], count, NOW_MS, earliest=0, latest=2 * NOW_MS)

        def checksum(buffer: memoryview = buffer) -> None:
            crc32c(buffer[CRC_START:])

        whole, crc, kernel = best_of_turns(append, checksum, walk)
        figures = (whole, crc, kernel, whole - crc - kernel)
        rows.append([f"{count} records", *(microseconds(seconds) for seconds in figures)])
    table("A leader's look at 16 KiB: microseconds", ["batch", "all", "checksum", "kernel", "beside them"], rows)


def compressing() -> None:
    """A batch of 16 KiB that the topic wants in another codec."""
    rows = []
    section = bytes(batch_of(100))
    for codec in list(CompressionType)[1:]:
        config = LogConfig(compression_type=codec)

        def compress(config: LogConfig = config) -> None:
            validate_produced(memoryview(bytearray(section)), config, NOW_MS)

        (seconds,) = best_of_turns(compress)
        rows.append([codec.name.lower(), microseconds(seconds), f"{len(section) / seconds / 1e6:.0f}"])
    table("Compressing 16 KiB anew, in a leader's look: microseconds", ["codec", "all", "MB/s"], rows)


async def filled(world: World, record_bytes: int, directory: str) -> Log:
    """A log of batches of 16 KiB in closed segments, all on the disk, and all dirty."""
    services = LogServices(world, OpenFiles(world.disk, 100), _refused)
    log, _ = await load_log(services, TopicPartition("bench", 0), directory, COMPACTED, StartingPoint(True))
    dice = random.Random(record_bytes)  # noqa: S311 -- a bench's data
    while log.segments.size_bytes < LOG_BYTES[record_bytes]:
        services.pace.is_slow = False  # a machine that let us wait is taken for a slow disk
        log.append_as_leader(memoryview(batch_of(record_bytes, dice=dice)), 0)
    log.roll()
    log.update_high_watermark(log.log_end_offset)
    await log.flush()
    return log


async def compacted(world: World, record_bytes: int, directory: str) -> list[str]:
    """One row: a whole log, cleaned."""
    clock = world.clock
    log = await filled(world, record_bytes, directory)
    size_bytes, count = log.segments.size_bytes, log.log_end_offset
    state = LogState(list(log.segments), log.log_start_offset, log.log_end_offset, log.last_stable_offset)
    part = cleanable(state, log.config, None, clock.wall_ms())
    start = clock.monotonic_ns()
    lags, stats = await beside(world, Cleaning(log, part, CleaningMeans(world, Throttle(1e300))).run())
    seconds = (clock.monotonic_ns() - start) / 1e9
    await log.close()
    return [
        f"{record_bytes} B",
        f"{size_bytes / 1e6:.0f}",
        f"{size_bytes / seconds / 1e6:.0f}",
        f"{count / seconds / 1e3:.0f}",
        f"{stats.bytes_written / 1e6:.0f}",
        *lags,
    ]


async def beside(world: World, work: Coroutine[Any, Any, Any]) -> tuple[list[str], Any]:
    """What a task that wants to run each millisecond waits for beyond that, the median and p99 in ms; and the value."""
    clock, lags, is_over = world.clock, list[int](), False

    async def ask() -> None:
        while not is_over:
            start = clock.monotonic_ns()
            await clock.sleep(1)
            lags.append(clock.monotonic_ns() - start - 1_000_000)

    task = world.spawn(ask(), "ask")
    value = await work
    is_over = True
    await task
    lags.sort()
    return [f"{lags[len(lags) * part // 100] / 1e6:.2f}" for part in (50, 99)], value


async def busy(world: World) -> None:
    """A second of turns as long as the cleaner's, which do nothing."""
    end = world.clock.monotonic_ns() + 1_000_000_000
    while world.clock.monotonic_ns() < end:
        turn_ends = world.clock.monotonic_ns() + TURN_NS
        while world.clock.monotonic_ns() < turn_ends:
            pass
        await world.clock.sleep(0)


def compaction() -> None:
    """How fast a log is cleaned, and who waits for it."""

    async def rows(world: World) -> list[list[str]]:
        found = []
        with tempfile.TemporaryDirectory(prefix="ottla-bench-") as root:
            for record_bytes in (1_000, 100):
                found.append(await compacted(world, record_bytes, f"{root}/bench-{record_bytes}"))
        lags, _ = await beside(world, world.clock.sleep(1_000))
        found.append(["idle loop", "", "", "", "", *lags])
        lags, _ = await beside(world, busy(world))
        return [*found, ["busy loop", "", "", "", "", *lags]]

    heads = ["records", "MB", "MB/s", "k records/s", "MB left", "wait p50 ms", "p99"]
    table("Compaction, fsync included", heads, run_in_world(rows))


def _refused(error: Exception) -> None:
    raise AssertionError("the disk refused") from error


def run() -> None:
    """Print all tables."""
    validation()
    compressing()
    compaction()


if __name__ == "__main__":
    run()
