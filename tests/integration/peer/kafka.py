"""A real Kafka of one node on loopback, broker and controller in one process, on a directory that outlives it.

`Kafka(folder)` formats the directory; `start` and `stop` (or `kill`, as a power cut would) may take turns as often as
wanted, and between them the directory is anybody's. Ports are chosen once, so a stopped node comes back as itself.
"""

import contextlib
import signal
import socket
import subprocess
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from tests.integration.peer.jars import jars, run_class
from tests.integration.peer.programs import program

STARTED_WITHIN_S: Final = 60
STOPPED_WITHIN_S: Final = 30
ASKED_FOR_S: Final = 1  # how long one question waits for its answer
LAST_LOG_CHARS: Final = 4_000

NODE_ID: Final = 1
CLUSTER_ID: Final = urlsafe_b64encode(b"ottla handed ove").decode().rstrip("=")

# One of everything, and memory for little: the start is what takes time here.
PROPERTIES: Final = f"""\
process.roles=broker,controller
node.id={NODE_ID}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
num.network.threads=1
num.io.threads=2
log.cleaner.dedupe.buffer.size=4194304
log.cleaner.backoff.ms=200
log.segment.delete.delay.ms=1000
broker.heartbeat.interval.ms=500
broker.session.timeout.ms=3000
"""
# The first compiler alone, and classes from the archive: half the time until it answers.
JAVA_OPTIONS: Final = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


class Kafka:
    """The node."""

    def __init__(self, folder: Path, **settings: str) -> None:
        """Format its directory. Settings are named with underscores."""
        self.data, self.log, self._properties = folder / "data", folder / "server.log", folder / "server.properties"
        port, controller = free_ports(2)
        self.address = f"127.0.0.1:{port}"
        self._process: subprocess.Popen[bytes] | None = None
        own = "".join(f"{name.replace('_', '.')}={value}\n" for name, value in settings.items())
        self._properties.write_text(
            f"{PROPERTIES}{own}log.dirs={self.data}\n"
            f"listeners=PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}\n"
            f"controller.quorum.bootstrap.servers=127.0.0.1:{controller}\n"
        )
        arguments = ("--config", str(self._properties), "--standalone", "--cluster-id", CLUSTER_ID)
        run_class("kafka.tools.StorageTool", "format", *arguments)

    def start(self) -> Self:
        """Start it, and wait until it answers."""
        assert self._process is None, "it runs"
        command = [program("java"), *JAVA_OPTIONS, "-Dlog4j2.level=WARN", "-cp", f"{jars()}/*", "kafka.Kafka"]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([*command, str(self._properties)], stdout=log, stderr=log)
        admin, give_up = self.admin(), time.monotonic() + STARTED_WITHIN_S
        while time.monotonic() < give_up and self._process.poll() is None:
            with contextlib.suppress(KafkaException):
                if admin.list_topics(timeout=ASKED_FOR_S).brokers:
                    return self
        self.kill()
        raise AssertionError(f"Kafka did not start:\n{self.log.read_text()[-LAST_LOG_CHARS:]}")

    def stop(self) -> None:
        """Stop it as an administrator would: it leaves its directory clean."""
        assert self._end(signal.SIGTERM) == 128 + signal.SIGTERM, self.log.read_text()[-LAST_LOG_CHARS:]

    def kill(self) -> None:
        """End it without a word, if it runs."""
        if self._process is not None:
            self._end(signal.SIGKILL)

    def _end(self, number: signal.Signals) -> int:
        process, self._process = self._process, None
        assert process is not None, "it does not run"
        process.send_signal(number)
        try:
            return process.wait(STOPPED_WITHIN_S)
        finally:
            process.kill()  # what has ended already is left alone
            process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whatever happened, nothing stays behind."""
        self.kill()

    def admin(self) -> AdminClient:
        """A client that asks without telling what it thinks of refused connections."""
        return AdminClient({"bootstrap.servers": self.address, "log_level": 0})

    def create_topics(self, topics: dict[str, dict[str, str]]) -> None:
        """Topics of one partition with these settings."""
        admin = self.admin()  # it has to live until it has its answers
        made = admin.create_topics([NewTopic(name, 1, 1, config=config) for name, config in topics.items()])
        for future in made.values():
            future.result()

    def settings(self, **more: Any) -> dict[str, Any]:
        """What a client of it needs."""
        return {"bootstrap.servers": self.address, **more}


def free_ports(count: int) -> list[int]:
    """Ports that nobody has at this moment."""
    with contextlib.ExitStack() as probes:
        found = []
        for _ in range(count):
            probe = probes.enter_context(socket.socket())
            probe.bind(("127.0.0.1", 0))
            found.append(int(probe.getsockname()[1]))
        return found
