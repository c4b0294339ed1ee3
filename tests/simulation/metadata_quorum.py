"""The metadata suite: whole controllers, with real logs, snapshots, listeners and channels, under everything.

The seed draws how many vote and how many watch, whether voters stand in the log, how soon there are segments and
snapshots and how little of them is kept, and how patient everybody is. A client appends numbered records to whoever
leads; what is committed under the leader that took it is promised. Controllers stop in order now and then, voters come
and go where the log names them, and the nemesis does the rest. At the end everything is healed, the quorum must take
records again, and every node must come to the same image.
"""

from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from ottla.cluster.metadata.image import MetadataImage, Provenance
from ottla.cluster.metadata.loader import Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.cluster.raft.config import MetadataLogConfig, QuorumConfig
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, OffsetAndEpoch
from ottla.cluster.raft.snapshots import PART
from ottla.errors import DiskError, NodeDown, OttlaError
from ottla.protocol.messages.quorum import AddRaftVoterRequest, RemoveRaftVoterRequest
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.record import records_of
from ottla.storage.log_config import LogConfig
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import DISK_FAULTS, NODE_FAULTS
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from ottla.world.simulated.network_faults import NETWORK_FAULTS
from tests.simulation.suite import Report, Suite, replay
from tests.unit.cluster.raft.replica import CLUSTER_ID, LISTENER, directory
from tests.unit.cluster.raft.shells import LOG_DIRECTORY, METADATA, PORT, Controller, Plan, first_record, host, setting

SUFFERING_MS = 65_000
HEALED_MS = 60_000  # within which records must be committed on every node
HEALED_RECORDS = 20
PATIENCE_MS = 4_000
KINDS = {
    name: kind for name, kind in (NODE_FAULTS | DISK_FAULTS | NETWORK_FAULTS).items() if name != "job-death"
}  # nothing here has jobs
RULES = {"sync": "sync", "remember votes": "write_election", "sync snapshots": ""}  # and the call that breaks each


class Watch:
    """What is looked at when one life of a controller is told something."""

    def __init__(self, story: "Story", controller: Controller) -> None:
        self._story, self._controller, self._node_id = story, controller, controller.plan.node_id
        self._next_offset = controller.shell.log.start_offset
        raft = controller.shell.raft
        step = raft.step

        def checked(*event: object) -> object:
            raft.check()
            story.checks["machine"] += 1
            return step(*event)  # type: ignore[arg-type]

        raft.step = checked  # type: ignore[assignment, method-assign]

    def leader_changed(self, leader_id: int | None, epoch: int) -> None:
        """An epoch has one leader, and epochs never go back, not even from one life to the next."""
        story, node_id = self._story, self._node_id
        if self._controller.shell.failure is not None:
            return
        assert epoch >= story.epochs.get(node_id, 0), f"node {node_id} goes back to epoch {epoch}"
        story.epochs[node_id] = epoch
        if leader_id is None:
            return
        story.checks["one leader an epoch"] += 1
        story.simulation.note(host(node_id), "leader", f"{leader_id} in epoch {epoch}")
        known = story.leaders.setdefault(epoch, leader_id)
        assert known == leader_id, f"{known} and {leader_id} lead in epoch {epoch}"
        if leader_id == node_id:
            log = self._controller.shell.log
            assert log.end_offset >= story.committed_offset, f"{node_id} leads without what is committed: {log}"

    def committed(self, offset: int) -> None:
        """What is committed is the same everywhere, and never changes."""
        story, log = self._story, self._controller.shell.log
        self._next_offset = max(self._next_offset, log.start_offset)
        while self._next_offset < offset:
            for batch in batches(memoryview(log.read(self._next_offset, 65_536, offset))):
                story.keep(self._node_id, batch)
                self._next_offset = batch.next_offset

    def snapshot_installed(self, snapshot_id: OffsetAndEpoch) -> None:
        """It stands for what is committed."""
        assert snapshot_id.offset <= self._story.committed_offset, f"{snapshot_id} of more than was committed"
        self._story.checks["snapshot installed"] += 1
        self._next_offset = snapshot_id.offset


class Story:
    """One run: what was promised, and what anybody said to be committed."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        self.leaders: dict[int, int] = {}
        self.epochs: dict[int, int] = {}
        self.batches: dict[int, bytes] = {}  # what is committed, by base offset
        self.committed_offset = 0
        self.promised: dict[int, int] = {}  # the number of the record at an offset
        self._rng, self._broken = self.simulation.rng("shape"), broken
        self._number = 0
        self._draw()
        self._alive: dict[int, Controller] = {}  # those that have started last

    def _draw(self) -> None:
        rng = self._rng
        voters = tuple(range(1, rng.choice((1, 2, 3, 3, 3, 4, 5)) + 1))
        self._nodes = (*voters, *range(11, 11 + rng.choice((0, 0, 1, 2))))
        self._life_ms = rng.choice((7_000, 30_000, 1_000_000))
        self._pause_ms = rng.choice((60, 120, 250))
        self._largest = rng.choice((1, 5, 20))  # records of an append
        timeout_ms = rng.choice((300, 1_000))
        log = LogConfig(
            segment_bytes=rng.choice((12_000, 60_000, 1_000_000)),
            segment_index_bytes=1_200,
            index_interval_bytes=rng.choice((1, 4_096)),
            file_delete_delay_ms=rng.choice((100, 5_000)),
            retention_ms=None,
            local_retention_ms=None,
        )
        quorum = QuorumConfig(
            election_timeout_ms=timeout_ms,
            fetch_timeout_ms=2 * timeout_ms,
            election_backoff_max_ms=timeout_ms,
            append_linger_ms=0,
            fetch_max_bytes=rng.choice((1_000, 1_048_576)),
            fetch_snapshot_max_bytes=rng.choice((500, 1_048_576)),
        )
        metadata = MetadataLogConfig(
            log,
            retention_bytes=rng.choice((10_000, 50_000, 100_000_000)),
            max_bytes_between_snapshots=rng.choice((3_000, 20_000, 20_000_000)),
            max_snapshot_interval_ms=rng.choice((0, 5_000, 3_600_000)),
        )
        self._changes_voters = rng.random() < 0.5
        plan = Plan(0, voters, rng.choice((0, 1)), quorum, metadata, bootstrap=voters)
        self._plans = {node_id: replace(plan, node_id=node_id) for node_id in self._nodes}
        self._kraft_version = plan.kraft_version

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        return Report(outcome.hash, outcome.virtual_ms, len(self.promised), self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        for node_id in self._nodes:
            simulation.start(host(node_id), partial(self._program, node_id), may_fail=True)
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note("scenario", "plan", f"{plan} {self._plans}")
        names = [host(node_id) for node_id in self._nodes]
        nemesis = Nemesis(simulation, plan, names, kinds=KINDS, directories=(LOG_DIRECTORY, METADATA, "/"))
        client = world.spawn(self._write(world), "client")
        await nemesis.run(world, SUFFERING_MS)
        keeper = world.spawn(self._keep_up(world), "supervisor")
        await world.timeout(HEALED_MS, self._must_go_on(world))
        client.cancel()
        keeper.cancel()

    # The nodes

    async def _program(self, node_id: int, world: SimulatedWorld) -> None:
        while True:
            controller = Controller(world, self._plans[node_id], self._watch)
            try:
                await controller.start()
            except DiskError:
                raise
            except Exception as error:
                world.loop.fail(error, f"the start of {node_id}")
                raise
            self._alive[node_id] = controller
            end_ms = world.clock.monotonic_ms() + self._life_ms
            while not controller.failures and not controller.reported and world.clock.monotonic_ms() < end_ms:
                await world.clock.sleep(50)
            del self._alive[node_id]
            for failure in (*controller.failures, *(reported for _, reported in controller.reported)):
                if not isinstance(failure, DiskError):
                    world.loop.fail(failure, f"controller {node_id}")
                raise failure
            await controller.stop()
            self.checks["stop"] += 1

    def _watch(self, controller: Controller) -> None:
        if self._broken:
            _break(self._broken, controller)
        controller.shell.add(Watch(self, controller))

    async def _keep_up(self, world: SimulatedWorld) -> None:
        """Start what a former fault still ends."""
        while True:
            for node_id in self._nodes:
                if not self.simulation.nodes[host(node_id)].is_up:
                    self.simulation.restart(host(node_id))
            await world.clock.sleep(200)

    def keep(self, node_id: int, batch: RecordBatch) -> None:
        """A node says that this is committed."""
        data, known = bytes(batch.view), self.batches.get(batch.base_offset)
        if known is None:
            assert batch.base_offset == self.committed_offset, f"{node_id} has {batch} behind {self.committed_offset}"
            self.batches[batch.base_offset] = data
            self.committed_offset = batch.next_offset
        else:
            assert known == data, f"node {node_id} has another batch at {batch.base_offset} than was committed"
            self.checks["committed agrees"] += 1

    # The client

    async def _write(self, world: SimulatedWorld) -> None:
        while True:
            for node_id in self._rng.sample(self._nodes, len(self._nodes)):
                numbers = [self._number + at for at in range(self._rng.randint(1, self._largest))]
                if self._number % 50 == 49 and self._changes_voters and self._kraft_version:
                    await self._ask(world, node_id, partial(self._change_voters, node_id))
                if await self._ask(world, node_id, partial(self._append, node_id, numbers)):
                    self._number += len(numbers)
                    break
            await world.clock.sleep(self._rng.randrange(2 * self._pause_ms))

    async def _ask(
        self, world: SimulatedWorld, node_id: int, what: Callable[[SimulatedWorld], Coroutine[Any, Any, bool]]
    ) -> bool:
        try:
            return await world.timeout(PATIENCE_MS, self.simulation.call(host(node_id), what))
        except (NodeDown, OttlaError, TimeoutError):
            return False

    async def _append(self, node_id: int, numbers: list[int], world: SimulatedWorld) -> bool:
        """On a node: append, if it leads, and wait until that is committed under it."""
        controller = self._alive.get(node_id)
        if controller is None or controller.world is not world or not controller.shell.is_leader:
            return False
        shell = controller.shell
        epoch = shell.epoch
        if controller.follower.image.features.metadata_version is None:
            shell.append(epoch, shell.end_offset, [first_record()])
        end_offset = shell.append(epoch, shell.end_offset, [setting(number) for number in numbers])
        while shell.high_watermark < end_offset:
            await world.clock.sleep(3)
            if not shell.is_leader or shell.epoch != epoch:
                return False
        first = end_offset - len(numbers)
        self.promised.update({first + at: number for at, number in enumerate(numbers)})
        assert end_offset <= self.committed_offset
        return True

    async def _change_voters(self, node_id: int, world: SimulatedWorld) -> bool:
        """On a node: add a voter that there is, or remove one."""
        controller = self._alive.get(node_id)
        if controller is None or controller.world is not world or not controller.shell.is_leader:
            return False
        ids, rng = list(controller.shell.voters.ids), self._rng
        others = [other for other in self._nodes if other not in ids]
        if others and (len(ids) == 1 or rng.random() < 0.5):
            wanted = rng.choice(others)
            listener = AddRaftVoterRequest.Listener(LISTENER, host(wanted), PORT)
            response = await controller.shell.handle(
                AddRaftVoterRequest(CLUSTER_ID, 1_000, wanted, directory(wanted), [listener])
            )
        else:
            wanted = rng.choice(ids)
            response = await controller.shell.handle(RemoveRaftVoterRequest(CLUSTER_ID, wanted, directory(wanted)))
        error_code: int = response.error_code  # type: ignore[attr-defined]
        self.checks["voters changed"] += error_code == 0
        return error_code == 0

    # The end

    async def _must_go_on(self, world: SimulatedWorld) -> None:
        wanted = len(self.promised) + HEALED_RECORDS
        while len(self.promised) < wanted:
            await world.clock.sleep(100)
        self.checks["progress"] += 1
        while not self._all_reached(self.committed_offset):
            await world.clock.sleep(100)
        self._judge()

    def _all_reached(self, offset: int) -> bool:
        nodes, alive = self.simulation.nodes, self._alive
        return all(
            nodes[host(node_id)].is_up
            and node_id in alive
            and alive[node_id].world is nodes[host(node_id)].life.world
            and alive[node_id].follower.next_offset >= offset
            for node_id in self._nodes
        )

    def _judge(self) -> None:
        """Promises are kept, and every image and snapshot is a replay of what is committed."""
        values = {
            record.offset: record.value
            for data in self.batches.values() if not (batch := RecordBatch(memoryview(data))).is_control
            for record in records_of(batch)
        }  # fmt: skip
        for offset, number in self.promised.items():
            assert values[offset] == setting(number), f"what was promised at {offset} is not there"
        self.checks["promises"] += len(self.promised)
        said: list[tuple[MetadataImage, str]] = []
        for controller in self._alive.values():
            said.append((controller.follower.image, f"the image of {controller.plan.node_id}"))
            self.checks["image agrees"] += 1
            said += self._snapshots(controller)
        self._compare(sorted(said, key=lambda each: each[0].provenance.last_contained_offset))

    def _snapshots(self, controller: Controller) -> Iterator[tuple[MetadataImage, str]]:
        """What is in the newest snapshots of a node."""
        log = controller.shell.log
        for snapshot_id in log.snapshots.ids[-2:]:
            if snapshot_id == BOOTSTRAP_SNAPSHOT:
                continue
            size = log.snapshot_size(snapshot_id)
            assert size is not None
            reader = SnapshotReader(memoryview(log.read_snapshot(snapshot_id, 0, size)))
            assert reader.head.kraft_version == self._kraft_version
            timestamp = reader.head.last_contained_log_timestamp
            place = Provenance(snapshot_id.offset - 1, snapshot_id.epoch, timestamp, is_batch_aligned=True)
            loader = Loader(Publisher())
            loader.load_snapshot(reader.records(), place)
            yield loader.image, f"snapshot {snapshot_id} of {controller.plan.node_id}"
            self.checks["snapshot agrees"] += 1

    def _compare(self, said: list[tuple[MetadataImage, str]]) -> None:
        """All images, in the order of their places, with one replay from the start."""
        loader, waiting = Loader(Publisher()), deque(said)
        for base_offset in sorted(self.batches):
            while waiting and waiting[0][0].provenance.last_contained_offset < base_offset:
                image, what = waiting.popleft()
                loader.publish()
                assert image == loader.image, f"{what} is no replay of the log before {base_offset}"
            loader.load_batch(RecordBatch(memoryview(self.batches[base_offset])))
        loader.publish()
        for image, what in waiting:
            assert image == loader.image, f"{what} is no replay of the log"


def _break(rule: str, controller: Controller) -> None:
    """A controller that does not keep a rule."""
    log = controller.shell.log

    async def at_once(*_: object) -> None:
        """Says that it is done."""

    if rule == "sync snapshots":
        log._world = DeafWorld(log._world)  # type: ignore[assignment]
    else:
        controller.shell.log = Altered(log, {RULES[rule]: at_once})  # type: ignore[assignment]


class Altered:
    """Something of which some attributes are others."""

    def __init__(self, original: object, others: dict[str, object]) -> None:
        self._original = original
        for name, value in others.items():
            setattr(self, name, value)

    def __getattr__(self, name: str) -> object:
        return getattr(self._original, name)


class DeafWorld(Altered):
    """A world whose disk does not sync snapshots before they get their names."""

    def __init__(self, world: Any) -> None:
        def unsynced(path: str, **how: bool) -> object:
            file = world.disk.open(path, **how)
            return Altered(file, {"sync": lambda: None}) if path.endswith(PART) else file

        super().__init__(world, {"disk": Altered(world.disk, {"open": unsynced})})


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "metadata"
METADATA_QUORUM = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset(
        {"machine", "one leader an epoch", "committed agrees", "snapshot installed", "stop", "voters changed",
         "progress", "promises", "image agrees", "snapshot agrees"}
    ),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)  # fmt: skip
