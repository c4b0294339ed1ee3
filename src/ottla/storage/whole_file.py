"""Small files that are read whole and replaced whole: checkpoints, meta.properties and their like.

Always true of what `replace_whole_file` wrote: after a crash at any moment the file is the old one or the new one, and
once it has returned it is the new one. The new content is written beside it as `<name>.tmp` and synced, takes the name
in one step, and the directory is synced. A `.tmp` that a crash left is nobody's and is overwritten.

The calls wait for the disk, so whoever is on the loop makes them through `threads.run`.
"""

from typing import Final

from ottla.errors import CorruptFile
from ottla.world.api import Disk

TEMPORARY_SUFFIX: Final = ".tmp"
MAX_SIZE_BYTES: Final = 64 * 1024 * 1024  # a checkpoint of 200,000 partitions with the longest names there are


def read_whole_file(disk: Disk, path: str) -> bytes:
    """All bytes of a file; `NoSuchFile` if it is not there."""
    file = disk.open(path, read_only=True)
    try:
        size = file.size()
        if size > MAX_SIZE_BYTES:
            raise CorruptFile(f"{path}: {size} bytes are more than it can have", path=path)
        return file.read(0, size)
    finally:
        file.close()


def replace_whole_file(disk: Disk, path: str, data: bytes) -> None:
    """Make these bytes the content of a file, which may be missing, so that a crash leaves the old or the new."""
    temporary = path + TEMPORARY_SUFFIX
    file = disk.open(temporary, create=True)
    try:
        file.truncate(0)
        file.write(0, [data])
        file.sync()
    finally:
        file.close()
    disk.rename(temporary, path)
    disk.sync_directory(path.rpartition("/")[0] or "/")
