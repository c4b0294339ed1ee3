"""An open file of a simulated disk, and a lock on one.

What is always true: a write is whole, or an error and some prefix of it; a sync that fails may have dropped what it
should have written, as Linux does, so that the next one succeeds without it, whether or not it can still be read. A
file whose life is over raises `NodeDied`, except that it may be closed.
"""

import errno
from collections.abc import Sequence

from ottla.world.simulated.disk.calls import NANOSECONDS, Calls, refusal
from ottla.world.simulated.disk.faults import DiskFaultKind
from ottla.world.simulated.disk.tree import FileNode, Resize, Write


class SimulatedFile:
    """A life's `File`."""

    def __init__(self, path: str, node: FileNode, calls: Calls, *, read_only: bool) -> None:
        self.path = path
        self._node, self._calls, self._read_only, self._is_closed = node, calls, read_only, False

    def read(self, position: int, size: int) -> bytes:
        """Up to so many bytes; what is not in memory takes longer."""
        self._begin("read", NANOSECONDS.read(self._available(position, size), is_cold=self._calls.is_cold()))
        self._calls.may_fail(DiskFaultKind.READ_ERROR, self.path, "read")
        return self._bytes(position, size)

    def read_cached(self, position: int, size: int) -> bytes | None:
        """The same, or None where it would have taken longer."""
        self._begin("read", NANOSECONDS.read(self._available(position, size), is_cold=False))
        return None if self._calls.is_cold() else self._bytes(position, size)

    def write(self, position: int, chunks: Sequence["bytes | bytearray | memoryview"]) -> int:
        """Write all chunks, or fail behind some prefix of them."""
        assert position >= 0, "a position is counted from the start"
        data = b"".join(chunks)
        self._begin("write", NANOSECONDS.write(len(data)))
        self._must_be_writable("write")
        if not data:
            return 0
        failure = self._calls.strikes(DiskFaultKind.WRITE_ERROR, self.path, "write")
        if failure:
            self._write(position, data[: self._calls.rng.randrange(len(data) + 1)])
            raise refusal(self.path, errno.EIO)
        growth = max(0, position + len(data) - len(self._node.content))
        room = self._calls.room(self.path, growth)
        if room < growth:
            self._write(position, data[: max(0, len(data) - growth + room)])
            raise refusal(self.path, errno.ENOSPC)
        self._write(position, data)
        return len(data)

    def sync(self) -> None:
        """What waits of this file is stable."""
        node, calls = self._node, self._calls
        self._begin("sync", NANOSECONDS.sync(node.waiting_bytes(), calls.rng))
        if calls.strikes(DiskFaultKind.SYNC_ERROR, self.path, "sync"):
            outcome = calls.rng.randrange(3)
            if outcome == 1:
                node.waiting.clear()  # it is still in memory, counts as written, and is not
            elif outcome == 2:
                calls.resized(node, len(node.stable) - len(node.content))
                node.settle(node.stable)
            raise refusal(self.path, errno.EIO)
        node.sync()

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with zeros, which take no room."""
        assert size >= 0, "a size is not negative"
        self._begin("truncate", NANOSECONDS.name)
        self._must_be_writable("truncate")
        self._calls.may_fail(DiskFaultKind.WRITE_ERROR, self.path, "truncate")
        self._calls.resized(self._node, size - len(self._node.content))
        self._node.change(Resize(size))

    def size(self) -> int:
        """How long the file is."""
        self._begin("size", NANOSECONDS.call)
        return len(self._node.content)

    def duplicate(self) -> "SimulatedFile":
        """The same file once more, to be closed by itself: for what is sent from it later."""
        if self._is_closed:
            raise refusal(self.path, errno.EBADF)
        return SimulatedFile(self.path, self._node, self._calls, read_only=True)

    def close(self) -> None:
        """Give it up; what is unsynced stays so."""
        self._is_closed = True

    def _begin(self, what: str, cost_ns: int) -> None:
        self._calls.begin(self.path, what, cost_ns)
        if self._is_closed:
            raise refusal(self.path, errno.EBADF)

    def _must_be_writable(self, what: str) -> None:
        if self._read_only:
            raise refusal(self.path, errno.EBADF)
        self._calls.may_fail(DiskFaultKind.READ_ONLY, self.path, what)

    def _available(self, position: int, size: int) -> int:
        return max(0, min(size, len(self._node.content) - position))

    def _bytes(self, position: int, size: int) -> bytes:
        assert position >= 0, "a position is counted from the start"
        return bytes(memoryview(self._node.content)[position : position + size])

    def _write(self, position: int, data: bytes) -> None:
        if data:
            self._calls.resized(self._node, max(0, position + len(data) - len(self._node.content)))
            self._node.change(Write(position, data))


class SimulatedLock:
    """A life's `FileLock`."""

    def __init__(self, locks: dict[int, FileNode], node: FileNode, calls: Calls) -> None:
        self._locks, self._node, self._calls, self._is_held = locks, node, calls, True
        locks[id(node)] = node

    def release(self) -> None:
        """Give it up; the dead hold none."""
        if self._is_held and not self._calls.is_dead():
            del self._locks[id(self._node)]
        self._is_held = False
