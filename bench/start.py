"""The command's start: until a first record is acknowledged, beside Apache Kafka; what a node holds then.

From the start of the process to the acknowledgement, as a librdkafka client sees it that tries every few milliseconds;
on directories that are formatted already, with Kafka's stock heap and collector, and with the bytecode that an
installed program has. They take turns.
"""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from confluent_kafka import Producer

from bench.measure import table
from bench.node import resident_bytes
from tests.integration.peer.jars import jars
from tests.integration.peer.kafka import Kafka
from tests.integration.peer.programs import program
from tests.integration.peer.server import free_ports

ROUNDS = 5
MIB = 1024 * 1024
COUNT = "import sys, ottla.cli.server; print(len(sys.modules))"
HEAP = ("-Xmx1G", "-Xms1G", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-Dlog4j2.level=WARN")
ACKNOWLEDGED_WITHIN_S = 60
STOPPED_WITHIN_S = 60


def acknowledged(address: str) -> None:
    """Return when a record has been acknowledged."""
    host, _, port = address.rpartition(":")
    give_up = time.monotonic() + ACKNOWLEDGED_WITHIN_S
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=1).close()
            break
        except OSError:
            assert time.monotonic() < give_up, f"nobody listens on {address}"
            time.sleep(0.002)
    settings = {"bootstrap.servers": address, "linger.ms": 0, "reconnect.backoff.ms": 5, "retry.backoff.ms": 5}
    producer = Producer(settings | {"topic.metadata.refresh.fast.interval.ms": 10, "log_level": 0})
    producer.produce("started", b"now")
    left = producer.flush(ACKNOWLEDGED_WITHIN_S)
    assert not left, f"{address} acknowledges nothing"


def life(command: list[str], address: str) -> tuple[float, int]:
    """Seconds until the first acknowledgement, and the bytes that the process held then."""
    begun = time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(command, env=environment, stdout=nowhere, stderr=nowhere)  # noqa: S603 - a node
    try:
        acknowledged(address)
        return time.perf_counter() - begun, resident_bytes(process.pid)
    finally:
        process.terminate()
        process.wait(STOPPED_WITHIN_S)


def run() -> None:
    """Print the tables."""
    with TemporaryDirectory() as folder:
        kafka = Kafka(Path(folder), auto_create_topics_enable="true")
        broker, controller = free_ports(2)
        listeners = f"listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}"
        words = ["-m", "ottla.cli", "server", "start", "--data", f"{folder}/ottla", "--override", listeners]
        contestants = {
            "ottla": ([sys.executable, *words], f"127.0.0.1:{broker}"),
            "Apache Kafka": (
                [program("java"), *HEAP, "-cp", f"{jars()}/*", "kafka.Kafka", f"{folder}/server.properties"],
                kafka.address,
            ),
        }
        for contestant in contestants.values():
            life(*contestant)  # compiles, formats, and makes the topic
        found: dict[str, list[tuple[float, int]]] = {name: [] for name in contestants}
        for _ in range(ROUNDS):
            for name, contestant in contestants.items():
                found[name].append(life(*contestant))
    middle = ROUNDS // 2
    seconds = {name: sorted(took for took, _ in lives) for name, lives in found.items()}
    rows = []
    for name, lives in found.items():
        took = seconds[name]
        ratio = took[middle] / seconds["Apache Kafka"][middle]
        held = sorted(held for _, held in lives)[middle] / MIB
        rows.append((name, f"{took[0]:.2f}", f"{took[middle]:.2f}", f"{ratio:.2f}", f"{held:.0f}"))
    table("Start to first acknowledgement", ("", "best s", "median s", "ratio", "resident MiB"), rows)
    modules = subprocess.run([sys.executable, "-c", COUNT], capture_output=True, text=True, check=True).stdout  # noqa: S603
    table("Imports", ("", "modules"), [("a node's process", modules.strip())])
