"""Which process runs a node."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ottla.cli.pid_file import FILE_NAME, PidFile
from ottla.world.real.disk import RealDisk
from ottla.world.real.process import Process


@pytest.fixture
def pid_file(tmp_path: Path) -> PidFile:
    """A file that is not there yet."""
    return PidFile(RealDisk(), str(tmp_path))


def test_this_process(pid_file: PidFile, tmp_path: Path) -> None:
    """The process that wrote the file runs the node, until it takes the file away."""
    assert pid_file.running() is None
    pid_file.write()
    assert pid_file.running() == Process.this()
    assert (tmp_path / FILE_NAME).read_text().split()[0] == str(os.getpid())
    pid_file.remove()
    assert pid_file.running() is None
    pid_file.remove()


def test_a_process_that_has_ended(pid_file: PidFile, tmp_path: Path) -> None:
    """A file that a crash left behind names nobody, also while the dead process has not been noticed by its parent."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        known = Process(child.pid)
        (tmp_path / FILE_NAME).write_text(f"{child.pid} 0\n")
        assert pid_file.running() == known
        assert child.stdin is not None
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and is not reaped
        assert pid_file.running() is None
    assert pid_file.running() is None


def test_somebody_else_with_the_same_number(pid_file: PidFile, tmp_path: Path) -> None:
    """A number that is used again belongs to another process: who began at another time is not the one."""
    this = Process.this()
    other = dataclasses.replace(this, started_ticks=this.started_ticks + 1)
    (tmp_path / FILE_NAME).write_text(f"{other.number} {other.started_ticks}\n")
    assert (pid_file.running() is None) == (this.started_ticks > 0)


@pytest.mark.parametrize("content", ["", "x y", "1", "1 2 3", "-1 0"])
def test_what_is_no_pid_file(pid_file: PidFile, tmp_path: Path, content: str) -> None:
    """What we would not have written names nobody."""
    (tmp_path / FILE_NAME).write_text(content)
    assert pid_file.running() is None
