"""A log as a list of batches, written as producers and coordinators do, and compacted without files."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ottla.protocol.records.batch import CompressionType, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.protocol.records.record import Record, records_of
from ottla.storage.cleaner.dirty import DirtyKeys
from ottla.storage.cleaner.filtering import BatchFilter, FilterRules, LastRecord
from ottla.storage.cleaner.transactions import CleanedTransactions
from ottla.storage.segments.transaction_index import AbortedTransaction

NOW_MS = 1_700_000_000_000
RETENTION_MS = 1_000
MAP_BYTES = 1 << 20

Pair = tuple[bytes | None, bytes | None]


@dataclass
class BatchList:
    """Batches one after the other."""

    batches: list[RecordBatch] = field(default_factory=list)
    aborted: list[AbortedTransaction] = field(default_factory=list)
    begun: dict[int, int] = field(default_factory=dict)  # producer id: first offset of its transaction
    cleaned_to: int = 0  # the first dirty offset that the cleaning which made this has left

    @property
    def end_offset(self) -> int:
        """The offset behind the last batch."""
        return self.batches[-1].next_offset if self.batches else 0

    def add(self, building: BatchBuilder) -> RecordBatch:
        """Append a batch."""
        batch = RecordBatch(memoryview(building.build()))
        self.batches.append(batch)
        return batch

    def write(
        self,
        *pairs: Pair,
        producer_id: int = -1,
        epoch: int = 0,
        sequence: int = 0,
        is_transactional: bool = False,
        codec: CompressionType = CompressionType.NONE,
        timestamp_type: TimestampType = TimestampType.CREATE_TIME,
        timestamp: int = NOW_MS,
    ) -> RecordBatch:
        """Append a batch of these keys and values."""
        fields = BatchFields(
            base_offset=self.end_offset,
            partition_leader_epoch=5,
            compression_type=codec,
            timestamp_type=timestamp_type,
            is_transactional=is_transactional,
        )
        if producer_id >= 0:
            fields = replace(fields, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence)
        if is_transactional:
            self.begun.setdefault(producer_id, self.end_offset)
        building = BatchBuilder(fields)
        for at, (key, value) in enumerate(pairs):
            building.append(timestamp + at, key, value)
        return self.add(building)

    def end_transaction(self, producer_id: int, *, committed: bool, epoch: int = 0) -> RecordBatch:
        """Append the marker that ends a producer's transaction."""
        fields = BatchFields(
            base_offset=self.end_offset,
            partition_leader_epoch=5,
            producer_id=producer_id,
            producer_epoch=epoch,
            is_transactional=True,
            is_control=True,
        )
        building = BatchBuilder(fields)
        kind = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
        building.append(NOW_MS, control_key(kind), end_transaction_value(1))
        batch = self.add(building)
        first_offset = self.begun.pop(producer_id, batch.base_offset)
        if not committed:
            self.aborted.append(AbortedTransaction(producer_id, first_offset, batch.base_offset, self.end_offset))
        return batch

    def cleaned(
        self,
        *,
        start_offset: int = 0,
        end_offset: int | None = None,
        now_ms: int = NOW_MS,
        last_records: Mapping[int, LastRecord] | None = None,
        map_bytes: int = MAP_BYTES,
    ) -> "BatchList":
        """The log, as if in one segment, after a cleaning that knows the keys from one offset on and below another."""
        end = self.end_offset if end_offset is None else end_offset
        keys = DirtyKeys(start_offset, end, CleanedTransactions(self.aborted), limit_bytes=map_bytes)
        for batch in self.batches:
            if start_offset <= batch.last_offset < end and not keys.is_full:
                keys.add(batch)
        if not keys.is_full:
            keys.segment_ended(end)
        transactions = CleanedTransactions(self.aborted)
        filtering = BatchFilter(FilterRules(keys, now_ms, RETENTION_MS, end, last_records or {}), transactions)
        kept = []
        for batch in self.batches:
            found = filtering.filter(batch)
            if found is not None:
                kept.append(found)
        return BatchList(kept, transactions.take_retained(), cleaned_to=keys.latest_offset + 1)

    def records(self) -> list[Record]:
        """All records that users see, aborted ones too."""
        return [record for batch in self.batches if not batch.is_control for record in records_of(batch)]

    def pairs(self) -> list[Pair]:
        """Their keys and values."""
        return [(record.key, record.value) for record in self.records()]

    def shape(self) -> list[tuple[int, int, int]]:
        """Base offset, last offset and number of records of each batch."""
        return [(batch.base_offset, batch.last_offset, batch.count) for batch in self.batches]

    def bytes(self) -> bytes:
        """The file."""
        return b"".join(batch.view for batch in self.batches)
