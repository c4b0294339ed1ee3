"""What stays of a batch when a log is compacted: the batch as it is, some of its records, its header, or nothing.

The rules are those of Kafka's Cleaner and MemoryRecords.filterTo:
- a record stays if no newer one with its key is known, or if it lies behind what was looked at; one without key goes;
- a tombstone stays until its batch's delete horizon (KIP-534): the first cleaning that keeps one writes the horizon,
  `delete.retention.ms` from now, into the batch's base timestamp;
- a marker stays as long as batches of its transaction do, then gets a horizon, and goes behind that;
- records of aborted transactions go;
- the header of the last batch of an active producer stays, since its sequence and epoch are the producer's state; so
  does that of the last batch of the cleaned part, so that the end of that part remains known.

Always true: base offset, last offset, leader epoch, producer fields and codec of a batch stay as they were, and so do
the offsets and timestamps of records; a batch that is written anew had a right checksum. A batch whose checksum is
wrong raises `CorruptBatch`: it must not get a right one by being written anew.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import compress
from typing import Final, NamedTuple

from ottla.protocol.records.batch import NO_TIMESTAMP, RecordBatch, TimestampType
from ottla.protocol.records.builder import BatchFields, seal
from ottla.protocol.records.columns import Bytes, Columns
from ottla.protocol.records.kernel import index, retain
from ottla.protocol.records.record import section_of
from ottla.storage.cleaner.dirty import DirtyKeys
from ottla.storage.cleaner.transactions import CleanedTransactions

NO_OFFSET: Final = -1


class LastRecord(NamedTuple):
    """The end of what an active producer wrote: its last offset with records, or -1 if there is a marker alone."""

    last_data_offset: int
    producer_epoch: int


class FilterRules(NamedTuple):
    """What one cleaning of a log goes by."""

    keys: DirtyKeys
    now_ms: int
    delete_retention_ms: int
    end_offset: int  # the part that may be cleaned ends here
    last_records: Mapping[int, LastRecord]


class BatchFilter:
    """A walk over the cleaned part of a log, which answers what is to be written."""

    __slots__ = ("_rules", "_transactions", "keyless_count", "read_count", "retained_count")

    def __init__(self, rules: FilterRules, transactions: CleanedTransactions) -> None:
        """Begin the walk; the transactions are those of the whole of it."""
        self._rules = rules
        self._transactions = transactions
        self.read_count = self.retained_count = self.keyless_count = 0

    def begin_group(self, last_records: Mapping[int, LastRecord]) -> None:
        """Go on with the producers as they are now."""
        self._rules = self._rules._replace(last_records=last_records)

    def filter(self, batch: RecordBatch) -> RecordBatch | None:
        """What stays of a batch: itself, another one, or nothing."""
        batch.check()
        self.read_count += batch.count
        if batch.is_control:
            kept = self._control(batch)
        elif self._transactions.is_aborted(batch):
            kept = self._emptied(batch)
        else:
            kept = self._records(batch)
        if kept is not None:
            self.retained_count += kept.count
        return kept

    def _control(self, batch: RecordBatch) -> RecordBatch | None:
        if not self._transactions.is_marker_spent(batch):
            return batch
        horizon_ms = batch.delete_horizon_ms
        if batch.count == 0 or (horizon_ms is not None and horizon_ms <= self._rules.now_ms):
            return self._emptied(batch)
        if horizon_ms is not None:
            return batch
        return self._rewritten(batch, section_of(batch), b"\x01" * batch.count, self._new_horizon_ms())

    def _records(self, batch: RecordBatch) -> RecordBatch | None:
        if batch.count == 0:
            return self._emptied(batch)
        rules, keys = self._rules, self._rules.keys
        horizon_ms = batch.delete_horizon_ms
        section = section_of(batch)
        columns = index(section, batch.count, batch.base_offset, batch.base_timestamp)
        mask = keys.map.mask(columns, drop_tombstones=horizon_ms is not None and horizon_ms <= rules.now_ms)
        if batch.last_offset > keys.latest_offset:
            _keep_behind(mask, columns, keys.latest_offset)
        kept_count = sum(mask)
        if kept_count < batch.count:
            self.keyless_count += columns.key_lengths.count(-1)
        if kept_count == 0:
            return self._emptied(batch)
        needs_horizon = (
            horizon_ms is None and -1 in columns.value_lengths and -1 in compress(columns.value_lengths, mask)
        )
        if needs_horizon:
            horizon_ms = self._new_horizon_ms()
        elif kept_count == batch.count:
            return batch
        return self._rewritten(batch, section, mask, horizon_ms)

    def _rewritten(self, batch: RecordBatch, section: Bytes, mask: Bytes, horizon_ms: int | None) -> RecordBatch:
        """The batch with the records of a mask, and with a delete horizon if there is one."""
        base_timestamp = batch.base_timestamp if horizon_ms is None else horizon_ms
        retained = retain(section, batch.count, mask, batch.base_timestamp, base_timestamp)
        set_by_log = batch.timestamp_type == TimestampType.LOG_APPEND_TIME
        return _view(
            seal(
                retained.section,
                replace(BatchFields.of(batch), delete_horizon_ms=horizon_ms),
                count=retained.record_count,
                last_offset_delta=batch.last_offset_delta,
                base_timestamp=base_timestamp,
                max_timestamp=batch.max_timestamp if set_by_log else retained.max_timestamp,
            )
        )

    def _emptied(self, batch: RecordBatch) -> RecordBatch | None:
        """The header of a batch whose records go, if something needs it."""
        if batch.next_offset != self._rules.end_offset and not self._is_last_of_producer(batch):
            return None
        if batch.count == 0:
            return batch
        return _view(
            seal(
                b"",
                replace(BatchFields.of(batch), delete_horizon_ms=None),
                count=0,
                last_offset_delta=batch.last_offset_delta,
                base_timestamp=NO_TIMESTAMP,
                max_timestamp=batch.max_timestamp,
            )
        )

    def _is_last_of_producer(self, batch: RecordBatch) -> bool:
        """Whether an active producer's state is in this header: its last sequence, or the epoch of its last marker."""
        last = self._rules.last_records.get(batch.producer_id) if batch.has_producer_id else None
        if last is None:
            return False
        if last.last_data_offset != NO_OFFSET:
            return batch.last_offset == last.last_data_offset
        return batch.is_control and batch.producer_epoch == last.producer_epoch

    def _new_horizon_ms(self) -> int:
        return self._rules.now_ms + self._rules.delete_retention_ms


def _keep_behind(mask: bytearray, columns: Columns, latest_offset: int) -> None:
    """Keep the records that lie behind what was looked at."""
    for at, offset in enumerate(columns.offsets):
        if offset > latest_offset:
            mask[at] = 1


def _view(batch: bytearray) -> RecordBatch:
    return RecordBatch(memoryview(batch))
