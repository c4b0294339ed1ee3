"""Clusters of several processes: controllers and brokers apart, on one machine."""

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.integration.commands import ENDED_WITHIN_S, ottla
from tests.integration.peer.jars import run_class
from tests.integration.peer.server import free_ports

CLUSTER = "u4e0zS6uTUKVIN2DqDsXjg"
RECORDS = 200


@dataclass(slots=True)
class NodeProcess:
    """A node, as a file of settings and a process."""

    node_id: int
    port: int
    file: Path
    process: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Run it; returns at once."""
        command = [sys.executable, "-m", "ottla.cli", "server", "start", str(self.file)]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stderr=log)

    def serves(self) -> None:
        """Wait until it says so."""
        deadline_s = time.monotonic() + ENDED_WITHIN_S
        while " started node=" not in self.log.read_text():
            assert self.is_running, f"node {self.node_id} does not start:\n{self.log.read_text()}"
            assert time.monotonic() < deadline_s, f"node {self.node_id} does not serve:\n{self.log.read_text()}"
            time.sleep(0.02)

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.poll() is None

    @property
    def log(self) -> Path:
        """What it says."""
        return self.file.with_suffix(".log")

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """SIGTERM, and its clean end."""
        assert self.process is not None
        self.process.terminate()
        assert self.process.wait(ENDED_WITHIN_S) == 0, f"node {self.node_id}"


@contextlib.contextmanager
def cluster(folder: Path, controllers: int, brokers: int) -> Iterator[tuple[list[NodeProcess], list[NodeProcess]]]:
    """Controllers and brokers that serve; all are gone at the end."""
    ports = free_ports(controllers + brokers)
    voters = ",".join(f"{number}@127.0.0.1:{port}" for number, port in enumerate(ports[:controllers], 1))
    nodes = []
    for number, port in enumerate(ports, 1):
        role, listener = ("controller", "CONTROLLER") if number <= controllers else ("broker", "PLAINTEXT")
        settings = {
            "node.id": number,
            "process.roles": role,
            "controller.quorum.voters": voters,
            "controller.listener.names": "CONTROLLER",
            "listeners": f"{listener}://127.0.0.1:{port}",
            "log.dirs": folder / f"node-{number}",
        }
        file = folder / f"{number}.properties"
        file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        said = ottla("format", "-t", CLUSTER, "-c", str(file))
        assert said.status == 0, said.err
        nodes.append(NodeProcess(number, port, file))
    try:
        for node in nodes:
            node.start()
        for node in nodes:
            node.serves()
        yield nodes[:controllers], nodes[controllers:]
    finally:
        for node in nodes:
            if node.is_running:
                node.kill()


def bootstrap(nodes: Sequence[NodeProcess]) -> str:
    """Where clients begin."""
    return ",".join(f"127.0.0.1:{node.port}" for node in nodes)


def create(servers: str, topic: str, partitions: int) -> None:
    """Create a topic."""
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(topic, partitions, 1)])[topic].result(ENDED_WITHIN_S)


def produce(servers: str, topic: str, partitions: int, first: int) -> None:
    """Write records to all partitions of a topic; returns when they are acknowledged."""
    failures: list[KafkaError] = []
    producer = Producer({"bootstrap.servers": servers, "acks": "all", "message.timeout.ms": ENDED_WITHIN_S * 1_000})

    def told(error: KafkaError | None, _: object) -> None:
        if error is not None:
            failures.append(error)

    for number in range(first, first + RECORDS):
        producer.produce(topic, str(number).encode(), partition=number % partitions, on_delivery=told)
    assert producer.flush(ENDED_WITHIN_S) == 0
    assert not failures


def read(servers: str, topic: str, partitions: int) -> list[int]:
    """Everything that is in a topic, in order."""
    consumer = Consumer(
        {"bootstrap.servers": servers, "group.id": "none", "enable.auto.commit": False, "enable.partition.eof": True}
    )
    consumer.assign([TopicPartition(topic, index, 0) for index in range(partitions)])
    found: list[int] = []
    ended: set[int | None] = set()
    deadline_s = time.monotonic() + ENDED_WITHIN_S
    while len(ended) < partitions and time.monotonic() < deadline_s:
        message = consumer.poll(1.0)
        if message is None:
            continue
        error = message.error()
        if error is None:
            value = message.value()
            assert value is not None
            found.append(int(value))
        elif error.code() == KafkaError._PARTITION_EOF:
            ended.add(message.partition())
        else:
            raise AssertionError(error)
    consumer.close()
    return sorted(found)


def test_one_controller_and_two_brokers(tmp_path: Path) -> None:
    """Partitions are spread over both brokers; whichever is asked hands a request on to the controller; all that was
    written is there after every node was stopped and started.
    """
    with cluster(tmp_path, 1, 2) as (controllers, brokers):
        servers = bootstrap(brokers)
        create(bootstrap(brokers[1:]), "orders", 4)
        produce(servers, "orders", 4, 0)
        leaders = AdminClient({"bootstrap.servers": servers}).list_topics("orders", timeout=ENDED_WITHIN_S)
        assert {each.leader for each in leaders.topics["orders"].partitions.values()} == {2, 3}
        for node in (*brokers, *controllers):
            node.stop()
        for node in (*controllers, *brokers):
            node.start()
        for node in (*controllers, *brokers):
            node.serves()
        assert read(servers, "orders", 4) == list(range(RECORDS))
        produce(servers, "orders", 4, RECORDS)
        assert read(servers, "orders", 4) == list(range(2 * RECORDS))


def test_three_controllers_and_a_broker(tmp_path: Path) -> None:
    """The active controller is killed: another takes over, topics are created, and the dead one comes back as a
    follower that has everything.
    """
    with cluster(tmp_path, 3, 1) as (controllers, brokers):
        servers = bootstrap(brokers)
        create(servers, "before", 2)
        produce(servers, "before", 2, 0)
        first = leader(servers)
        (active,) = [node for node in controllers if node.node_id == first]
        active.kill()
        create(servers, "after", 2)
        assert leader(servers) != first
        produce(servers, "after", 2, 0)
        active.start()
        active.serves()
        assert read(servers, "before", 2) == read(servers, "after", 2) == list(range(RECORDS))
        deadline_s = time.monotonic() + ENDED_WITHIN_S
        while lag(servers, first) > 0 and time.monotonic() < deadline_s:
            pass  # each look is a process of its own
        assert lag(servers, first) <= 0


def quorum(servers: str, which: str) -> str:
    """What kafka-metadata-quorum says."""
    return run_class("org.apache.kafka.tools.MetadataQuorumCommand", "--bootstrap-server", servers, "describe", which)


def leader(servers: str) -> int:
    """The active controller."""
    (line,) = [line for line in quorum(servers, "--status").splitlines() if line.startswith("LeaderId:")]
    return int(line.partition(":")[2])


def lag(servers: str, node_id: int) -> int:
    """How far a voter is behind; 1 where nobody knows."""
    header, *rows = [line.split() for line in quorum(servers, "--replication").splitlines() if line.strip()]
    for row in rows:
        found = dict(zip(header, row, strict=False))
        if int(found["NodeId"]) == node_id and found["Status"] == "Follower":
            return int(found["Lag"]) - 2  # a record every half second is on its way to it
    return 1
