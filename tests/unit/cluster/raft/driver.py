"""A quorum in one process, from one seed: voters and observers, a bad network, bad disks, bad clocks, and then peace.

The seed draws the shape of the run (nodes, sizes, which faults there are at all) and everything in it. While it
suffers, messages are late, lost or doubled, nodes are cut off, paused and killed, and come back with what their disks
kept; checkers look after every event. Then all faults end, and within `HEALING_MS` a leader must be there, and commit
a record on every node (liveness). Times are virtual milliseconds; nothing waits.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from random import Random

from ottla.cluster.raft.config import QuorumConfig
from ottla.cluster.raft.control import control_batch
from ottla.cluster.raft.events import (
    Append,
    Effect,
    Event,
    Received,
    Reply,
    Responded,
    Send,
    SnapshotTaken,
    Tick,
    Unanswered,
)
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.voters import Node, ReplicaKey, VersionRange, VoterSet, static_voters
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.connection import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    ApiVersionsResponse_SupportedFeatureKey,
)
from ottla.protocol.messages.control_records import KRaftVersionRecord
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from tests.unit.cluster.raft.checkers import Checkers
from tests.unit.cluster.raft.nemesis import Nemesis
from tests.unit.cluster.raft.replica import LISTENER, Pace, Replica, Shell, directory, node_of
from tests.unit.cluster.raft.shape import ALL_AT_ONCE_BYTES, BATCH_BY_BATCH_BYTES, Shape
from tests.unit.cluster.raft.voter_changes import VoterChanges
from tests.unit.cluster.raft.words import said

HEALING_MS = 20_000
EVENTS_MAX = 400_000
KEYS = 8  # that clients write


@dataclass(frozen=True, slots=True)
class Token:
    """Whom to answer."""

    source: Replica
    life: int
    correlation_id: int
    request: Message


class Cluster:
    """The run."""

    def __init__(self, seed: int, shape: Shape | None = None) -> None:
        self.rng = Random(seed)
        self.shape = shape or Shape.drawn(self.rng)
        self.now_ms = 0.0
        self.checkers = Checkers()
        self.faults: Counter[str] = Counter()
        self.show: Callable[[str], object] | None = None  # gets a line for each effect
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = self._appended = 0
        self.cuts: set[tuple[int, int]] = set()
        self.suffers = True
        self.changes, self.nemesis = VoterChanges(self), Nemesis(self)
        self.shell = Shell(self.rng, self._post, self._transmit, self._answer)
        self.shell.observe = self._observe
        self.shell.replayed = self.checkers.replayed
        self.shell.dies_before_barrier = self.nemesis.dies_before_barrier
        ids = range(1, self.shape.voters + 1)
        self.static: VoterSet = static_voters(map(node_of, ids), LISTENER)
        every = range(1, self.shape.voters + self.shape.observers + 1)  # of them any may vote one day
        self._bootstrap = [Node(-1 - node_id, *node_of(node_id)[1:]) for node_id in every]
        self.replicas = {node_id: self._replica(node_id) for node_id in every}
        self.checkers.replicas = self.replicas.values()

    def _replica(self, node_id: int) -> Replica:
        rng, shape = self.rng, self.shape
        sizes = (BATCH_BY_BATCH_BYTES, 300) if "figure-8" in shape.faults else shape.fetch_max_bytes
        config = QuorumConfig(
            election_timeout_ms=shape.election_timeout_ms,
            fetch_timeout_ms=shape.fetch_timeout_ms,
            fetch_max_bytes=rng.choice(sizes),
            fetch_snapshot_max_bytes=rng.choice((64, 1_048_576)),
            auto_join=shape.auto_join,
        )
        pace = Pace(1 + rng.uniform(-shape.clock_skew, shape.clock_skew), rng.choice(((0.1, 3), (1, 10), (1, 800))))
        static = VoterSet() if self.shape.kraft_version else self.static
        replica = Replica(node_id, config, static, rng, pace, bootstrap=self._bootstrap)
        if self.shape.kraft_version and node_id <= self.shape.voters:
            replica.log.snapshots[BOOTSTRAP_SNAPSHOT] = bytes(control_batch(self._first_voters(), 0, 0, 0))
        return replica

    def _first_voters(self) -> list[Message]:
        """What `format` writes: who votes at the start."""
        keys = {node_id: ReplicaKey(node_id, directory(node_id)) for node_id in self.static.ids}
        voters = (replace(voter, kraft_versions=VersionRange(0, 1)) for voter in self.static.with_directories(keys))
        return [KRaftVersionRecord(0, 1), VoterSet(voters).to_record()]

    # The run

    def run(self) -> None:
        """Suffer, heal, and be well."""
        for replica in self.replicas.values():
            self.start(replica)
        self.at(self.shape.fault_every_ms, self.nemesis.strike)
        self.at(self.shape.append_every_ms, self.give_records)
        if self.shape.kraft_version or self.shape.upgrades:
            self.at(5_000, self.changes.change)
        if self.shape.snapshots:
            self.at(3_000, self._snapshot)
        self.run_until(self.shape.suffering_ms)
        self.heal()
        self.run_until(self.now_ms + HEALING_MS, self._is_well)
        assert self._is_well(), f"not well {HEALING_MS} ms after all faults ended: {self.state()}"
        self.checkers.finish()

    def run_until(self, end_ms: float, is_over: Callable[[], bool] = lambda: False) -> None:
        """Go on until then, or until it is over."""
        for _ in range(EVENTS_MAX):
            if not self._queue or self._queue[0][0] > end_ms or is_over():
                break
            self.now_ms, _, action = heappop(self._queue)
            action()
        else:
            raise AssertionError(f"{EVENTS_MAX} events, and it is only {self.now_ms} ms")
        self.now_ms = max(self.now_ms, end_ms) if not is_over() else self.now_ms

    def at(self, delay_ms: float, action: Callable[[], None]) -> None:
        """Do something later."""
        self._sequence += 1
        heappush(self._queue, (self.now_ms + delay_ms, self._sequence, action))

    def leaders(self) -> list[Replica]:
        """Who believes to lead."""
        return [replica for replica in self.replicas.values() if replica.leads]

    def state(self) -> str:
        """A line of all nodes."""
        return "  ".join(
            f"{replica.node_id}:{type(replica.machine.state).__name__}@{replica.machine.state.epoch}"
            f" {replica.log.high_watermark}/{replica.log.end_offset}"
            if replica.machine
            else f"{replica.node_id}:dead"
            for replica in self.replicas.values()
        )

    def heal(self) -> None:
        """All faults end."""
        self.suffers = False
        self.cuts.clear()
        self.shape = replace(self.shape, loss=0, doubling=0, delay_ms=(0.1, 5))
        for replica in self.replicas.values():
            replica.pace.sync_ms, replica.log.is_full = (0.1, 5), False
            replica.config = replace(replica.config, fetch_max_bytes=ALL_AT_ONCE_BYTES)
            if replica.machine is None:
                self.start(replica)
            assert replica.machine is not None
            replica.is_paused, replica.machine.quorum.config = False, replica.config
            self.arm(replica)
        self._must_commit = self.checkers.committed_offset + 1

    def _is_well(self) -> bool:
        """Whether a leader is there, everybody has its records, and something was committed since."""
        leaders = self.leaders()
        if len(leaders) != 1:
            return False
        leader = leaders[0]
        assert leader.machine is not None
        if leader.log.high_watermark <= self._must_commit or not self.changes.are_done(leader):
            return False
        return all(
            replica.machine is not None
            and replica.machine.state.epoch == leader.machine.state.epoch
            and replica.log.high_watermark >= self._must_commit
            for replica in self.replicas.values()
        )

    def _observe(self, replica: Replica, effect: Effect) -> None:
        if self.show is not None and (line := said(effect)):
            self.show(f"{self.now_ms:10.1f} {'  ' * replica.node_id}{replica.node_id} {line}")
        self.checkers.observe(replica, effect)

    @property
    def fingerprint(self) -> str:
        """The same for the same run."""
        last = self.checkers.images[self.checkers.committed_offset].fingerprint.hex()
        return f"{self._sequence} {last} {self.state()}"

    # Nodes

    def start(self, replica: Replica) -> None:
        replica.start(self.now_ms)
        self.step(replica, Tick())

    def step(self, replica: Replica, event: Event) -> None:
        """An event for a machine, and what follows."""
        life = replica.life
        led = replica.leads
        self.shell.step(replica, event, self.now_ms)
        self.checkers.check(replica)
        self.nemesis.after(replica, led=led)
        if replica.machine is None:
            self._restart_later(replica)
        elif replica.life == life:
            self.arm(replica)

    def arm(self, replica: Replica) -> None:
        """Tick at the deadline."""
        assert replica.machine is not None
        deadline_ms = replica.machine.deadline()
        if deadline_ms is None:
            replica.wakes_at_ms = None
            return
        at_ms = max(self.now_ms + 0.01, replica.global_ms(deadline_ms))
        replica.wakes_at_ms, life = at_ms, replica.life

        def tick() -> None:
            if replica.life == life and replica.wakes_at_ms == at_ms and replica.machine and not replica.is_paused:
                self.step(replica, Tick())

        self.at(at_ms - self.now_ms, tick)

    def _post(self, delay_ms: float, replica: Replica, event: Callable[[], Event]) -> None:
        """An event for this life of a replica, later; a paused node gets it when it goes on."""
        life = replica.life

        def deliver() -> None:
            if replica.life != life or replica.machine is None:
                return
            if replica.is_paused:
                self.at(50, deliver)
            else:
                self.step(replica, event())

        self.at(delay_ms, deliver)

    def crash(self, replica: Replica) -> None:
        """It dies, and comes back later."""
        if replica.machine is not None:
            replica.crash()
            self._restart_later(replica)

    def _restart_later(self, replica: Replica) -> None:
        life = replica.life

        def restart() -> None:
            if replica.machine is None and replica.life == life:
                self.start(replica)

        self.at(self.rng.choice((1, 300, 4_000)), restart)

    # The network

    def _transmit(self, source: Replica, send: Send) -> None:
        target = self._at_address(send.node)
        request = _copied(send.request)
        token = Token(source, source.life, send.correlation_id, request)
        if target is None or self._is_lost(source, target) or target.machine is None:
            self._post(self._delay(), source, lambda: Unanswered(send.correlation_id))
            return
        if isinstance(request, ApiVersionsRequest):  # answered by whoever serves the listener
            feature = ApiVersionsResponse_SupportedFeatureKey("kraft.version", 0, 1)
            response = ApiVersionsResponse(supported_features=[feature])
            self._post(self._delay(), source, lambda: Responded(send.correlation_id, response))
            return
        for _ in range(1 + (self.rng.random() < self.shape.doubling)):
            self._post(self._delay(), target, lambda: Received(request, token))

    def _answer(self, source: Replica, reply: Reply) -> None:
        token = reply.token
        assert isinstance(token, Token)
        if token.life == token.source.life and not self._is_lost(source, token.source):
            response = _copied(reply.response)
            self._post(self._delay(), token.source, lambda: Responded(token.correlation_id, response))

    def _at_address(self, node: Node) -> Replica | None:
        """Who is there: a bootstrap server's name is always right, another address may be one of earlier."""
        for replica in self.replicas.values():
            if node.host == (node_of(replica.node_id).host if node.node_id < 0 else replica.identity.endpoints[0].host):
                return replica
        return None

    def token(self, source: Replica, correlation_id: int, request: Message) -> Token:
        """For a question that somebody outside asks through a replica."""
        return Token(source, source.life, correlation_id, request)

    def _is_lost(self, source: Replica, target: Replica) -> bool:
        return (source.node_id, target.node_id) in self.cuts or self.rng.random() < self.shape.loss

    def _delay(self) -> float:
        return self.rng.uniform(*self.shape.delay_ms)

    # What happens to them

    def give_records(self) -> None:
        """Whoever believes to lead is given a record."""
        self.at(self.rng.uniform(0, 2 * self.shape.append_every_ms), self.give_records)
        for replica in self.replicas.values():
            if replica.leads and not replica.is_paused and replica.machine is not None:
                self._appended += 1
                epoch = replica.machine.state.epoch
                builder = BatchBuilder(BatchFields(replica.log.end_offset, epoch))
                for number in range(self.rng.randint(1, 3)):
                    value = b"%d.%d" % (self._appended, number)
                    builder.append(self._appended, b"key %d" % self.rng.randrange(KEYS), value)
                    self.checkers.submitted.add(value)
                self.step(replica, Append(bytes(builder.build()), epoch))
                self.nemesis.appended(replica)

    def _snapshot(self) -> None:
        """Somebody's state machine writes a snapshot."""
        self.at(self.rng.uniform(0, 4_000), self._snapshot)
        replica = self.rng.choice(list(self.replicas.values()))
        offset = replica.image.offset
        if replica.machine is None or replica.is_paused or offset <= replica.log.start_offset or replica.log.is_full:
            return
        snapshot_id = OffsetAndEpoch(offset, replica.log.records(offset)[-1].epoch)
        if snapshot_id not in replica.log.snapshots:
            history = replica.machine.quorum.history
            version = history.kraft_version_at(offset - 1)
            said = [KRaftVersionRecord(0, version), history.voters_at(offset - 1).to_record()] if version else []
            head = control_batch(said, 0, 0, 0) if said else bytearray()
            body = replica.image.to_bytes(self.rng.randint(0, 500))
            replica.log.take_snapshot(snapshot_id, bytes(head + body), keep=self.rng.random() < 0.3)
            self.faults["snapshot"] += 1
            self.step(replica, SnapshotTaken(snapshot_id))

    def isolate(self, replica: Replica) -> None:
        """Nobody hears of it, nor it of anybody; all others are together."""
        others = self.replicas.keys() - {replica.node_id}
        self.cuts = {(replica.node_id, other) for other in others} | {(other, replica.node_id) for other in others}


def _copied(message: Message) -> Message:
    """As it comes out at the other end of a connection."""
    version = type(message).VERSIONS[-1]
    return type(message).read(message.to_bytes(version), version)
