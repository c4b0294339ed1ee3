"""A node's controller: its office on the quorum's log, and what handlers of its listener work with.

Every voter has one; the one that leads the quorum is active. Always true: records are written in the versions of the
metadata.version that the controller's own state has finalised (`Controller.encode`).
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ottla.broker.parts import ControllerParts
from ottla.broker.roles.quorum import QuorumRole
from ottla.broker.roles.registration import ControllerRegistration
from ottla.cluster.controller.controller import Controller
from ottla.cluster.controller.metrics import tell
from ottla.cluster.controller.office import Office, Snapshot
from ottla.cluster.metadata.bootstrap import BOOTSTRAP_FILE, bootstrap_records, levels_at
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.cluster.raft.replicated_log import RaftReplicatedLog
from ottla.config.config import Config
from ottla.errors import NoSuchFile
from ottla.metrics.registry import Metrics
from ottla.protocol.codec.message import Message
from ottla.protocol.uuids import random_uuid
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import World


class ControllerRole:
    """The office, wired to the quorum."""

    def __init__(
        self,
        world: World,
        config: Config,
        *,
        static: Mapping[str, str],
        quorum: QuorumRole,
        bootstrap: list[Message],
        metrics: Metrics,
        report: Callable[[str, BaseException], None],
    ) -> None:
        cluster_id = quorum.raft.identity.cluster_id
        self.controller = Controller(static, cluster_id, world.rng, bootstrap=bootstrap)
        self.log = RaftReplicatedLog(quorum.raft, self.controller.encode)
        self.office = Office(
            world, self.controller, self.log, report=report, resign=quorum.raft.resign, open_snapshot=self._snapshot
        )
        self.parts = ControllerParts(
            world, config, config.integer("node.id"), cluster_id, quorum.features, self.office, quorum.raft
        )
        tell(self.office, metrics)
        self._quorum = quorum
        self._registration: ControllerRegistration | None = None
        quorum.raft.add(self.office)

    async def _snapshot(self) -> Snapshot | None:
        found = await self.log.snapshot()
        return None if found is None else Snapshot(*found)

    def start(self, end_points: Mapping[str, EndPoint], ask: Callable[[Message], Awaitable[Any]]) -> None:
        """Load what is there, stand by, and make known where this controller is reached (KIP-919)."""
        self.office.start()
        self._registration = ControllerRegistration(
            self.parts.world, self.parts.node_id, random_uuid(self.parts.world.rng.randbytes), end_points, ask
        )
        self._quorum.publisher.add(self._registration)

    async def stop(self) -> None:
        """Decide nothing more."""
        if self._registration is not None:
            self._quorum.publisher.remove(self._registration)
            self._registration.stop()
        await self.office.stop()


async def read_bootstrap(world: World, directory: str) -> list[Message]:
    """The records that formatting left for the first controller of a cluster; those of the newest version else."""
    try:
        data = await world.threads.run(read_whole_file, world.disk, f"{directory}/{BOOTSTRAP_FILE}")
    except NoSuchFile:
        return [record.message for record in bootstrap_records(levels_at())]
    return [record.message for record in SnapshotReader(memoryview(data)).records()]
