"""Nodes as processes of their own: started on free ports of the loopback interface, ended by their pid.

`python -m tests.integration.nodes name=value...` is the program: it formats the log directory if it is new, runs one
node with these settings until it gets SIGTERM, and prints a line with the port of each listener when it serves. There
are two topics, so that there is something to ask about. What goes wrong through our own fault is
written to its standard error, which every test that used a node looks at when it ends.
"""

import contextlib
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ottla.broker.node import Node
from ottla.cli.garbage import put_aside_and_collect_by_timer
from ottla.cluster.formatting import Formatter, look_at
from ottla.cluster.new_cluster import Asked, FirstVoters, every_directory, new_cluster
from ottla.config.layers import read_node
from ottla.protocol.messages.topics import CreateTopicsRequest
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopic as CreatableTopic
from ottla.world.api import World
from ottla.world.real.run import run
from ottla.world.real.world import RealWorld

ROOT = Path(__file__).parents[2]
ENDED_WITHIN_S = 30
CLUSTER_ID = "Some3ClusterId5Of2Tests"
TOPICS = {"orders": 3, "payments": 1}
SETTINGS = {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.bootstrap.servers": "127.0.0.1:9093",  # nobody has to be found: it is the only one
    "controller.listener.names": "CONTROLLER",
    "listeners": "PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0",
    "broker.rack": "rack-1",
    "auto.create.topics.enable": "false",
}


@dataclass(frozen=True, slots=True)
class NodeProcess:
    """A node that serves."""

    process: "subprocess.Popen[str]"
    ports: dict[str, int]  # by listener
    directory: Path  # of its logs

    def address(self, listener: str = "PLAINTEXT") -> str:
        """What a client is given."""
        return f"127.0.0.1:{self.ports[listener]}"

    def resident_bytes(self) -> int:
        """How much memory it has."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024


@contextlib.contextmanager
def node_process(**settings: str) -> Iterator[NodeProcess]:
    """Run a node with these settings beside those that every node needs; underscores stand for dots."""
    with tempfile.TemporaryDirectory() as directory:
        given = SETTINGS | {"log.dirs": directory} | {name.replace("_", "."): value for name, value in settings.items()}
        yield from _running(given)


def _running(given: Mapping[str, str]) -> Iterator[NodeProcess]:
    command = [sys.executable, "-m", "tests.integration.nodes", *(f"{name}={value}" for name, value in given.items())]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the node does not start:\n{process.communicate()[1]}")
        ports = {name: int(port) for name, port in (each.split("=") for each in line.split())}
        yield NodeProcess(process, ports, Path(given["log.dirs"]))
    finally:
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=ENDED_WITHIN_S)
    assert process.returncode == 0, f"the node ended with {process.returncode}:\n{errors}"
    assert not errors, f"the node complained:\n{errors}"


async def main(world: RealWorld) -> None:
    """The program."""
    static = dict(word.split("=", 1) for word in sys.argv[1:])
    format_if_new(world, static)

    def report(what: str, error: BaseException) -> None:
        sys.stderr.write(f"{what}:\n{''.join(traceback.format_exception(error))}")

    node = Node(world, static, report)
    asked_to_stop = world.future()
    world.loop.add_signal_handler(signal.SIGTERM, asked_to_stop.set_result, None)
    await node.start()
    assert node.broker is not None
    topics = [CreatableTopic(name, count, 1) for name, count in TOPICS.items()]
    await node.broker.parts.controller.ask(CreateTopicsRequest(topics, timeout_ms=10_000))
    assert await node.broker.metadata.until(lambda image: all(name in image.topics.ids for name in TOPICS), 10_000)
    put_aside_and_collect_by_timer(world)  # as the command does
    ports = (f"{listener.name}={node.address(listener.name).port}" for listener in node.listeners.all)
    sys.stdout.write(" ".join(ports) + "\n")
    sys.stdout.flush()
    await asked_to_stop
    await node.stop()


def format_if_new(world: World, static: Mapping[str, str]) -> None:
    """Make a node's directories ready that have never been used."""
    config = read_node(static)
    if not look_at(world.disk, every_directory(config)).formatted:
        wanted = new_cluster(config, Asked(CLUSTER_ID, FirstVoters.STANDALONE), world.rng.randbytes)
        for _ in Formatter(world.disk, wanted, world.rng.randbytes, world.clock.wall_ms()).run():
            pass


if __name__ == "__main__":
    run(main)
