"""How far every replica is, as the leader knows it: from that come the high watermark, check-quorum, and the lags.

A voter's end offset is the offset that it last fetched from: what lies below is synced there. The leader's own is what
it has synced itself. The offset that a majority of voters has reached is committed, if it lies behind the start of the
leader's epoch: entries of older epochs are committed only along with one of ours (Raft, 5.4.2), or else a later leader
without them could still be elected and take them back.

Always true: the high watermark never falls, not even when a voter set changes; the leader counts itself only if it
votes. Observers that did not fetch for five minutes are forgotten.
"""

from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.voters import ReplicaKey, VoterSet

OBSERVER_SESSION_TIMEOUT_MS: Final = 300_000
OBSERVERS_MAX: Final = 10_000  # then the one that was silent the longest is forgotten
CHECK_QUORUM_FACTOR: Final = 1.5  # of the fetch timeout: the network may take a while too
CAUGHT_UP_WITHIN_MS: Final = 3_600_000  # KIP-853: who is to become a voter has fetched in the last hour


@dataclass(slots=True)
class ReplicaState:
    """One replica; -1 where nothing is known."""

    key: ReplicaKey
    end_offset: int = -1
    last_fetch_ms: int = -1
    last_caught_up_ms: int = -1
    last_fetch_leader_end: int = -1
    has_acknowledged: bool = False  # that we lead: by an answer, or by fetching

    def fetched(self, offset: int, leader_end_offset: int, now_ms: int) -> None:
        """It fetched from this offset. It is caught up as of the fetch before if it now has what there was then."""
        if offset >= leader_end_offset:
            self.last_caught_up_ms = max(self.last_caught_up_ms, now_ms)
        elif 0 < self.last_fetch_leader_end <= offset:
            self.last_caught_up_ms = max(self.last_caught_up_ms, self.last_fetch_ms)
        self.last_fetch_leader_end = leader_end_offset
        self.last_fetch_ms = max(self.last_fetch_ms, now_ms)
        self.end_offset, self.has_acknowledged = offset, True


class Progress:
    """All replicas of one leadership."""

    __slots__ = (
        "_check_quorum_ms", "_check_quorum_timeout_ms", "_fetched", "epoch_start_offset", "high_watermark", "key",
        "observers", "voters",
    )  # fmt: skip

    def __init__(
        self, key: ReplicaKey, voters: VoterSet, epoch_start_offset: int, fetch_timeout_ms: int, now_ms: int
    ) -> None:
        self.key, self.epoch_start_offset = key, epoch_start_offset
        self.high_watermark: int | None = None  # unknown until something of this epoch is committed
        self.voters: dict[int, ReplicaState] = {}
        self.observers: dict[ReplicaKey, ReplicaState] = {}
        self._fetched: set[int] = set()  # voters that fetched since the majority was last seen
        self._check_quorum_timeout_ms = int(fetch_timeout_ms * CHECK_QUORUM_FACTOR)
        self._check_quorum_ms = now_ms + self._check_quorum_timeout_ms
        self.set_voters(voters)

    # Who there is

    def set_voters(self, voters: VoterSet) -> None:
        """The set has changed; what is known of each stays known."""
        former = self.voters
        self.voters = {}
        for voter in voters:
            state = former.pop(voter.key.node_id, None)
            if state is not None and not voter.key.matches(state.key) and state.key.has_directory:
                self.observers[state.key] = state  # another directory: another replica
                state = None
            observed = self.observers.pop(voter.key, None)
            state = state or observed or ReplicaState(voter.key)
            state.key = voter.key
            self.voters[voter.key.node_id] = state
        self.observers.update({state.key: state for state in former.values()})
        self._fetched &= self.voters.keys()

    def replica(self, key: ReplicaKey) -> ReplicaState | None:
        """What is known of a replica."""
        voter = self.voters.get(key.node_id)
        return voter if voter is not None and voter.key.matches(key) else self.observers.get(key)

    @property
    def is_voter(self) -> bool:
        """Whether we vote ourselves: a leader that removed itself leads until that is committed."""
        voter = self.voters.get(self.key.node_id)
        return voter is not None and voter.key.matches(self.key)

    def successors(self) -> tuple[ReplicaKey, ...]:
        """The other voters, the most advanced first."""
        others = [state for state in self.voters.values() if not state.key.matches(self.key)]
        return tuple(state.key for state in sorted(others, key=lambda state: (-state.end_offset, state.key)))

    def is_caught_up(self, key: ReplicaKey, now_ms: int) -> bool:
        """Whether it could vote without holding up the others."""
        state = self.replica(key)
        if state is None or state.last_caught_up_ms < 0:
            return False
        return state.last_fetch_ms > now_ms - CAUGHT_UP_WITHIN_MS

    # What they have

    def fetched(self, key: ReplicaKey, offset: int, leader_end_offset: int, now_ms: int) -> bool:
        """A replica fetched from this offset. True if the high watermark moved."""
        state = self.replica(key)
        if state is None:
            self._forget_observers(now_ms)
            state = self.observers[key] = ReplicaState(key)
        state.fetched(offset, leader_end_offset, now_ms)
        self.heard_from(key, now_ms)
        return self.update_high_watermark()

    def synced(self, offset: int, now_ms: int) -> bool:
        """The leader's own log is safe up to here. True if the high watermark moved."""
        state = self.replica(self.key)
        if state is None:
            state = self.observers[self.key] = ReplicaState(self.key)
        state.end_offset = max(state.end_offset, offset)
        state.last_fetch_ms = state.last_caught_up_ms = now_ms
        state.has_acknowledged = True
        return self.update_high_watermark()

    def update_high_watermark(self) -> bool:
        """What the majority has. True if that is more than was known."""
        offsets = sorted((state.end_offset for state in self.voters.values()), reverse=True)
        reached = offsets[len(offsets) // 2]  # the majority has at least this
        if not self.is_committed_by_count(reached) or reached <= (self.high_watermark or 0):
            return False
        self.high_watermark = reached
        return True

    def is_committed_by_count(self, offset: int) -> bool:
        """Whether an offset that a majority has reached is committed: if an entry of our epoch lies below it."""
        return offset > self.epoch_start_offset

    # Whether they still listen

    def heard_from(self, key: ReplicaKey, now_ms: int) -> None:
        """A voter fetched. When a majority has, the time begins anew."""
        voter = self.voters.get(key.node_id)
        if voter is None or not voter.key.matches(key):
            return
        self._fetched.add(key.node_id)
        if len(self._fetched) >= len(self.voters) // 2 + 1 - self.is_voter:
            self._fetched.clear()
            self._check_quorum_ms = now_ms + self._check_quorum_timeout_ms

    @property
    def check_quorum_ms(self) -> int:
        """When leadership is given up unless a majority is heard from. A single voter needs nobody."""
        return 2**63 - 1 if len(self.voters) == 1 and self.is_voter else self._check_quorum_ms

    def _forget_observers(self, now_ms: int) -> None:
        silent = [
            key for key, state in self.observers.items()
            if key != self.key and now_ms - state.last_fetch_ms >= OBSERVER_SESSION_TIMEOUT_MS
        ]  # fmt: skip
        for key in silent:
            del self.observers[key]
        if len(self.observers) >= OBSERVERS_MAX:
            others = (key for key in self.observers if key != self.key)
            del self.observers[min(others, key=lambda key: self.observers[key].last_fetch_ms)]
