"""A broker that has partitions, in a simulated world: what handlers of the data path are tried on.

The cluster is what its records say; the controller keeps what it is asked. Requests and answers go through the wire's
form, so that what a version cannot say is not said. Time passes only when somebody waits.
"""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ottla.broker.context import RequestContext
from ottla.broker.data.path import DataPath
from ottla.broker.handlers.table import HANDLERS
from ottla.broker.metadata.auto_topics import AutoTopics
from ottla.broker.metadata.cache import MetadataCache
from ottla.broker.parts import BrokerParts
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import Provenance
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.replication.config import ReplicationConfig
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition
from ottla.cluster.replication.replica_manager import ReplicaManager
from ottla.cluster.replication.strays import stray_by
from ottla.config.layers import read_node
from ottla.errors import DiskError, PeerError
from ottla.metrics.registry import Metrics
from ottla.protocol.api_keys import BY_KEY
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import FeatureLevelRecord, PartitionRecord, TopicRecord
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.manager import LogManager
from ottla.storage.names import TopicPartition
from ottla.world.api import FileRange, World
from ottla.world.simulated.simulation import Simulation
from tests.unit.broker.handlers.circumstances import SETTINGS, Answers, broker
from tests.unit.storage.home import Home

T = TypeVar("T")

ORDERS = Uuid(b"orders".ljust(16, b"\1"))
ME = 1


def simulate(main: Callable[[World], Coroutine[Any, Any, T]], seed: int = 0) -> T:
    """Run a scenario in a world of its own."""
    return Simulation(seed).run(main).value


def partition(
    index: int = 0,
    *,
    topic_id: Uuid = ORDERS,
    leader: int = ME,
    epoch: int = 0,
    partition_epoch: int = 0,
    replicas: tuple[int, ...] = (ME,),
    isr: tuple[int, ...] | None = None,
) -> PartitionRecord:
    """A partition as the controller writes it."""
    return PartitionRecord(
        index,
        topic_id,
        replicas,
        replicas if isr is None else isr,
        leader=leader,
        leader_epoch=epoch,
        partition_epoch=partition_epoch,
    )


CLUSTER: tuple[Message, ...] = (
    FeatureLevelRecord("metadata.version", 30),
    broker(1, PLAINTEXT="one"),
    broker(2, PLAINTEXT="two", rack="r2"),
    broker(3, PLAINTEXT="three"),
    TopicRecord("orders", ORDERS),
    partition(0),
)


@dataclass
class Asked:
    """The controller, as far as a broker's partitions need it."""

    requests: list[Message] = field(default_factory=list)
    answers: Callable[[Message], Message] | None = None

    async def ask(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """A request of the broker's own."""
        del timeout_ms
        self.requests.append(request)
        if self.answers is None:
            raise PeerError("nobody is there")
        return self.answers(request)

    def versions(self) -> None:
        """It sets no limit."""

    async def forward(self, context: RequestContext, request: Message) -> Message:
        """A client's."""
        raise AssertionError(f"{request} of {context.principal} is forwarded")


class DataBroker:
    """One life of one broker."""

    def __init__(self, world: World, logs: LogManager, **settings: str) -> None:
        """Underscores in settings stand for dots."""
        given = SETTINGS | {name.replace("_", "."): value for name, value in settings.items()}
        self.world, self.logs, self.config = world, logs, read_node(given)
        self.controller = Asked()
        self.publisher = Publisher()
        self.min_isr = 1
        self.replicas = ReplicaManager(
            world,
            ME,
            logs,
            ReplicationConfig.of(self.config),
            min_isr_of=lambda topic: self.min_isr,
            ask=self.controller.ask,
            broker_epoch=lambda: 101,
        )
        self.metadata = MetadataCache(world, ME, "a-cluster")
        self.metrics = Metrics(world.clock.monotonic_ms())
        self.path = DataPath(world, self.config, self.replicas, self.metrics)
        self.parts = BrokerParts(
            world,
            self.config,
            ME,
            "a-cluster",
            self.metadata,
            self.controller,
            AutoTopics(world, lambda: self.config, self.controller.ask),
            self.path,
        )
        self._offset = 0

    @classmethod
    async def start(cls, home: Home, *records: Message, **settings: str) -> "DataBroker":
        """A broker whose cluster is this; its logs are what the last life left."""
        made: DataBroker | None = None

        def failed(directory: LogDirectory, error: DiskError, partitions: Sequence[TopicPartition]) -> None:
            home.failed(directory, error, partitions)
            if made is not None:
                made.replicas.directory_failed(directory, error, partitions)

        manager = home.manager(failed)
        made = cls(home.world, manager, **settings)
        made.replay(*(records or CLUSTER))
        await manager.load(stray_by(made.publisher.image, ME))
        made.replicas.start()
        made.publisher.add(made.replicas.apply)
        made.publisher.add(made.metadata)
        made.publisher.catch_up()
        await made.replicas.settled()
        return made

    async def stop(self) -> None:
        """A clean end of this life."""
        self.path.stop()
        await self.replicas.stop()
        await self.logs.close()

    def replay(self, *records: Message) -> None:
        """The cluster goes on."""
        delta = MetadataDelta(self.publisher.image)
        for record in records:
            delta.replay(record)
        self._offset += len(records)
        self.publisher.publish(delta, delta.apply(Provenance(self._offset, 1, 0)))

    def partition(self, index: int = 0, topic: str = "orders") -> Partition:
        """A partition that is here."""
        found = self.replicas.table.get(topic, index)
        assert found is not None
        return found

    def leader(self, index: int = 0) -> Leader:
        """One that this broker leads."""
        role = self.partition(index).role
        assert isinstance(role, Leader)
        return role

    def send(self, request: Message, version: int, *, client_id: str | None = "a-client") -> Answers:
        """A client's request; what it is answered, at once or later."""
        assert request.KEY is not None
        api = BY_KEY[request.KEY]
        served = HANDLERS[api]
        frame = memoryview(bytearray(b"".join(bytes(chunk) for chunk in request.write(version))))
        answers = Answers()
        context = RequestContext(
            answers,
            version=version,
            principal="User:ANONYMOUS",
            listener="PLAINTEXT",
            security_protocol="PLAINTEXT",
            client_id=client_id,
            client_address="127.0.0.1",
            broker=self.parts,
        )
        outcome = served.handle(context, served.request.read(frame, version))
        if isinstance(outcome, Message):
            answers.answer(outcome)
        elif outcome is not None:

            async def answer() -> None:
                answers.answer(await outcome)

            self.world.spawn(answer(), api.name)
        frame[:] = bytes(len(frame))  # the frame is dead now
        return answers

    async def ask(self, request: Message, version: int, *, client_id: str | None = "a-client") -> Any:
        """The answer to a client's request, as the client reads it."""
        answers = self.send(request, version, client_id=client_id)
        while not answers.responses and not answers.refusals:
            await self.world.clock.sleep(1)
        assert not answers.refusals, answers.refusals
        (response,) = answers.responses
        return type(response).read(memoryview(to_bytes(response, version)), version)


def to_bytes(response: Message, version: int) -> bytes:
    """What a client receives: ranges of files are read."""
    return b"".join(
        chunk.file.read(chunk.position, chunk.size) if isinstance(chunk, FileRange) else bytes(chunk)
        for chunk in response.write(version)
    )
