"""One replica's part in the quorum: its state, and the transitions, each of which is on the disk before it is heard of.

This is what the parts of the machine share. They change the state by `become_*` alone: those write `quorum-state` if
what it says has changed, ahead of whatever the part answers or sends afterwards, and tell of a new leader.

Always true: the epoch never falls and is not below the log's last; in an epoch at most one vote is given, and a leader
once known stays the leader; the high watermark never falls.
"""

from collections.abc import Callable

from ottla.cluster.raft.config import Identity, QuorumConfig
from ottla.cluster.raft.connections import Connections
from ottla.cluster.raft.control import KRaftVersionAt, VotersAt, voter_changes
from ottla.cluster.raft.durability import Durability
from ottla.cluster.raft.events import BARRIERS, Committed, Effect, LeaderChanged, Persist, Reply, Send
from ottla.cluster.raft.log import OffsetAndEpoch, RaftLog
from ottla.cluster.raft.progress import Progress
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.states import (
    NEVER_MS,
    Ballot,
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    State,
    Unattached,
)
from ottla.cluster.raft.voter_history import BOOTSTRAP_OFFSET, VoterHistory
from ottla.cluster.raft.voters import Node, ReplicaKey, Voter, VoterSet
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode

SCAN_BYTES = 1_048_576  # of the log at a time, when it is searched for voters at the start


class Quorum:
    """Who we are, what we have, what we are in this epoch, and what is to be done about it."""

    def __init__(
        self,
        identity: Identity,
        config: QuorumConfig,
        log: RaftLog,
        *,
        static: VoterSet,
        stored: ElectionState | None,
        draw: Callable[[int], int],
        now_ms: int,
        wall_offset_ms: int = 0,
    ) -> None:
        """A replica that starts. `stored` is what `quorum-state` says; `draw(n)` is a random number below n.

        Times are monotonic; `wall_offset_ms` makes one that others read out of them.
        """
        self.wall_offset_ms = wall_offset_ms
        self.identity, self.config, self.log, self.draw = identity, config, log, draw
        self.key = identity.key
        self.history = VoterHistory(static)
        self.connections = Connections(config.request_timeout_ms, config.retry_backoff_ms)
        self.durability = Durability(log.start_offset)
        self.effects: list[Effect] = []
        self.shutdown_until_ms: int | None = None
        self._load_voters()
        self.stored = stored or ElectionState()
        self._told = LeaderChanged(None, -1)
        self.state: State = self._first_state(self.stored, now_ms)
        self.enter(self.state)

    def _first_state(self, stored: ElectionState, now_ms: int) -> State:
        """What we were when we stopped, as far as that is safe."""
        deadline_ms = self.election_deadline(now_ms)
        if stored.epoch < self.log.last_epoch:
            return Unattached(self.log.last_epoch, deadline_ms)
        if stored.leader_id == self.key.node_id:
            # What we led may have lost records that were not synced: offsets of this epoch must not be given again.
            # Whether we vote or not: it ends the epoch for us. Who votes alone has nobody to wait for.
            deadline_ms = now_ms + (0 if self.voters.is_only_voter(self.key) else self.election_timeout_ms())
            return Resigned(stored.epoch, deadline_ms, set(self.voters.ids) - {self.key.node_id})
        if stored.leader_id is not None:
            node = self.node_of(stored.leader_id)
            if node is not None:
                due_ms = now_ms + self.config.fetch_timeout_ms
                return Follower(stored.epoch, node, due_ms, stored.voted, update_voter_ms=due_ms)
        # A candidate does not ask again in its epoch: votes were given for a log that may have been longer.
        return Unattached(stored.epoch, deadline_ms, stored.voted, stored.leader_id)

    # What there is

    @property
    def voters(self) -> VoterSet:
        """Who votes."""
        return self.history.voters

    @property
    def is_voter(self) -> bool:
        """Whether we do."""
        return self.voters.is_voter(self.key)

    @property
    def epoch(self) -> int:
        """The epoch that we are in."""
        return self.state.epoch

    @property
    def end(self) -> OffsetAndEpoch:
        """The end of our log."""
        return OffsetAndEpoch(self.log.end_offset, self.log.last_epoch)

    @property
    def leader_id(self) -> int | None:
        """Who leads in our epoch, as far as we know."""
        return self.election().leader_id

    @property
    def leader_node(self) -> Node | None:
        """Where the leader is."""
        if isinstance(self.state, Leader | Resigned):
            return self.own_node()
        return self.state.leader if isinstance(self.state, Follower | Prospective) else None

    @property
    def has_barrier(self) -> bool:
        """Whether an effect stands that nothing may overtake that looks at the log."""
        return any(isinstance(effect, BARRIERS[1:]) for effect in self.effects)

    def own_voter(self) -> Voter:
        """What the set of voters should say of us."""
        return Voter(self.key, self.identity.endpoints, self.identity.kraft_versions)

    def own_node(self) -> Node | None:
        """Where we are reached ourselves."""
        for name, host, port in self.identity.endpoints:
            if name == self.identity.listener_name:
                return Node(self.key.node_id, host, port)
        return self.node_of(self.key.node_id)

    def node_of(self, voter_id: int) -> Node | None:
        """Where a voter is."""
        voter = self.voters.get(voter_id)
        return voter.node(self.identity.listener_name) if voter else None

    def election(self) -> ElectionState:
        """What `quorum-state` has to say about the state."""
        match self.state:
            case Unattached(epoch=epoch, voted=voted, leader_id=leader_id):
                return ElectionState(epoch, leader_id, voted)
            case Prospective(epoch=epoch, voted=voted, leader=leader):
                return ElectionState(epoch, leader and leader.node_id, voted)
            case Candidate(epoch=epoch):
                return ElectionState(epoch, None, self.key)
            case Follower(epoch=epoch, voted=voted, leader=leader):
                return ElectionState(epoch, leader.node_id, voted)
            case Leader(epoch=epoch) | Resigned(epoch=epoch):
                return ElectionState(epoch, self.key.node_id)

    def election_deadline(self, now_ms: int) -> int:
        """Until when an election, or the wait for one, takes; observers wait for ever."""
        if not self.is_voter:
            return NEVER_MS
        return now_ms + self.election_timeout_ms()

    def election_timeout_ms(self) -> int:
        """Between one and two timeouts, drawn anew each time."""
        timeout_ms = self.config.election_timeout_ms
        return timeout_ms + (self.draw(timeout_ms) if timeout_ms else 0)

    def refusal(self, epoch: int) -> ErrorCode:
        """Why a request to the leader of this epoch is not for us; NONE if it is."""
        if epoch < self.epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if epoch > self.epoch:
            return ErrorCode.UNKNOWN_LEADER_EPOCH
        if not isinstance(self.state, Leader):
            return ErrorCode.NOT_LEADER_OR_FOLLOWER
        return ErrorCode.NONE if self.shutdown_until_ms is None else ErrorCode.BROKER_NOT_AVAILABLE

    # What to do

    def persist(self) -> None:
        """Write `quorum-state` if it says something else now."""
        election = self.election()
        if election == self.stored:
            return
        self.stored = election
        at = len(self.effects)
        while at and isinstance(self.effects[at - 1], LeaderChanged):
            at -= 1
        if at and isinstance(self.effects[at - 1], Persist):
            del self.effects[at - 1]  # nobody has heard of that yet: one write does for both
            at -= 1
        self.effects.insert(at, Persist(election, min(self.history.kraft_version, 1)))

    def enter(self, state: State) -> None:
        """Be in this state: durably, and known to our own state machine."""
        self.state = state
        self.persist()
        leader = LeaderChanged(self.leader_id if not isinstance(state, Resigned) else None, state.epoch)
        if leader != self._told:
            self._told = leader
            self.effects.append(leader)

    def send(self, node: Node, request: Message, now_ms: int) -> None:
        """Ask somebody."""
        self.effects.append(Send(node, self.connections.sent(node, request, now_ms), request))

    def reply(self, token: object, response: Message) -> None:
        """Answer somebody."""
        self.effects.append(Reply(token, response))

    def advance_high_watermark(self, offset: int) -> None:
        """Everything below this offset is committed, as far as we have it."""
        offset = min(offset, self.log.end_offset)
        if offset > self.log.high_watermark:
            self.log.update_high_watermark(offset)
            self.effects.append(Committed(offset))

    # Transitions

    def become_unattached(self, epoch: int, now_ms: int, leader_id: int | None = None) -> None:
        """A later epoch is known of, without a leader that we can reach; or this one's election came to nothing."""
        assert epoch >= self.epoch
        deadline_ms = self.election_deadline(now_ms)
        state, voted = self.state, None
        # Whoever waits for an election does not wait longer because others try before him.
        if isinstance(state, Unattached | Candidate | Resigned) or (
            isinstance(state, Prospective) and not state.ballot.is_lost and now_ms < state.election_deadline_ms
        ):
            deadline_ms = state.election_deadline_ms if state.election_deadline_ms > now_ms else deadline_ms
        if epoch == self.epoch:
            voted = self.election().voted
            leader_id = leader_id if self.leader_id is None else self.leader_id
        if epoch > self.epoch:
            self.connections.reset()
        self.enter(Unattached(epoch, deadline_ms, voted, leader_id))

    def become_voted(self, candidate: ReplicaKey, now_ms: int) -> None:
        """Our vote in this epoch is given."""
        state = self.state
        assert isinstance(state, Unattached | Prospective)
        assert state.voted is None, f"{self.key} has voted for {state.voted} in {state.epoch}"
        if isinstance(state, Prospective):
            state.voted = candidate
            self.enter(state)
        else:
            self.enter(Unattached(state.epoch, self.election_deadline(now_ms), candidate, state.leader_id))

    def become_prospective(self, now_ms: int) -> None:
        """Ask whether we could win."""
        assert self.is_voter
        state = self.state
        leader = state.leader if isinstance(state, Follower) else None
        ballot = Ballot(self.voters, {self.key.node_id})
        self.enter(Prospective(self.epoch, self.election_deadline(now_ms), ballot, self.election().voted, leader))
        self.connections.reset()

    def become_candidate(self, now_ms: int) -> None:
        """Begin an epoch, and vote for ourselves in it."""
        assert self.is_voter
        assert isinstance(self.state, Prospective)
        ballot = Ballot(self.voters, {self.key.node_id})
        self.enter(Candidate(self.epoch + 1, self.election_deadline(now_ms), ballot))
        self.connections.reset()

    def become_leader(self, now_ms: int) -> Leader:
        """We are elected."""
        assert isinstance(self.state, Candidate)
        assert self.state.ballot.is_won
        progress = Progress(self.key, self.voters, self.log.end_offset, self.config.fetch_timeout_ms, now_ms)
        leader = Leader(self.epoch, progress)
        self.state = leader
        self.connections.reset()
        return leader

    def become_follower(self, epoch: int, leader: Node, now_ms: int) -> None:
        """Somebody leads."""
        assert epoch >= self.epoch
        assert leader.node_id != self.key.node_id
        assert epoch > self.epoch or not isinstance(self.state, Leader | Resigned)
        voted = self.election().voted if epoch == self.epoch else None
        timeout_ms = self.config.fetch_timeout_ms
        self.enter(Follower(epoch, leader, now_ms + timeout_ms, voted, update_voter_ms=now_ms + timeout_ms))
        self.connections.reset()

    def become_resigned(self, now_ms: int) -> None:
        """Lead no more in this epoch."""
        assert isinstance(self.state, Leader)
        others = set(self.voters.ids) - {self.key.node_id}
        deadline_ms = now_ms + self.election_timeout_ms()
        self.enter(Resigned(self.epoch, deadline_ms, others, self.state.progress.successors()))
        self.connections.reset()

    # Voters

    def _load_voters(self) -> None:
        """Who votes, by the newest snapshot and the log behind it."""
        latest = self.log.latest_snapshot
        offset = self.log.start_offset
        if latest is not None:
            self.load_snapshot_voters(latest)
            offset = max(offset, latest.offset)
        while offset < self.log.end_offset:
            changes, offset = voter_changes(self.log.read(offset, SCAN_BYTES))
            self.history.add(changes)

    def load_snapshot_voters(self, snapshot_id: OffsetAndEpoch) -> None:
        """Begin anew with the voters of a snapshot: they stand in its first batches."""
        head = self.log.read_snapshot(snapshot_id, 0, SCAN_BYTES)
        self.history.load(voter_changes(head)[0], max(snapshot_id.offset - 1, BOOTSTRAP_OFFSET))

    def learn_voters(self, changes: list[VotersAt | KRaftVersionAt]) -> None:
        """What is in the log now may say who votes: that counts at once."""
        if self.history.add(changes) and isinstance(self.state, Leader):
            self.state.progress.set_voters(self.voters)
