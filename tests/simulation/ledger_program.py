"""A small program on a disk: a ledger of numbered entries in segment files, and a checkpoint beside them.

It is what the ledger suite tests the simulated disk with, and the pattern of everything that keeps promises on one:
an entry is acknowledged when it and the name of its file are synced; a small file is replaced by writing another,
syncing it, renaming it, and syncing the directory; what recovery finds unacknowledged is written anew before anything
builds on it, since a file may show what a failed sync has dropped.

`broken` names one of these rules to be left out, so that the suite can prove that it sees it.
"""

import struct
import zlib
from collections.abc import Iterator

from ottla.errors import DiskError
from ottla.world.api import File, World
from ottla.world.tasks import Lock

RULES = ("sync", "directory sync", "checksum", "sync before rename", "write anew")

HEADER = struct.Struct(">IIQ")  # bytes of payload, CRC-32 of number and payload, number
CHECKPOINT = struct.Struct(">QI")  # entries, CRC-32 of that
CHECKPOINT_EVERY = 10


class Ledger:
    """The ledger in one life of its node."""

    def __init__(self, world: World, directory: str, segment_bytes: int, broken: str = "") -> None:
        self.world, self.entries, self.checkpoint = world, list[bytes](), 0
        self.checkpointed = 0  # the newest checkpoint that is known to be safe
        self.failure = world.future()
        self._directory, self._segment_bytes, self._broken = directory, segment_bytes, broken
        self._lock, self._position = Lock(), 0
        self._file: File | None = None

    # Recovery

    async def recover(self) -> None:
        """Read what is there; a slow disk holds up nobody else."""
        disk = self.world.disk
        disk.make_directory(self._directory)
        disk.sync_directory("/")
        disk.lock(f"{self._directory}/.lock")
        names = [entry.name for entry in disk.list(self._directory)]
        for name in names:
            if name.endswith(".tmp"):
                disk.unlink(f"{self._directory}/{name}")
        segments = [name for name in names if name.endswith(".log")]
        for name in segments:
            content = await self.world.threads.run(self._content, name)
            assert int(name.removesuffix(".log")) == len(self.entries), f"{name} does not follow"
            end = self._read_entries(content)
            assert end == len(content) or name == segments[-1], f"{name} is torn, and is not the newest"
            if name == segments[-1]:
                self._write_anew(name, content[:end])
        if "checkpoint" in names:
            content = self._content("checkpoint")
            assert len(content) == CHECKPOINT.size, "the checkpoint is torn"
            number, crc = CHECKPOINT.unpack(content)
            assert crc == zlib.crc32(number.to_bytes(8)), "the checkpoint is damaged"
            self.checkpoint = number

    def _read_entries(self, content: bytes) -> int:
        """Take over all sound entries; where they end."""
        end = 0
        for number, payload, behind in entries(content, checked=self._broken != "checksum"):
            if number != len(self.entries):
                break
            self.entries.append(payload)
            end = behind
        return end

    def _write_anew(self, name: str, content: bytes) -> None:
        """The newest segment may show what is not on the disk, and may end in what is half there."""
        path = f"{self._directory}/{name}"
        if self._broken == "write anew":
            self._file = self.world.disk.open(path)
            self._file.truncate(len(content))
            self._file.sync()
        else:
            self._file = self._replace(name, content)
        self._position = len(content)

    def _replace(self, name: str, content: bytes) -> File:
        disk, path = self.world.disk, f"{self._directory}/{name}"
        file = disk.open(f"{path}.tmp", create=True)
        file.write(0, [content])
        if self._broken != "sync before rename":
            file.sync()
        disk.rename(f"{path}.tmp", path)
        disk.sync_directory(self._directory)
        return file

    def _content(self, name: str) -> bytes:
        file = self.world.disk.open(f"{self._directory}/{name}")
        content = file.read_cached(0, 1 << 30)
        if content is None:
            content = file.read(0, 1 << 30)
        file.close()
        return content

    # Appending

    async def append(self, payload: bytes) -> int:
        """The number of a new entry, which is safe now."""
        try:
            async with self._lock:
                return await self._append(payload)
        except DiskError as error:
            if not self.failure.done():
                self.failure.set_exception(error)
            raise

    async def _append(self, payload: bytes) -> int:
        if self.failure.done():  # nothing is written behind a failure; who waited for the lock meanwhile is told so
            raise DiskError(f"{self._directory}: an earlier entry failed", path=self._directory)
        number = len(self.entries)
        is_new = self._file is None or self._position >= self._segment_bytes
        if is_new:
            self._file = self.world.disk.open(f"{self._directory}/{number:08}.log", create=True, exclusive=True)
            self._position = 0
        assert self._file is not None
        self._position += self._file.write(self._position, [entry(number, payload)])
        if self._broken != "sync":
            await self.world.threads.run(self._file.sync)
        if is_new and self._broken != "directory sync":
            await self.world.threads.run(self.world.disk.sync_directory, self._directory)
        self.entries.append(payload)
        if len(self.entries) % CHECKPOINT_EVERY == 0:
            self.checkpoint = len(self.entries)
            content = CHECKPOINT.pack(self.checkpoint, zlib.crc32(self.checkpoint.to_bytes(8)))
            self._replace("checkpoint", content).close()
            self.checkpointed = self.checkpoint
        return number


def entry(number: int, payload: bytes) -> bytes:
    """An entry as it is written."""
    return HEADER.pack(len(payload), zlib.crc32(number.to_bytes(8) + payload), number) + payload


def entries(content: bytes, *, checked: bool = True) -> Iterator[tuple[int, bytes, int]]:
    """The entries at the start of a segment, up to the first that is not whole: number, payload, where it ends."""
    position = 0
    while position + HEADER.size <= len(content):
        size, crc, number = HEADER.unpack_from(content, position)
        position += HEADER.size + size
        payload = content[position - size : position]
        if len(payload) < size or (checked and crc != zlib.crc32(number.to_bytes(8) + payload)):
            return
        yield number, payload, position
