"""Nodes as processes of their own: started on a free port of the loopback interface, ended by their pid.

`python -m tests.integration.nodes name=value...` is the program: it runs one node with these settings until it gets
SIGTERM, and prints a line with the port of each listener when it serves. What goes wrong through our own fault is
written to its standard error, which every test that used a node looks at when it ends.
"""

import contextlib
import signal
import subprocess
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ottla.broker.node import Node
from ottla.config.layers import read_node
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import PartitionRecord, TopicRecord
from ottla.world.real.run import run
from ottla.world.real.world import RealWorld

ROOT = Path(__file__).parents[2]
ENDED_WITHIN_S = 30
IDS = {name: Uuid(name.encode().ljust(16, b".")) for name in ("orders", "payments")}
RECORDS = [
    *(TopicRecord(name, topic_id) for name, topic_id in IDS.items()),
    *(
        PartitionRecord(index, IDS[name], replicas=[1], isr=[1], leader=1)
        for name, count in (("orders", 3), ("payments", 1))
        for index in range(count)
    ),
]
SETTINGS = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": "1@localhost:9093",
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
    "broker.rack": "rack-1",
}


@dataclass(frozen=True, slots=True)
class NodeProcess:
    """A node that serves."""

    process: "subprocess.Popen[str]"
    ports: dict[str, int]  # by listener

    def address(self, listener: str = "PLAINTEXT") -> str:
        """What a client is given."""
        return f"127.0.0.1:{self.ports[listener]}"


@contextlib.contextmanager
def node_process(**settings: str) -> Iterator[NodeProcess]:
    """Run a node with these settings beside those that every node needs; underscores stand for dots."""
    given = SETTINGS | {name.replace("_", "."): value for name, value in settings.items()}
    command = [sys.executable, "-m", "tests.integration.nodes", *(f"{name}={value}" for name, value in given.items())]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the node does not start:\n{process.communicate()[1]}")
        yield NodeProcess(process, {name: int(port) for name, port in (each.split("=") for each in line.split())})
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=ENDED_WITHIN_S)
    assert process.returncode == 0, f"the node ended with {process.returncode}:\n{errors}"
    assert not errors, f"the node complained:\n{errors}"


async def main(world: RealWorld) -> None:
    """The program."""
    config = read_node(dict(word.split("=", 1) for word in sys.argv[1:]))

    def report(what: str, error: BaseException) -> None:
        sys.stderr.write(f"{what}:\n{''.join(traceback.format_exception(error))}")

    node = Node(world, config, report, cluster_id="Some3ClusterId5Of2Tests", records=RECORDS)
    asked_to_stop = world.future()
    world.loop.add_signal_handler(signal.SIGTERM, asked_to_stop.set_result, None)
    await node.start()
    ports = (f"{listener.name}={node.address(listener.name).port}" for listener in node.listeners.all)
    sys.stdout.write(" ".join(ports) + "\n")
    sys.stdout.flush()
    await asked_to_stop
    await node.stop()


if __name__ == "__main__":
    run(main)
