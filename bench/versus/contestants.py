"""The two brokers: started with the settings that their users have, measured by the same means."""

import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.node import cpu_seconds, resident_bytes
from tests.integration.peer.kafka import Kafka
from tests.integration.peer.ottla import Ottla
from tests.integration.peer.server import Server

# Kafka's defaults but for what a cluster of one needs; nothing is created by asking.
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
auto.create.topics.enable=false
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
STOCK_HEAP = (
    "-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
    "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true",
)  # fmt: skip
TURNS = 3
GIGABYTE = 1e9


class StockKafka(Kafka):
    """As its own script starts it."""

    java_options = STOCK_HEAP


@dataclass(frozen=True, slots=True)
class Figure:
    """One row's result for one broker."""

    value: float
    cpu_s: float = 0.0  # of the broker


@dataclass(frozen=True, slots=True)
class Contestant:
    """A broker that runs."""

    server: Server

    @property
    def address(self) -> str:
        """Where it listens."""
        return self.server.address

    def cpu_seconds(self) -> float:
        """What its process has used."""
        return cpu_seconds(self.server.pid)

    def resident_bytes(self) -> int:
        """What it holds."""
        return resident_bytes(self.server.pid)


Measure = Callable[[Contestant, int], Figure]  # the second is the turn's number


@contextmanager
def both() -> Iterator[tuple[Contestant, Contestant]]:
    """Ottla and Kafka, both running."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        found = []
        for kind in (Ottla, StockKafka):
            path = Path(folder, kind.name)
            path.mkdir()
            server = kind(path, properties=PROPERTIES)
            stack.enter_context(server)
            found.append(Contestant(server.start()))
        yield found[0], found[1]


def take_turns(contestants: Sequence[Contestant], measure: Measure, turns: int = TURNS) -> list[Figure]:
    """The median of each; who comes first changes with every turn."""
    found: list[list[Figure]] = [[] for _ in contestants]
    for turn in range(turns):
        order = range(len(contestants)) if turn % 2 == 0 else reversed(range(len(contestants)))
        for at in order:
            found[at].append(measure(contestants[at], turn))
    return [
        Figure(statistics.median(each.value for each in figures), statistics.median(each.cpu_s for each in figures))
        for figures in found
    ]


def warm_page_cache(size_bytes: int) -> None:
    """Memory that a virtual machine touches for the first time costs more than a broker's work: touch it before."""
    with TemporaryDirectory() as folder, Path(folder, "warm").open("wb") as file:
        piece = os.urandom(1 << 20)
        for _ in range(size_bytes >> 20):
            file.write(piece)
