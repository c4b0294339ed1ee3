"""The controllers suite: admins change the cluster through brokers, while controllers die, part and take over.

One to three controllers and one or two brokers, whole nodes each. Admins create topics with names of their own, give
them partitions and settings, delete them, and remember what they were told: what was acknowledged stays so, through
every failover. All the while the state of each controller is sound; at the end, when all is healed, every controller
has the same state, a fresh one that reads snapshot and log comes to it too, and images have the same topics.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from random import Random
from typing import Any

from ottla.broker.node import Node
from ottla.cluster.controller.controller import Controller
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.errors import OttlaError
from ottla.network.channel import Channel, ChannelSettings
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterableConfig,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.protocol.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsRequest_CreatePartitionsTopic,
    CreateTopicsRequest,
    CreateTopicsRequest_CreatableTopic,
    DeleteTopicsRequest,
    DeleteTopicsRequest_DeleteTopicState,
)
from ottla.world.api import Address, World
from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.nemesis import FaultPlan, Nemesis
from tests.simulation.cluster import DATA, KINDS, RESTART_MS, node_settings
from tests.simulation.formatting import CLUSTER_ID, format_if_new
from tests.simulation.suite import Report, Suite, replay
from tests.unit.cluster.controller.office import state_of

SUFFERING_MS = 62_000
HEALED_MS = 90_000  # within which everything that admins want is done, and all controllers agree
QUIET_MS = 12_000  # for brokers to come back, and what goes with it
ADMIN_TIMEOUT_MS = 2_000
HEALED_CHANGES = 25  # of each admin's
ENOUGH = 200  # changes: after that admins are slower, or quiet runs would take a minute
SETTING = "retention.ms"
ADMINS = "admins"
RULES = ("committed", "replayed")


@dataclass(slots=True)
class Wanted:
    """A topic of an admin's: what is certain of it, and what may be."""

    partitions: set[int] = field(default_factory=set)  # numbers that it may have; empty: it may not be there
    settings: set[str | None] = field(default_factory=lambda: {None})
    late: set[str | None] = field(default_factory=set)  # settings that a broker may still be handing on: nobody knows
    may_be_missing: bool = True


class Admin:
    """One that asks for changes, one after the other, and keeps book."""

    def __init__(self, world: World, name: str, bootstrap: list[Address], rng: Random, checks: Counter[str]) -> None:
        self._world, self._name, self._rng, self._checks = world, name, rng, checks
        settings = ChannelSettings(client_id=name, request_timeout_ms=ADMIN_TIMEOUT_MS)
        self._channels = [Channel(world, address, settings) for address in bootstrap]
        self._number = 0
        self.topics: dict[str, Wanted] = {}
        self.gone: set[str] = set()
        self.acknowledged = 0

    async def act(self) -> None:
        """Change something."""
        certain = [name for name, wanted in self.topics.items() if not wanted.may_be_missing]
        kind = self._rng.choice(("create", "create", "grow", "set", "set", "set", "delete")) if certain else "create"
        match kind:
            case "create":
                await self._create()
            case "grow":
                await self._grow(self._rng.choice(certain))
            case "set":
                await self._set(self._rng.choice(certain))
            case _:
                await self._delete(self._rng.choice(certain))

    async def _ask(self, request: Message) -> Any:
        """The answer's only row; None if nobody knows what became of it."""
        try:
            answer = await self._rng.choice(self._channels).request(request)
        except (OttlaError, TimeoutError):
            return None
        rows = next(getattr(answer, each) for each in ("topics", "results", "responses") if hasattr(answer, each))
        (row,) = rows
        if row.error_code in (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_CONTROLLER, ErrorCode.UNKNOWN_SERVER_ERROR):
            return None
        self.acknowledged += row.error_code == ErrorCode.NONE
        return row

    async def _create(self) -> None:
        self._number += 1
        name, partitions = f"{self._name}-{self._number}", self._rng.randint(1, 3)
        wanted = self.topics[name] = Wanted({partitions})
        topic = CreateTopicsRequest_CreatableTopic(name, partitions, 1)
        row = await self._ask(CreateTopicsRequest([topic], ADMIN_TIMEOUT_MS))
        wanted.may_be_missing = row is None or row.error_code != ErrorCode.NONE

    async def _grow(self, name: str) -> None:
        wanted = self.topics[name]
        count = max(wanted.partitions) + 1
        wanted.partitions.add(count)
        topic = CreatePartitionsRequest_CreatePartitionsTopic(name, count, None)
        row = await self._ask(CreatePartitionsRequest([topic], ADMIN_TIMEOUT_MS))
        if row is not None and row.error_code == ErrorCode.NONE:
            wanted.partitions = {count}

    async def _set(self, name: str) -> None:
        wanted, value = self.topics[name], str(self._rng.randint(1, 10**9))
        wanted.settings.add(value)
        change = IncrementalAlterConfigsRequest_AlterableConfig(SETTING, 0, value)
        resource = IncrementalAlterConfigsRequest_AlterConfigsResource(2, name, [change])
        row = await self._ask(IncrementalAlterConfigsRequest([resource]))
        if row is not None and row.error_code == ErrorCode.NONE:
            wanted.settings = {value, *wanted.late}
        else:  # as in Kafka, the broker goes on trying for a minute, and may be behind what is asked for next
            wanted.late.add(value)

    async def _delete(self, name: str) -> None:
        self.topics[name].may_be_missing = True
        topic = DeleteTopicsRequest_DeleteTopicState(name)
        row = await self._ask(DeleteTopicsRequest([topic], timeout_ms=ADMIN_TIMEOUT_MS))
        if row is not None and row.error_code in (ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION):
            self.gone.add(name)
            del self.topics[name]

    def judge(self, controller: Controller) -> None:
        """What was acknowledged is so."""
        for name in self.gone:
            assert controller.table.topic(name) is None, f"{name} was deleted, and is there"
            self._checks["deleted"] += 1
        for name, wanted in self.topics.items():
            topic = controller.table.topic(name)
            if topic is None:
                assert wanted.may_be_missing, f"{name} was created, and is not there"
                continue
            assert len(topic.partitions) in wanted.partitions, f"{name}: {len(topic.partitions)} {wanted}"
            value = controller.configs.of((2, name)).get(SETTING)
            assert value in wanted.settings, f"{name}: {value} {wanted}"
            self._checks["kept"] += 1


class Story:
    """One run."""

    def __init__(self, seed: int, show: Callable[[str], object] | None, broken: str) -> None:
        self.simulation = Simulation(seed, show=show, replay=replay(SUITE_NAME, seed))
        self.checks: Counter[str] = Counter()
        self._broken, rng = broken, self.simulation.rng("shape")
        controllers = rng.choice((1, 3, 3))
        self._settings = node_settings(controllers, rng.randint(1, 2))
        self._admins = rng.randint(6, 10)
        self._pause_ms = rng.choice((100, 200, 300))
        snapshot_bytes = rng.choice((2_000, 20_000, 20_971_520))
        for texts in self._settings.values():
            texts["metadata.log.max.record.bytes.between.snapshots"] = str(snapshot_bytes)
            texts["metadata.max.retention.bytes"] = str(rng.choice((snapshot_bytes, 104_857_600)))
        self._nodes: dict[str, Node] = {}
        self._is_over = False
        self.admins: list[Admin] = []

    def report(self) -> Report:
        """Run it."""
        outcome = self.simulation.run(self._scenario)
        acknowledged = sum(admin.acknowledged for admin in self.admins)
        return Report(outcome.hash, outcome.virtual_ms, acknowledged, self.simulation.struck, self.checks)

    async def _scenario(self, world: SimulatedWorld) -> None:
        simulation = self.simulation
        for name, texts in self._settings.items():
            simulation.start(name, partial(self._serve, name, texts))
        simulation.start(ADMINS, self._administer)
        plan = FaultPlan.draw(simulation.rng("plan"), KINDS)
        simulation.note("scenario", "plan", f"{len(self._settings)} nodes, {plan}")
        nemesis = Nemesis(simulation, plan, list(self._settings), kinds=KINDS, directories=(DATA,))
        await nemesis.run(world, SUFFERING_MS)
        simulation.note("scenario", "healed", "")
        self._is_over = True
        await world.timeout(HEALED_MS, simulation.ended(ADMINS))
        await world.clock.sleep(QUIET_MS)
        await world.timeout(HEALED_MS, self._agree(world))

    # The nodes

    async def _serve(self, name: str, texts: dict[str, str], world: SimulatedWorld) -> None:
        def report(what: str, error: BaseException) -> None:
            if not isinstance(error, OttlaError):
                world.loop.fail(error, what)

        while True:  # as under a supervisor
            try:
                format_if_new(world, texts)
                node = Node(world, texts, report)
                await node.start()
                self._nodes[name] = node
                if node.controller is not None:
                    break_rule(node.controller.office, self._broken)
                    world.spawn(self._look(world, node), "look")
                try:
                    await node.failure
                finally:
                    await node.stop()
            except OttlaError as error:
                self.simulation.note(name, "down", f"{type(error).__name__}: {error}")
            await world.clock.sleep(RESTART_MS)

    async def _look(self, world: World, node: Node) -> None:
        """The state of a controller is sound at any time."""
        while not node.failure.done():
            assert node.controller is not None
            node.controller.controller.check()
            self.checks["sound"] += 1
            await world.clock.sleep(1_000)

    # The admins

    async def _administer(self, world: SimulatedWorld) -> None:
        bootstrap = [Address(name, 9092) for name, texts in self._settings.items() if "PLAINTEXT" in texts["listeners"]]
        async with world.group() as group:
            for number in range(self._admins):
                rng = Random(f"{self.simulation.seed}/admin/{number}")
                admin = Admin(world, f"a{number}", bootstrap, rng, self.checks)
                self.admins.append(admin)
                group.spawn(self._go_on(world, admin), f"admin {number}")

    async def _go_on(self, world: World, admin: Admin) -> None:
        while not self._is_over:
            await admin.act()
            is_enough = sum(each.acknowledged for each in self.admins) > ENOUGH
            await world.clock.sleep(world.rng.randrange(2 * self._pause_ms) * (10 if is_enough else 1))
        before = admin.acknowledged
        while admin.acknowledged < before + HEALED_CHANGES:  # whatever happened before, changes can be made again
            await admin.act()
            await world.clock.sleep(100)
        self.checks["progress"] += 1

    # The end

    async def _agree(self, world: World) -> None:
        """All controllers come to the same state, which is what their logs say, and what was acknowledged."""
        nodes = [node for node in self._nodes.values() if node.controller is not None]
        while not self._is_still(nodes):
            await world.clock.sleep(1)
        states = []
        for node in nodes:
            assert node.controller is not None
            assert node.quorum is not None
            controller = node.controller.controller
            states.append(comparable(controller))
            fresh = comparable(read_anew(node))
            differing = {key: (each, fresh[key]) for key, each in states[-1].items() if fresh[key] != each}
            assert not differing, f"a controller's state is not what its log says: {differing}"
            self.checks["replayed"] += 1
            image = node.quorum.follower.image
            assert {each.name: len(each.partitions) for each in image.topics.by_id.values()} == {
                each.name: len(each.partitions) for each in controller.table.topics.values()
            }, "an image has other topics"
            self.checks["image"] += 1
            for admin in self.admins:
                admin.judge(controller)
        assert all(state == states[0] for state in states), "controllers do not agree"
        self.checks["agreement"] += 1

    def _is_still(self, nodes: list[Node]) -> bool:
        """Whether all have read all, at this moment: heartbeats and idle records go on."""
        ends = set()
        for node in nodes:
            assert node.controller is not None
            assert node.quorum is not None
            raft, office = node.quorum.raft, node.controller.office
            ends |= {raft.end_offset, raft.high_watermark, node.quorum.follower.next_offset}
            ends.add(office.replayed_offset + 1)
        return len(ends) == 1


def comparable(controller: Controller) -> dict[str, Any]:
    """The state, without the offsets of registrations: in a snapshot they all stand at its end."""
    state = state_of(controller)
    state["brokers"] = {
        each.broker_id: replace(each, registered_offset=0, shutdown_offset=0) for each in controller.brokers
    }
    return state


def read_anew(node: Node) -> Controller:
    """A controller that has read a node's snapshot and log."""
    assert node.controller is not None
    assert node.quorum is not None
    controller = Controller(node.layers.static, CLUSTER_ID, Random(0))
    log = node.controller.log
    offset = 0
    if log.start_offset > 0:
        raft_log = node.quorum.raft.log
        latest = raft_log.latest_snapshot
        assert latest is not None
        data = raft_log.read_snapshot(latest, 0, raft_log.snapshot_size(latest) or 0)
        offset = latest.offset
        controller.journal.open_at(offset - 1)
        for versioned in SnapshotReader(memoryview(data)).records():
            controller.replay(versioned.message)
        controller.journal.load_at(offset - 1)
    while offset < log.end_offset:
        piece = log.read(offset, 1_000)
        for at, record in enumerate(piece.records, piece.first_offset):
            controller.journal.begin(at)
            controller.replay(record)
            controller.journal.end()
        offset = piece.next_offset
    return controller


def break_rule(office: Any, rule: str) -> None:
    """Break a rule of the office: answer before the commit; leave records out that others have committed."""
    runtime = office._runtime
    if rule == "committed":
        runtime._commit = lambda: runtime._answers.extend(runtime._deferred.committed(runtime.next_offset))
    elif rule == "replayed":
        survives = runtime._survives

        def skips(record: Message, where: str) -> bool:
            is_skipped = type(record).__name__ == "PartitionRecord" and not runtime.is_leading
            return True if is_skipped else bool(survives(record, where))

        runtime._survives = skips


def scenario(seed: int, show: Callable[[str], object] | None = None, *, broken: str = "") -> Report:
    """Run one seed."""
    return Story(seed, show, broken).report()


SUITE_NAME = "controllers"
CONTROLLERS = Suite(
    SUITE_NAME,
    scenario,
    faults=frozenset(KINDS),
    checkers=frozenset({"sound", "kept", "deleted", "replayed", "image", "agreement", "progress"}),
    mutants={rule: partial(scenario, broken=rule) for rule in RULES},
)
