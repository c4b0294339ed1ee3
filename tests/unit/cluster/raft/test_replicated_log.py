"""The metadata log as the controller's runtime reads and writes it."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.replicated_log import RaftReplicatedLog
from ottla.errors import BatchTooLarge, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.features import LATEST, METADATA_VERSION
from ottla.protocol.messages.metadata_records import ConfigRecord, FeatureLevelRecord
from ottla.protocol.records.batch import batches
from ottla.replicated.log import ReplicatedLog
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.raft.shells import BROKER, Controller, Plan

FIRST = FeatureLevelRecord(METADATA_VERSION, int(LATEST))


def simulate(main: Callable[[SimulatedWorld], Coroutine[Any, Any, Any]]) -> Any:
    """In a world of its own."""
    return Simulation(1).run(main).value


def encode(record: Message) -> bytes:
    """In version 0."""
    return VersionedRecord(record).to_bytes()


def setting(number: int) -> Message:
    """A record with a number."""
    return ConfigRecord(BROKER, "1", "setting", str(number))


async def begun(world: SimulatedWorld, plan: Plan | None = None) -> tuple[Controller, RaftReplicatedLog]:
    """A leader, and its log."""
    controller = await Controller(world, plan or Plan(1)).start()
    log = RaftReplicatedLog(controller.shell, encode)
    assert log.leadership_epoch is None
    await controller.leads()
    return controller, log


def test_records_come_back_as_they_were_appended() -> None:
    """Slices of any size give all records at their offsets, the quorum's own left out, also across batches."""

    async def main(world: SimulatedWorld) -> None:
        controller, log = await begun(world)
        contract: ReplicatedLog[Message] = log
        epoch = contract.leadership_epoch
        assert epoch == controller.shell.epoch
        expected: dict[int, Message] = {}
        for count in (1, 3, 700, 2):
            records = [FIRST, *(setting(number) for number in range(count - 1))]
            offset = contract.end_offset
            assert contract.append(epoch, offset, records) == offset + count
            expected |= {offset + at: record for at, record in enumerate(records)}
        for size in (1, 2, 5, 500, 10_000):
            found: dict[int, Message] = {}
            offset = 0
            while offset < contract.end_offset:
                part = contract.read(offset, size)
                assert offset < part.next_offset <= max(offset + size, part.first_offset + 1)
                found |= {part.first_offset + at: record for at, record in enumerate(part.records)}
                offset = part.next_offset
            assert found == expected
            assert contract.read(offset, size).records == []
        await controller.stop()

    simulate(main)


def test_an_append_is_one_batch() -> None:
    """All records of an append stand in one batch, so that they are kept together or not at all."""

    async def main(world: SimulatedWorld) -> None:
        controller, log = await begun(world)
        offset = log.end_offset
        log.append(controller.shell.epoch, offset, [setting(number) for number in range(10_000)])
        found = list(batches(controller.shell.read(offset, 10**8)))
        assert [(batch.base_offset, batch.count) for batch in found] == [(offset, 10_000)]
        await controller.stop()

    simulate(main)


def test_an_append_that_is_too_large_is_refused_whole() -> None:
    """More bytes than a batch of the metadata may have: nothing is written."""
    plan = Plan(1, log=MetadataLogConfig(max_batch_bytes=10_000))

    async def main(world: SimulatedWorld) -> None:
        controller, log = await begun(world, plan)
        offset = log.end_offset
        with pytest.raises(BatchTooLarge):
            log.append(controller.shell.epoch, offset, [setting(number) for number in range(1_000)])
        assert log.end_offset == offset
        await controller.stop()
        with pytest.raises(RequestRefused):
            log.append(controller.shell.epoch, offset, [setting(1)])
        assert log.leadership_epoch is None

    simulate(main)


def test_the_snapshot_is_the_newest_one() -> None:
    """A state machine that begins anew gets the newest snapshot's records, and the offset to go on at."""
    plan = Plan(1, log=MetadataLogConfig(max_bytes_between_snapshots=500, max_snapshot_interval_ms=0))

    async def main(world: SimulatedWorld) -> None:
        controller, log = await begun(world, plan)
        assert await log.snapshot() is None
        epoch = controller.shell.epoch
        log.append(epoch, log.end_offset, [FIRST, *(setting(number) for number in range(100))])
        await controller.until(lambda: controller.shell.log.latest_snapshot is not None)
        found = await log.snapshot()
        assert found is not None
        records, end_offset = found
        assert list(records) == [FIRST, setting(99)]
        assert end_offset == log.end_offset
        await controller.stop()

    simulate(main)
