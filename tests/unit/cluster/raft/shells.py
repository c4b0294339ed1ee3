"""A controller in a simulated world: the quorum's shell on a disk, behind a listener, and the metadata that follows it.

What is around it in a node is left out: there is no controller's state machine, so whoever writes this test appends
values to the leader's log by hand.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ottla.cluster.metadata.following import MetadataFollower
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.snapshot_file import SnapshotHead, write_snapshot
from ottla.cluster.raft.config import Identity, MetadataLogConfig, QuorumConfig
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT
from ottla.cluster.raft.shell import RaftShell
from ottla.cluster.raft.snapshots import file_name
from ottla.cluster.raft.voters import Endpoint, Node, ReplicaKey, VersionRange, Voter, VoterSet, static_voters
from ottla.errors import OttlaError
from ottla.network.channel import ChannelSettings
from ottla.network.channels import Channels
from ottla.network.limits import ListenerSettings
from ottla.network.request import Request
from ottla.network.server import Server
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.features import LATEST, METADATA_VERSION
from ottla.protocol.internal_records import write_metadata_record
from ottla.protocol.messages.connection import ApiVersionsResponse
from ottla.protocol.messages.metadata_records import ConfigRecord, FeatureLevelRecord
from ottla.protocol.messages.produce_fetch import FetchRequest
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    BeginQuorumEpochRequest,
    DescribeQuorumRequest,
    EndQuorumEpochRequest,
    FetchSnapshotRequest,
    RemoveRaftVoterRequest,
    UpdateRaftVoterRequest,
    VoteRequest,
)
from ottla.storage.whole_file import replace_whole_file
from ottla.world.api import Address, World
from tests.unit.cluster.raft.replica import CLUSTER_ID, LISTENER, directory

PORT = 9093
LOG_DIRECTORY = "/log"
BROKER = 4  # settings of brokers are all kept, whatever their names
METADATA = f"{LOG_DIRECTORY}/__cluster_metadata-0"
REQUESTS: dict[ApiKey, type[Message]] = {
    ApiKey.VOTE: VoteRequest,
    ApiKey.BEGIN_QUORUM_EPOCH: BeginQuorumEpochRequest,
    ApiKey.END_QUORUM_EPOCH: EndQuorumEpochRequest,
    ApiKey.FETCH: FetchRequest,
    ApiKey.FETCH_SNAPSHOT: FetchSnapshotRequest,
    ApiKey.DESCRIBE_QUORUM: DescribeQuorumRequest,
    ApiKey.ADD_RAFT_VOTER: AddRaftVoterRequest,
    ApiKey.REMOVE_RAFT_VOTER: RemoveRaftVoterRequest,
    ApiKey.UPDATE_RAFT_VOTER: UpdateRaftVoterRequest,
}


def host(node_id: int) -> str:
    """The machine of a node."""
    return f"node-{node_id}"


def endpoint(node_id: int) -> Endpoint:
    """Its controller's listener."""
    return Endpoint(LISTENER, host(node_id), PORT)


def voter(node_id: int) -> Voter:
    """A voter of kraft.version 1."""
    return Voter(ReplicaKey(node_id, directory(node_id)), (endpoint(node_id),), VersionRange(0, 1))


def standing(node_ids: Iterable[int]) -> VoterSet:
    """Voters of kraft.version 0."""
    return static_voters((Node(node_id, host(node_id), PORT) for node_id in node_ids), LISTENER)


def setting(number: int) -> bytes:
    """A record of the cluster's metadata that says a number."""
    return write_metadata_record(ConfigRecord(BROKER, str(number % 7), f"setting-{number % 10}", str(number)), 0)


def first_record() -> bytes:
    """What a controller writes before anything else."""
    return write_metadata_record(FeatureLevelRecord(METADATA_VERSION, int(LATEST)), 0)


@dataclass(frozen=True)
class Plan:
    """What a controller is told at each of its starts."""

    node_id: int
    voters: tuple[int, ...] = (1,)
    kraft_version: int = 0
    quorum: QuorumConfig = field(default_factory=lambda: QuorumConfig(append_linger_ms=0))
    log: MetadataLogConfig = field(default_factory=MetadataLogConfig)
    bootstrap: tuple[int, ...] = ()

    @property
    def identity(self) -> Identity:
        """Who it is."""
        bootstrap = tuple(Node(-2 - number, host(node), PORT) for number, node in enumerate(self.bootstrap))
        key = ReplicaKey(self.node_id, directory(self.node_id))
        return Identity(key, CLUSTER_ID, LISTENER, (endpoint(self.node_id),), bootstrap=bootstrap)


class Controller:
    """One life of a controller."""

    def __init__(self, world: World, plan: Plan, prepared: "Callable[[Controller], None]" = lambda _: None) -> None:
        """`prepared` is called when all is there and nothing has begun."""
        self.world, self.plan, self._prepared = world, plan, prepared
        self.failures: list[Exception] = []
        self.reported: list[tuple[str, Exception]] = []
        self.shell: RaftShell
        self.follower: MetadataFollower
        settings = ListenerSettings(LISTENER, Address("", PORT), is_control=True)
        self.server = Server(world, [settings], self._serve, self._report)

    async def start(self) -> "Controller":
        """Begin with what is on the disk."""
        world, plan = self.world, self.plan
        await self.server.bind()
        voters = plan.voters if plan.kraft_version and plan.node_id in plan.voters else ()
        await world.threads.run(formatted, world, [voter(node_id) for node_id in voters])
        channels = Channels(
            world,
            ChannelSettings(client_id=host(plan.node_id), connect_timeout_ms=2_000, backoff_ms=20, backoff_max_ms=200),
        )
        self.shell = await RaftShell.open(
            world, LOG_DIRECTORY, identity=plan.identity, config=plan.quorum, log_config=plan.log,
            static=VoterSet() if plan.kraft_version else standing(plan.voters), channels=channels,
            failed=self.failures.append,
        )  # fmt: skip
        self.follower = MetadataFollower(
            world, self.shell, Publisher(), self._report,
            max_bytes_between_snapshots=plan.log.max_bytes_between_snapshots,
            max_snapshot_interval_ms=plan.log.max_snapshot_interval_ms,
        )  # fmt: skip
        self.shell.add(self.follower)
        self._prepared(self)
        self.server.accept()
        self.shell.start()
        return self

    async def stop(self, grace_ms: int = 1_000) -> None:
        """Leave nothing behind."""
        await self.follower.stop()
        await self.shell.stop(grace_ms)
        await self.server.stop(100)

    def append(self, *numbers: int) -> int:
        """Write records into the leader's log; the offset behind them."""
        values = [setting(number) for number in numbers]
        return self.shell.append(self.shell.epoch, self.shell.end_offset, values)

    async def leads(self) -> None:
        """Return when it does."""
        await self.until(lambda: self.shell.is_leader)

    async def begins(self) -> int:
        """Lead, write a cluster's first record, and return the offset behind it when all has caught up with it."""
        await self.leads()
        end_offset = self.shell.append(self.shell.epoch, self.shell.end_offset, [first_record()])
        await self.follower.caught_up()
        return end_offset

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait for something that must come."""
        while not holds():
            assert not self.reported, self.reported
            await self.world.clock.sleep(1)

    # Its listener

    def _serve(self, request: Request) -> None:
        if request.api is ApiKey.API_VERSIONS:
            keys = [
                ApiVersionsResponse.ApiVersion(api, api.min_version, api.max_version)
                for api in (ApiKey.API_VERSIONS, *REQUESTS)
            ]
            features = [ApiVersionsResponse.SupportedFeatureKey("kraft.version", 0, 1)]
            request.answer(ApiVersionsResponse(api_keys=keys, supported_features=features))
            return
        body = REQUESTS[request.api].read(request.frame, request.version, request.body)
        self.world.spawn(self._answer(request, body), request.api.name)

    async def _answer(self, request: Request, body: Message) -> None:
        try:
            response = await self.shell.handle(body)
        except OttlaError as error:
            request.refuse(str(error))
        else:
            if request.is_wanted:
                request.answer(response)

    def _report(self, what: str, error: BaseException) -> None:
        assert isinstance(error, Exception)
        self.reported.append((what, error))


def formatted(world: Any, voters: Sequence[Voter]) -> None:
    """What formatting leaves: a log directory, and a snapshot with the voters if they are to stand in the log."""
    disk, path = world.disk, f"{METADATA}/{file_name(BOOTSTRAP_SNAPSHOT)}"
    if disk.exists(f"{LOG_DIRECTORY}/meta.properties"):
        return
    disk.make_directory(METADATA if voters else LOG_DIRECTORY)
    disk.sync_directory("/")
    if voters:
        head = SnapshotHead(world.clock.wall_ms(), 1, VoterSet(voters).to_record())
        replace_whole_file(disk, path, b"".join(write_snapshot(0, head, [], 0)))
    replace_whole_file(disk, f"{LOG_DIRECTORY}/meta.properties", b"")
