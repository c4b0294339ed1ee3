"""A controller on a quorum of one, in a simulated world: the real log on a disk, the office, the channel, registration.

A node with all its parts is tested elsewhere; here is what makes a decision into a committed record and an image.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from ottla.broker.context import RequestContext
from ottla.broker.controller_channel import ControllerChannel
from ottla.broker.handlers.controller_table import CONTROLLER_HANDLERS
from ottla.broker.handlers.k01_quorum_fetch import quorum_fetch
from ottla.broker.metadata.features import FinalisedFeatures
from ottla.broker.parts import ControllerParts
from ottla.broker.roles.registration import ControllerRegistration
from ottla.cluster.controller.controller import Controller
from ottla.cluster.controller.office import Office, Snapshot
from ottla.cluster.metadata.bootstrap import bootstrap_records, levels_at
from ottla.cluster.metadata.following import MetadataFollower
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.raft.config import MetadataLogConfig
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.messages import PARTITION, TOPIC, fetch_request
from ottla.cluster.raft.replicated_log import RaftReplicatedLog
from ottla.cluster.raft.shell import RaftShell
from ottla.cluster.raft.voters import ReplicaKey
from ottla.config.layers import read_node
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import BrokerHeartbeatRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse
from ottla.protocol.messages.quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequest_PartitionData,
    DescribeQuorumRequest_TopicData,
    DescribeQuorumResponse,
)
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsRequest_CreatableTopic, CreateTopicsResponse
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.broker.handlers.circumstances import Answers
from tests.unit.broker.test_controller_channel import client, registration
from tests.unit.cluster.controller.office import CLUSTER_ID, STATIC, state_of, uuid
from tests.unit.cluster.raft.shells import LOG_DIRECTORY, Plan, standing

NODE_ID = 1
SETTINGS = {**STATIC, "node.id": "1", "controller.quorum.voters": "1@localhost:9093"}
SMALL_SNAPSHOTS = MetadataLogConfig(max_bytes_between_snapshots=20_000, retention_bytes=1, retention_ms=1)


class NodeOfOne:
    """One life of a node that is a controller, without listeners."""

    def __init__(self, world: SimulatedWorld, plan: Plan) -> None:
        self.world, self.plan = world, plan
        self.reported: list[str] = []
        self.shell: RaftShell
        self.office: Office

    def report(self, what: str, error: BaseException) -> None:
        """Nothing of ours may fail."""
        self.reported.append(f"{what}: {error!r}")

    async def start(self) -> "NodeOfOne":
        """Begin with what is on the disk."""
        world, plan = self.world, self.plan
        channels = Channels(world, ChannelSettings(client_id="1"))
        self.shell = await RaftShell.open(
            world, LOG_DIRECTORY, identity=plan.identity, config=plan.quorum, log_config=plan.log,
            static=standing(plan.voters), channels=channels, failed=lambda error: self.report("quorum", error),
        )  # fmt: skip
        bootstrap = [record.message for record in bootstrap_records(levels_at())]
        self.controller = Controller(SETTINGS, CLUSTER_ID, world.rng, bootstrap=bootstrap)
        self.log = RaftReplicatedLog(self.shell, self.controller.encode)
        self.office = Office(
            world, self.controller, self.log,
            report=self.report, resign=self.shell.resign, open_snapshot=self._snapshot,
        )  # fmt: skip
        publisher = Publisher()
        self.follower = MetadataFollower(
            world, self.shell, publisher, self.report, max_bytes_between_snapshots=plan.log.max_bytes_between_snapshots
        )
        features = FinalisedFeatures(lambda: publisher.image)
        parts = self.parts = ControllerParts(
            world, read_node(SETTINGS), NODE_ID, CLUSTER_ID, features, self.office, self.shell
        )
        self.channel = ControllerChannel(world, NODE_ID, self.shell, channels, CONTROLLER_HANDLERS, here=parts)
        self.registration = ControllerRegistration(
            world, NODE_ID, uuid(99), {"CONTROLLER": EndPoint("one", 9093)}, self.channel.ask
        )
        publisher.add(self.registration)
        self.shell.add(self.office)
        self.shell.add(self.follower)
        self.office.start()
        self.shell.start()
        await self.follower.caught_up()
        return self

    async def _snapshot(self) -> Snapshot | None:
        found = await self.log.snapshot()
        return None if found is None else Snapshot(*found)

    async def stop(self) -> None:
        """Leave nothing behind."""
        self.registration.stop()
        await self.office.stop()
        await self.follower.stop()
        await self.shell.stop(1_000)

    async def create(self, names: Sequence[str], partitions: int = 1) -> CreateTopicsResponse:
        """A client creates topics."""
        topics = [CreateTopicsRequest_CreatableTopic(name, partitions, -1) for name in names]
        response = await self.channel.forward(client(7), CreateTopicsRequest(topics, 5_000))
        assert isinstance(response, CreateTopicsResponse)
        return response

    async def broker(self) -> None:
        """A broker registers, and serves."""
        epoch = (await self.channel.ask(registration())).broker_epoch
        await self.follower.reached(epoch)
        answer = await self.channel.ask(BrokerHeartbeatRequest(1, epoch, self.follower.next_offset - 1))
        assert not answer.is_fenced


def simulated(story: Callable[[SimulatedWorld], Coroutine[Any, Any, None]], seed: int = 1) -> None:
    """Run a story."""
    Simulation(seed).run(story)


def test_a_topic_is_created_on_a_quorum_of_one() -> None:
    """From a client's request over a committed record to the image, with nobody but this node."""

    async def story(world: SimulatedWorld) -> None:
        node = await NodeOfOne(world, Plan(NODE_ID)).start()
        before_ms = world.clock.monotonic_ms()
        await node.broker()
        response = await node.create(["orders"], partitions=3)
        assert [topic.error_code for topic in response.topics] == [ErrorCode.NONE]
        assert world.clock.monotonic_ms() - before_ms < 1_000
        await node.follower.reached(node.shell.high_watermark - 1)
        topic = node.follower.image.topics.named("orders")
        assert topic is not None
        assert len(topic.partitions) == 3
        assert node.registration.is_registered
        await node.stop()
        assert not node.reported

    simulated(story)


def test_a_node_that_starts_again_has_the_state_that_it_had() -> None:
    """State is what the log says: after a stop, or a crash, the controller knows all that it has answered."""

    async def story(world: SimulatedWorld) -> None:
        node = await NodeOfOne(world, Plan(NODE_ID)).start()
        await node.broker()
        await node.create([f"t{number}" for number in range(50)])
        await node.stop()
        before = state_of(node.controller)
        again = await NodeOfOne(world, Plan(NODE_ID)).start()
        while not again.office.is_active:
            await world.clock.sleep(1)
        after = state_of(again.controller)
        for changed in ("controllers",):  # it has registered anew meanwhile, or is about to
            before.pop(changed)
            after.pop(changed)
        assert after == before
        response = await again.create(["t1"])
        assert response.topics[0].error_code == ErrorCode.TOPIC_ALREADY_EXISTS
        await again.stop()
        assert not again.reported

    simulated(story)


def test_state_from_a_snapshot_and_a_tail_is_the_state_that_was() -> None:
    """A controller whose log was cut loads the snapshot and what came behind it."""

    async def story(world: SimulatedWorld) -> None:
        plan = Plan(NODE_ID, log=SMALL_SNAPSHOTS)
        node = await NodeOfOne(world, plan).start()
        await node.broker()
        for turn in range(10):
            await node.create([f"t{turn}-{number}" for number in range(100)])
            await world.clock.sleep(2_000)
        assert node.shell.log.start_offset > 0, "the log was not cut"
        before = state_of(node.controller)
        await node.stop()
        again = await NodeOfOne(world, plan).start()
        while not again.office.is_active:
            await world.clock.sleep(1)
        after = state_of(again.controller)
        assert after["topics"] == before["topics"]
        assert after["isr"] == before["isr"]
        await again.stop()
        assert not again.reported

    simulated(story)


def test_messages_of_many_kinds_are_written_in_versions_of_the_metadata_version() -> None:
    """What the log holds can be read by whoever reads the metadata: the image has the same topics as the state."""

    async def story(world: SimulatedWorld) -> None:
        node = await NodeOfOne(world, Plan(NODE_ID)).start()
        await node.broker()
        await node.create(["a", "b", "c"])
        await node.follower.reached(node.shell.high_watermark - 1)
        names: set[str] = {topic.name for topic in node.controller.table.topics.values()}
        assert {name for name in ("a", "b", "c") if node.follower.image.topics.named(name)} == names
        records: list[Message] = list(node.log.read(0, 1_000).records)
        assert records, "the first records of the log"
        await node.stop()

    simulated(story)


def test_the_quorum_is_described_in_every_version() -> None:
    """What a version has no field for is left out, and the answer can be written."""

    async def story(world: SimulatedWorld) -> None:
        node = await NodeOfOne(world, Plan(NODE_ID)).start()
        asked = DescribeQuorumRequest(
            [DescribeQuorumRequest_TopicData(TOPIC, [DescribeQuorumRequest_PartitionData(PARTITION)])]
        )
        for version in range(ApiKey.DESCRIBE_QUORUM.max_version + 1):
            response = await node.channel.forward(client(version), asked)
            read = DescribeQuorumResponse.read(response.to_bytes(version), version)
            assert read.error_code == ErrorCode.NONE
            partition = read.topics[0].partitions[0]
            assert (partition.leader_id, partition.current_voters[0].replica_id) == (NODE_ID, NODE_ID)
            assert bool(read.nodes) == (version >= 2)
        await node.stop()

    simulated(story)


def test_a_fetch_of_the_metadata_log_is_answered_in_every_version() -> None:
    """Where the leader is stands in the answer from version 17 on; what names the topic is refused, and answered."""

    async def story(world: SimulatedWorld) -> None:
        node = await NodeOfOne(world, Plan(NODE_ID)).start()
        asked = fetch_request(None, ReplicaKey(9), 1, OffsetAndEpoch(1 << 40, 1), high_watermark=0, max_bytes=1_000)
        for version in range(ApiKey.FETCH.min_version, ApiKey.FETCH.max_version + 1):
            request = FetchRequest.read(asked.to_bytes(17), 17)
            if version < 13:
                request.topics[0].topic_id = ZERO_UUID
            context = RequestContext(
                Answers(), version=version, principal="User:b", listener="CONTROLLER", security_protocol="PLAINTEXT",
                client_id="2", client_address="10.1.2.3", controller=node.parts, is_controller_listener=True,
            )  # fmt: skip
            response = await quorum_fetch(context, request)
            read = FetchResponse.read(response.to_bytes(version), version)
            assert bool(read.node_endpoints) == (version >= 17)
            assert bool(read.responses) == (version >= 13)
        await node.stop()

    simulated(story)
