"""What is committed becomes images, and images become snapshots: behind a real quorum of one."""

from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.errors import DamagedMetadata, OttlaError
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.raft.shells import Controller, Plan, first_record

SMALL = Plan(1, kraft_version=1, log=MetadataLogConfig(max_bytes_between_snapshots=2_000, max_snapshot_interval_ms=0))


def simulate(main: Callable[[SimulatedWorld], Coroutine[Any, Any, Any]]) -> Any:
    """In a world of its own."""
    return Simulation(1).run(main).value


class Seen:
    """A subscriber."""

    def __init__(self) -> None:
        self.images: list[MetadataImage] = []

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is an image."""
        self.images.append(image)


async def written(controller: Controller, count: int, records: int = 20) -> None:
    """Append so many batches, one after the other."""
    for number in range(count):
        end_offset = controller.append(*range(number, number + records))
        await controller.follower.reached(end_offset - 1)


def test_nothing_is_told_before_a_controller_has_written() -> None:
    """Records of the quorum alone are no metadata yet: subscribers hear when it has begun, of all at once."""

    async def main(world: SimulatedWorld) -> None:
        seen = Seen()
        controller = await Controller(world, Plan(1)).start()
        controller.follower.publisher.add(seen)
        await controller.leads()
        await world.clock.sleep(1_000)
        assert controller.shell.high_watermark == controller.follower.next_offset == 1
        assert seen.images == []
        end_offset = controller.shell.append(controller.shell.epoch, 1, [first_record()])
        await controller.follower.caught_up()
        assert [image.provenance.last_contained_offset for image in seen.images] == [end_offset - 1]
        await controller.stop()

    simulate(main)


def test_a_large_batch_does_not_hold_the_loop() -> None:
    """Ten thousand records in one batch are replayed in slices: others run in between."""

    async def main(world: SimulatedWorld) -> int:
        controller = await Controller(world, Plan(1)).start()
        await controller.begins()
        turns, is_over = 0, False

        async def other() -> None:
            nonlocal turns
            while not is_over:
                turns += 1
                await world.clock.sleep(0)

        running = world.spawn(other(), "other")
        end_offset = controller.append(*range(10_000))
        await controller.follower.reached(end_offset - 1)
        is_over = True
        await running
        await controller.stop()
        return turns

    assert simulate(main) >= 50


def test_snapshots_are_written_by_bytes() -> None:
    """After so many bytes of records there is a snapshot, which names the voters and holds the image of its place."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, SMALL).start()
        await controller.begins()
        await written(controller, 10)
        log = controller.shell.log
        await controller.until(lambda: len(log.snapshots.ids) > 2)
        latest = log.latest_snapshot
        assert latest is not None
        reader = SnapshotReader(memoryview(log.read_snapshot(latest, 0, 10**6)))
        assert reader.head.kraft_version == 1
        assert reader.head.voters is not None
        assert [each.voter_id for each in reader.head.voters.voters] == [1]
        assert reader.head.last_contained_log_timestamp > 0
        assert len(list(reader.records())) > 20
        await controller.stop()

    simulate(main)


def test_snapshots_are_written_by_time() -> None:
    """When the interval has passed, the next record brings a snapshot; without one nothing is written."""
    plan = replace(SMALL, log=MetadataLogConfig(max_snapshot_interval_ms=60_000))

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, plan).start()
        await controller.begins()
        await written(controller, 1)
        log = controller.shell.log
        await world.clock.sleep(120_000)
        assert len(log.snapshots.ids) == 1, "that of formatting"
        await written(controller, 1)
        await controller.until(lambda: len(log.snapshots.ids) == 2)
        await controller.stop()

    simulate(main)


def test_a_start_begins_with_the_newest_snapshot() -> None:
    """Snapshot and tail make the image that was there before, without the log in front of them."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, SMALL).start()
        await controller.begins()
        await written(controller, 10)
        before = controller.follower.image
        await controller.stop()
        seen: list[OffsetAndEpoch | None] = []
        controller = await Controller(world, SMALL, lambda each: seen.append(each.shell.log.latest_snapshot)).start()
        await controller.follower.caught_up()
        assert seen[0] is not None
        assert seen[0].offset > 100
        assert replace(controller.follower.image, provenance=before.provenance) == before
        await controller.stop()

    simulate(main)


def test_damage_ends_the_following_and_is_reported() -> None:
    """A controller that cannot read a record of its log goes no further, and whoever waits for more is told."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, Plan(1)).start()
        await controller.begins()
        shell = controller.shell
        end_offset = shell.append(shell.epoch, shell.end_offset, [b"\x01\xff\x7f\x00"])
        with pytest.raises(OttlaError, match="not followed any more"):
            await controller.follower.reached(end_offset - 1)
        assert [type(error) for _, error in controller.reported] == [DamagedMetadata]
        with pytest.raises(OttlaError, match="not followed any more"):
            await controller.follower.reached(end_offset)
        await controller.stop()

    simulate(main)


def test_a_stop_tells_whoever_waits() -> None:
    """Waiting for what does not come ends with the follower, and so does a snapshot that is being written."""

    async def main(world: SimulatedWorld) -> None:
        controller = await Controller(world, SMALL).start()
        end_offset = await controller.begins()
        told: list[str] = []

        async def wait() -> None:
            with pytest.raises(OttlaError) as error:
                await controller.follower.reached(end_offset + 10_000)
            told.append(str(error.value))

        waiting = world.spawn(wait(), "wait")
        controller.append(*range(2_000))
        await controller.until(lambda: controller.follower._writing is not None)
        await controller.stop()
        await waiting
        assert told == ["the metadata is not followed any more: this node stops"]
        assert [entry.name for entry in world.disk.list(controller.shell.log.directory) if ".part" in entry.name] == []

    simulate(main)
