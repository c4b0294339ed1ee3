"""What a disk has refused may look better than it is: after a failed sync, tails are written anew before they are read.

When a sync fails, the system may drop the bytes, mark its pages clean and go on showing them to whoever reads. A node
that was started again on such a machine would find its log whole, append to it, sync that successfully, and lose the
middle with the next loss of power. So a directory that goes offline is marked by a file, as far as its disk lets us;
and when it is loaded again, whatever lies above the recovery points is written once more where it lies, so that the
next sync brings it to the disk. A machine that lost its power has lost the doubtful pages too, and needs none of this.

A failed sync is marked in the thread that hears of it (`marking`): the loop may be behind, and a process that is killed
before it gets there has left its successor pages that only look written.

Always true: the mark goes when all tails were written, and not before. The file is ours alone; Kafka passes over it.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from ottla.errors import DiskError, NoSuchFile
from ottla.storage.names import FileKind, FileState, parse_file_name

if TYPE_CHECKING:
    from ottla.world.api import Disk

FILE_NAME: Final = ".ottla_refused"
CHUNK_BYTES: Final = 1024 * 1024


def mark(disk: "Disk", directory: str) -> None:
    """Note that the disk of a log directory has refused something; if it refuses this too, there is no more to do."""
    with suppress(DiskError):
        disk.open(f"{directory}/{FILE_NAME}", create=True).close()


@contextmanager
def marking(disk: "Disk", directory: str | None) -> Iterator[None]:
    """Mark a directory, if there is one, when the disk refuses what is done in here. A file that is gone is no refusal:
    retention and compaction remove some while they are being synced.
    """
    try:
        yield
    except NoSuchFile:
        raise
    except DiskError:
        if directory is not None:
            mark(disk, directory)
        raise


def is_marked(disk: "Disk", directory: str) -> bool:
    """Whether a former life of the node has noted that."""
    return disk.exists(f"{directory}/{FILE_NAME}")


def unmark(disk: "Disk", directory: str) -> None:
    """All tails were written anew."""
    disk.unlink(f"{directory}/{FILE_NAME}")


def write_anew(disk: "Disk", log_directory: str, recovery_point: int) -> None:
    """Write what a log has above its recovery point once more: the segment that holds it, and those behind."""
    parsed = (parse_file_name(entry.name) for entry in disk.list(log_directory))
    logs = [name for name in parsed if name is not None and name.kind is FileKind.LOG]
    first = max((name.offset for name in logs if name.offset <= recovery_point), default=0)
    for name in logs:
        if name.offset >= first and name.state is not FileState.DELETED:
            _write_anew(disk, f"{log_directory}/{name}")


def _write_anew(disk: "Disk", path: str) -> None:
    file = disk.open(path)
    try:
        size = file.size()
        for position in range(0, size, CHUNK_BYTES):
            file.write(position, [file.read(position, min(CHUNK_BYTES, size - position))])
    finally:
        file.close()
