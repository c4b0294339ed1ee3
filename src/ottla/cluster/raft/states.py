"""What a replica can be in an epoch, and how it gets from one to the other (KIP-595, KIP-996).

                      +---------------- an epoch above ours, without a leader --------------- from everywhere
                      v
    start ---->  Unattached --timeout--> Prospective --majority--> Candidate --majority--> Leader
                  ^   |  ^                |   |  ^                    |                      |
                  |   |  +--not granted---+   |  +----- timeout ------+                      | resigns, or
                  |   |                       |  |                                           | lost its majority
                  |   +--- leader known ---+  |  +--fetch timeout--+                         v
                  |                        v  v                    |                      Resigned
                  |                       Follower ----------------+                         |
                  +-------------------- timeout: the next epoch -----------------------------+

| from | to | when |
| --- | --- | --- |
| any but Leader | Follower | the leader of our epoch, or of a later one, is known and can be reached |
| Unattached, Follower | Prospective | a voter hears of no leader, or nothing from it, for the timeout |
| Prospective | Follower, Unattached | the election is lost or takes too long: with a known leader, or without one |
| Candidate | Prospective | the election takes too long |

Observers are Unattached or Follower, and stay so. A leader is followed only by Resigned, or by a later epoch.
"""

from dataclasses import dataclass, field
from typing import Final

from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.progress import Progress
from ottla.cluster.raft.voters import Node, ReplicaKey, VoterSet

NEVER_MS: Final = 2**63 - 1


@dataclass(slots=True)
class Ballot:
    """The votes of one election, by id. Who is not among the voters does not count."""

    voters: VoterSet
    granted: set[int] = field(default_factory=set)
    rejected: set[int] = field(default_factory=set)

    @property
    def is_won(self) -> bool:
        """Whether more than half have granted."""
        return len(self.granted) >= self.voters.majority

    @property
    def is_lost(self) -> bool:
        """Whether so many have rejected that it cannot be won."""
        return len(self.voters) - len(self.rejected) < self.voters.majority

    @property
    def unrecorded(self) -> list[int]:
        """Who has not answered."""
        return [voter_id for voter_id in self.voters.ids if voter_id not in self.granted | self.rejected]

    def record(self, voter_id: int, *, is_granted: bool) -> None:
        """A vote, of which the last counts."""
        if voter_id in self.voters.ids:
            (self.granted if is_granted else self.rejected).add(voter_id)
            (self.rejected if is_granted else self.granted).discard(voter_id)


@dataclass(slots=True)
class Unattached:
    """Without a leader that could be asked. A voter waits for one, or for its time."""

    epoch: int
    election_deadline_ms: int
    voted: ReplicaKey | None = None
    leader_id: int | None = None  # known, but not where it is


@dataclass(slots=True)
class Prospective:
    """Asks whether it could win before it begins an epoch (pre-vote): whoever has a leader says no."""

    epoch: int
    election_deadline_ms: int
    ballot: Ballot
    voted: ReplicaKey | None = None
    leader: Node | None = None
    ask_again_ms: int | None = None  # those who said no, for that binds nobody


@dataclass(slots=True)
class Candidate:
    """Has begun an epoch, voted for itself, and asks the others."""

    epoch: int
    election_deadline_ms: int
    ballot: Ballot


@dataclass(slots=True)
class Leader:
    """Was elected: appends, answers fetches, and knows how far everybody is."""

    epoch: int
    progress: Progress
    begin_epoch_ms: int = 0  # when voters are to be told next who leads
    sync_ms: int = NEVER_MS  # when what was appended is to be synced
    is_resigning: bool = False


@dataclass(slots=True)
class Follower:
    """Fetches from the leader. A voter that gets no answer for the fetch timeout looks for another."""

    epoch: int
    leader: Node
    fetch_deadline_ms: int
    voted: ReplicaKey | None = None
    has_fetched: bool = False  # from this leader, so that we say no to whoever would replace it
    snapshot: "FetchingSnapshot | None" = None
    has_resigned: bool = False  # the leader: what it still answers does not make it one again
    has_told: bool = False  # the leader where we are: once, while the log does not say it (kraft.version 0)
    update_voter_ms: int = 0  # when to look next whether the set of voters says of us what is true


@dataclass(slots=True)
class FetchingSnapshot:
    """A snapshot that comes piece by piece."""

    snapshot_id: OffsetAndEpoch
    position: int = 0


@dataclass(slots=True)
class Resigned:
    """Led in this epoch, and does not any more, nor votes in it: it tells the voters, and waits for another."""

    epoch: int
    election_deadline_ms: int
    unacknowledged: set[int]
    successors: tuple[ReplicaKey, ...] = ()


State = Unattached | Prospective | Candidate | Leader | Follower | Resigned
