"""Logs in a directory whose disk is slow: the others do not notice, and nothing of a log's own order is lost."""

from dataclasses import replace

import pytest

from ottla.errors import DiskError, OffsetOutOfRange
from ottla.protocol.records.builder import BatchFields
from ottla.storage.append.info import AppendOrigin
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import Appended
from ottla.storage.pace import QUICK_WRITES, RECOVERY_NS
from ottla.storage.recovery.recovery import load_log
from ottla.world.api import Task, World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.log_checks import check_log, check_producers
from tests.unit.storage.logs import (
    CLEAN,
    CONFIG,
    ORDERS,
    Shelf,
    batches_from,
    idempotent,
    marker,
    offsets_from,
    produced,
)

SLOW, QUICK = "/slow", "/quick"
SICK = DiskFault(DiskFaultKind.SLOW, SLOW, delay_ms=200)


class Sickness:
    """A scenario whose directory `/slow` can be made sick."""

    def __init__(self, seed: int = 0) -> None:
        self.simulation = Simulation(seed)

    def begin(self, fault: DiskFault = SICK) -> None:
        """From now on."""
        self.simulation.nodes["scenario"].disk.faults.begin(fault)

    def end(self, fault: DiskFault = SICK) -> None:
        """Until now."""
        self.simulation.nodes["scenario"].disk.faults.end(fault)


async def log_in(world: World, directory: str, config: LogConfig = CONFIG, shelf: Shelf | None = None) -> Log:
    """A log in a log directory of its own."""
    shelf = shelf or Shelf(world)
    return (await load_log(shelf.services, ORDERS, f"{directory}/orders-0", config, CLEAN))[0]


async def slow_log(world: World, sickness: Sickness, config: LogConfig = CONFIG, shelf: Shelf | None = None) -> Log:
    """A log with one record in a directory that is slow since that was written, and is sick still."""
    log = await log_in(world, SLOW, config, shelf)
    sickness.begin()
    assert log.append_as_leader(produced(), 0) is not None
    assert log.append_as_leader(produced(), 0) is None
    assert log.is_busy
    return log


async def append(log: Log, section: memoryview, epoch: int = 0) -> Appended:
    """As whoever serves a Produce request does it."""
    return log.append_as_leader(section, epoch) or await log.append_in_turn(section, epoch)


async def latencies_ns(world: World, log: Log, count: int) -> list[int]:
    """What a request each two milliseconds waits for the loop and for its append."""
    found, due_ns = [], world.clock.monotonic_ns()
    for _ in range(count):
        due_ns += 2_000_000
        await world.clock.sleep(max(0, (due_ns - world.clock.monotonic_ns()) // 1_000_000))
        begin_ns = min(due_ns, world.clock.monotonic_ns())
        await append(log, produced(3))
        found.append(world.clock.monotonic_ns() - begin_ns)
    return sorted(found)


@pytest.mark.parametrize("seed", range(3))
def test_a_slow_directory_does_not_slow_the_others(seed: int) -> None:
    """While each call to one directory's disk takes 0.2 s, appends in another wait as long as without that, rolls and
    flushes of the sick one included; but for the one write that showed it.
    """

    def measured(*, is_sick: bool) -> tuple[list[int], int]:
        sickness = Sickness(seed)

        async def main(world: SimulatedWorld) -> tuple[list[int], int]:
            quick = await log_in(world, QUICK, replace(CONFIG, segment_bytes=2**20))
            sick = await log_in(world, SLOW, replace(CONFIG, segment_index_bytes=1_000))
            if is_sick:
                sickness.begin()
            await append(sick, produced())

            async def write_on() -> None:
                while True:
                    await append(sick, produced(40))
                    sick.request_flush()
                    await world.clock.sleep(20)

            tasks = [world.spawn(write_on(), "write") for _ in range(4)]
            found = await latencies_ns(world, quick, 3_000)
            for task in tasks:
                task.cancel()
            return found, len(sick.segments)

        return sickness.simulation.run(main).value

    (disturbed, segments), (undisturbed, _) = measured(is_sick=True), measured(is_sick=False)
    assert segments > 1
    for part in (50, 99):
        at = len(disturbed) * part // 100
        assert disturbed[at] < 1.5 * undisturbed[at]
    assert disturbed[-1] < 5_000_000


def test_appends_to_a_slow_directory_keep_their_order() -> None:
    """Each gets the offsets behind the one before, over several segments, and reads never see what is not written."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)
        sections = [produced(3, value=b"%d" % at * 30) for at in range(60)]
        tasks = [world.spawn(append(log, section), f"append {at}") for at, section in enumerate(sections)]
        ends = set()
        while not tasks[-1].done():
            await world.clock.sleep(20)
            ends.add(log.log_end_offset)
            found = await batches_from(log, log.log_end_offset - 1)
            assert found[-1].next_offset == log.log_end_offset
            with pytest.raises(OffsetOutOfRange):
                log.read(log.log_end_offset + 1, 100)
        assert len(ends) > 30
        assert [(await task).first_offset for task in tasks] == list(range(1, 181, 3))
        sickness.end()
        assert len(log.segments) > 3
        found = await batches_from(log)
        assert [bytes(batch.view[61:]) for batch in found[1:]] == [bytes(section[61:]) for section in sections]
        check_log(log)

    sickness.simulation.run(main)


def test_a_directory_that_recovered_is_written_on_the_loop() -> None:
    """After enough quick writes an append is made at once again, and stays so."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness, replace(CONFIG, segment_bytes=2**20))
        await append(log, produced())
        sickness.end()
        await world.clock.sleep(RECOVERY_NS // 1_000_000)
        for _ in range(QUICK_WRITES):
            assert log.append_as_leader(produced(), 0) is None
            await log.append_in_turn(produced(), 0)
        for _ in range(3):
            assert log.append_as_leader(produced(), 0) is not None
        check_log(log)

    sickness.simulation.run(main)


def test_an_error_of_a_slow_write_ends_the_log() -> None:
    """It is told to the directory's owner once; everybody who waits and everybody who comes later gets it; nothing of
    the write is read, and the log loads without it.
    """
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        shelf = Shelf(world)
        log = await slow_log(world, sickness, shelf=shelf)
        sickness.begin(DiskFault(DiskFaultKind.WRITE_ERROR, SLOW))
        tasks = [world.spawn(append(log, produced(2)), "append") for _ in range(3)]
        for task in tasks:
            with pytest.raises(DiskError):
                await task
        sickness.simulation.nodes["scenario"].disk.faults.heal()
        assert len(shelf.errors) == 1
        assert (log.log_end_offset, await offsets_from(log)) == (1, [0])
        with pytest.raises(DiskError):
            await append(log, produced())
        assert (await log_in(world, SLOW)).log_end_offset == 1

    sickness.simulation.run(main)


def test_truncation_and_close_wait_for_a_slow_write() -> None:
    """What was asked for first is done first: an append, a cut, an append, a close; and the log loads as it was."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)
        first = world.spawn(append(log, produced(5)), "append")
        await world.clock.sleep(1)
        cut = world.spawn(log.truncate_to(1), "cut")
        await world.clock.sleep(1)
        second = world.spawn(append(log, produced(4)), "append")
        await world.clock.sleep(1)
        closing = world.spawn(log.close(), "close")
        assert log.log_end_offset == 1
        assert (await first).first_offset == 1
        assert await cut is True
        assert (await second).first_offset == 1
        await closing
        sickness.end()
        again = await log_in(world, SLOW)
        assert again.log_end_offset == 5
        check_log(again)

    sickness.simulation.run(main)


def test_emptying_and_deleting_wait_for_a_slow_write() -> None:
    """A log that is emptied takes appends from its new start on; one that is deleted leaves nothing."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)
        tasks: list[Task[Appended]] = []
        tasks.append(world.spawn(append(log, produced(5)), "append"))
        await world.clock.sleep(1)
        emptied = world.spawn(log.truncate_fully_and_start_at(100), "empty")
        await world.clock.sleep(1)
        tasks.append(world.spawn(append(log, produced(5)), "append"))
        assert [(await task).first_offset for task in tasks] == [1, 100]
        await emptied
        last = world.spawn(append(log, produced()), "append")
        await world.clock.sleep(1)
        await log.settled()
        assert last.done()
        assert (await last).first_offset == 105
        await log.delete()
        assert not world.disk.exists(f"{SLOW}/orders-0")

    sickness.simulation.run(main)


def test_who_is_cancelled_changes_nothing() -> None:
    """A waiter that goes away while its batch is written, or before, leaves a log that goes on."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)
        tasks = [world.spawn(append(log, produced(2)), "append") for _ in range(4)]
        await world.clock.sleep(30)
        for task in tasks[:3]:
            task.cancel()
        assert (await tasks[3]).first_offset == 7
        assert await offsets_from(log) == list(range(9))
        assert (await append(log, produced())).first_offset == 9
        check_log(log)

    sickness.simulation.run(main)


def test_who_leads_no_more_appends_nothing() -> None:
    """`may_append` is asked at the turn, and what it raises is the answer."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)

        def refuse() -> None:
            raise OffsetOutOfRange("somebody else leads")

        with pytest.raises(OffsetOutOfRange, match="somebody else"):
            await log.append_in_turn(produced(), 0, may_append=refuse)
        with pytest.raises(OffsetOutOfRange, match="somebody else"):
            await log.append_as_follower_in_turn(produced(fields=BatchFields(base_offset=1)), 0, may_append=refuse)
        assert log.log_end_offset == 1

    sickness.simulation.run(main)


def test_followers_and_the_quorum_take_turns_too() -> None:
    """What has its offsets already is appended at its turn as it is, in the order of the calls."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness)
        sections = [produced(2, fields=BatchFields(base_offset=at, partition_leader_epoch=3)) for at in range(1, 9, 2)]
        assert log.append_as_follower(sections[0], 3) is None
        assert log.append_as_raft_leader(sections[0], 3) is None
        first = world.spawn(log.append_as_follower_in_turn(sections[0], 3), "append")
        await world.clock.sleep(1)
        second = world.spawn(log.append_as_raft_leader_in_turn(sections[1], 3), "append")
        assert (await first).last_offset == 2
        assert (await second).last_offset == 4
        assert not (await log.append_as_follower_in_turn(sections[2], 2)).batches, "its epoch is ahead of ours"
        assert (await log.append_as_follower_in_turn(sections[2], 3)).last_offset == 6
        assert [bytes(batch.view) for batch in (await batches_from(log))[1:]] == [bytes(one) for one in sections[:3]]

    sickness.simulation.run(main)


def test_transactions_in_a_slow_directory() -> None:
    """Producers, duplicates and aborted transactions are as if the disk were well, also for who loads the log."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        shelf = Shelf(world)
        shelf.services = replace(shelf.services, is_verification_required=False, producer_id_expiration_ms=2**62)
        log = await slow_log(world, sickness, shelf=shelf)
        await append(log, idempotent(0, 2, open_=True))
        again = await append(log, idempotent(0, 2, open_=True))
        assert (again.first_offset, again.is_duplicate) == (1, True)
        for at, committed in enumerate((False, True, False)):
            await append(log, idempotent(2 + at, open_=True))
            await log.append_in_turn(marker(committed=committed), 0, AppendOrigin.COORDINATOR)
            await append(log, produced(10))
        sickness.end()
        aborted = [(one.first_offset, one.last_offset) for one in log.aborted_transactions(0, log.log_end_offset)]
        assert aborted == [(1, 4), (27, 28)]
        check_producers(log, check_log(log))
        await log.close()
        loaded = await log_in(world, SLOW, shelf=shelf)
        check_producers(loaded, check_log(loaded))
        assert loaded.aborted_transactions(0, 100) == log.aborted_transactions(0, 100)

    sickness.simulation.run(main)


def test_retention_rolls_a_slow_log_in_its_turn() -> None:
    """When all of a log has served its time, what was appended while retention waited for its turn stays."""
    sickness = Sickness()

    async def main(world: SimulatedWorld) -> None:
        log = await slow_log(world, sickness, replace(CONFIG, retention_ms=60_000, segment_ms=2**61))
        log.update_high_watermark(1)
        new = produced(3, timestamp=world.clock.wall_ms())
        waiting = world.spawn(append(log, new), "append")
        await world.clock.sleep(1)
        assert await log.delete_old_segments() == 0, "the segment has a record that is new"
        assert (await waiting).first_offset == 1
        assert await offsets_from(log) == [0, 1, 2, 3]
        await world.clock.sleep(70_000)
        log.update_high_watermark(4)
        assert await log.delete_old_segments() > 0
        assert (log.log_start_offset, log.log_end_offset) == (4, 4)
        assert (await append(log, produced())).first_offset == 4

    sickness.simulation.run(main)
