"""The quorum's shell in a world: elections, appends, stops and failing disks, with real logs and a real network."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ottla.errors import DiskError, RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.quorum import DescribeQuorumRequest, DescribeQuorumResponse
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import SCENARIO
from tests.unit.cluster.raft.shells import LOG_DIRECTORY, METADATA, Controller, Plan, first_record

TOPICS = [DescribeQuorumRequest.TopicData("__cluster_metadata", [DescribeQuorumRequest.PartitionData(0)])]


def simulate(main: Callable[[SimulatedWorld], Coroutine[Any, Any, Any]], seed: int = 1) -> Any:
    """In a world of its own."""
    return Simulation(seed).run(main).value


def strike(simulation: Simulation, fault: DiskFault) -> None:
    """Make the disk of the scenario's own node sick."""
    simulation.nodes[SCENARIO].disk.faults.begin(fault)


@pytest.mark.parametrize("kraft_version", [0, 1])
def test_a_single_node_elects_itself_at_once(kraft_version: int) -> None:
    """A quorum of one waits for no timeout: not at its first start, and not at the ones that follow."""

    async def main(world: SimulatedWorld) -> list[int]:
        took = []
        for _ in range(3):
            controller = await Controller(world, Plan(1, kraft_version=kraft_version)).start()
            begin_ms = world.clock.monotonic_ms()
            await controller.leads()
            took.append(world.clock.monotonic_ms() - begin_ms)
            await controller.stop()
        return took

    assert max(simulate(main)) < 100


class CountedSyncs:
    """A world whose disk counts the syncs of files."""

    def __init__(self, world: SimulatedWorld) -> None:
        self._world, self.disk, self.syncs = world, self, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._world if hasattr(self._world, name) else self._world.disk, name)

    def open(self, path: str, **how: bool) -> "CountedFile":
        """A file that tells."""
        return CountedFile(self, self._world.disk.open(path, **how))


class CountedFile:
    """One of its files."""

    def __init__(self, counted: CountedSyncs, file: Any) -> None:
        self._counted, self._file = counted, file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def sync(self) -> None:
        """One more."""
        self._counted.syncs += 1
        self._file.sync()


def test_an_append_is_committed_by_one_sync() -> None:
    """What a single node appends is committed as soon as it is on its disk, and one sync brings it there."""

    async def main(world: SimulatedWorld) -> None:
        counted: Any = CountedSyncs(world)
        controller = await Controller(counted, Plan(1)).start()
        await controller.begins()
        syncs = counted.syncs
        for number in range(3):
            end_offset = controller.append(number, number, number)
            assert controller.shell.high_watermark < end_offset
            await controller.follower.reached(end_offset - 1)
            assert controller.shell.high_watermark == end_offset
        assert counted.syncs == syncs + 3
        await controller.stop()

    simulate(main)


def test_appends_that_come_during_a_sync_share_the_next() -> None:
    """However many appends come while the disk is busy, one more sync commits them all."""

    async def main(world: SimulatedWorld) -> None:
        counted: Any = CountedSyncs(world)
        controller = await Controller(counted, Plan(1)).start()
        await controller.begins()
        syncs = counted.syncs
        for number in range(20):
            controller.append(number)
        await controller.follower.reached(controller.shell.end_offset - 1)
        assert counted.syncs <= syncs + 2
        await controller.stop()

    simulate(main)


def test_an_append_is_refused_to_who_does_not_lead() -> None:
    """Another epoch, another end of the log, or no leadership: NOT_CONTROLLER, and nothing is written."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        shell = controller.shell
        with pytest.raises(RequestRefused):
            shell.append(shell.epoch, shell.end_offset, [first_record()])
        end_offset = await controller.begins()
        for epoch, expected_offset in ((shell.epoch - 1, end_offset), (shell.epoch, end_offset + 1)):
            with pytest.raises(RequestRefused) as refused:
                shell.append(epoch, expected_offset, [first_record()])
            assert refused.value.code == ErrorCode.NOT_CONTROLLER
        assert shell.end_offset == end_offset
        await controller.stop()
        with pytest.raises(RequestRefused):
            shell.append(shell.epoch, end_offset, [first_record()])

    simulate(main)


def test_a_disk_that_refuses_ends_the_replica() -> None:
    """A leader whose log cannot be synced acknowledges nothing more: it leads no more, and says so to who asks."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        shell = controller.shell
        end_offset = await controller.begins()
        strike(simulation, DiskFault(DiskFaultKind.SYNC_ERROR, path=LOG_DIRECTORY))
        controller.append(1)
        await controller.until(lambda: bool(controller.failures))
        assert isinstance(controller.failures[0], DiskError)
        assert shell.high_watermark == end_offset
        assert not shell.is_leader
        assert shell.leader_id is None
        with pytest.raises(RequestRefused) as refused:
            await shell.handle(DescribeQuorumRequest(TOPICS))
        assert refused.value.code == ErrorCode.KAFKA_STORAGE_ERROR
        await controller.stop()

    simulation = Simulation(1)
    simulation.run(main)


def test_a_stopped_replica_leaves_nothing() -> None:
    """A stop hands over, answers everybody who waits, and leaves no task, timer or connection, and a log in order."""

    async def main(world: SimulatedWorld) -> None:
        for kraft_version in (0, 1):
            controller = await Controller(world, Plan(1, (1, 2, 3), kraft_version)).start()
            await world.clock.sleep(3_000)  # it asks, and nobody is there
            await controller.stop()
            await world.clock.sleep(1)
            assert len(world._spawned) == 0
            assert not [entry.name for entry in world.disk.list(METADATA) if entry.name.endswith(".part")]

    simulate(main)


def test_a_describe_request_is_answered() -> None:
    """Whoever asks a leader for the quorum is told, whatever node it asks."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        end_offset = await controller.begins()
        response = await controller.shell.handle(DescribeQuorumRequest(TOPICS))
        assert isinstance(response, DescribeQuorumResponse)
        partition = response.topics[0].partitions[0]
        assert (partition.leader_id, partition.high_watermark) == (1, end_offset)
        await controller.stop()

    simulate(main)
