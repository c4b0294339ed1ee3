"""The command `ottla` as processes of their own, with nodes on free ports that are gone when their test is."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ottla.world.real.process import Process
from tests.integration.peer.server import free_ports

ENDED_WITHIN_S = 60


@dataclass(frozen=True, slots=True)
class Said:
    """How a command ended."""

    status: int
    out: str
    err: str


def ottla(*words: str, folder: Path | None = None) -> Said:
    """Run a command to its end."""
    command = [sys.executable, "-m", "ottla.cli", *words]
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=ENDED_WITHIN_S, cwd=folder)
    return Said(answer.returncode, answer.stdout, answer.stderr)


def listeners() -> tuple[str, int]:
    """An override of a development node's listeners with free ports, and the port of clients."""
    broker, controller = free_ports(2)
    return f"listeners=PLAINTEXT://127.0.0.1:{broker},CONTROLLER://127.0.0.1:{controller}", broker


@contextlib.contextmanager
def node_here(*words: str) -> Iterator["subprocess.Popen[str]"]:
    """`ottla server start` in the foreground, once it serves; it is killed if it still runs at the end."""
    with node_and_line(*words) as (process, _):
        yield process


@contextlib.contextmanager
def node_and_line(*words: str) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """The same, with the line that says that it serves."""
    command = [sys.executable, "-m", "ottla.cli", "server", "start", *words]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        seen = []
        for line in process.stderr:
            seen.append(line)
            if " started node=" in line:
                break
        else:
            raise AssertionError(f"the node does not start:\n{''.join(seen)}")
        yield process, line
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def node_in_background(data: Path, *words: str) -> Iterator[Process]:
    """`ottla server start --daemon`, as the process that its pid file names; it is killed at the end."""
    said = ottla("server", "start", "--daemon", "--data", str(data), *words)
    assert said.status == 0, said.err
    number, started = (data / "ottla.pid").read_text().split()
    process = Process(int(number), int(started))
    try:
        yield process
    finally:
        process.kill()
