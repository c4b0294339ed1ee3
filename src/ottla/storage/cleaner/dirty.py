"""The newest offset of every key in the dirty part of a log: what compaction is decided by.

A walk over the dirty batches fills the kernel's map until it is full, or the part that may be cleaned ends. Its memory
is bounded: by `log.cleaner.dedupe.buffer.size` over the threads, and by the number of offsets that there are, so that a
small log has a small map.

Always true: of every batch up to `latest_offset` all keys are in the map; of the batch behind it some may be, which
only lets records go that have a newer one there. Records of aborted transactions are not in it: they are not the newest
of anything.
"""

from typing import Final

from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.kernel import OffsetMap
from ottla.protocol.records.kernel.faults import MOST_LOAD, SLOT_BYTES
from ottla.protocol.records.record import columns_of
from ottla.storage.cleaner.transactions import CleanedTransactions

LEAST_MAP_SLOTS: Final = 64


class DirtyKeys:
    """The map, and how far the walk came."""

    __slots__ = ("_transactions", "is_full", "latest_offset", "map", "record_count", "start_offset")

    def __init__(
        self,
        start_offset: int,
        end_offset: int,
        transactions: CleanedTransactions,
        *,
        limit_bytes: int,
        load_factor: float = MOST_LOAD,
    ) -> None:
        """An empty map for the offsets from one on and below another. To make a large one is for a thread."""
        self.map = OffsetMap(_map_bytes(end_offset - start_offset, limit_bytes, load_factor), load_factor)
        self.start_offset = start_offset
        self.latest_offset = -1
        self.is_full = False
        self.record_count = 0
        self._transactions = transactions

    def add(self, batch: RecordBatch) -> None:
        """Walk over a batch. Once the map is full nothing more may be added."""
        assert not self.is_full, "a full map gets no more keys"
        batch.check()
        if batch.is_control:
            self._transactions.is_marker_spent(batch)
        elif not self._transactions.is_aborted(batch) and batch.last_offset >= self.start_offset:
            columns = columns_of(batch)
            done = self.map.put_columns(columns, self.start_offset)
            self.record_count += done
            if done < len(columns):
                self.is_full = True
                return
        if batch.last_offset >= self.start_offset:
            self.latest_offset = max(self.latest_offset, batch.last_offset)

    def forget(self) -> None:
        """Give the map's memory back, which is for a thread too: 8 ms for 128 MB."""
        del self.map

    def segment_ended(self, next_base_offset: int) -> None:
        """Offsets that compaction or the end of a segment left out need no walk."""
        self.latest_offset = max(self.latest_offset, next_base_offset - 1)


def _map_bytes(offset_count: int, limit_bytes: int, load_factor: float) -> int:
    """Room for as many keys as there are offsets, as far as that is allowed."""
    slots = max(int(offset_count / min(load_factor, MOST_LOAD)) + 2, LEAST_MAP_SLOTS)
    return min(slots * SLOT_BYTES, limit_bytes)
