"""Open files: positional I/O on one descriptor, without a cursor.

The idea: a descriptor is an object, and every call that uses it holds a reference. So it is closed when the file was
closed and the last use has ended, whichever comes later: a thread that still reads, or a range that is still being
sent, never meets a number that meanwhile belongs to another file.

What is always true: a write is whole or an error; every error of the system is a `DiskError` with path and number.
"""

import errno
import fcntl
import os
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

from ottla.errors import DiskError, DiskFull, LockHeld, NoSuchFile

T = TypeVar("T")
Bytes = bytes | bytearray | memoryview

IOV_MAX = os.sysconf("SC_IOV_MAX")  # as many chunks as the system takes in one call
RWF_NOWAIT: int | None = getattr(os, "RWF_NOWAIT", None)  # Linux alone
F_FULLFSYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)  # macOS alone, where fsync leaves the drive's cache alone
SPARE_BYTES = 1 << 20  # as `max.partition.fetch.bytes`
MAX_SPARES = 2
CANNOT_NOWAIT = {errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL}  # the file system or kernel has no such reads

KINDS = {
    errno.ENOENT: NoSuchFile,
    errno.ENOSPC: DiskFull,
    errno.EDQUOT: DiskFull,
}


def disk_error(action: str, path: str, error: OSError, *, kinds: dict[int, type[DiskError]] = KINDS) -> DiskError:
    """What the system said, as one of ours."""
    number = error.errno or 0
    kind = kinds.get(number, DiskError)
    return kind(f"cannot {action} {path}: {error.strerror or error}", path=path, errno=number)


def lock_error(path: str, error: OSError) -> DiskError:
    """The same for a lock: that somebody has it is told by two numbers (POSIX leaves the choice to the system)."""
    return disk_error("lock", path, error, kinds={**KINDS, errno.EAGAIN: LockHeld, errno.EACCES: LockHeld})


class Descriptor:
    """A number of the system, closed when nobody holds this any more."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        if self.number >= 0:
            os.close(self.number)


CLOSED = Descriptor(-1)


class RealFile:
    """An open file."""

    __slots__ = ("__weakref__", "_can_read_cached", "_descriptor", "_spare", "path")

    def __init__(self, path: str, number: int | Descriptor, spare: deque[memoryview]) -> None:
        self.path = path
        self._descriptor = number if isinstance(number, Descriptor) else Descriptor(number)
        self._spare = spare  # buffers for cached reads, shared by a disk's files
        self._can_read_cached = True  # as far as is known

    @property
    def descriptor(self) -> Descriptor:
        """What to hold for using the file beyond its closing; refused when it is closed already."""
        if self._descriptor is CLOSED:
            raise self._closed("use")
        return self._descriptor

    def read(self, position: int, size: int) -> bytes:
        """Up to `size` bytes; fewer only where the file ends."""
        data = self._call("read", os.pread, size, position)
        if len(data) == size or not data:
            return data
        # Fewer than asked for is the end of the file, as a rule; but a call gives at most 2 GiB, and a file system in
        # user space what it likes. Only nothing at all says that the file has ended.
        pieces = [data]
        while data and len(data) < size:
            position, size = position + len(data), size - len(data)
            data = self._call("read", os.pread, size, position)
            pieces.append(data)
        return b"".join(pieces)

    def read_cached(self, position: int, size: int) -> bytes | None:
        """The same if it cannot block, else None; always None where the platform has no such reads."""
        if RWF_NOWAIT is None or not self._can_read_cached:
            return None
        buffer = self._buffer(size)
        view = buffer[:size]
        descriptor = self._descriptor
        try:
            count = os.preadv(descriptor.number, (view,), position, RWF_NOWAIT)  # not by `_call`: 0.3 µs
            if count == size:
                return bytes(view)
            # Fewer than asked for: the file ends there, or only the beginning is in memory.
            return bytes(view[:count]) if position + count >= self.size() else None
        except OSError as error:
            if error.errno in CANNOT_NOWAIT:
                self._can_read_cached = False
            elif error.errno != errno.EAGAIN:
                raise self._refused("read", error) from error
            return None
        finally:
            del descriptor  # see `_call`
            if len(buffer) == SPARE_BYTES:
                self._spare.append(buffer)

    def _buffer(self, size: int) -> memoryview:
        """Where a cached read goes. To use one again makes a read of 1 MiB twenty times cheaper (0.04 ms): the system
        hands new memory out page by page, and takes it back at once.
        """
        if size <= SPARE_BYTES:
            try:
                return self._spare.pop()
            except IndexError:  # in use, by another thread
                return memoryview(bytearray(SPARE_BYTES))
        return memoryview(bytearray(size))

    def write(self, position: int, chunks: Sequence[Bytes]) -> int:
        """Write all chunks one after the other; views hold plain bytes."""
        if len(chunks) == 1:  # what an append has, and the system takes it whole: 0.5 µs less than the general way
            descriptor = self._descriptor
            try:
                written = os.pwritev(descriptor.number, chunks, position)
            except OSError as error:
                raise self._refused("write", error) from error
            finally:
                del descriptor  # see `_call`
            if written == len(chunks[0]):
                return written
            return written + self._write(position + written, after(chunks, written))
        written = 0
        for start in range(0, len(chunks), IOV_MAX):
            some = chunks if len(chunks) <= IOV_MAX else chunks[start : start + IOV_MAX]
            written += self._write(position + written, some)
        return written

    def _write(self, position: int, chunks: Sequence[Bytes]) -> int:
        """Write chunks that the system takes in one call, in as many calls as it needs.

        It writes less than all of them where the disk is almost full (and says so the next time), and never more than
        2 GiB at once.
        """
        size = sum(map(len, chunks))
        left = size
        while left:
            count = self._call("write", os.pwritev, chunks, position)
            if count == left:
                break
            if count == 0:
                raise disk_error("write", self.path, OSError(errno.EIO, "the system takes nothing and names no reason"))
            assert count < left, "chunks hold plain bytes"
            position, left, chunks = position + count, left - count, after(chunks, count)
        return size

    def sync(self) -> None:
        """Return when everything written, and the size, survives a crash."""
        if F_FULLFSYNC is not None:
            self._call("sync", fcntl.fcntl, F_FULLFSYNC)
        else:
            # Of what describes the file, fdatasync covers what is needed to read it again: its size, but not its times.
            self._call("sync", os.fdatasync)

    def truncate(self, size: int) -> None:
        """Cut the file, or extend it with zeros."""
        self._call("truncate", os.ftruncate, size)

    def size(self) -> int:
        """How long the file is now."""
        return self._call("look at", os.fstat).st_size

    def duplicate(self) -> "RealFile":
        """The same open file once more, to be closed by itself."""
        return RealFile(self.path, self.descriptor, self._spare)

    def close(self) -> None:
        """Give the file up; what uses it in this moment ends first."""
        self._descriptor = CLOSED

    def _call(self, action: str, call: Callable[..., T], *arguments: object) -> T:
        descriptor = self._descriptor
        if descriptor is CLOSED:
            raise self._closed(action)
        try:
            return call(descriptor.number, *arguments)
        except OSError as error:
            raise self._refused(action, error) from error
        finally:
            del descriptor  # An exception keeps this frame, and must not keep the file open.

    def _refused(self, action: str, error: OSError) -> DiskError:
        if error.errno == errno.EBADF and self._descriptor is CLOSED:
            return self._closed(action)
        return disk_error(action, self.path, error)

    def _closed(self, action: str) -> DiskError:
        return disk_error(action, self.path, OSError(errno.EBADF, "the file is closed"))


def after(chunks: Sequence[Bytes], count: int) -> list[Bytes]:
    """What is left of chunks behind so many bytes."""
    rest = list(chunks)
    for index, chunk in enumerate(rest):
        if count < len(chunk):
            return [memoryview(chunk)[count:], *rest[index + 1 :]]
        count -= len(chunk)
    return []
