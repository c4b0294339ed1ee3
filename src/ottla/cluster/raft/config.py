"""What the quorum is told at its start: who this replica is, and the settings that it goes by.

Names and defaults are those of `controller.quorum.*`. Times that Kafka derives from them are derived here, in one
place: a leader tells voters of itself every half fetch timeout, an election takes between one and two timeouts, drawn
anew each time so that two candidates do not meet again.
"""

from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.voters import Endpoint, Node, ReplicaKey, VersionRange

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
