"""One replica in a simulated quorum: its machine, its disk, and what becomes of the machine's effects.

The shell's contract in a few lines: effects in their order, barriers at once, a sync later. A death throws away the
machine, and of the disk what was not synced; the next life begins with what is left.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from random import Random

from ottla.cluster.raft.config import Identity, QuorumConfig
from ottla.cluster.raft.events import (
    Committed,
    Effect,
    Event,
    InstallSnapshot,
    LeaderChanged,
    Persist,
    Reply,
    Send,
    ShutDown,
    Sync,
    Synced,
    Truncate,
    Upgraded,
    WriteSnapshot,
)
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT
from ottla.cluster.raft.machine import Raft
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.states import Leader
from ottla.cluster.raft.voters import Endpoint, Node, ReplicaKey, VoterSet
from ottla.errors import DiskFull
from ottla.protocol.codec.wire import Uuid
from tests.unit.cluster.raft.image import Image
from tests.unit.cluster.raft.memory_log import MemoryLog

LISTENER = "CONTROLLER"
CLUSTER_ID = "simulated-cluster-id-1"
START_MS = 1_000_000


def directory(node_id: int, number: int = 1) -> Uuid:
    """The id of a node's directory; after a disk is lost it has another."""
    return Uuid(bytes([*b"directory", number]) + node_id.to_bytes(6, "big"))


def node_of(node_id: int) -> Node:
    """Where a node is."""
    return Node(node_id, f"node-{node_id}", 9093)


@dataclass(slots=True)
class Pace:
    """How a node's clock and disk run."""

    rate: float = 1.0
    sync_ms: tuple[float, float] = (1, 10)


class Replica:
    """A node."""

    def __init__(
        self,
        node_id: int,
        config: QuorumConfig,
        static: VoterSet,
        rng: Random,
        pace: Pace,
        *,
        bootstrap: Iterable[Node] = (),
    ) -> None:
        endpoint = Endpoint(LISTENER, f"node-{node_id}", 9093)
        self.identity = Identity(
            ReplicaKey(node_id, directory(node_id)), CLUSTER_ID, LISTENER, (endpoint,), bootstrap=tuple(bootstrap)
        )
        self.node_id, self.config, self.static, self.rng, self.pace = node_id, config, static, rng, pace
        self.directories = self.addresses = 1
        self.log = MemoryLog()
        self.file: bytes | None = None
        self.machine: Raft | None = None
        self.life = 0
        self.is_paused = False
        self.image = Image()
        self.wakes_at_ms: float | None = None

    # Time

    def local_ms(self, now_ms: float) -> int:
        """What its clock shows."""
        return int(START_MS + now_ms * self.pace.rate)

    def global_ms(self, local_ms: int) -> float:
        """When its clock will show this."""
        return (local_ms - START_MS + 1) / self.pace.rate

    # Lives

    def start(self, now_ms: float) -> None:
        """Begin with what is on the disk."""
        assert self.machine is None
        stored = None if self.file is None else ElectionState.from_bytes("quorum-state", self.file)
        self.life += 1
        self.load()
        self.machine = Raft(
            self.identity, self.config, self.log,
            static=self.static, stored=stored, draw=self.rng.randrange, now_ms=self.local_ms(now_ms),
        )  # fmt: skip

    def load(self) -> None:
        """The state machine begins with the newest snapshot."""
        offset = max(self.log.snapshots, default=BOOTSTRAP_SNAPSHOT).offset
        data = b"".join(data for snapshot_id, data in self.log.snapshots.items() if 0 < snapshot_id.offset == offset)
        self.image = Image.from_bytes(offset, data)

    def replay(self, end_offset: int) -> None:
        """What is committed is replayed."""
        for batch in self.log.batches_from(self.image.offset):
            if batch.next_offset <= end_offset:
                self.image.replay(batch)

    def crash(self) -> None:
        """Die."""
        assert self.machine is not None
        self.machine, self.is_paused = None, False
        self.log.crash(self.rng.randrange)

    def lose_disk(self) -> None:
        """Come back as another replica, which has promised nothing."""
        if self.machine is not None:
            self.crash()
        self.directories += 1
        self.log, self.file, self.static = MemoryLog(), None, VoterSet()  # formatted anew: it is told the voters
        self.identity = replace(self.identity, key=ReplicaKey(self.node_id, directory(self.node_id, self.directories)))

    def move(self) -> None:
        """Come back at another address."""
        if self.machine is not None:
            self.crash()
        self.addresses += 1
        endpoint = Endpoint(LISTENER, f"node-{self.node_id}.{self.addresses}", 9093)
        self.identity = replace(self.identity, endpoints=(endpoint,))

    @property
    def leads(self) -> bool:
        """Whether it believes so."""
        return self.machine is not None and isinstance(self.machine.state, Leader)


class Shell:
    """Carries out effects; `post(delay_ms, replica, event)` makes an event for this life of a replica later."""

    def __init__(
        self,
        rng: Random,
        post: Callable[[float, Replica, Callable[[], Event]], None],
        transmit: Callable[[Replica, Send], None],
        answer: Callable[[Replica, Reply], None],
    ) -> None:
        self.rng, self.post, self.transmit, self.answer = rng, post, transmit, answer
        self.observe: Callable[[Replica, Effect], None] = lambda replica, effect: None
        self.replayed: Callable[[Replica], None] = lambda replica: None
        self.dies_before_barrier: Callable[[Replica], bool] = lambda replica: False

    def step(self, replica: Replica, event: Event, now_ms: float) -> None:
        """One event, and all that follows from it at once. A disk that is full is the end of this life."""
        try:
            self._step(replica, event, now_ms)
        except DiskFull:
            replica.crash()

    def _step(self, replica: Replica, event: Event, now_ms: float) -> None:
        assert replica.machine is not None
        effects = replica.machine.step(event, replica.local_ms(now_ms))
        for effect in effects:
            if isinstance(effect, Persist | Truncate | InstallSnapshot) and self.dies_before_barrier(replica):
                replica.crash()
                return
            self.observe(replica, effect)
            self._carry_out(replica, effect)

    def _carry_out(self, replica: Replica, effect: Effect) -> None:
        match effect:
            case Persist(state=state, version=version):
                replica.log.need_room()
                replica.file = state.to_bytes(version, tuple(replica.static.ids))
            case Truncate(offset=offset):
                replica.log.truncate(offset)
            case Sync(offset=offset):
                mark = replica.log.changes

                def done() -> Event:
                    replica.log.sync(mark)
                    return Synced(offset)

                self.post(self.rng.uniform(*replica.pace.sync_ms), replica, done)
            case Send():
                self.transmit(replica, effect)
            case Reply():
                self.answer(replica, effect)
            case WriteSnapshot(snapshot_id=snapshot_id, position=position, data=data):
                replica.log.write_snapshot(snapshot_id, position, data)
            case InstallSnapshot(snapshot_id=snapshot_id):
                replica.log.install_snapshot(snapshot_id)
                replica.load()
            case Committed(offset=offset):
                replica.replay(offset)
                self.replayed(replica)
            case LeaderChanged() | ShutDown() | Upgraded():
                pass
