"""The first append of a log that nobody used for a while: what it asks of a cold disk is asked in a thread."""

from dataclasses import replace

import pytest

from ottla.errors import DiskError
from ottla.storage.append.info import AppendOrigin
from ottla.storage.log import Log
from ottla.storage.names import FileKind
from ottla.storage.readiness import is_ready
from ottla.world.api import World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.log_checks import check_log
from tests.unit.storage.logs import CONFIG, DIRECTORY, Shelf, idempotent, marker, offsets_from, produced, run

LARGE = replace(CONFIG, segment_bytes=2**20)


def fill(log: Log) -> None:
    """Batches enough for some index entries, and an aborted transaction."""
    for _ in range(20):
        log.append_as_leader(produced(2), 0)
    log.append_as_leader(idempotent(0, open_=True), 0)
    log.append_as_leader(marker(committed=False), 0, AppendOrigin.COORDINATOR)


async def reloaded(world: World) -> tuple[Shelf, Log]:
    """A log that was closed with something in it, and loaded again."""
    shelf = Shelf(world)
    shelf.services = replace(shelf.services, is_verification_required=False)
    log = await shelf.log(LARGE)
    fill(log)
    await log.close()
    return shelf, await shelf.log(LARGE)


def test_a_loaded_log_takes_its_first_append_in_turn() -> None:
    """Leader, follower and the quorum's leader: the first append after a start is not made at once; those after it
    are. An empty log has nothing to wait for.
    """

    async def main(world: World) -> None:
        assert is_ready((await Shelf(world).log()).segments.active)
        _, log = await reloaded(world)
        end = log.log_end_offset
        assert log.append_as_leader(produced(), 0) is None
        assert log.append_as_follower(produced(), 0) is None
        assert log.append_as_raft_leader(produced(), 0) is None
        assert (await log.append_in_turn(produced(), 0)).first_offset == end
        again = log.append_as_leader(produced(), 0)
        assert again is not None
        assert again.first_offset == end + 1
        assert (await offsets_from(log))[-2:] == [end, end + 1]
        check_log(log)

    run(main)


def test_a_cold_disk_is_not_waited_for_on_the_loop() -> None:
    """While each call to the disk takes 0.2 s, the loop goes on; then the append is made at once."""
    simulation = Simulation(0)
    cold = DiskFault(DiskFaultKind.SLOW, DIRECTORY, delay_ms=200)

    async def main(world: SimulatedWorld) -> None:
        _, log = await reloaded(world)
        faults = simulation.nodes["scenario"].disk.faults
        faults.begin(cold)
        late: list[int] = []

        async def tick() -> None:
            while True:
                due = world.clock.monotonic_ms() + 10
                await world.clock.sleep(10)
                late.append(world.clock.monotonic_ms() - due)

        ticking = world.spawn(tick(), "tick")
        await log.ready()
        ticking.cancel()
        faults.end(cold)
        assert len(late) > 30
        assert max(late) < 50
        assert log.append_as_leader(produced(), 0) is not None

    simulation.run(main)


def test_what_was_given_back_is_brought_again() -> None:
    """A log that was idle has its indexes in their files alone: its next append takes a turn again."""

    async def main(world: World) -> None:
        _, log = await reloaded(world)
        await log.ready()
        for _ in range(2):
            log.release_idle()
        assert log.append_as_leader(produced(), 0) is None
        await log.ready()
        assert log.append_as_leader(produced(), 0) is not None
        check_log(log)

    run(main)


@pytest.mark.parametrize("kind", [FileKind.OFFSET_INDEX, FileKind.TIME_INDEX])
def test_damaged_indexes_are_made_anew_before_it(kind: FileKind) -> None:
    """What an append needs is there afterwards, whatever the index files were."""

    async def main(world: World) -> None:
        _, log = await reloaded(world)
        world.disk.open(log.segments.active.path(kind)).write(0, [b"\xff" * 4])
        await log.append_in_turn(produced(), 0)
        assert log.append_as_leader(produced(), 0) is not None
        check_log(log)

    run(main)


def test_a_disk_that_refuses_ends_the_log() -> None:
    """An append that cannot have what it needs fails with the disk's error, and its directory is told."""

    async def main(world: World) -> None:
        shelf, log = await reloaded(world)
        world.disk.unlink(log.segments.active.path(FileKind.LOG))
        for _ in range(2):
            with pytest.raises(DiskError):
                await log.append_in_turn(produced(), 0)
        assert len(shelf.errors) == 1
        assert log.failure is shelf.errors[0]

    run(main)
