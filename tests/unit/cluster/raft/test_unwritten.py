"""The metadata log on a slow disk: neither the loop nor the quorum waits for it."""

import pytest

from ottla.cluster.raft import unwritten
from ottla.errors import RequestRefused
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import SCENARIO
from tests.unit.cluster.raft.shells import METADATA, Controller, Plan

SLOW = DiskFault(DiskFaultKind.SLOW, path=METADATA, delay_ms=400)


def test_a_slow_disk_holds_the_loop_up_once() -> None:
    """The first write that takes too long is waited for; the others are there at once, and committed when written."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        shell = controller.shell
        await controller.begins()
        simulation.nodes[SCENARIO].disk.faults.begin(SLOW)
        while not shell.log._log.services.pace.is_slow:
            controller.append(0)
        for number in range(20):
            begin_ms, offset = world.clock.monotonic_ms(), shell.end_offset
            assert controller.append(number) == offset + 1 == shell.end_offset
            assert shell.log.read(offset, 1), "whoever fetches finds it"
            assert world.clock.monotonic_ms() - begin_ms < 5
        assert shell.high_watermark < shell.end_offset
        await controller.follower.reached(shell.end_offset - 1)
        simulation.nodes[SCENARIO].disk.faults.heal()
        await controller.stop()

    simulation = Simulation(1)
    simulation.run(main)


def test_a_leader_whose_disk_is_too_slow_resigns(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for the disk is bounded: above that nothing is taken, and another may lead."""
    monkeypatch.setattr("ottla.cluster.raft.disk_log.MAX_BYTES", 1_000)
    assert unwritten.MAX_BYTES > 1_000

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        await controller.begins()
        epoch = controller.shell.epoch
        controller.shell.log._log.services.pace.is_slow = True
        simulation.nodes[SCENARIO].disk.faults.begin(SLOW)
        while not controller.shell.log.is_choked:
            controller.append(1)
        with pytest.raises(RequestRefused, match="too slow to lead"):
            controller.append(1)
        assert not controller.shell.is_leader
        await controller.leads()
        assert controller.shell.epoch > epoch
        simulation.nodes[SCENARIO].disk.faults.heal()
        await controller.stop()

    simulation = Simulation(1)
    simulation.run(main)


def test_a_slow_disk_that_refuses_ends_the_replica() -> None:
    """What waited is not written: whoever waits for its sync is told, and the node takes no more part."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        end_offset = await controller.begins()
        controller.shell.log._log.services.pace.is_slow = True
        simulation.nodes[SCENARIO].disk.faults.begin(DiskFault(DiskFaultKind.WRITE_ERROR, path=METADATA))
        controller.append(1)
        await controller.until(lambda: bool(controller.failures))
        assert controller.shell.high_watermark == end_offset
        simulation.nodes[SCENARIO].disk.faults.heal()
        await controller.stop()

    simulation = Simulation(1)
    simulation.run(main)
