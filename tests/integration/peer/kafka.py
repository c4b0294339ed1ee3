"""A real Kafka of one node on loopback, broker and controller in one process.

`Kafka(folder)` formats the directory; see `Server` for what can be done with it then.
"""

import signal
from typing import Final

from tests.integration.peer.jars import jars, run_class
from tests.integration.peer.programs import program
from tests.integration.peer.server import CLUSTER_ID, Server

# The first compiler alone, and classes from the archive: half the time until it answers.
JAVA_OPTIONS: Final = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")


class Kafka(Server):
    """The node."""

    name = "Kafka"
    stopped_status = 128 + signal.SIGTERM
    java_options: tuple[str, ...] = JAVA_OPTIONS

    def format(self) -> None:
        """By Kafka's own tool."""
        arguments = ("--config", str(self.properties), "--standalone", "--cluster-id", CLUSTER_ID)
        run_class("kafka.tools.StorageTool", "format", *arguments)

    def command(self) -> list[str]:
        """The class that the stock script runs."""
        options = [*self.java_options, "-Dlog4j2.level=WARN", "-cp", f"{jars()}/*"]
        return [program("java"), *options, "kafka.Kafka", str(self.properties)]
