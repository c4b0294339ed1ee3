"""The quorum's machine: Kafka's Raft (KIP-595, 630, 853, 996), as a function of events.

    Received ----> handlers ----+            +--> Persist, Truncate, Sync, ...   to the disk
    Responded ---> handlers ----+--> state --+--> Send, Reply                    to the network
    Synced, Append, Tick -------+     ^  |   +--> LeaderChanged, Committed       to our own state machine
                                      +--+ poll: what the state wants to do now

A step is one event, and then whatever the state that we are in then wants to do at this time: ask, tell, give up. Its
last word is the deadline: when it wants to be asked again, if nothing happens before. A peer's fault is answered with
its code, or ignored; what a peer says of its epoch and leader is looked at first, whatever else it says.

Always true: what `check` asserts. Nothing here waits, has a clock, or knows a socket or a file.
"""

import logging
from collections.abc import Callable

from ottla.cluster.raft import describe, elections, following, leading, messages, telling
from ottla.cluster.raft.config import Identity, QuorumConfig
from ottla.cluster.raft.events import (
    Append,
    Effect,
    Event,
    InstallSnapshot,
    Received,
    Resign,
    Responded,
    ShutDown,
    Shutdown,
    SnapshotTaken,
    Synced,
    Tick,
    Unanswered,
    UpgradeKRaftVersion,
)
from ottla.cluster.raft.log import RaftLog
from ottla.cluster.raft.membership import Membership
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.serving import Serving
from ottla.cluster.raft.states import (
    NEVER_MS,
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    State,
    Unattached,
)
from ottla.cluster.raft.voters import VoterSet
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse_PartitionData
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    BeginQuorumEpochRequest,
    DescribeQuorumRequest,
    EndQuorumEpochRequest,
    FetchSnapshotRequest,
    FetchSnapshotResponse_PartitionSnapshot,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
    VoteRequest,
    VoteResponse,
    VoteResponse_PartitionData,
)

logger = logging.getLogger(__name__)

TRANSITIONS_MAX = 8  # of one step: from Unattached to Leader it takes three


class Raft:
    """One replica of the quorum's log: voter or observer."""

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
        """A replica that starts, with what is on its disk; a first `Tick` sets it going.

        `draw(n)` is a random number below n. Times are monotonic; the wall's are `wall_offset_ms` later.
        """
        self.quorum = Quorum(
            identity, config, log, static=static, stored=stored, draw=draw, now_ms=now_ms, wall_offset_ms=wall_offset_ms
        )
        self.serving = Serving(self.quorum)
        self.membership = Membership(self.quorum)
        self._deadline_ms = now_ms
        self._installs = False

    @property
    def state(self) -> State:
        """What this replica is."""
        return self.quorum.state

    def deadline(self) -> int | None:
        """When a Tick is wanted at the latest."""
        return None if self._deadline_ms >= NEVER_MS else self._deadline_ms

    def step(self, event: Event, now_ms: int) -> list[Effect]:
        """One event; what follows from it, in order."""
        quorum = self.quorum
        if self._installs:
            self._installs = False
            following.snapshot_installed(quorum)
        self._handle(event, now_ms)
        if quorum.has_barrier:
            self._installs = any(isinstance(effect, InstallSnapshot) for effect in quorum.effects)
            self._deadline_ms = now_ms
        else:
            self._deadline_ms = self._poll(now_ms)
        effects, quorum.effects = quorum.effects, []
        return effects

    def check(self) -> None:
        """Assert what is always true."""
        quorum, log = self.quorum, self.quorum.log
        state = quorum.state
        assert quorum.stored == quorum.election(), "quorum-state says something else"
        assert log.start_offset <= log.end_offset
        assert log.high_watermark <= log.end_offset
        assert log.last_epoch <= state.epoch, "the log is ahead of its epoch"
        assert quorum.durability.synced_offset <= log.end_offset
        if isinstance(state, Leader):
            assert log.last_epoch == state.epoch, "a leader's log ends in its epoch"
            assert (state.progress.high_watermark or 0) <= log.high_watermark
        if isinstance(state, Follower):
            assert state.leader.node_id != quorum.key.node_id

    # Events

    def _handle(self, event: Event, now_ms: int) -> None:
        quorum = self.quorum
        match event:
            case Received(request=request, token=token):
                self._receive(request, token, now_ms)
            case Responded(correlation_id=correlation_id, response=response):
                self._respond(correlation_id, response, now_ms)
            case Unanswered(correlation_id=correlation_id):
                asked = quorum.connections.answered(correlation_id)
                if asked is not None:
                    quorum.connections.failed(asked.node, now_ms)
            case Append():
                leading.handle_append(quorum, event, now_ms)
            case Synced():
                quorum.durability.synced(event)
                leading.handle_synced(quorum, now_ms)
            case SnapshotTaken():
                quorum.history.trim(quorum.log.start_offset)
            case Resign(epoch=epoch):
                if isinstance(quorum.state, Leader) and epoch == quorum.epoch:
                    quorum.state.is_resigning = True
            case UpgradeKRaftVersion():
                self.membership.handle_upgrade(event, now_ms)
            case Shutdown(until_ms=until_ms):
                quorum.shutdown_until_ms = until_ms
            case Tick():
                pass

    def _receive(self, request: Message, token: object, now_ms: int) -> None:
        quorum = self.quorum
        match request:
            case VoteRequest():
                elections.handle_vote(quorum, request, token, now_ms)
            case BeginQuorumEpochRequest():
                telling.handle_begin(quorum, request, token, now_ms)
            case EndQuorumEpochRequest():
                telling.handle_end(quorum, request, token, now_ms)
            case FetchRequest():
                self.serving.handle_fetch(request, token, now_ms)
            case FetchSnapshotRequest():
                self.serving.handle_fetch_snapshot(request, token, now_ms)
            case AddRaftVoterRequest():
                self.membership.handle_add(request, token, now_ms)
            case RemoveRaftVoterRequest():
                self.membership.handle_remove(request, token, now_ms)
            case UpdateRaftVoterRequest():
                self.membership.handle_update(request, token, now_ms)
            case DescribeQuorumRequest():
                describe.handle_describe(quorum, request, token, now_ms)
            case _:
                raise AssertionError(f"{type(request).__name__} is not for the quorum")

    def _respond(self, correlation_id: int, response: Message, now_ms: int) -> None:
        """An answer: first what it says of epoch and leader, then what it says of the question."""
        quorum = self.quorum
        asked = quorum.connections.answered(correlation_id)
        if asked is None:
            return
        if not self._take(asked.node.node_id, asked.request, response, now_ms):
            quorum.connections.failed(asked.node, now_ms)

    def _take(self, node_id: int, request: Message, response: Message, now_ms: int) -> bool:
        """Whether the answer is of use; if not, whoever gave it is left alone for a moment."""
        quorum = self.quorum
        if isinstance(response, ApiVersionsResponse):
            return self.membership.handle_versions(node_id, response, now_ms)
        if isinstance(response, AddRaftVoterResponse | RemoveRaftVoterResponse | UpdateRaftVoterResponse):
            return following.handle_voter_response(quorum, response, now_ms)
        if isinstance(response, VoteResponse) and response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            assert isinstance(request, VoteRequest)
            return elections.handle_no_pre_vote(quorum, request, now_ms)
        return self._take_of_partition(node_id, request, response, now_ms)

    def _take_of_partition(self, node_id: int, request: Message, response: Message, now_ms: int) -> bool:
        """First what it says of epoch and leader."""
        quorum, partition = self.quorum, messages.response_partition(response)
        if partition is None:
            logger.warning("An answer without use", extra={"node_id": node_id, "response": type(response).__name__})
            return False
        leader_id, epoch, node = messages.leader_of(response, partition)
        error = partition.error_code
        if epoch < quorum.epoch or error == ErrorCode.UNKNOWN_LEADER_EPOCH:
            return error == ErrorCode.NONE
        if epoch > quorum.epoch or error in (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER):
            is_news = epoch > quorum.epoch
            telling.learn(quorum, leader_id, epoch, node, now_ms)
            following.hear_of_leader(quorum, leader_id, node_id, now_ms)
            return is_news  # in our own epoch, whoever refuses is asked again in a moment
        if not telling.learn(quorum, leader_id, epoch, node, now_ms):
            return False
        if isinstance(request, FetchRequest | FetchSnapshotRequest) and error == ErrorCode.NONE:
            telling.hear_from_leader(quorum, node)
        match request, partition:
            case VoteRequest(), VoteResponse_PartitionData() if error == ErrorCode.NONE:
                assert isinstance(response, VoteResponse)
                return elections.handle_vote_response(quorum, node_id, request, response)
            case FetchRequest(), FetchResponse_PartitionData() if error == ErrorCode.NONE:
                return following.handle_fetch_response(quorum, request, partition, now_ms)
            case FetchSnapshotRequest(), FetchSnapshotResponse_PartitionSnapshot() if error in (
                ErrorCode.NONE,
                ErrorCode.SNAPSHOT_NOT_FOUND,
            ):
                return following.handle_snapshot_response(quorum, partition, now_ms)
            case BeginQuorumEpochRequest(), _ if error == ErrorCode.NONE:
                if isinstance(quorum.state, Leader) and node_id in quorum.state.progress.voters:
                    quorum.state.progress.voters[node_id].has_acknowledged = True
                return True
            case EndQuorumEpochRequest(), _ if error == ErrorCode.NONE:
                if isinstance(quorum.state, Resigned):
                    quorum.state.unacknowledged.discard(node_id)
                return True
        return False

    # What the state wants

    def _poll(self, now_ms: int) -> int:
        """Until it wants nothing more at this time; when it will."""
        quorum = self.quorum
        for _ in range(TRANSITIONS_MAX):
            state = quorum.state
            next_ms = self.membership.poll(now_ms)
            next_ms = min(next_ms, self._poll_state(now_ms), self.serving.poll(now_ms))
            if quorum.state is state:
                break
        if quorum.shutdown_until_ms is not None:
            if now_ms >= quorum.shutdown_until_ms or self._is_handed_over():
                quorum.effects.append(ShutDown())
                return NEVER_MS
            next_ms = min(next_ms, quorum.shutdown_until_ms)
        return next_ms

    def _poll_state(self, now_ms: int) -> int:
        quorum = self.quorum
        match quorum.state:
            case Unattached():
                if not quorum.is_voter:
                    return following.poll_observer(quorum, now_ms)
                return elections.poll_unattached(quorum, now_ms)
            case Prospective():
                return elections.poll_prospective(quorum, now_ms)
            case Candidate():
                return elections.poll_candidate(quorum, now_ms)
            case Leader():
                return leading.poll_leader(quorum, now_ms)
            case Follower():
                return following.poll_follower(quorum, now_ms)
            case Resigned():
                return leading.poll_resigned(quorum, now_ms)

    def _is_handed_over(self) -> bool:
        """Whether nothing is left to be told: a leader tells the voters that it goes."""
        state = self.quorum.state
        return not isinstance(state, Leader) and not (isinstance(state, Resigned) and bool(state.unacknowledged))
