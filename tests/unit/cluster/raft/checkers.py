"""What must be true of a quorum after every event, whatever happens to its nodes and its network.

Each checker looks at what an event changed, so that its cost follows the event. `Checkers.counts` says how often each
had something to look at: a checker that never had proves nothing.
"""

from collections import Counter
from hashlib import blake2b

from ottla.cluster.raft.events import Committed, Effect, InstallSnapshot, Reply, Truncate
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.states import Leader, Resigned
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.messages.quorum import VoteResponse
from tests.unit.cluster.raft.memory_log import MemoryLog, Stored
from tests.unit.cluster.raft.replica import Replica


def digest(batches: list[Stored], before: bytes = b"") -> bytes:
    """A fingerprint of batches in their order, on top of those before."""
    for batch in batches:
        before = blake2b(before + batch.data, digest_size=16).digest()
    return before


class Checkers:
    """The memory of a whole run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.leaders: dict[int, int] = {}
        self.votes: dict[tuple[ReplicaKey, int], int] = {}
        self.committed: list[Stored] = []  # by whoever said so first
        self.digests: dict[int, bytes] = {0: b""}  # of all that is committed below an offset
        self.written: dict[tuple[int, int], tuple[bytes, OffsetAndEpoch]] = {}
        self._index: dict[int, int] = {0: 0}  # of the batch in `committed` that begins at an offset
        self._epochs: dict[int, int] = {}
        self._watermarks: dict[tuple[int, int], int] = {}
        self._logs: dict[int, OffsetAndEpoch] = {}

    @property
    def committed_offset(self) -> int:
        """Up to where anything was ever committed."""
        return self.committed[-1].next_offset if self.committed else 0

    # While effects are carried out

    def observe(self, replica: Replica, effect: Effect) -> None:
        """An effect, before it is carried out."""
        match effect:
            case Reply(response=VoteResponse() as response):
                self._vote(replica, response, effect)
            case Truncate() | InstallSnapshot():
                self.counts[type(effect).__name__] += 1
                assert not replica.leads, f"leader {replica.node_id} is to lose what is in its log: {effect}"
                if isinstance(effect, InstallSnapshot):
                    self._snapshot(replica, effect.snapshot_id)
            case Committed(offset=offset):
                self._commit(replica, offset)

    def _vote(self, replica: Replica, response: VoteResponse, reply: Reply) -> None:
        partition = response.topics[0].partitions[0]
        request = getattr(reply.token, "request", None)
        if not partition.vote_granted or request is None or request.topics[0].partitions[0].pre_vote:
            return
        self.counts["one vote an epoch"] += 1
        candidate_id = request.topics[0].partitions[0].replica_id
        place = (replica.identity.key, partition.leader_epoch)
        earlier = self.votes.setdefault(place, candidate_id)
        assert earlier == candidate_id, f"{place[0]} votes for {earlier} and {candidate_id} in epoch {place[1]}"

    def _snapshot(self, replica: Replica, snapshot_id: OffsetAndEpoch) -> None:
        self.counts["snapshots agree"] += 1
        data = bytes(replica.log.partial[snapshot_id])
        assert self.digests[snapshot_id.offset] in data, f"snapshot {snapshot_id} is of another log"

    def _commit(self, replica: Replica, offset: int) -> None:
        """What is committed is the same everywhere, and never lost."""
        self.counts["committed agrees"] += 1
        place = (replica.node_id, replica.life)
        assert offset >= self._watermarks.get(place, 0), f"the high watermark of {place} goes back to {offset}"
        log, first = replica.log, max(self._watermarks.get(place, 0), replica.log.start_offset)
        self._watermarks[place] = offset
        for batch in _between(log, first, offset):
            known = self._index.get(batch.base_offset)
            assert known is not None, f"{replica.node_id} commits {batch.base_offset} behind {self.committed_offset}"
            if known < len(self.committed):
                assert self.committed[known] == batch, f"{replica.node_id} commits another batch at {batch.base_offset}"
            else:
                self.digests[batch.next_offset] = digest([batch], self.digests[self.committed_offset])
                self.committed.append(batch)
                self._index[batch.next_offset] = len(self.committed)

    def forget(self, replica: Replica) -> None:
        """Its disk is lost: it is another replica now, that begins anew."""
        self._epochs.pop(replica.node_id, None)
        self._logs.pop(replica.node_id, None)

    # After every event

    def check(self, replica: Replica) -> None:
        """After an event of this replica."""
        machine = replica.machine
        if machine is None:
            return
        machine.check()
        state = machine.state
        assert state.epoch >= self._epochs.get(replica.node_id, 0), f"{replica.node_id} goes back to {state.epoch}"
        self._epochs[replica.node_id] = state.epoch
        if isinstance(state, Leader):
            if self.leaders.get(state.epoch) != replica.node_id:
                self._elected(replica, state.epoch)
        elif isinstance(state, Resigned):
            assert self.leaders.get(state.epoch) == replica.node_id
        self._matching(replica)

    def _elected(self, replica: Replica, epoch: int) -> None:
        self.counts["one leader an epoch"] += 1
        assert epoch not in self.leaders, f"{self.leaders[epoch]} and {replica.node_id} lead in epoch {epoch}"
        self.leaders[epoch] = replica.node_id
        log = replica.log
        assert log.end_offset >= self.committed_offset, f"leader {replica.node_id} lacks what is committed"
        start = log.start_offset
        held = [batch for batch in log.content.batches if batch.next_offset <= self.committed_offset]
        expected = [batch for batch in self.committed if batch.base_offset >= start]
        assert held == expected, f"leader {replica.node_id} of epoch {epoch} has other records than were committed"

    def _matching(self, replica: Replica) -> None:
        """Two logs that have a batch of the same offset and epoch agree in it and in all before it."""
        end = replica.log.content.end
        if self._logs.get(replica.node_id) == end:
            return
        self._logs[replica.node_id] = end
        batches = replica.log.content.batches
        for at in range(len(batches) - 1, -1, -1):
            batch = batches[at]
            before = batches[at - 1] if at else None
            behind = OffsetAndEpoch(before.next_offset, before.epoch) if before else replica.log.content.start
            place = (batch.base_offset, batch.epoch)
            if place in self.written:
                self.counts["logs match"] += 1
                assert self.written[place] == (batch.data, behind), f"{replica.node_id} has another batch at {place}"
                break
            self.written[place] = (batch.data, behind)


def _between(log: MemoryLog, first: int, end: int) -> list[Stored]:
    found = [batch for batch in log.batches_from(first) if first <= batch.base_offset and batch.next_offset <= end]
    assert not found or found[-1].next_offset == end, f"{end} lies inside of a batch"
    return found
