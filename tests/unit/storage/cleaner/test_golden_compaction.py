"""A log that a real Kafka broker has compacted, and what we make of the same records."""

from pathlib import Path
from typing import Final

from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.storage.cleaner.dirty import DirtyKeys
from ottla.storage.cleaner.filtering import BatchFilter, FilterRules
from ottla.storage.cleaner.transactions import CleanedTransactions
from tests.unit.storage.cleaner.logs import BatchList

GOLDEN: Final = Path(__file__).parents[3] / "golden/kafka-4.3-logs/golden-compacted-0"
START_MS, TWO_HOURS_MS = 1_700_000_000_000, 7_200_000
CLEANED_TO = 12  # its cleaner-offset-checkpoint
ROUNDS = 3  # of the writes, below that


def written() -> list[RecordBatch]:
    """What was produced, as the origin of the golden log says: each round writes one key less, then `gone`."""
    found, offset = [], 0
    for number in range(ROUNDS):
        building = BatchBuilder(BatchFields(base_offset=offset, partition_leader_epoch=0))
        for key in range(number, 4):
            building.append(START_MS + number * TWO_HOURS_MS, b"k%d" % key, b"%d %d" % (number, key))
        gone = None if number == 2 else b"x"
        building.append(START_MS + number * TWO_HOURS_MS, b"gone", gone)
        found.append(RecordBatch(memoryview(building.build())))
        offset += len(building)
    return found


def cleaned(log: list[RecordBatch], now_ms: int, delete_retention_ms: int) -> bytes:
    """The file that our cleaning makes of a segment."""
    keys = DirtyKeys(0, CLEANED_TO, CleanedTransactions(), limit_bytes=1 << 20)
    for batch in log:
        keys.add(batch)
    filtering = BatchFilter(FilterRules(keys, now_ms, delete_retention_ms, CLEANED_TO, {}), CleanedTransactions())
    kept = [filtering.filter(batch) for batch in log]
    return b"".join(batch.view for batch in kept if batch is not None)


def test_the_same_bytes() -> None:
    """Our cleaning makes of the same records, at the same time, the bytes that Kafka's cleaner made."""
    kafkas = (GOLDEN / f"{0:020}.log").read_bytes()
    log = written()
    assert [batch.last_offset for batch in log] == [4, 8, CLEANED_TO - 1]
    horizons = [batch.delete_horizon_ms for batch in batches(memoryview(kafkas))]
    cleaned_at_ms = horizons[2]
    assert cleaned_at_ms is not None, "delete.retention.ms was 0: the horizon is the time of the cleaning"
    assert cleaned(log, cleaned_at_ms, 0) == kafkas


def test_what_kafka_has_cleaned_is_clean() -> None:
    """A log that Kafka's cleaner has been over stays as it is, until its horizon has come."""
    kafkas = (GOLDEN / f"{0:020}.log").read_bytes()
    log = BatchList(list(batches(memoryview(kafkas))))
    horizon_ms = log.batches[2].delete_horizon_ms
    assert horizon_ms is not None
    assert log.cleaned(now_ms=horizon_ms - 1).bytes() == kafkas
    assert [record.key for record in log.cleaned(now_ms=horizon_ms).records()] == [b"k0", b"k1", b"k2", b"k3"]
