"""One replica by itself, asked and told by a test: its machine, its log, and what it answered last."""

from collections.abc import Sequence
from typing import Any

from ottla.cluster.raft.config import Identity, QuorumConfig
from ottla.cluster.raft.control import control_batch
from ottla.cluster.raft.events import (
    Append,
    Committed,
    Effect,
    Event,
    InstallSnapshot,
    Persist,
    Received,
    Reply,
    Responded,
    Send,
    Sync,
    Synced,
    Tick,
    Truncate,
    WriteSnapshot,
)
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.machine import Raft
from ottla.cluster.raft.messages import fetch_request, vote_response
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.voters import Endpoint, ReplicaKey, VersionRange, Voter, VoterSet, static_voters
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.control_records import KRaftVersionRecord
from ottla.protocol.messages.produce_fetch import FetchRequest
from ottla.protocol.messages.quorum import VoteRequest
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from tests.unit.cluster.raft.memory_log import MemoryLog
from tests.unit.cluster.raft.replica import CLUSTER_ID, LISTENER, directory, node_of

CONFIG = QuorumConfig()


def voter(node_id: int, number: int = 1) -> Voter:
    """A voter of kraft.version 1."""
    endpoints = (Endpoint(LISTENER, f"node-{node_id}", 9093),)
    return Voter(ReplicaKey(node_id, directory(node_id, number)), endpoints, VersionRange(0, 1))


TWO = voter(2).key


class One:
    """Replica 1 of a quorum of `voters`."""

    def __init__(
        self,
        voters: Sequence[int] = (1, 2, 3),
        *,
        kraft_version: int = 0,
        stored: ElectionState | None = None,
        config: QuorumConfig = CONFIG,
        **identity: Any,
    ) -> None:
        self.log, self.now_ms = MemoryLog(), 0
        self.static = static_voters(map(node_of, voters), LISTENER)
        if kraft_version:
            said: list[Message] = [KRaftVersionRecord(0, 1), VoterSet(map(voter, voters)).to_record()]
            self.log.snapshots[BOOTSTRAP_SNAPSHOT] = bytes(control_batch(said, 0, 0, 0))
            self.static = VoterSet()
        self.config = config
        self.begin(stored, **identity)

    def begin(self, stored: ElectionState | None, **identity: Any) -> None:
        """A life of it, which begins with what is in the log."""
        own = voter(1)
        fields = {"endpoints": own.endpoints} | identity
        self.raft = Raft(
            Identity(own.key, CLUSTER_ID, LISTENER, **fields), self.config, self.log,
            static=self.static, stored=stored, draw=lambda below: 0, now_ms=self.now_ms,
        )  # fmt: skip
        self.sent: list[Send] = []
        self.effects: list[Effect] = []
        self.step(Tick())

    def step(self, event: Event) -> list[Effect]:
        """One event; syncs are done at once."""
        effects = self.raft.step(event, self.now_ms)
        self.effects = list(effects)
        for effect in effects:
            self._carry_out(effect)
            self.raft.check()
        return self.effects

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case Sync(offset=offset):
                self.log.sync(self.log.changes)
                first = self.effects
                self.effects = first + self.step(Synced(offset))
            case Truncate(offset=offset):
                self.log.truncate(offset)
            case WriteSnapshot(snapshot_id=snapshot_id, position=position, data=data):
                self.log.write_snapshot(snapshot_id, position, data)
            case InstallSnapshot(snapshot_id=snapshot_id):
                self.log.install_snapshot(snapshot_id)
            case Send():
                self.sent.append(effect)
            case Persist() | Reply() | Committed():
                pass

    def elapse(self, ms: int) -> list[Effect]:
        """So much later it is woken."""
        self.now_ms += ms
        return self.step(Tick())

    def ask(self, request: Message) -> Message:
        """What it answers, at once."""
        replies = self._replies(request)
        assert len(replies) == 1, f"{request} is answered by {replies}"
        return replies[0].response

    def park(self, request: Message) -> None:
        """It is not answered yet."""
        assert not self._replies(request)

    def _replies(self, request: Message) -> list[Reply]:
        effects = self.step(Received(request, "test"))
        return [effect for effect in effects if isinstance(effect, Reply) and effect.token == "test"]

    def step_fetch(self, offset: int, key: ReplicaKey) -> list[Effect]:
        """A replica fetches from this offset, and may have to wait."""
        state = self.raft.state
        end = OffsetAndEpoch(offset, self.log.last_epoch)
        return self.step(
            Received(fetch_request(CLUSTER_ID, key, state.epoch, end, high_watermark=2**62, max_bytes=1_000), "fetch")
        )

    def respond(self, kind: type[Message], response: Message) -> list[Effect]:
        """The answer to the last request of this kind."""
        send = next(send for send in reversed(self.sent) if isinstance(send.request, kind))
        return self.step(Responded(send.correlation_id, response))

    def elected(self) -> "One":
        """It leads in the next epoch: all others vote for it."""
        self.elapse(CONFIG.election_timeout_ms)
        for _ in range(2):
            for send in [send for send in self.sent if isinstance(send.request, VoteRequest)]:
                self.sent.remove(send)
                vote = send.request
                assert isinstance(vote, VoteRequest)
                epoch = vote.topics[0].partitions[0].replica_epoch
                self.step(
                    Responded(send.correlation_id, vote_response(ErrorCode.NONE, None, epoch, None, is_granted=True))
                )
        return self

    def append(self, *values: str) -> None:
        """Its state machine writes a batch, and the linger passes."""
        builder = BatchBuilder(BatchFields(self.log.end_offset, self.raft.state.epoch))
        for value in values:
            builder.append(0, None, value.encode())
        self.step(Append(bytes(builder.build()), self.raft.state.epoch))
        self.elapse(CONFIG.append_linger_ms)


def state_of(one: One) -> type:
    """What it is."""
    return type(one.raft.state)


def fetch(
    epoch: int, offset: int, last_epoch: int, key: ReplicaKey = TWO, *, high_watermark: int = 2**62
) -> FetchRequest:
    """A fetch by replica 2, or by another."""
    end = OffsetAndEpoch(offset, last_epoch)
    return fetch_request(CLUSTER_ID, key, epoch, end, high_watermark=high_watermark, max_bytes=1000)
