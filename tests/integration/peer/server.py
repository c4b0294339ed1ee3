"""A broker of one node on loopback, as a process of its own, on a directory that outlives it.

`Server` is what Apache Kafka (`kafka.py`) and Ottla (`ottla.py`) have in common, so that a test, the differential
harness and the bench treat both alike: the same properties, the same ports for the same node, started by a command and
ended by a signal. `start` and `stop` (or `kill`, as a power cut would) may take turns as often as wanted; between them
the directory is anybody's.
"""

import contextlib
import os
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


class Server:
    """The node."""

    name = "a server"
    stopped_status = 0  # what it ends with when it was asked to

    def __init__(self, folder: Path, *, properties: str = PROPERTIES, **settings: str) -> None:
        """Format its directory. Settings are named with underscores."""
        self.data, self.log, self.properties = folder / "data", folder / "server.log", folder / "server.properties"
        self.port, self.controller_port = free_ports(2)
        self.address = f"127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None
        own = "".join(f"{name.replace('_', '.')}={value}\n" for name, value in settings.items())
        self.properties.write_text(
            f"{properties}{own}log.dirs={self.data}\n"
            f"listeners=PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{self.controller_port}\n"
            f"controller.quorum.bootstrap.servers=127.0.0.1:{self.controller_port}\n"
        )
        self.format()

    def format(self) -> None:
        """Make the directory that of a cluster of its own."""
        raise NotImplementedError

    def command(self) -> list[str]:
        """What runs it in the foreground."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        """Of its process."""
        assert self.process is not None, "it does not run"
        return self.process.pid

    def launch(self) -> None:
        """Start its process, and do not wait."""
        assert self.process is None, "it runs"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command(), stdout=log, stderr=log, env=os.environ)

    def start(self) -> Self:
        """Start it, and wait until it answers."""
        self.launch()
        assert self.process is not None
        admin, give_up = self.admin(), time.monotonic() + STARTED_WITHIN_S
        while time.monotonic() < give_up and self.process.poll() is None:
            with contextlib.suppress(KafkaException):
                if admin.list_topics(timeout=ASKED_FOR_S).brokers:
                    return self
        self.kill()
        raise AssertionError(f"{self.name} did not start:\n{self.last_words()}")

    def stop(self) -> None:
        """Stop it as an administrator would: it leaves its directory clean."""
        assert self._end(signal.SIGTERM) == self.stopped_status, self.last_words()

    def kill(self) -> None:
        """End it without a word, if it runs."""
        if self.process is not None:
            self._end(signal.SIGKILL)

    def last_words(self) -> str:
        """The end of its log."""
        return self.log.read_text(errors="replace")[-LAST_LOG_CHARS:]

    def _end(self, number: signal.Signals) -> int:
        process, self.process = self.process, None
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

    def create_topics(self, topics: dict[str, dict[str, str]], partitions: int = 1) -> None:
        """Topics with these settings, of one partition unless more are wanted."""
        admin = self.admin()  # it has to live until it has its answers
        made = admin.create_topics([NewTopic(name, partitions, 1, config=config) for name, config in topics.items()])
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
