"""A lock on a log directory that nobody can hold twice: neither another process, nor a second node in this one.

Linux has two kinds of lock that concern us. The POSIX one, which Java's FileChannel takes, belongs to a process: a
second node in our own process would get it too, and it is lost when anybody closes the file. The lock of an open file
description (`F_OFD_SETLK`) excludes POSIX locks and belongs to one opening, so it is the one used here. Where it is
missing (BSD, macOS) `flock` does the same, since it shares its table with POSIX locks there.

What is always true: the lock is held exactly as long as its descriptor is open, which no other process inherits; the
lock file stays when the lock is gone, as Kafka's `.lock` does.
"""

import fcntl
import os
import struct

from ottla.world.real.file import lock_error

F_OFD_SETLK: int | None = getattr(fcntl, "F_OFD_SETLK", None)
# struct flock of a 64-bit Linux: type, whence, start, length (0: to the end, however far), process (0 is demanded).
WHOLE_FILE = struct.pack("@hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)


class RealFileLock:
    """A lock that is held."""

    __slots__ = ("__weakref__", "_number", "path")

    def __init__(self, path: str) -> None:
        self.path, self._number = path, -1
        try:
            number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise lock_error(path, error) from error
        try:
            if F_OFD_SETLK is not None:
                fcntl.fcntl(number, F_OFD_SETLK, WHOLE_FILE)
            else:
                fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(number)
            raise lock_error(path, error) from error
        self._number = number

    def release(self) -> None:
        """Give it up. Twice does nothing."""
        number, self._number = self._number, -1
        if number >= 0:
            os.close(number)

    __del__ = release
