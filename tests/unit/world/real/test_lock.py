"""Locks of log directories as other processes see them: Ottla's, and those that lock as Java does."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ottla.errors import LockHeld
from ottla.world.real import lock as lock_module
from ottla.world.real.lock import RealFileLock

# A process that locks a file as Java's FileChannel.tryLock does, tells how that went, and waits for its input to end.
POSIX = """
import fcntl, sys
file = open(sys.argv[1], "a+b")
try:
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
except OSError:
    print("refused", flush=True)
else:
    print("locked", flush=True)
sys.stdin.read()
"""

OURS = """
import sys
from ottla.errors import LockHeld
from ottla.world.real.lock import RealFileLock
try:
    lock = RealFileLock(sys.argv[1])
except LockHeld:
    print("refused", flush=True)
else:
    print("locked", flush=True)
sys.stdin.read()
"""

BYSTANDER = """
import sys
print("there", flush=True)
sys.stdin.read()
"""


@contextmanager
def process(program: str, path: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A Python of its own that runs a program with a path, and the first word that it said; killed at the end."""
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with child:
        assert child.stdout is not None
        try:
            yield child, child.stdout.readline().strip()
        finally:
            child.kill()


@pytest.mark.parametrize("program", [POSIX, OURS], ids=["as Java", "as Ottla"])
def test_another_process_sees_our_lock(tmp_path: Path, program: str) -> None:
    """A log directory that this process has locked is refused to a Kafka broker and to another Ottla, until freed."""
    lock = RealFileLock(str(tmp_path / ".lock"))
    with process(program, tmp_path / ".lock") as (_, said):
        assert said == "refused"
    lock.release()
    with process(program, tmp_path / ".lock") as (_, said):
        assert said == "locked"


@pytest.mark.parametrize("program", [POSIX, OURS], ids=["as Java", "as Ottla"])
def test_we_see_the_lock_of_another_process(tmp_path: Path, program: str) -> None:
    """A log directory that a Kafka broker or another Ottla has locked is LockHeld, until that process dies."""
    with process(program, tmp_path / ".lock") as (child, said):
        assert said == "locked"
        with pytest.raises(LockHeld, match=r"cannot lock .*\.lock"):
            RealFileLock(str(tmp_path / ".lock"))
        child.kill()
        child.wait()
        RealFileLock(str(tmp_path / ".lock")).release()


def test_a_child_does_not_keep_our_lock(tmp_path: Path) -> None:
    """A process that was started while a lock was held, and outlives it, does not go on holding it."""
    lock = RealFileLock(str(tmp_path / ".lock"))
    with process(BYSTANDER, tmp_path) as (_, said):
        assert said == "there"
        lock.release()
        RealFileLock(str(tmp_path / ".lock")).release()


def test_a_platform_without_such_locks_excludes_others_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there are no locks of open files, a second lock is refused all the same, in this process and another."""
    monkeypatch.setattr(lock_module, "F_OFD_SETLK", None)
    lock = RealFileLock(str(tmp_path / ".lock"))
    with pytest.raises(LockHeld):
        RealFileLock(str(tmp_path / ".lock"))
    with process(
        OURS.replace("try:", "import ottla.world.real.lock as l; l.F_OFD_SETLK = None\ntry:"), tmp_path / ".lock"
    ) as (_, said):
        assert said == "refused"
    lock.release()
    RealFileLock(str(tmp_path / ".lock")).release()
