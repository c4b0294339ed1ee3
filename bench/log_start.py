"""A start with ten thousand partitions within `ulimit -n 4096`: how long it takes, and what an idle log costs.

The directory is that of a clean stop: one log is made as a node makes it, and copied. A process of its own
(`python -m bench.log_start DIRECTORY`) then loads all of it, appends to each log and reads from it, lets them be idle,
and tells how much memory it has after each step and how many files are open. The last row is a start of logs that have
been written to since, behind a stop that was not clean: all of them are recovered.
"""

import gc
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

from bench.measure import table
from bench.storage import batch_of
from ottla.protocol.codec.wire import Uuid
from ottla.storage.cleaner.log_cleaner import CleanerConfig
from ottla.storage.directories import clean_shutdown
from ottla.storage.directories.checkpoints import RECOVERY_POINT
from ottla.storage.directories.directory import adopt, open_log_directories
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.manager.config import LogManagerConfig
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.storage.reading import NotCached
from ottla.world.api import World
from ottla.world.real.run import run as run_in_world

PARTITIONS = 10_000
OPEN_FILES = 4_096
FIRST = TopicPartition("bench", 0)
TOPIC_ID = Uuid(bytes(range(16)))
BATCH_BYTES, RECORD_BYTES = 2_048, 100


def opened(world: World, root: str) -> LogManager:
    """A manager of one log directory, with Kafka's settings."""
    directories = open_log_directories(world.disk, [root])
    adopt(directories, cluster_id="bench", node_id=1, randbytes=world.rng.randbytes, now_ms=world.clock.wall_ms())
    return LogManager(world, directories, LogManagerConfig(), CleanerConfig(), config_of=lambda topic: LogConfig())


async def make(world: World, root: str) -> None:
    """One log with a few batches, closed, and its copies."""
    manager = opened(world, root)
    await manager.load()
    log = (await manager.create(FIRST, TOPIC_ID)).log
    for _ in range(10):
        log.append_as_leader(memoryview(batch_of(RECORD_BYTES, BATCH_BYTES)), 0)
    await manager.close()
    for number in range(1, PARTITIONS):
        shutil.copytree(f"{root}/{FIRST}", f"{root}/{FIRST.topic}-{number}")
    directory = open_log_directories(world.disk, [root])[0]
    points = {TopicPartition(FIRST.topic, number): log.log_end_offset for number in range(PARTITIONS)}
    directory.write_checkpoint(RECOVERY_POINT, points)
    directory.close()
    Path(root, clean_shutdown.FILE_NAME).write_bytes(clean_shutdown.render_clean_shutdown(1))


async def live(world: World, root: str) -> None:
    """A start, some use, idleness; then an end without a word. Each row is printed as it is there."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    manager = opened(world, root)
    gc.collect()
    gc.freeze()  # as a node does it
    before = resident_bytes()

    def tell(step: str, seconds: float) -> None:
        gc.collect()
        used = resident_bytes() - before
        files = len(os.listdir("/proc/self/fd"))
        print(f"{step}\t{seconds:.2f}\t{used / 2**20:.0f}\t{used / PARTITIONS / 1_000:.1f}\t{files}", flush=True)

    start = perf_counter()
    await manager.load()
    tell("clean start" if manager.directories[0].was_clean else "start after kill -9", perf_counter() - start)
    logs = [hosted.log for hosted in manager.table]
    assert len(logs) == PARTITIONS
    start = perf_counter()
    for log in logs:
        await append(log)
    tell("append to each", perf_counter() - start)
    start = perf_counter()
    for log in logs:
        await read(log)
    tell("read from each", perf_counter() - start)
    tell("all idle", seconds_of(lambda: release(logs)))


async def append(log: Log) -> None:
    """As a produce appends, whatever the machine does: to let us wait is taken for a slow disk. The first one brings
    what is not in memory.
    """
    log.services.pace.is_slow = False
    if log.append_as_leader(batch(), 0) is None:
        await log.append_in_turn(batch(), 0)


async def read(log: Log) -> None:
    """As a fetch reads: what is not in memory is brought. More logs than may be open have closed some of theirs."""
    try:
        log.read(0, 4_096)
    except NotCached:
        await log.read_cold(0, 4_096)


def release(logs: list[Log]) -> None:
    """What the upkeep does now and then: a log is idle the second time."""
    for _ in range(2):
        for log in logs:
            log.release_idle()


def batch() -> memoryview:
    """A small batch, as its producer sends it."""
    return memoryview(bytearray(SMALL))


SMALL = bytes(batch_of(RECORD_BYTES, BATCH_BYTES))


def seconds_of(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = perf_counter()
    call()
    return perf_counter() - start


def resident_bytes() -> int:
    """The memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run() -> None:
    """Print the table."""
    rows = []
    with tempfile.TemporaryDirectory(prefix="ottla-bench-") as root:
        run_in_world(lambda world: make(world, root))
        for steps in (4, 1):
            command = [sys.executable, "-m", "bench.log_start", root]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 -- ourselves
            rows += [line.split("\t") for line in said.splitlines()[:steps]]
    heads = ["step", "seconds", "MiB more", "kB a log", "open files"]
    table(f"{PARTITIONS} partitions within ulimit -n {OPEN_FILES}", heads, rows)


if __name__ == "__main__":
    run_in_world(lambda world: live(world, sys.argv[1]))
