"""This process and others: who they are, how they are asked to end, how one is started beside this one.

A process is known by its number and by when it began (in the system's ticks, where Linux tells them): numbers are used
again, so a number alone, out of a file that a crash left behind, may be anybody's.

Always true: nobody is signalled whose beginning is not the one that is known; who is started in the background has a
session of its own, keeps none of our descriptors, and is not our child to wait for.
"""

import asyncio
import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)
UNKNOWN_START = 0
ENDED = -1  # a process that has ended, and whose parent has not noticed yet
_START_FIELD = 22 - 3  # of /proc/PID/stat, counted behind the command's name
UNLIMITED_FILES = 1 << 20  # what Linux gives a process at most that is not limited


def open_files_max() -> int:
    """How many descriptors this process may have."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return UNLIMITED_FILES if soft == resource.RLIM_INFINITY else soft


def allow_more_open_files() -> None:
    """Take as many as the system gives a process of this user: for a program that is nothing but a server."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):  # macOS names more than it gives
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@dataclass(frozen=True, slots=True)
class Process:
    """One process."""

    number: int
    started_ticks: int = UNKNOWN_START

    @classmethod
    def this(cls) -> "Process":
        """The one that runs this."""
        return cls(os.getpid(), _started_ticks(os.getpid()))

    def is_running(self) -> bool:
        """Whether it still runs, and is still that one."""
        try:
            os.kill(self.number, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody else's, and there
        started = _started_ticks(self.number)
        if started == ENDED:
            return False
        return UNKNOWN_START in (self.started_ticks, started) or self.started_ticks == started

    def ask_to_stop(self) -> None:
        """SIGTERM, unless it is gone."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL, unless it is gone."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.is_running():
            os.kill(self.number, number)


def age_ms() -> int | None:
    """For how long this process has been running, its interpreter's start included; None where nobody tells."""
    started = _started_ticks(os.getpid())
    if started == UNKNOWN_START:
        return None
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000 - started * 1_000 / os.sysconf("SC_CLK_TCK"))


def on_stop_signal(loop: asyncio.AbstractEventLoop, asked: Callable[[str], None]) -> None:
    """Call `asked` with the signal's name on the first that wants an end; the second ends the process where it is."""
    names: list[str] = []

    def came(number: signal.Signals) -> None:
        if names:
            end_at_once(128 + number)
        names.append(number.name)
        asked(number.name)

    for number in STOP_SIGNALS:
        loop.add_signal_handler(number, came, number)


def end_at_once(status: int) -> None:
    """End this process without any tidying: what was synced is on the disk, as after a crash."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run_in_background(command: Sequence[str], output: str) -> str:
    """Start a program that outlives this one and writes to a file; gives the line that it tells when it is ready.

    The number of the descriptor that it tells it by (`tell`) is put behind the command's last word. An empty text means
    that it has ended without a word: the file says why.
    """
    reading, writing = os.pipe()
    with open(output, "ab") as file, os.fdopen(reading, encoding="utf-8") as told:
        try:
            os.set_inheritable(writing, True)
            child = os.posix_spawn(
                command[0],
                [*command, str(writing)],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_DUP2, file.fileno(), 1),
                    (os.POSIX_SPAWN_DUP2, file.fileno(), 2),
                ],
                setsid=True,
            )
        finally:
            os.close(writing)
        line = told.readline().rstrip("\n")
    if not line:
        os.waitpid(child, 0)
    return line


def tell(descriptor: int, line: str) -> None:
    """Tell the one who started this process in the background that it is ready."""
    with os.fdopen(descriptor, "w", encoding="utf-8") as told:
        told.write(f"{line}\n")


def _started_ticks(number: int) -> int:
    """When a process began, in ticks since the machine did."""
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return UNKNOWN_START
    return ENDED if fields[0] in ("Z", "X") else int(fields[_START_FIELD])
