"""The command's start: until the node serves, what it holds then, and how many modules it has imported.

Each start is on a new directory, so formatting is part of it; then on the same one again. The time is the node's own
count from the beginning of its process, interpreter and imports included.
"""

import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.measure import table
from bench.node import resident_bytes
from tests.integration.peer.kafka import free_ports

ROUNDS = 5
MIB = 1024 * 1024
COUNT = "import sys, ottla.cli.server; print(len(sys.modules))"


def words_of(*command: str) -> str:
    """What a command of ours prints."""
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True).stdout  # noqa: S603


def started(data: str) -> tuple[int, int]:
    """Milliseconds until a node served, and the bytes that it held then."""
    broker, controller = free_ports(2)
    listeners = f"listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}"
    words = ["--data", data, "--override", listeners]
    said = words_of("-m", "ottla.cli", "server", "start", "--daemon", *words)
    took = re.search(r"started in (\d+) ms", said)
    assert took is not None, said
    held = resident_bytes(int(Path(data, "ottla.pid").read_text().split()[0]))
    words_of("-m", "ottla.cli", "server", "stop", *words)
    return int(took[1]), held


def run() -> None:
    """Print the table."""
    rows = []
    for what in ("a new directory", "the same again"):
        found = []
        for _ in range(ROUNDS):
            with TemporaryDirectory() as data:
                if what != "a new directory":
                    started(data)
                found.append(started(data))
        times, held = sorted(took for took, _ in found), sorted(held for _, held in found)
        middle = ROUNDS // 2
        rows.append((what, str(times[0]), str(times[middle]), f"{held[middle] / MIB:.1f}"))
    table("ottla server start", ("on", "best ms", "median ms", "resident MiB"), rows)
    table("Imports", ("", "modules"), [("a node's process", words_of("-c", COUNT).strip())])
