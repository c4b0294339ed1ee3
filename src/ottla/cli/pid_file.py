"""`ottla.pid` in the metadata directory: which process runs the node, for whoever wants to stop it.

    4711 86220        number, and when the process began, in ticks of the system

It is a hint. That a directory is in use says its lock; a file that a crash left behind names a process that is gone, or
by now somebody else with the same number but another beginning, and counts as none.
"""

from contextlib import suppress
from typing import Final

from ottla.errors import DiskError, NoSuchFile
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.api import Disk
from ottla.world.real.process import Process

FILE_NAME: Final = "ottla.pid"


class PidFile:
    """The file of one node."""

    def __init__(self, disk: Disk, metadata_directory: str) -> None:
        self._disk, self._path = disk, f"{metadata_directory}/{FILE_NAME}"

    def running(self) -> Process | None:
        """The process that runs the node; None if there is none."""
        try:
            words = read_whole_file(self._disk, self._path).decode("ascii", "replace").split()
        except NoSuchFile:
            return None
        if len(words) != 2 or not all(word.isascii() and word.isdecimal() for word in words):
            return None
        process = Process(int(words[0]), int(words[1]))
        return process if process.is_running() else None

    def write(self) -> None:
        """It is this process."""
        process = Process.this()
        replace_whole_file(self._disk, self._path, f"{process.number} {process.started_ticks}\n".encode())

    def remove(self) -> None:
        """Nobody runs it any more."""
        with suppress(DiskError):
            self._disk.unlink(self._path)
