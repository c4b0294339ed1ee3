"""The aborted transactions of a segment: what a `read_committed` consumer has to skip.

An entry is 34 bytes, `version i16 = 0, producer id i64, first offset i64, last offset i64, last stable offset i64`: the
transaction's first record, the marker that aborted it, and the last stable offset as it was once that was written. A
transaction is listed in the segment that holds its marker. The file does not exist until there is an entry.

Always true: last offsets grow strictly. A reader who has seen an entry whose last stable offset is not below the end of
what it reads needs no later one: what ends later begins there or later.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct
from typing import Final

from ottla.errors import CorruptFile

ENTRY: Final = Struct(">hqqqq")
ENTRY_BYTES: Final = ENTRY.size
VERSION: Final = 0


@dataclass(frozen=True, slots=True)
class AbortedTransaction:
    """A transaction that was aborted: its producer, its first record, its marker."""

    producer_id: int
    first_offset: int
    last_offset: int
    last_stable_offset: int

    def encode(self) -> bytes:
        """The entry as the file holds it."""
        return ENTRY.pack(VERSION, self.producer_id, self.first_offset, self.last_offset, self.last_stable_offset)


class TransactionIndex:
    """The entries of one segment."""

    __slots__ = ("_entries", "base_offset")

    def __init__(self, base_offset: int) -> None:
        """Make an empty index."""
        self.base_offset = base_offset
        self._entries: list[AbortedTransaction] = []

    def __len__(self) -> int:
        """The number of entries."""
        return len(self._entries)

    def __iter__(self) -> Iterator[AbortedTransaction]:
        """The entries in the order of their markers."""
        return iter(self._entries)

    def append(self, aborted: AbortedTransaction) -> None:
        """Add the transaction whose marker comes last."""
        last_offset = self._entries[-1].last_offset if self._entries else self.base_offset - 1
        assert aborted.last_offset > last_offset, f"{aborted} follows {last_offset}"
        self._entries.append(aborted)

    def collect(self, fetch_offset: int, upper_bound_offset: int) -> tuple[list[AbortedTransaction], bool]:
        """The transactions that touch a range of offsets, and whether no later segment can have more of them."""
        found: list[AbortedTransaction] = []
        for aborted in self._entries:
            if aborted.last_offset >= fetch_offset and aborted.first_offset < upper_bound_offset:
                found.append(aborted)
            if aborted.last_stable_offset >= upper_bound_offset:
                return found, True
        return found, False

    def truncate_to(self, offset: int) -> None:
        """Forget the transactions whose marker is at this offset or later."""
        self._entries = [aborted for aborted in self._entries if aborted.last_offset < offset]

    def encode(self) -> bytes:
        """The file."""
        return b"".join(aborted.encode() for aborted in self._entries)

    @classmethod
    def decode(cls, base_offset: int, data: bytes, path: str) -> "TransactionIndex":
        """The index that a file holds."""
        if len(data) % ENTRY_BYTES:
            raise CorruptFile(f"{path}: {len(data)} bytes are no multiple of {ENTRY_BYTES}", path=path)
        index = cls(base_offset)
        last_offset = base_offset - 1
        for version, *numbers in ENTRY.iter_unpack(data):
            aborted = AbortedTransaction(*numbers)
            if version != VERSION:
                raise CorruptFile(f"{path}: an entry of version {version}", path=path)
            if aborted.last_offset <= last_offset or aborted.first_offset >= aborted.last_offset:
                raise CorruptFile(f"{path}: {aborted} follows the marker at {last_offset}", path=path)
            last_offset = aborted.last_offset
            index._entries.append(aborted)
        return index
