"""A log on a machine that loses power, or whose process is killed, at any call to the disk.

What must hold after a restart: everything that was synced is there with its own bytes, nothing is there that was not
appended, offsets have no hole, indexes, producers and leader epochs follow from the batches.
"""

from dataclasses import replace
from random import Random

import pytest

from ottla.errors import NoSuchFile
from ottla.storage.append.info import AppendOrigin
from ottla.storage.directories.checkpoints import RECOVERY_POINT, parse_offsets, render_offsets
from ottla.storage.log import Log
from ottla.storage.recovery.recovery import StartingPoint
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.log_checks import check_log, check_producers
from tests.unit.storage.logs import CONFIG, ORDERS, Shelf, idempotent, marker, produced

SEEDS = 60
LIVES = 6
CHECKPOINT = f"/data/{RECOVERY_POINT}"
CLEAN = "/data/.kafka_cleanshutdown"


class Machine:
    """A machine with one log, and what we know of the log from outside."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.config = replace(
            CONFIG, segment_bytes=rng.choice((600, 1_500, 4_000)), flush_messages=rng.choice((5, 10**9))
        )
        self.batches: dict[int, list[bytes]] = {}  # all that was ever appended, by base offset, the newest last
        self.starts: list[int] = []  # of the batches that the log has now
        self.durable_offset = 0  # below it everything was synced and not cut since
        self.sequence = 0
        self.is_open = False
        self.steps = 0

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
        while True:
            log = await self.load(world, shelf)
            while not await self.step(world, log):
                self.steps += 1

    async def load(self, world: SimulatedWorld, shelf: Shelf) -> Log:
        """Load the log, trusting it if it was closed, and look at it."""
        is_clean = world.disk.exists(CLEAN)
        if is_clean:
            world.disk.unlink(CLEAN)
            world.disk.sync_directory("/data")
        log, report = await shelf.load(self.config, StartingPoint(is_clean, recovery_point(world)))
        assert not is_clean or report.checked_bytes == 0
        self.look_at(log)
        entry = log.producer_state.producers.get(7)
        self.sequence = entry.last_sequence + 1 if entry is not None else 0
        self.is_open = entry is not None and entry.current_txn_first_offset is not None
        return log

    def look_at(self, log: Log) -> None:
        """After a start: no hole, no stranger, nothing that was synced is missing, and what follows is right."""
        found = check_log(log)
        check_producers(log, found)
        assert log.log_end_offset >= self.durable_offset, f"{log} had {self.durable_offset} on the disk"
        for batch in found:
            known = self.batches[batch.base_offset]
            data = bytes(batch.view)
            assert data == known[-1] if batch.base_offset < self.durable_offset else data in known
            self.batches[batch.base_offset] = [data]
        self.starts = [batch.base_offset for batch in found]

    async def step(self, world: SimulatedWorld, log: Log) -> bool:
        """Something that a broker does; true if it was stopped, and is to be started again."""
        draw = self.rng.random()
        if draw < 0.6:
            await self.append(log)
        elif draw < 0.75:
            end = log.log_end_offset
            await log.sync()
            self.durable_offset = max(self.durable_offset, min(end, log.log_end_offset))
        elif draw < 0.88:
            end = log.log_end_offset
            await log.flush()
            self.durable_offset = max(self.durable_offset, end)
            await checkpoint(world, log.recovery_point)
        elif draw < 0.92:
            log.roll()
        elif draw < 0.97:
            offset = self.rng.choice([*self.starts, log.log_end_offset])
            self.starts = [start for start in self.starts if start < offset]
            self.durable_offset = min(self.durable_offset, offset)
            self.is_open = False
            await log.truncate_to(offset)
            entry = log.producer_state.producers.get(7)
            self.sequence = entry.last_sequence + 1 if entry is not None else 0
            self.is_open = entry is not None and entry.current_txn_first_offset is not None
        elif draw < 0.985:
            log.release_idle()
        else:
            end = log.log_end_offset
            await log.close()
            self.durable_offset = end
            await checkpoint(world, end)
            await world.threads.run(replace_whole_file, world.disk, CLEAN, b"")
            return True
        await world.clock.sleep(self.rng.choice((0, 0, 1, 5)))
        return False

    async def append(self, log: Log) -> None:
        """One batch: plain, of a transaction, or the marker that ends it."""
        base_offset, epoch = log.log_end_offset, (log.epochs.latest_epoch or 0) + self.rng.randrange(2)
        draw = self.rng.random()
        origin = AppendOrigin.CLIENT
        if draw < 0.5:
            section = produced(
                self.rng.randint(1, 4), timestamp=self.rng.randrange(10_000), value=self.rng.randbytes(40)
            )
        elif draw < 0.8 or not self.is_open:
            count = self.rng.randint(1, 3)
            section = idempotent(self.sequence, count, open_=True)
            self.sequence += count
            self.is_open = True
        else:
            section, origin = marker(committed=self.rng.random() < 0.5), AppendOrigin.COORDINATOR
            self.is_open = False
        # It may be on the disk before the append returns, so it is known before.
        copy = memoryview(bytearray(section))
        copy[:8], copy[12:16] = base_offset.to_bytes(8, "big"), epoch.to_bytes(4, "big")
        self.batches.setdefault(base_offset, []).append(bytes(copy))
        appended = log.append_as_leader(section, epoch, origin) or await log.append_in_turn(section, epoch, origin)
        assert appended.first_offset == base_offset
        self.starts.append(base_offset)
        log.update_high_watermark(log.log_end_offset)


async def checkpoint(world: SimulatedWorld, offset: int) -> None:
    """Write the recovery point, as the manager of logs does."""
    await world.threads.run(replace_whole_file, world.disk, CHECKPOINT, render_offsets({ORDERS: offset}))


def recovery_point(world: SimulatedWorld) -> int:
    """What the checkpoint says."""
    try:
        return parse_offsets(CHECKPOINT, read_whole_file(world.disk, CHECKPOINT)).get(ORDERS, 0)
    except NoSuchFile:
        return 0


@pytest.mark.parametrize("seed", range(SEEDS))
def test_a_log_survives_its_machine(seed: int) -> None:
    """A machine dies at a disk call that chance picks; what was synced comes back, and a part of the rest."""
    simulation = Simulation(seed)
    machine = Machine(simulation.rng("machine"))

    async def scenario(world: SimulatedWorld) -> None:
        simulation.start("broker", machine.live)
        for _ in range(LIVES):
            die = simulation.crash_in_disk_call if machine.rng.random() < 0.8 else simulation.kill_in_disk_call
            die("broker", machine.rng.choice((3, 10, 30, 100, 200)) + machine.rng.randrange(60))
            exit_ = await simulation.ended("broker")
            assert exit_.how in ("crashed", "killed"), exit_
            simulation.restart("broker")
        await world.clock.sleep(50)
        assert machine.steps > 10

    simulation.run(scenario)
