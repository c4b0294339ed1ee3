"""What the quorum is told at its start: who this replica is, and the settings that it goes by.

Names and defaults are those of `controller.quorum.*`. Times that Kafka derives from them are derived here, in one
place: a leader tells voters of itself every half fetch timeout, an election takes between one and two timeouts, drawn
anew each time so that two candidates do not meet again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.voters import Endpoint, Node, ReplicaKey, VersionRange, VoterSet, static_voters
from ottla.config.config import Config
from ottla.config.formats import parse_address, parse_voters
from ottla.errors import ConfigError
from ottla.protocol.codec.wire import Uuid
from ottla.storage.log_config import LogConfig

KRAFT_VERSIONS: Final = VersionRange(0, 1)


@dataclass(frozen=True, slots=True)
class QuorumConfig:
    """The settings."""

    election_timeout_ms: int = 1_000
    fetch_timeout_ms: int = 2_000
    election_backoff_max_ms: int = 1_000
    request_timeout_ms: int = 2_000
    retry_backoff_ms: int = 20
    append_linger_ms: int = 25
    fetch_max_bytes: int = 1_048_576
    fetch_snapshot_max_bytes: int = 1_048_576
    auto_join: bool = False  # a controller that is no voter asks to be one (KIP-1186)

    @classmethod
    def of(cls, config: Config) -> "QuorumConfig":
        """Those of a node.

        The linger is left at zero: what Kafka's controller appends is never held back by
        `controller.quorum.append.linger.ms` either. Whatever comes while a sync runs shares the next one.
        """
        number = config.integer
        return cls(
            election_timeout_ms=number("controller.quorum.election.timeout.ms"),
            fetch_timeout_ms=number("controller.quorum.fetch.timeout.ms"),
            election_backoff_max_ms=number("controller.quorum.election.backoff.max.ms"),
            request_timeout_ms=number("controller.quorum.request.timeout.ms"),
            retry_backoff_ms=number("controller.quorum.retry.backoff.ms"),
            append_linger_ms=0,
            fetch_max_bytes=number("controller.quorum.fetch.max.bytes"),
            fetch_snapshot_max_bytes=number("controller.quorum.fetch.snapshot.max.bytes"),
            auto_join=config.boolean("controller.quorum.auto.join.enable"),
        )

    @property
    def begin_epoch_period_ms(self) -> int:
        """How often a leader makes itself known to voters."""
        return max(1, self.fetch_timeout_ms // 2)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who this replica is."""

    key: ReplicaKey
    cluster_id: str
    listener_name: str = "CONTROLLER"  # the first of controller.listener.names: by which others are reached
    endpoints: tuple[Endpoint, ...] = ()
    kraft_versions: VersionRange = KRAFT_VERSIONS
    bootstrap: tuple[Node, ...] = ()  # whom to ask about the leader, without knowing voters
    is_controller: bool = True  # may vote one day; a mere broker never does, and need not sync what it has

    @classmethod
    def of(cls, config: Config, cluster_id: str, directory_id: Uuid, endpoints: Sequence[Endpoint]) -> "Identity":
        """That of a node: its settings, what its metadata directory says, and where its controller listeners are.

        The endpoints are those of `controller.listener.names`, with the ports that were really bound; a broker that is
        no controller has none.
        """
        return cls(
            ReplicaKey(config.integer("node.id"), directory_id),
            cluster_id,
            config.words("controller.listener.names")[0],
            tuple(endpoints),
            bootstrap=bootstrap_nodes(config),
            is_controller="controller" in config.words("process.roles"),
        )


@dataclass(frozen=True, slots=True)
class MetadataLogConfig:
    """The settings of the metadata log and its snapshots. The defaults are Kafka's."""

    log: LogConfig = LogConfig(  # noqa: RUF009 - a value
        max_message_bytes=8_388_608, retention_ms=None, local_retention_ms=None
    )
    retention_bytes: int = 104_857_600  # of log and snapshots together; below zero: no bound, here and below
    retention_ms: int = 604_800_000
    max_batch_bytes: int = 8_388_608
    max_bytes_between_snapshots: int = 20_971_520
    max_snapshot_interval_ms: int = 3_600_000  # zero: by size only

    @classmethod
    def of(cls, config: Config) -> "MetadataLogConfig":
        """Those of a node. The log's own retention never ends: only what snapshots stand for goes."""
        number = config.integer
        max_batch_bytes = number("internal.metadata.max.batch.size.in.bytes")
        segment_bytes = config.optional_integer("internal.metadata.log.segment.bytes")
        log = LogConfig(
            max_message_bytes=max_batch_bytes,
            segment_bytes=number("metadata.log.segment.bytes") if segment_bytes is None else segment_bytes,
            segment_ms=number("metadata.log.segment.ms"),
            file_delete_delay_ms=number("internal.metadata.delete.delay.millis"),
            retention_ms=None,
            local_retention_ms=None,
        )
        return cls(
            log,
            number("metadata.max.retention.bytes"),
            number("metadata.max.retention.ms"),
            max_batch_bytes,
            number("metadata.log.max.record.bytes.between.snapshots"),
            number("metadata.log.max.snapshot.interval.ms"),
        )


def static_voters_of(config: Config) -> VoterSet:
    """The voters of `controller.quorum.voters`: none where they stand in the log (KIP-853)."""
    voters = parse_voters(config.words("controller.quorum.voters"))
    nodes = (Node(node_id, address.host, address.port) for node_id, address in voters.items())
    return static_voters(nodes, config.words("controller.listener.names")[0])


def bootstrap_nodes(config: Config) -> tuple[Node, ...]:
    """The servers of `controller.quorum.bootstrap.servers`, with ids that are nobody's, as Kafka counts them."""
    found = []
    for number, entry in enumerate(config.words("controller.quorum.bootstrap.servers")):
        address = parse_address(entry)
        if address is None:
            raise ConfigError(f"controller.quorum.bootstrap.servers: {entry} is not host:port.")
        found.append(Node(-2 - number, address.host, address.port))
    return tuple(found)
