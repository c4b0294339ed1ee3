"""Ottla of one node on loopback, started by its own command, as Kafka is beside it."""

import subprocess
import sys
from pathlib import Path

from tests.integration.peer.server import CLUSTER_ID, Server

FORMATTED_WITHIN_S = 60
COMMAND = str(Path(sys.executable).with_name("ottla"))


class Ottla(Server):
    """The node."""

    name = "Ottla"

    def format(self) -> None:
        """By its own tool, which takes what Kafka's takes."""
        arguments = ["--config", str(self.properties), "--standalone", "--cluster-id", CLUSTER_ID]
        done = subprocess.run(
            [COMMAND, "format", *arguments], check=False, capture_output=True, text=True, timeout=FORMATTED_WITHIN_S
        )
        assert done.returncode == 0, f"ottla format failed:\n{done.stdout}\n{done.stderr}"

    def command(self) -> list[str]:
        """What a user would type."""
        return [COMMAND, "server", "start", str(self.properties)]
