"""A log's worth of batches of ours, in every codec and kind, and the records that are in them."""

from dataclasses import dataclass, replace

from ottla.protocol.records.batch import CompressionType
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.protocol.records.record import Record
from tests.unit.protocol.records.golden import given

PRODUCER_ID = 9001
LEVELS = [
    (CompressionType.GZIP, 1),
    (CompressionType.LZ4, 1),
    (CompressionType.LZ4, 17),
    (CompressionType.ZSTD, -5),
    (CompressionType.ZSTD, 22),
]


@dataclass(frozen=True)
class Written:
    """One batch: its bytes, what it was built from, and its records, if it holds any that users see."""

    data: bytes
    fields: BatchFields
    records: list[Record]


def written_log() -> list[Written]:
    """Batches that follow each other from offset 0: what a segment holds."""
    log: list[Written] = []
    for set_name in ("plain", "headers", "large"):
        for codec in CompressionType:
            add(log, set_name, BatchFields(compression_type=codec))
    for codec, level in LEVELS:
        add(log, "large", BatchFields(compression_type=codec, compression_level=level))
    add(log, "plain", BatchFields(producer_id=PRODUCER_ID, producer_epoch=2, base_sequence=2**31 - 3))
    transactional = BatchFields(
        compression_type=CompressionType.LZ4,
        producer_id=PRODUCER_ID + 1,
        producer_epoch=2,
        base_sequence=0,
        is_transactional=True,
    )
    add(log, "headers", transactional)
    add_marker(log, transactional)
    add(log, "plain", BatchFields(delete_horizon_ms=1_700_009_999_999))
    return log


def add(log: list[Written], set_name: str, fields: BatchFields) -> None:
    """One more batch of a set of records."""
    fields = placed(log, fields)
    building = BatchBuilder(fields)
    records = []
    for timestamp, key, value, headers in given(set_name):
        records.append(Record(fields.base_offset + len(building), timestamp, key, value, headers))
        building.append(timestamp, key, value, headers)
    log.append(Written(bytes(building.build()), fields, records))


def add_marker(log: list[Written], transaction: BatchFields) -> None:
    """The marker that commits a transaction."""
    fields = placed(
        log,
        BatchFields(
            producer_id=transaction.producer_id,
            producer_epoch=transaction.producer_epoch,
            is_transactional=True,
            is_control=True,
        ),
    )
    building = BatchBuilder(fields)
    building.append(1_700_000_000_000, control_key(ControlRecordType.COMMIT), end_transaction_value(3))
    log.append(Written(bytes(building.build()), fields, []))


def placed(log: list[Written], fields: BatchFields) -> BatchFields:
    """The fields, with the base offset that follows the log's last record."""
    return replace(fields, base_offset=end_offset(log), partition_leader_epoch=1)


def end_offset(log: list[Written]) -> int:
    """The offset behind the last batch."""
    return sum(max(len(written.records), 1) for written in log)
