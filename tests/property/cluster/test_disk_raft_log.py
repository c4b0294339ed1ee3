"""The quorum's log on the disk agrees with the one in memory, which the machine's own simulation stands on."""

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ottla.cluster.metadata.snapshot_file import SnapshotHead, write_snapshot
from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.disk_log import DiskRaftLog
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch, RaftLog, agreement
from ottla.errors import PeerError
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.storage.log_config import LogConfig
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.raft.memory_log import MemoryLog, Stored

STEPS = 60
KINDS = (
    *["append"] * 5, "commit", "commit", "epoch", "cut", "take", "install", "restart", "bad", "slow", "quick", "wait",
)  # fmt: skip
CONFIG = MetadataLogConfig(LogConfig(segment_bytes=600, index_interval_bytes=1, retention_ms=None), retention_bytes=0)
DIRECTORY = "/log"


def batch(base_offset: int, epoch: int, count: int) -> bytes:
    """A batch with its place in it."""
    builder = BatchBuilder(BatchFields(base_offset, epoch))
    for number in range(count):
        builder.append(0, None, b"%d" % (base_offset + number))
    return bytes(builder.build())


def said(log: RaftLog) -> dict[str, Any]:
    """Everything that a log says to the machine."""
    offsets = range(log.start_offset, log.end_offset)
    return {
        "bounds": (log.start_offset, log.end_offset, log.last_epoch),
        "watermark": log.high_watermark,
        "snapshots": (log.earliest_snapshot, log.latest_snapshot),
        "epochs": [log.end_offset_for_epoch(epoch) for epoch in range(log.last_epoch + 2)],
        "agreement": [agreement(log, offset, log.last_epoch) for offset in (*offsets, log.end_offset)],
        "bytes": [bytes(log.read(offset, 1)) for offset in {*offsets[:1], *offsets[-1:]}],
    }


class Pair:
    """Both logs, and what is done to both."""

    def __init__(self, world: SimulatedWorld, rng: random.Random) -> None:
        self.world, self.rng, self.epoch = world, rng, 1
        self.memory = MemoryLog()
        self.disk: DiskRaftLog
        self.written: dict[int, Stored] = {}  # what is in memory, and what was there before it was cut at its start

    async def open(self) -> None:
        """A start: what is committed is known as far as a snapshot tells it, and the log begins where its first
        segment does, which may be before the snapshot that it was cut at.
        """
        self.disk = await DiskRaftLog.open(self.world, DIRECTORY, CONFIG, lambda _: None)
        memory, start = self.memory, self.disk._start
        memory.high_watermark = (memory.latest_snapshot or BOOTSTRAP_SNAPSHOT).offset
        if start.offset < memory.start_offset:
            memory.content.start = start
            memory.content.batches = [self.written[at] for at in sorted(self.written) if at >= start.offset]

    async def step(self) -> None:
        """One thing."""
        rng, memory = self.rng, self.memory
        kind = rng.choice(KINDS)
        end_offset = memory.end_offset
        if kind == "append":
            section = b""
            for _ in range(rng.randint(1, 3)):
                count = rng.randint(1, 4)
                section += batch(end_offset, self.epoch, count)
                end_offset += count
            self.both("append", section, self.epoch)
            self.written |= {stored.base_offset: stored for stored in memory.content.batches}
        elif kind == "epoch":
            self.epoch += rng.randint(1, 2)
        elif kind == "commit" and memory.batches_from(memory.high_watermark):
            offset = rng.choice(memory.batches_from(memory.high_watermark)).next_offset
            self.both("update_high_watermark", max(offset, memory.high_watermark))
        elif kind == "cut" and memory.high_watermark < end_offset:
            offset = rng.choice(memory.batches_from(memory.high_watermark)).base_offset
            memory.truncate(offset)
            await self.disk.truncate(offset)
            self.written = {at: stored for at, stored in self.written.items() if at < offset}
        elif kind == "take":
            await self.take()
        elif kind == "install" and rng.random() < 0.3:
            self.epoch += 1
            snapshot_id = OffsetAndEpoch(end_offset + rng.randint(0, 5), self.epoch)
            if snapshot_id.offset > memory.high_watermark:
                for log in (memory, self.disk):
                    log.write_snapshot(snapshot_id, 0, b"all of")
                    log.write_snapshot(snapshot_id, 6, b" it")
                memory.install_snapshot(snapshot_id)
                memory.snapshots = {snapshot_id: memory.snapshots[snapshot_id]}
                await self.disk.install_snapshot(snapshot_id)
                self.written.clear()
        elif kind == "restart":
            await self.disk.close()
            await self.open()
        elif kind in ("slow", "quick"):
            self.disk._log.services.pace.is_slow = kind == "slow"
        elif kind == "wait":
            await self.world.clock.sleep(rng.randrange(3))
        elif kind == "bad":
            self.refused(batch(end_offset + 1, self.epoch, 1), batch(end_offset, self.epoch + 1, 1), b"\0" * 90)

    async def take(self) -> None:
        """A snapshot of our own, of all that is committed; the log is cut before it."""
        memory = self.memory
        committed = [stored for stored in memory.content.batches if stored.next_offset <= memory.high_watermark]
        latest = memory.latest_snapshot or BOOTSTRAP_SNAPSHOT
        if not committed or committed[-1].next_offset <= latest.offset:
            return
        snapshot_id = OffsetAndEpoch(committed[-1].next_offset, committed[-1].epoch)
        chunks = list(write_snapshot(snapshot_id.epoch, SnapshotHead(), [], 0))
        memory.take_snapshot(snapshot_id, b"".join(chunks), keep=len(memory.snapshots) == 0)
        assert await self.disk.take_snapshot(snapshot_id, chunks)

    def both(self, what: str, *arguments: Any) -> None:
        """Do the same to both."""
        for log in (self.memory, self.disk):
            getattr(log, what)(*arguments)

    def refused(self, *sections: bytes) -> None:
        """What does not follow is a peer's fault, and changes nothing."""
        before = said(self.disk)
        for section in sections:
            try:
                self.disk.append(section, self.epoch)
            except PeerError:
                assert said(self.disk) == before
            else:
                raise AssertionError(f"{section!r} was appended")


@given(st.integers(0, 2**32))
def test_the_log_on_the_disk_is_the_one_in_memory(seed: int) -> None:
    """Appends, cuts, snapshots and restarts in any order: both say the same of offsets, epochs and readers."""

    async def main(world: SimulatedWorld) -> None:
        world.disk.make_directory(DIRECTORY)
        pair = Pair(world, random.Random(seed))
        await pair.open()
        for _ in range(STEPS):
            await pair.step()
            assert said(pair.disk) == said(pair.memory)
        await pair.disk.close()

    Simulation(seed).run(main)
