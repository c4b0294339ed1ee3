"""A node's place in the quorum: the replica of the metadata log that every node has, and the images made out of it.

    listeners bound -> `open`: log, snapshots, quorum-state -> `start`: takes part -> `caught_up` -> ... -> `stop`

A controller's replica is a voter or wants to be one, a broker's observes. Always true: who this replica is (node,
directory, end points) is what `meta.properties` and the bound ports say, so that others reach what they are told of.
"""

from collections.abc import Callable, Sequence
from typing import Self

from ottla.broker.metadata.features import FinalisedFeatures
from ottla.cluster.metadata.following import MetadataFollower
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.raft.asking import quorum_channels
from ottla.cluster.raft.config import Identity, MetadataLogConfig, QuorumConfig, static_voters_of
from ottla.cluster.raft.shell import RaftShell
from ottla.cluster.raft.voters import Endpoint
from ottla.config.config import Config
from ottla.config.rules.startup import is_controller
from ottla.errors import DamagedMetadata
from ottla.storage.directories.directory import LogDirectory
from ottla.world.api import TlsSettings, World

GRACE_MS = 2_000  # for handing leadership over, and for the last sync


class QuorumRole:
    """The replica, and what follows it."""

    def __init__(
        self,
        world: World,
        config: Config,
        raft: RaftShell,
        report: Callable[[str, BaseException], None],
        failed: Callable[[str, BaseException], None],
    ) -> None:
        self.raft = raft
        self.publisher = Publisher()
        log_config = MetadataLogConfig.of(config)
        self._failed = failed

        def reported(what: str, error: Exception) -> None:
            report(what, error)
            if self.follower.failure is not None:
                failed(what, error)

        def damaged(damage: DamagedMetadata) -> None:
            if is_controller(config):
                raise damage
            report("reading the metadata log", damage)  # a broker goes on with what it can read, as Kafka's

        self.follower = MetadataFollower(
            world,
            raft,
            self.publisher,
            reported,
            on_damage=damaged,
            max_bytes_between_snapshots=log_config.max_bytes_between_snapshots,
            max_snapshot_interval_ms=log_config.max_snapshot_interval_ms,
        )
        raft.add(self.follower)
        self.features = FinalisedFeatures(lambda: self.publisher.image, lambda: raft.kraft_version)

    @classmethod
    async def open(
        cls,
        world: World,
        config: Config,
        directory: LogDirectory,
        *,
        endpoints: Sequence[Endpoint],
        tls: TlsSettings | None,
        report: Callable[[str, BaseException], None],
        failed: Callable[[str, BaseException], None],
    ) -> Self:
        """The replica in this log directory. `failed` is told if it takes no more part: the node is to stop."""
        properties = directory.properties
        assert properties is not None, "a node's directories are formatted"
        assert properties.cluster_id is not None, "and say of which cluster they are"
        assert properties.directory_id is not None, "and which they are"
        raft = await RaftShell.open(
            world,
            directory.path,
            identity=Identity.of(config, properties.cluster_id, properties.directory_id, endpoints),
            config=QuorumConfig.of(config),
            log_config=MetadataLogConfig.of(config),
            static=static_voters_of(config),
            channels=quorum_channels(world, config, tls),
            failed=lambda error: failed("the metadata log", error),
        )
        return cls(world, config, raft, report, failed)

    def start(self) -> None:
        """Take part."""
        self.raft.start()

    async def stop(self) -> None:
        """Hand over, and leave the log in order."""
        await self.follower.stop()
        await self.raft.stop(GRACE_MS)
