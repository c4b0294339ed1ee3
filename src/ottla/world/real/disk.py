"""Files and directories of the operating system, by path.

What is always true: every error of the system is a `DiskError` with path and number; what this disk has opened or
locked is closed when the disk is, so that a node that failed leaves no descriptor behind.
"""

import contextlib
import errno
import os
import shutil
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from weakref import WeakSet

from ottla.world.api import DirectoryEntry
from ottla.world.real.file import MAX_SPARES, RealFile, disk_error
from ottla.world.real.lock import RealFileLock
from ottla.world.real.process import open_files_max


@contextlib.contextmanager
def told(action: str, path: str) -> Iterator[None]:
    """Errors of the system inside of this are told as ours."""
    try:
        yield
    except OSError as error:
        raise disk_error(action, path, error) from error


class RealDisk:
    """The machine's file systems."""

    def __init__(self) -> None:
        # Weak: a file that nobody holds any more has closed itself.
        self._files: WeakSet[RealFile] = WeakSet()
        self._locks: WeakSet[RealFileLock] = WeakSet()
        self._spare: deque[memoryview] = deque(maxlen=MAX_SPARES)

    def open(self, path: str, *, create: bool = False, exclusive: bool = False, read_only: bool = False) -> RealFile:
        """Open a file."""
        assert create or not exclusive, "only what is made can be demanded to be missing"
        flags = os.O_CLOEXEC | (os.O_RDONLY if read_only else os.O_RDWR)
        flags |= (os.O_CREAT if create else 0) | (os.O_EXCL if exclusive else 0)
        with told("open", path):
            file = RealFile(path, os.open(path, flags, 0o666), self._spare)
            if read_only and stat.S_ISDIR(os.fstat(file.descriptor.number).st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        self._files.add(file)
        return file

    def make_directory(self, path: str) -> None:
        """Make a directory and its parents."""
        with told("make directory", path):
            os.makedirs(path, exist_ok=True)

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""
        with told("remove directory", path):
            os.rmdir(path)

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory, replacing a file that is at the target, in one step."""
        with told(f"rename to {target}:", source):
            os.replace(source, target)

    def unlink(self, path: str) -> None:
        """Remove a file."""
        with told("unlink", path):
            os.unlink(path)

    def list(self, path: str) -> Sequence[DirectoryEntry]:
        """What is in a directory, in the order of names."""
        entries = []
        with told("list", path), os.scandir(path) as found:
            for entry in found:
                try:
                    status = entry.stat()
                except FileNotFoundError:
                    continue  # It went away between the two calls.
                is_directory = stat.S_ISDIR(status.st_mode)
                entries.append(DirectoryEntry(entry.name, is_directory, 0 if is_directory else status.st_size))
        return sorted(entries, key=lambda entry: entry.name)

    def exists(self, path: str) -> bool:
        """Whether there is a file or directory. A disk that cannot tell raises."""
        with told("look at", path):
            try:
                os.stat(path)
            except (FileNotFoundError, NotADirectoryError):
                return False
        return True

    def sync_directory(self, path: str) -> None:
        """Return when the directory's entries survive a crash."""
        with told("sync directory", path):
            number = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                os.fsync(number)
            finally:
                os.close(number)

    def free_bytes(self, path: str) -> int:
        """How much more the file system of this path can hold for us (root may have more in reserve)."""
        with told("look at", path):
            return shutil.disk_usage(path).free

    def total_bytes(self, path: str) -> int:
        """How much the file system of this path can hold altogether."""
        with told("look at", path):
            return shutil.disk_usage(path).total

    def open_files_max(self) -> int:
        """How many descriptors the process may have (`ulimit -n`)."""
        return open_files_max()

    def lock(self, path: str) -> RealFileLock:
        """Lock a file, made if missing."""
        lock = RealFileLock(path)
        self._locks.add(lock)
        return lock

    def close(self) -> None:
        """Close what is still open and release what is still locked."""
        for file in tuple(self._files):
            file.close()
        for lock in tuple(self._locks):
            lock.release()
