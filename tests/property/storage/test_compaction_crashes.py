"""Power fails at any moment of a cleaning: afterwards the old segments are there, or the new ones, and nothing else."""

import pytest

from ottla.protocol.records.builder import BatchFields
from ottla.protocol.records.record import Record
from ottla.storage.cleaner.cleaning import Cleaning
from ottla.storage.log import Log
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.cleaner.filled import dirty_part, end_transaction, means, open_log, records, write
from tests.unit.storage.cleaner.test_cleaning import VALUE

CALLS_MAX = 400  # of the disk, by one cleaning: far more than there are
KEYS = 4


def fill(log: Log) -> None:
    """Records of four keys, and a transaction that is aborted."""
    for number in range(24):
        write(log, (b"key-%d" % (number % KEYS), b"%d " % number + VALUE))
    fields = BatchFields(producer_id=5, producer_epoch=0, base_sequence=0, is_transactional=True)
    write(log, (b"key-0", b"aborted"), fields=fields)
    end_transaction(log, 5, committed=False)
    write(log, (b"key-1", b"end"))


def newest(found: list[Record]) -> dict[bytes, Record]:
    """What a `read_committed` reader learns."""
    return {record.key or b"": record for record in found if record.value != b"aborted"}


def crashed_at(seed: int, calls: int) -> bool:
    """One life in which a cleaning loses power at a disk call, and one that looks; False if there were not so many."""
    before: list[Record] = []

    async def program(world: SimulatedWorld) -> None:
        if not before:
            log = await open_log(world)
            for directory in ("/", "/logs"):  # whoever makes a log's directory syncs its name
                world.disk.sync_directory(directory)
            fill(log)
            log.roll()
            await log.flush()
            before.extend(records(log))
            simulation.crash_in_disk_call("node", calls)
            await Cleaning(log, dirty_part(log), means(world)).run()
            await world.clock.sleep(1)
            return
        log = await open_log(world, is_clean=False)
        check(log)
        await Cleaning(log, dirty_part(log), means(world)).run()
        check(log)
        left = [entry.name for entry in world.disk.list("/logs/topic-0")]
        assert not [name for name in left if name.endswith((".cleaned", ".swap"))]

    def check(log: Log) -> None:
        found = records(log)
        whole = {record.offset: record for record in before}
        assert all(whole[record.offset] == record for record in found)
        assert newest(found) == newest(before)
        assert log.log_end_offset == before[-1].offset + 1
        bases = [segment.base_offset for segment in log.segments]
        assert bases == sorted(set(bases))

    async def main(world: SimulatedWorld) -> bool:
        simulation.start("node", program)
        first = await simulation.ended("node")
        simulation.restart("node")
        assert (await simulation.ended("node")).how == "returned"
        return first.how == "crashed"

    simulation = Simulation(seed)
    return simulation.run(main).value


@pytest.mark.parametrize("seed", range(2))
def test_power_fails_while_a_log_is_cleaned(seed: int) -> None:
    """At every disk call of a cleaning: what was flushed is there, each record at its offset, and no key is lost."""
    calls = 1
    while crashed_at(seed * CALLS_MAX + calls, calls):
        calls += 1
        assert calls < CALLS_MAX
    assert calls > 50
