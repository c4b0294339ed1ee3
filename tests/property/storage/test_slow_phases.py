"""A log whose disk is slow now and then, with many who want something of it at the same time, and a crash at the end.

Writers append, a keeper syncs, flushes and cuts, a reader reads. What must hold: appends are in the order of the calls;
readers see whole batches that somebody wrote, one behind the other; what was synced and not cut is there in the next
life, byte for byte; indexes, producers and epochs follow from the batches.
"""

from dataclasses import replace
from random import Random

import pytest

from ottla.errors import OffsetOutOfRange
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.storage.log import Log
from ottla.storage.recovery.recovery import StartingPoint
from ottla.world.api import FileRange
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.log_checks import check_log, check_producers
from tests.unit.storage.logs import CONFIG, Shelf, idempotent, produced
from tests.unit.storage.test_log_crashes import checkpoint, recovery_point

SEEDS = 40
LIVES = 3
WRITERS = 4
LAST_LIFE_MS = 30_000  # which nothing ends, until there was all that is to be seen
LIFE_CALLS = (30, 100, 300, 1_000)  # to the disk


def records_of(batch: RecordBatch) -> bytes:
    """What a writer wrote, without what the log sets."""
    return bytes(batch.view[43:])


class Partition:
    """A machine with one log, and what we know of the log from outside."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.config = replace(
            CONFIG,
            segment_bytes=rng.choice((600, 1_500, 4_000)),
            segment_index_bytes=240,
            flush_messages=rng.choice((7, 10**9)),
        )
        self.written: set[bytes] = set()  # by whoever
        self.durable: list[bytes] = []  # the batches that were synced and not cut since
        self.durable_offset = 0
        self.calls = self.cuts = self.waited = self.read = 0

    async def live(self, world: SimulatedWorld) -> None:
        """One life: load the log, look at it, and work with it until the machine dies."""
        shelf = Shelf(world)
        shelf.services = replace(
            shelf.services,
            is_verification_required=False,
            producer_id_expiration_ms=2**62,
            recovery_point_lowered=lambda _, offset: checkpoint(world, offset),
        )
        world.disk.make_directory("/data")
        world.disk.sync_directory("/")
        log, _ = await shelf.load(self.config, StartingPoint(is_clean=False, recovery_point=recovery_point(world)))
        found = check_log(log)
        check_producers(log, found)
        assert [bytes(batch.view) for batch in found][: len(self.durable)] == self.durable
        assert {records_of(batch) for batch in found} <= self.written
        async with world.group() as group:
            acknowledged: list[tuple[int, int, int]] = []
            for number in range(WRITERS):
                group.spawn(self.write(world, log, acknowledged), f"writer {number}")
            group.spawn(self.keep(world, log), "keeper")
            group.spawn(self.look(world, log), "reader")

    async def write(self, world: SimulatedWorld, log: Log, acknowledged: list[tuple[int, int, int]]) -> None:
        """Append one batch after the other."""
        while True:
            self.calls += 1
            call, cuts = self.calls, self.cuts
            count = self.rng.randint(1, 4)
            if self.rng.random() < 0.5:
                section = produced(count, timestamp=self.rng.randrange(10_000), value=b"%d" % call * 8)
            else:
                section = idempotent(0, count, producer_id=call)
            self.written.add(bytes(section[43:]))
            appended = log.append_as_leader(section, 0)
            if appended is None:
                self.waited += 1
                appended = await log.append_in_turn(section, 0)
            log.update_high_watermark(log.log_end_offset)
            if cuts == self.cuts:
                for other_call, other_offset, other_cuts in acknowledged[-2 * WRITERS :]:
                    assert cuts != other_cuts or (call < other_call) == (appended.first_offset < other_offset)
                acknowledged.append((call, appended.first_offset, cuts))
            await world.clock.sleep(self.rng.choice((0, 1, 5, 50)))

    async def keep(self, world: SimulatedWorld, log: Log) -> None:
        """Sync, flush, cut, roll: one after the other, so that it is known what is durable."""
        while True:
            draw, end = self.rng.random(), log.log_end_offset
            if draw < 0.7:
                if draw < 0.4:
                    await log.sync()
                else:
                    await log.flush()
                    await checkpoint(world, log.recovery_point)
                self.durable_offset = end
                self.durable = [bytes(one.view) for one in check_batches(log) if one.next_offset <= end]
            elif draw < 0.85:
                await log.roll_in_turn()
            else:
                starts = [batch.base_offset for batch in check_batches(log)]
                offset = self.rng.choice([*starts[-8:], end])
                self.cuts += 1
                self.durable_offset = min(self.durable_offset, offset)
                self.durable = [data for data in self.durable if RecordBatch(memoryview(data)).base_offset < offset]
                await log.truncate_to(offset)
                self.cuts += 1
            await world.clock.sleep(self.rng.choice((0, 5, 50, 200)))

    async def look(self, world: SimulatedWorld, log: Log) -> None:
        """Read from somewhere to the end."""
        while True:
            offset = self.rng.randrange(log.log_start_offset, log.log_end_offset + 1)
            truncations = log.truncations
            try:
                records = (await log.read_cold(offset, 1_000)).records
            except OffsetOutOfRange:
                assert truncations != log.truncations
                continue
            assert not isinstance(records, FileRange)
            for batch in batches(memoryview(records)):
                batch.check()
                assert batch.base_offset <= offset < batch.next_offset
                assert records_of(batch) in self.written
                offset = batch.next_offset
                self.read += 1
            assert offset <= log.log_end_offset or truncations != log.truncations
            await world.clock.sleep(self.rng.choice((1, 20)))


def check_batches(log: Log) -> list[RecordBatch]:
    """All batches up to the log's end, as they lie in the files."""
    found: list[RecordBatch] = []
    for segment in log.segments:
        found += list(batches(memoryview(segment.opened().read(0, segment.size_bytes))))
    return found


async def suffer(world: SimulatedWorld, simulation: Simulation, rng: Random) -> None:
    """Let the disk be slow now and then."""
    while True:
        fault = DiskFault(DiskFaultKind.SLOW, "/data", rng.choice((0.02, 0.3, 1.0)), rng.choice((60, 150)))
        simulation.nodes["broker"].disk.faults.begin(fault)
        await world.clock.sleep(rng.choice((100, 1_000, 5_000)))
        simulation.nodes["broker"].disk.faults.end(fault)
        await world.clock.sleep(rng.choice((100, 1_000, 3_000)))


@pytest.mark.parametrize("seed", [*range(SEEDS), 195])  # 195: a cold read of what was being cut
def test_a_log_with_slow_phases(seed: int) -> None:
    """Slow writes, quick ones, cuts and a crash anywhere in them leave a log that holds what it promised."""
    simulation = Simulation(seed)
    partition = Partition(simulation.rng("partition"))

    async def scenario(world: SimulatedWorld) -> None:
        simulation.start("broker", partition.live)
        sickness = world.spawn(suffer(world, simulation, simulation.rng("sickness")), "sickness")
        for _ in range(LIVES):
            simulation.crash_in_disk_call("broker", partition.rng.choice(LIFE_CALLS) + partition.rng.randrange(60))
            exit_ = await simulation.ended("broker")
            assert exit_.how == "crashed", exit_
            simulation.restart("broker")
        for _ in range(LAST_LIFE_MS // 500):
            await world.clock.sleep(500)
            if partition.waited and partition.read and partition.calls > 10:
                break
        sickness.cancel()

    simulation.run(scenario)
    assert partition.calls > 10
    assert partition.waited > 0
    assert partition.read > 0
