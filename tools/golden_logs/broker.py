"""A real Kafka of one node on loopback, out of a directory of jars, for as long as a `with` lasts."""

import contextlib
import socket
import subprocess
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from types import TracebackType
from typing import Self

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

START_SECONDS = 120
STOP_SECONDS = 60

# Small internal topics, and a cleaner that does not wait.
PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
auto.create.topics.enable=false
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
log.cleaner.backoff.ms=200
"""


def free_port() -> int:
    """A port that nobody has at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


class Broker:
    """The node: `format` it once, then `with broker:` as often as wanted."""

    def __init__(self, jars: Path, folder: Path) -> None:
        self.jars, self.data, self.log = jars, folder / "data", folder / "server.log"
        self.settings = folder / "server.properties"
        port, controller = free_port(), free_port()
        self.address = f"127.0.0.1:{port}"
        self.settings.write_text(
            f"{PROPERTIES}log.dirs={self.data}\n"
            f"listeners=PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{controller}\n"
            f"controller.quorum.bootstrap.servers=127.0.0.1:{controller}\n"
        )
        self.process: subprocess.Popen[bytes] | None = None

    def _java(self, *arguments: str) -> list[str]:
        return ["java", "-Xmx512m", "-cp", f"{self.jars}/*", *arguments]

    def format(self) -> None:
        """Give the node its cluster."""
        cluster_id = urlsafe_b64encode(b"golden.log.dir.1").decode().rstrip("=")
        command = self._java("kafka.tools.StorageTool", "format", "--config", str(self.settings))
        subprocess.run([*command, "--standalone", "--cluster-id", cluster_id], check=True)  # noqa: S603 - our own list

    def run(self, *arguments: str) -> None:
        """Run one of Kafka's own programs."""
        subprocess.run(self._java(*arguments), check=True)  # noqa: S603 - our own list

    def __enter__(self) -> Self:
        """Start it, and wait until it answers."""
        with self.log.open("ab") as log:
            command = self._java("kafka.Kafka", str(self.settings))
            self.process = subprocess.Popen(command, stdout=log, stderr=log)  # noqa: S603 - our own list
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            with contextlib.suppress(KafkaException):
                if admin.list_topics(timeout=5).brokers:
                    return self
            if self.process.poll() is not None:
                break
        raise SystemExit(f"the broker did not start:\n{self.log.read_text()[-4000:]}")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop it as an administrator would."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(STOP_SECONDS)
