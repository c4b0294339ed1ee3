"""A controller's office in a simulated world, on a log that commits a little later; for driving it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ottla.cluster.controller.controller import Controller
from ottla.cluster.controller.office import Office, Snapshot
from ottla.cluster.metadata.bootstrap import bootstrap_records, levels_at
from ottla.errors import DiskError
from ottla.protocol.codec.message import Message
from ottla.world.api import World
from ottla.world.simulated import SimulatedWorld
from tests.unit.cluster.controller.office import CLUSTER_ID, STATIC, RecordLog, topic_request

COMMIT_MS = 20
BOOTSTRAP = [record.message for record in bootstrap_records(levels_at())]


class SlowLog(RecordLog):
    """A log that commits what it was given a little later, unless told not to, and can refuse."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.appends: list[int] = []
        self.commits = True
        self.failure: DiskError | None = None
        self.changed: Callable[[int], None] = lambda _: None

    def append(self, epoch: int, expected_offset: int, records: Sequence[Message]) -> int:
        """Append all, and commit later."""
        if self.failure is not None:
            raise self.failure
        end_offset = super().append(epoch, expected_offset, records)
        self.appends.append(len(records))
        now_ms = self.world.clock.monotonic_ms()
        self.world.clock.call_at(now_ms + COMMIT_MS, lambda: self.commit(end_offset))
        return end_offset

    def commit(self, end_offset: int) -> None:
        """Everything below is kept."""
        if self.commits and end_offset <= self.end_offset:
            self.committed_offset = max(self.committed_offset, end_offset)
            self.changed(self.committed_offset)


class House:
    """An office with its log, and what it says."""

    def __init__(
        self, world: SimulatedWorld, records: Sequence[Message] = (), static: Mapping[str, str] | None = None
    ) -> None:
        self.world, self.log = world, SlowLog(world)
        self.log.records.extend(records)
        self.log.committed_offset = len(records)
        self.reported: list[str] = []
        self.resigned: list[int] = []
        self.snapshot: Snapshot | None = None
        self.controller = Controller({**STATIC, **(static or {})}, CLUSTER_ID, world.rng, bootstrap=BOOTSTRAP)
        self.office = Office(
            world,
            self.controller,
            self.log,
            report=lambda what, error: self.reported.append(f"{what}: {error}"),
            resign=self.resign,
            open_snapshot=self.open_snapshot,
        )
        self.log.changed = self.office.committed
        self.office.start()

    async def open_snapshot(self) -> Snapshot | None:
        """The newest one; it takes the disk a moment."""
        await self.world.clock.sleep(3)
        return self.snapshot

    def lead(self, epoch: int = 1) -> None:
        """The quorum elects this node."""
        self.log.leadership_epoch = epoch
        self.office.leader_changed(900, epoch)

    def lose(self, leader_id: int | None = 901) -> None:
        """The quorum has another leader, and what was not committed is gone."""
        del self.log.records[self.log.committed_offset :]
        self.log.leadership_epoch = None
        self.office.leader_changed(leader_id, 99)

    def resign(self, epoch: int) -> None:
        """The office wants to be rid of it."""
        self.resigned.append(epoch)
        self.lose(None)

    async def active(self) -> None:
        """Wait until this is the controller, and its first records are kept."""
        while not self.office.is_active or not self.controller.finalised.is_begun:
            await self.world.clock.sleep(1)
        await self.world.clock.sleep(2 * COMMIT_MS)

    async def create(self, name: str) -> Any:
        """Create a topic on broker 1."""
        request = topic_request(name, [1])
        return await self.office.submit(lambda now_ms: self.controller.topics.create(request, now_ms))
