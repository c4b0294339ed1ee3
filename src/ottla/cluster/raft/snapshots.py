"""The snapshots beside a log on the disk (KIP-630): what there is, and the calls that make, name and remove them.

    %020d-%010d.checkpoint                      a whole one, named by where the log goes on and the epoch before it
    %020d-%010d-<number>.checkpoint.part        one that is being written, by us or out of a leader's pieces
    %020d-%010d.checkpoint.deleted              one that goes in a while

Always true: a file that bears a snapshot's name is whole and on the disk, since it gets the name after its sync, and
the directory is synced behind that. What a stop leaves of the other two kinds is removed at the next start.

Calls wait for the disk; whoever is on the loop makes those that write through `threads.run`.
"""

import re
from contextlib import suppress
from typing import Final

from ottla.cluster.metadata.snapshot_file import SnapshotId, SnapshotReader
from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.errors import DamagedMetadata, NoSuchFile
from ottla.world.api import Disk

PART: Final = ".checkpoint.part"
DELETED: Final = ".checkpoint.deleted"
HEAD_BYTES: Final = 1_048_576  # the head is one batch: a header, and the voters

_LEFTOVER = re.compile(r"\d{20}-\d{10}.*(\.checkpoint\.part|\.checkpoint\.deleted)")


def file_name(snapshot_id: OffsetAndEpoch) -> str:
    """The name of a snapshot's file."""
    return SnapshotId(*snapshot_id).file_name


class SnapshotFiles:
    """The snapshots in one directory."""

    __slots__ = ("_disk", "_sizes", "_timestamps", "directory")

    def __init__(self, disk: Disk, directory: str) -> None:
        """Nothing is looked at yet; see `found`."""
        self._disk, self.directory = disk, directory
        self._sizes: dict[OffsetAndEpoch, int] = {}
        self._timestamps: dict[OffsetAndEpoch, int] = {}

    @classmethod
    def found(cls, disk: Disk, directory: str) -> "SnapshotFiles":
        """What a directory holds; what is unfinished or deleted in it is removed."""
        files = cls(disk, directory)
        for entry in disk.list(directory):
            snapshot_id = SnapshotId.parse(entry.name)
            if snapshot_id is not None:
                files.add(OffsetAndEpoch(*snapshot_id), entry.size)
            elif _LEFTOVER.fullmatch(entry.name):
                disk.unlink(f"{directory}/{entry.name}")
        return files

    @property
    def ids(self) -> list[OffsetAndEpoch]:
        """All of them, the oldest first."""
        return sorted(self._sizes)

    @property
    def latest(self) -> OffsetAndEpoch | None:
        """The newest."""
        return max(self._sizes, default=None)

    @property
    def earliest(self) -> OffsetAndEpoch | None:
        """The oldest."""
        return min(self._sizes, default=None)

    def size(self, snapshot_id: OffsetAndEpoch) -> int | None:
        """How many bytes one has; None if it is not there."""
        return self._sizes.get(snapshot_id)

    def add(self, snapshot_id: OffsetAndEpoch, size_bytes: int) -> None:
        """One has got its name."""
        self._sizes[snapshot_id] = size_bytes

    def forget(self, snapshot_id: OffsetAndEpoch) -> None:
        """Nobody is to find this one any more."""
        del self._sizes[snapshot_id]
        self._timestamps.pop(snapshot_id, None)

    def read(self, snapshot_id: OffsetAndEpoch, position: int, max_bytes: int) -> bytes:
        """A piece of one."""
        file = self._disk.open(self.path(snapshot_id), read_only=True)
        try:
            return file.read(position, max_bytes)
        finally:
            file.close()

    def timestamp(self, snapshot_id: OffsetAndEpoch) -> int:
        """The newest timestamp of the log that it stands for, as its header says; -1 if that cannot be read."""
        known = self._timestamps.get(snapshot_id)
        if known is None:
            try:
                head = SnapshotReader(memoryview(self.read(snapshot_id, 0, HEAD_BYTES))).head
                known = head.last_contained_log_timestamp
            except DamagedMetadata:
                known = -1
            self._timestamps[snapshot_id] = known
        return known

    # What writes

    def path(self, snapshot_id: OffsetAndEpoch) -> str:
        """Where it is."""
        return f"{self.directory}/{file_name(snapshot_id)}"

    def part_path(self, snapshot_id: OffsetAndEpoch, number: int) -> str:
        """Where one is that is being written."""
        return f"{self.directory}/{file_name(snapshot_id).removesuffix('.checkpoint')}-{number}{PART}"

    def name(self, part_path: str, snapshot_id: OffsetAndEpoch) -> None:
        """Give one that is whole and synced its name."""
        self._disk.rename(part_path, self.path(snapshot_id))
        self._disk.sync_directory(self.directory)

    def mark_deleted(self, snapshot_id: OffsetAndEpoch) -> None:
        """Take its name away; whoever reads it may go on."""
        self._disk.rename(self.path(snapshot_id), self._deleted_path(snapshot_id))

    def remove(self, snapshot_id: OffsetAndEpoch) -> None:
        """Let go of one that is marked."""
        with suppress(NoSuchFile):
            self._disk.unlink(self._deleted_path(snapshot_id))

    def _deleted_path(self, snapshot_id: OffsetAndEpoch) -> str:
        return f"{self.directory}/{file_name(snapshot_id).removesuffix('.checkpoint')}{DELETED}"
