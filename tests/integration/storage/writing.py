"""Writing to a log, and remembering what was written: what Kafka's own programs say of the files has to be that."""

from collections.abc import Sequence
from itertools import starmap
from typing import NamedTuple

from ottla.protocol.records.batch import CompressionType
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.columns import Header
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.protocol.records.record import Record
from ottla.storage.append.info import AppendOrigin
from ottla.storage.log import Log
from ottla.storage.log_values import Appended

START_MS = 1_700_000_000_000
COORDINATOR_EPOCH = 3


class Producer(NamedTuple):
    """An idempotent producer, or a transactional one, at its next sequence."""

    producer_id: int
    epoch: int = 0
    sequence: int = 0
    is_transactional: bool = False


class Written(NamedTuple):
    """A batch of the log."""

    leader_epoch: int
    fields: BatchFields
    records: tuple[Record, ...]  # with their offsets, and the timestamps that a reader sees
    marker: ControlRecordType | None = None


class Writer:
    """Appends as the leader does."""

    def __init__(self, log: Log, leader_epoch: int = 0, start_ms: int = START_MS) -> None:
        self.log, self.leader_epoch, self.batches = log, leader_epoch, list[Written]()
        self._now_ms = start_ms

    def write(
        self,
        *pairs: tuple[bytes | None, bytes | None],
        codec: CompressionType = CompressionType.NONE,
        producer: Producer | None = None,
        headers: Sequence[tuple[str, bytes | None]] = (),
    ) -> None:
        """A batch of these keys and values, each with these headers, a millisecond after each other."""
        fields = BatchFields(compression_type=codec)
        if producer is not None:
            fields = BatchFields(
                compression_type=codec,
                producer_id=producer.producer_id,
                producer_epoch=producer.epoch,
                base_sequence=producer.sequence,
                is_transactional=producer.is_transactional,
            )
        records, base_offset = list[Record](), self.log.log_end_offset
        building = BatchBuilder(fields)
        for at, (key, value) in enumerate(pairs):
            self._now_ms += 1
            building.append(self._now_ms, key, value, headers)
            records.append(Record(base_offset + at, self._now_ms, key, value, tuple(starmap(Header, headers))))
        appended = self._append(building)
        assert appended.first_offset == base_offset
        if appended.log_append_time_ms >= 0:
            records = [record._replace(timestamp=appended.log_append_time_ms) for record in records]
        self._remember(Written(self.leader_epoch, fields, tuple(records)))

    def end(self, producer: Producer, *, committed: bool) -> None:
        """The marker that ends a producer's transaction."""
        fields = BatchFields(
            producer_id=producer.producer_id,
            producer_epoch=producer.epoch,
            is_transactional=True,
            is_control=True,
        )
        self._now_ms += 1
        kind = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
        key, value = control_key(kind), end_transaction_value(COORDINATOR_EPOCH)
        building, offset = BatchBuilder(fields), self.log.log_end_offset
        building.append(self._now_ms, key, value)
        appended = self._append(building, AppendOrigin.COORDINATOR)
        timestamp = appended.log_append_time_ms if appended.log_append_time_ms >= 0 else self._now_ms
        self._remember(Written(self.leader_epoch, fields, (Record(offset, timestamp, key, value),), kind))

    def _append(self, building: BatchBuilder, origin: AppendOrigin = AppendOrigin.CLIENT) -> Appended:
        """Append at once: a machine that let us wait is taken for a slow disk, which it is not."""
        self.log.services.pace.is_slow = False
        appended = self.log.append_as_leader(memoryview(building.build()), self.leader_epoch, origin)
        assert appended is not None
        return appended

    def _remember(self, written: Written) -> None:
        self.batches.append(written)
        self.log.update_high_watermark(self.log.log_end_offset)
