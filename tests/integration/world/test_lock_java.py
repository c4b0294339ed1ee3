"""The lock of a log directory between Ottla and Java: a Kafka broker locks its `.lock` by a FileChannel."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ottla.errors import LockHeld
from ottla.world.real.lock import RealFileLock
from tests.integration.peer.programs import program

# Locks a file as Kafka does, says how that went, and holds the lock until its input ends.
LOCKS = """
import java.nio.channels.FileChannel;
import java.nio.file.*;

class Locks {
    public static void main(String[] arguments) throws Exception {
        FileChannel channel = FileChannel.open(Path.of(arguments[0]), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE);
        System.out.println(channel.tryLock() == null ? "refused" : "locked");
        System.in.read();
    }
}
"""


@contextmanager
def java(folder: Path) -> Iterator[str]:
    """What a Java process says that locks a log directory; it lives as long as the block."""
    source = folder / "Locks.java"
    source.write_text(LOCKS)
    command = [program("java"), "-Xmx64M", str(source), str(folder / ".lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def test_java_sees_our_lock(tmp_path: Path) -> None:
    """A log directory that Ottla has locked is refused to Java as long as it is locked."""
    lock = RealFileLock(str(tmp_path / ".lock"))
    with java(tmp_path) as said:
        assert said == "refused"
    lock.release()
    with java(tmp_path) as said:
        assert said == "locked"


def test_we_see_the_lock_of_java(tmp_path: Path) -> None:
    """A log directory that Java has locked is LockHeld for Ottla until that process is gone."""
    with java(tmp_path) as said:
        assert said == "locked"
        with pytest.raises(LockHeld):
            RealFileLock(str(tmp_path / ".lock"))
    RealFileLock(str(tmp_path / ".lock")).release()
