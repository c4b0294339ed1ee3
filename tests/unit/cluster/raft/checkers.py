"""What must be true of a quorum after every event, whatever happens to its nodes and its network.

| checker | what is always true |
| --- | --- |
| one leader an epoch | and it has all that is committed: it takes no snapshot from others, and cuts nothing |
| one vote an epoch | and it is on the disk before anybody hears of it |
| logs match | two logs with a batch of the same offset and epoch agree in it and in all before it |
| committed agrees | what is committed is the same everywhere and never lost; watermarks and epochs never go back |
| held by a majority | what a leader commits is on the disks of a majority of its voters |
| images agree | an image is that of a replay from the start, however it came about (agreement) |
| integrity | what is committed was submitted by a client, and is committed once |
| snapshots agree | a snapshot that is taken over holds the image of its offset |

Each checker looks at what an event changed, so that its cost follows the event. `Checkers.counts` says how often each
had something to look at: a checker that never had proves nothing. Validity and termination are asked for when all
faults have ended (`driver.py`).
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable

from ottla.cluster.raft.events import Committed, Effect, InstallSnapshot, Reply, Truncate
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.states import Leader, Resigned
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.messages.quorum import VoteResponse
from tests.unit.cluster.raft.image import Image, client_records
from tests.unit.cluster.raft.memory_log import Content, MemoryLog, Stored
from tests.unit.cluster.raft.replica import Replica


class Checkers:
    """The memory of a whole run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.leaders: dict[int, int] = {}
        self.votes: dict[tuple[ReplicaKey, int], int] = {}
        self.replicas: Iterable[Replica] = ()  # all that there are, for those who count disks
        self.submitted: set[bytes] = set()  # values that clients gave to whoever seemed to lead
        self.committed: list[Stored] = []  # by whoever said so first
        self.images: dict[int, Image] = {0: Image()}  # of a replay from the start, by the offset behind it
        self._values: set[bytes] = set()  # that are committed
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
        stored = ElectionState.from_bytes("quorum-state", replica.file) if replica.file else ElectionState()
        is_stored = stored.epoch == partition.leader_epoch and stored.voted and stored.voted.node_id == candidate_id
        assert is_stored, f"{place[0]} tells of a vote in epoch {place[1]}, and its disk says {stored}"

    def _snapshot(self, replica: Replica, snapshot_id: OffsetAndEpoch) -> None:
        self.counts["snapshots agree"] += 1
        self._same_image(Image.from_bytes(snapshot_id.offset, replica.log.partial[snapshot_id]), f"{snapshot_id}")

    def _same_image(self, image: Image, whose: str) -> None:
        """Whatever it came of: it is what a replay from the start would be."""
        assert image == self.images.get(image.offset), f"the image of {whose} at {image.offset} is of another log"

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
                self._first_commit(batch)
        if replica.leads:
            self._held(replica, offset)

    def _first_commit(self, batch: Stored) -> None:
        """A batch is committed for the first time: from here on everybody must have it."""
        image = self.images[self.committed_offset].copy()
        image.replay(batch)
        self.images[batch.next_offset] = image
        self.committed.append(batch)
        self._index[batch.next_offset] = len(self.committed)
        for record in client_records(batch.data):
            self.counts["integrity"] += 1
            value = bytes(record.value or b"")
            assert value in self.submitted, f"{value!r} is committed, and no client has asked for it"
            assert value not in self._values, f"{value!r} is committed twice"
            self._values.add(value)

    def _held(self, leader: Replica, offset: int) -> None:
        """A majority has it on its disks, so that no crash loses it. Disks that were lost had it too."""
        assert leader.machine is not None
        self.counts["held by a majority"] += 1
        voters = leader.machine.quorum.voters
        alive = {replica.node_id: replica for replica in self.replicas if voters.is_voter(replica.identity.key)}
        holding = [replica for replica in alive.values() if self._has(replica.log.disk, offset)]
        count = len(holding) + len(voters) - len(alive)
        assert count >= voters.majority, (
            f"leader {leader.node_id} commits {offset}, which {[replica.node_id for replica in holding]} have on disk"
        )

    def _has(self, content: Content, offset: int) -> bool:
        """Whether a disk has what is committed up to here, as a snapshot or in its log."""
        if offset <= content.start.offset:
            return True
        at = bisect_left(content.batches, offset, key=lambda batch: batch.next_offset)
        return at < len(content.batches) and content.batches[at] == self.committed[self._index[offset] - 1]

    def replayed(self, replica: Replica) -> None:
        """Its state machine has replayed what is committed."""
        self.counts["images agree"] += 1
        self._same_image(replica.image, f"{replica.node_id}")

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

    def finish(self) -> None:
        """When all is well: everybody has the same, in log, snapshots and image, byte for byte."""
        for replica in self.replicas:
            log = replica.log
            held, first = log.records(log.high_watermark), log.start_offset
            kept = [batch for batch in self.committed if first < batch.next_offset <= log.high_watermark]
            assert held == kept, f"{replica.node_id} has other records than were committed"
            for snapshot_id, data in log.snapshots.items():
                if snapshot_id != BOOTSTRAP_SNAPSHOT:
                    self._same_image(Image.from_bytes(snapshot_id.offset, data), f"{snapshot_id}")
            assert replica.image.offset == log.high_watermark
            self.replayed(replica)

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
