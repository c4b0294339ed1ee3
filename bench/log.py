"""A log on a real disk: what an append and a read cost beside the system's own work, recovery, a start of many logs.

Beside each figure stands what has to be done anyway, by the same calls on the same bytes, in turns: for an append the
checksum and one `pwritev`, for a read one `pread`, for recovery reading and one checksum over everything. The bytes of
a log stay in the page cache, and its files are removed as soon as they are measured. Starts run in processes of their
own (`python -m bench.log_start`), since memory is counted there.
"""

import gc
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Coroutine, Sequence
from itertools import cycle
from pathlib import Path
from statistics import median
from time import monotonic_ns, perf_counter
from typing import Any

from crc32c import crc32c

from bench import log_start, metronome
from bench.measure import microseconds, table
from bench.storage import COMPACTED, NOW_MS, batch_of, busy, filled
from ottla.protocol.records.batch import CRC_START, HEADER_SIZE, RecordBatch
from ottla.protocol.records.kernel import validate
from ottla.storage.cleaner.cleaning import Cleaning, CleaningMeans
from ottla.storage.cleaner.policy import LogState, cleanable
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.recovery.recovery import Loading, StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import Address, Disk, FileRange, Stream, World
from ottla.world.real.run import run as run_in_world

KIB, MIB = 1 << 10, 1 << 20
CONFIG = LogConfig(max_message_bytes=2 * MIB)
UNPLACED = bytes(8)  # the base offset that a producer's batch has
ROUNDS, ROUND_BYTES = 6, 48 * MIB
PARTITIONS = 100
READS = 2_000
RECOVERED_BYTES = 128 * MIB
COMPACTED_LOGS = 4  # one after the other: one alone is done after a few hundred appends
WARM_BEATS = 50


class Shelf:
    """Logs for a bench, each with a directory of its own, and their removal."""

    def __init__(self, world: World, root: str) -> None:
        self.services = LogServices(world, OpenFiles(world.disk, 2 * PARTITIONS), _refused)
        self._root, self._count = root, 0

    async def log(self, config: LogConfig = CONFIG) -> Log:
        """A new log."""
        self._count += 1
        topic_partition = TopicPartition("bench", self._count)
        return (await load_log(self.services, topic_partition, self.path, config, StartingPoint(True)))[0]

    @property
    def path(self) -> str:
        """The directory of the newest log."""
        return f"{self._root}/bench-{self._count}"

    def remove(self, log: Log) -> None:
        """Forget a log and its bytes, whatever of them has come to the disk."""
        for segment in log.segments:
            segment.close()
        for file in Path(log.directory).iterdir():
            file.unlink()


def in_turns(count: int, *contestants: Callable[[], object]) -> list[list[float]]:
    """The seconds of so many calls each, one call a turn, since a page cache has moods that last longer than a call."""
    taken: list[list[float]] = [[] for _ in contestants]
    gc.collect()
    gc.disable()
    for _ in range(count):
        for call, seconds in zip(contestants, taken, strict=True):
            start = perf_counter()
            call()
            seconds.append(perf_counter() - start)
    gc.enable()
    return taken


def _appending(log: Log, section: memoryview) -> Callable[[], object]:
    def append() -> None:
        section[:8] = UNPLACED
        if log.append_as_leader(section, 0) is None:  # the machine let us wait, which is taken for a slow disk
            log.services.pace.is_slow = False

    return append


def _writing(section: memoryview, path: str) -> Callable[[], object]:
    """The checksum and the write alone, into a file that grows as a log does."""
    descriptor, end = os.open(path, os.O_CREAT | os.O_TRUNC | os.O_RDWR), 0

    def write() -> None:
        nonlocal end
        crc32c(section[CRC_START:])
        end += os.pwritev(descriptor, [section], end)

    return write


async def appends(world: World, root: str) -> list[list[str]]:
    """Appending as a leader, by the size of batch and record."""
    rows, shelf = [], Shelf(world, root)
    for size_bytes, record_bytes in ((16 * KIB, 1_000), (16 * KIB, 100), (MIB, 1_000), (MIB, 16_000)):
        section = memoryview(batch_of(record_bytes, size_bytes))
        taken: list[list[float]] = [[], [], []]
        for _ in range(ROUNDS):
            log, bare = await shelf.log(), f"{root}/bare"

            def walk(section: memoryview = section, count: int = RecordBatch(section).count) -> None:
                validate(section[HEADER_SIZE:], count, NOW_MS, earliest=0, latest=2 * NOW_MS)

            contestants = (_appending(log, section), _writing(section, bare), walk)
            turns = in_turns(ROUND_BYTES // size_bytes, *contestants)
            taken = [before + now for before, now in zip(taken, turns, strict=True)]
            shelf.remove(log)
            Path(bare).unlink()
        whole, bare_seconds, kernel = (median(seconds) for seconds in taken)
        figures = (whole, bare_seconds, whole - bare_seconds, kernel)
        name = f"{size_bytes // KIB} KiB of {record_bytes} B"
        rows.append([name, *map(microseconds, figures), f"{bare_seconds / whole:.0%}"])
    return rows


async def partitions(world: World, root: str) -> list[list[str]]:
    """Appends of 16 KiB that go to a hundred logs in turn, and to one; and writes to as many files."""
    shelf = Shelf(world, root)
    section = memoryview(batch_of(1_000))
    many = [_appending(await shelf.log(), section) for _ in range(PARTITIONS)]
    files = [_writing(section, f"{root}/bare-{number}") for number in range(PARTITIONS)]
    alone, bare = _appending(await shelf.log(), section), _writing(section, f"{root}/bare")
    for call in (*many, *files):  # the first append of a log opens its file
        call()
    contestants = (alone, _each_in_turn(many), bare, _each_in_turn(files))
    one, hundred, file, hundred_files = (median(taken) for taken in in_turns(6_000, *contestants))
    figures = (one, hundred, one - file, hundred - hundred_files)
    return [[*map(microseconds, figures), f"{hundred / one:.2f}", f"{hundred_files / file:.2f}"]]


def _each_in_turn(calls: Sequence[Callable[[], object]]) -> Callable[[], object]:
    turns = cycle(calls)

    def call() -> None:
        next(turns)()

    return call


async def reads(world: World, root: str) -> list[list[str]]:
    """Reading on and on from where the last read ended."""
    shelf, rows = Shelf(world, root), []
    log = await shelf.log()
    section = memoryview(batch_of(1_000))
    append = _appending(log, section)
    for _ in range(ROUND_BYTES // len(section)):
        append()
    descriptor = os.open(log.segments.active.file.path, os.O_RDONLY)
    for size_bytes, as_range in ((len(section), False), (64 * KIB, False), (MIB, False), (MIB, True)):
        whole_bytes = size_bytes // len(section) * len(section)  # as many as there are whole batches in it
        offset = position = 0

        def read(size_bytes: int = size_bytes, *, as_range: bool = as_range) -> None:
            nonlocal offset
            records = log.read(offset, size_bytes, as_range=as_range).records
            if isinstance(records, FileRange):  # whoever sends it reads it
                records.file.read(records.position, records.size)
            offset = log.segments.active.hint_offset
            if offset > log.log_end_offset // 2:
                offset = 0

        def bare(whole_bytes: int = whole_bytes) -> None:
            nonlocal position
            os.pread(descriptor, whole_bytes, position)
            position = (position + whole_bytes) % (ROUND_BYTES // 2)

        ours, system = (median(taken) for taken in in_turns(READS, read, bare))
        figures = (ours, system, ours - system)
        name = f"{size_bytes / KIB:.0f} KiB{', as a range' if as_range else ''}"
        rows.append([name, *map(microseconds, figures), f"{system / ours:.0%}"])
    os.close(descriptor)
    shelf.remove(log)
    return rows


async def recovery(world: World, root: str) -> list[list[str]]:
    """Looking through a log behind an unclean stop, whose recovery point is its start."""
    shelf, rows = Shelf(world, root), []
    for batch_bytes in (16 * KIB, 200):
        section = memoryview(batch_of(1_000 if batch_bytes > KIB else 130, batch_bytes - HEADER_SIZE))
        log = await shelf.log()
        append = _appending(log, section)
        while log.size_bytes < RECOVERED_BYTES:
            append()
        path = log.segments.active.file.path
        for segment in log.segments:
            segment.close()

        def recover(directory: str = log.directory) -> None:
            loading = _loading(world.disk, directory)
            loaded = loading.load()
            assert loading.report.checked_bytes >= RECOVERED_BYTES
            for segment in loaded.segments:
                segment.close()

        def read_and_check(path: str = path) -> None:
            with open(path, "rb", buffering=0) as file:
                while data := file.read(MIB):
                    crc32c(data)

        ours, bare = (min(taken) for taken in in_turns(7, recover, read_and_check))
        size, count = RECOVERED_BYTES / 1e6, RECOVERED_BYTES / len(section)
        figures = (
            f"{size / ours:.0f}",
            f"{size / bare:.0f}",
            f"{bare / ours:.0%}",
            microseconds((ours - bare) / count),
        )
        rows.append([f"{len(section)} B", *figures])
        shelf.remove(log)
    return rows


def _loading(disk: Disk, directory: str) -> Loading:
    return Loading(
        disk, directory, CONFIG, StartingPoint(is_clean=False), now_ms=NOW_MS, producer_id_expiration_ms=NOW_MS,
        progress=lambda *_: None,
    )  # fmt: skip


async def beside_compaction(world: World, root: str) -> list[list[str]]:
    """How long an append takes from the moment when another process asked for it, beside other work."""
    shelf = Shelf(world, root)
    gc.collect()
    gc.freeze()  # as a node does it
    rows = [["nothing", *await _late(world, shelf, world.clock.sleep(1_500))]]
    for record_bytes in (1_000, 100):
        names = [f"{root}/bench-filled-{record_bytes}-{number}" for number in range(COMPACTED_LOGS)]
        logs = [await filled(world, record_bytes, name) for name in names]
        rows.append([f"compaction, {record_bytes} B", *await _late(world, shelf, _compact(world, logs))])
        for log in logs:
            await log.close()
            shelf.remove(log)
    rows.append(["turns of nothing", *await _late(world, shelf, busy(world))])
    gc.unfreeze()
    return rows


async def _compact(world: World, logs: Sequence[Log]) -> None:
    for log in logs:
        state = LogState(list(log.segments), log.log_start_offset, log.log_end_offset, log.last_stable_offset)
        part = cleanable(state, COMPACTED, None, world.clock.wall_ms())
        await Cleaning(log, part, CleaningMeans(world, Throttle(1e300))).run()


async def _late(world: World, shelf: Shelf, work: Coroutine[Any, Any, Any]) -> list[str]:
    """Median and high percentiles in ms of appends beside some work."""
    append, beats = _appending(await shelf.log(), memoryview(batch_of(1_000))), list[Beats]()

    def accept(stream: Stream) -> Beats:
        beats.append(Beats(stream, append))
        return beats[-1]

    listener = await world.network.listen(Address("127.0.0.1", 0), accept)
    command = [sys.executable, "-m", "bench.metronome", str(listener.address.port)]
    with subprocess.Popen(command) as process:  # noqa: S603 -- ourselves
        while not beats or len(beats[0].taken) < WARM_BEATS:
            await world.clock.sleep(10)
        beats[0].taken.clear()
        await work
        process.terminate()
    await listener.close()
    taken = sorted(beats[0].taken)
    return [str(len(taken)), *(f"{taken[len(taken) * part // 1000] / 1e6:.2f}" for part in (500, 900, 990, 999))]


class Beats:
    """Where a metronome's beats arrive: each is an append, late by what has passed since it was sent."""

    def __init__(self, stream: Stream, append: Callable[[], object]) -> None:
        self.stream, self.taken = stream, list[int]()
        self._append, self._buffer = append, memoryview(bytearray(1_000 * metronome.BEAT.size))

    def buffer(self) -> memoryview:
        """Room for a second of them."""
        return self._buffer

    def received(self, count: int) -> None:
        """Some are there, as a rule one."""
        for (sent_ns,) in metronome.BEAT.iter_unpack(self._buffer[:count]):
            self._append()
            self.taken.append(monotonic_ns() - sent_ns)

    def ended(self) -> None:
        """The process is gone."""

    def writing_paused(self) -> None:
        """Nothing is written."""

    def writing_resumed(self) -> None:
        """Nothing is written."""

    def closed(self, error: Exception | None) -> None:
        """As we asked."""


def _refused(error: Exception) -> None:
    raise AssertionError("the disk refused") from error


Rows = Callable[[World, str], Coroutine[Any, Any, list[list[str]]]]
TABLES: Sequence[tuple[str, Sequence[str], Rows]] = (
    (
        "Appending as leader: microseconds",
        ["batch", "all", "crc, write", "ours", "of it kernel", "bare / all"],
        appends,
    ),
    (
        "Appends of 16 KiB to one of a hundred logs: microseconds",
        ["one log", "a hundred", "ours", "ours of a hundred", "ratio", "of bare"],
        partitions,
    ),
    ("Reading on: microseconds", ["at most", "all", "pread", "ours", "bare / all"], reads),
    ("Recovery: MB/s", ["batches", "ours", "read, crc", "ratio", "us a batch"], recovery),
    ("Appends of 16 KiB, one each ms: ms late", ["beside", "appends", "p50", "p90", "p99", "p99.9"], beside_compaction),
)


def run(names: Sequence[str] = ()) -> None:
    """Print all tables, or those of these functions."""
    for title, heads, rows in TABLES:
        if names and rows.__name__ not in names:
            continue

        async def made(world: World, rows: Rows = rows) -> list[list[str]]:
            with tempfile.TemporaryDirectory(prefix="ottla-bench-") as root:
                return await rows(world, root)

        table(title, heads, run_in_world(made))
    if not names:
        log_start.run()
