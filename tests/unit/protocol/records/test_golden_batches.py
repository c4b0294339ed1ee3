"""Batches that librdkafka, kafka-python, aiokafka and Kafka's Java client wrote, and ours in the Python clients."""

from types import ModuleType

import pytest

from ottla.errors import UnsupportedMagic
from ottla.protocol.records.batch import (
    NO_SEQUENCE,
    CompressionType,
    RecordBatch,
    TimestampType,
    batches,
    produced_batch,
)
from ottla.protocol.records.builder import BatchBuilder, BatchFields, build_batch, seal
from ottla.protocol.records.columns import Columns
from ottla.protocol.records.control import (
    ControlRecordType,
    EndTransaction,
    control_key,
    control_type,
    end_transaction,
    end_transaction_value,
)
from ottla.protocol.records.record import columns_of, records_of, section_of
from tests.unit.protocol.records.golden import ORIGIN, batch_bytes, files, given, with_records
from tests.unit.protocol.records.readers import Shown, aiokafka_reads, kafka_python_reads

CLIENTS = ("Apache Kafka's Java client", "kafka-python", "aiokafka", "librdkafka")
CONTROLS = [name for name, said in ORIGIN.items() if "control" in said]
LEGACY = files(magic=0) + files(magic=1)


def indexed(twin: ModuleType, batch: RecordBatch) -> Columns:
    """The columns, by one of the twins."""
    columns = twin.index(section_of(batch), batch.count, batch.base_offset, batch.base_timestamp)
    assert isinstance(columns, Columns)
    return columns


def test_every_client_is_there_in_every_codec() -> None:
    """Nothing is missing that the tests below would then not look at: kafka-python alone knows only gzip here."""
    for client in CLIENTS:
        codecs = {said.get("codec") for said in ORIGIN.values() if said["client"].startswith(client)}
        expected = {"none", "gzip"} | (set() if client == "kafka-python" else {"snappy", "lz4", "zstd"})
        assert expected <= codecs, client
    assert len(CONTROLS) == 7
    assert len(LEGACY) == 4


@pytest.mark.parametrize("name", with_records())
def test_the_records_are_those_that_the_client_was_given(twin: ModuleType, name: str) -> None:
    """Keys, values, headers, timestamps and offsets come out as they went in; nulls, too."""
    said = ORIGIN[name]
    batch = produced_batch(memoryview(batch_bytes(name)))
    batch.check()
    columns = indexed(twin, batch)
    records = given(said["records"])
    base = said.get("base_offset", 0)
    assert list(columns.offsets) == said.get("offsets", list(range(base, base + len(records))))
    assert columns.keys() == [key for _, key, _, _ in records]
    assert columns.values() == [value for _, _, value, _ in records]
    assert [columns.headers(at) for at in range(len(records))] == [headers for _, _, _, headers in records]
    timestamps = [timestamp for timestamp, _, _, _ in records]
    if "log_append_time" in said:
        timestamps = [said["log_append_time"]] * len(records)
        assert list(columns_of(batch).timestamps) == timestamps
    else:
        assert list(columns.timestamps) == timestamps


@pytest.mark.parametrize("name", with_records())
def test_the_header_says_what_the_client_was_told(name: str) -> None:
    """Codec, producer, place in the log and all flags are read as they were written."""
    said = ORIGIN[name]
    (batch,) = batches(memoryview(batch_bytes(name)))
    records = given(said["records"])
    base = said.get("base_offset", 0)
    assert batch.compression_type.name.lower() == said.get("codec", "none")
    assert batch.base_offset == base
    assert batch.partition_leader_epoch == said.get("partition_leader_epoch", batch.partition_leader_epoch)
    assert batch.producer_id == said.get("producer_id", -1)
    assert batch.producer_epoch == said.get("producer_epoch", -1)
    # librdkafka writes the base sequence of a batch that has no producer as it comes
    assert batch.base_sequence == said.get("base_sequence", batch.base_sequence)
    assert batch.is_transactional == said.get("is_transactional", False)
    assert not batch.is_control
    assert batch.count == len(records)
    assert batch.last_offset == said.get("last_offset", said.get("offsets", [base + len(records) - 1])[-1])
    assert batch.delete_horizon_ms == said.get("delete_horizon_ms")
    log_append_time = said.get("log_append_time")
    assert batch.timestamp_type == (TimestampType.CREATE_TIME if log_append_time is None else 1)
    assert batch.max_timestamp == (log_append_time or max(timestamp for timestamp, _, _, _ in records))


@pytest.mark.parametrize(
    "name", [name for name in with_records() if not {"offsets", "log_append_time"} & {*ORIGIN[name]}]
)
def test_what_producers_write_is_valid(twin: ModuleType, name: str) -> None:
    """The validator accepts what other clients produce, and finds the largest timestamp where the header has it."""
    batch = RecordBatch(memoryview(batch_bytes(name)))
    found = twin.validate(section_of(batch), batch.count, batch.base_timestamp, header_text=True)
    assert found.rejected == ()
    assert found.max_timestamp == batch.max_timestamp
    keyless = sum(key is None for _, key, _, _ in given(ORIGIN[name]["records"]))
    required = twin.validate(section_of(batch), batch.count, batch.base_timestamp, keys_required=True)
    assert len(required.rejected) == keyless


@pytest.mark.parametrize("name", [name for name in with_records() if ORIGIN[name].get("codec", "none") == "none"])
def test_rebuilding_an_uncompressed_batch_gives_its_bytes(twin: ModuleType, name: str) -> None:
    """Out of the columns and the header's fields comes the same batch, to the byte, whoever wrote it."""
    original = batch_bytes(name)
    batch = RecordBatch(memoryview(original))
    columns = indexed(twin, batch)
    assert twin.build(columns, batch.base_offset, batch.base_timestamp) == batch.section
    rebuilt = seal(
        twin.build(columns, batch.base_offset, batch.base_timestamp),
        BatchFields.of(batch),
        count=batch.count,
        last_offset_delta=batch.last_offset_delta,
        base_timestamp=batch.base_timestamp,
        max_timestamp=batch.max_timestamp,
    )
    assert rebuilt == original


@pytest.mark.parametrize(
    "name", ["java-plain-none", "java-headers-none", "java-idempotent", "java-delete-horizon", "java-compacted"]
)
def test_a_batch_built_from_columns_is_javas(name: str) -> None:
    """From columns, too, the builder makes the choices of Kafka's: base timestamp, max timestamp, deltas."""
    original = batch_bytes(f"{name}.batch")
    batch = RecordBatch(memoryview(original))
    assert build_batch(columns_of(batch), BatchFields.of(batch), batch.last_offset) == original


@pytest.mark.parametrize("name", [name for name in files(codec="none") if name.startswith("java-")])
def test_from_the_same_records_comes_the_same_batch(name: str) -> None:
    """Given what Kafka's own builder was given, ours makes the same bytes."""
    said = ORIGIN[name]
    building = BatchBuilder()
    for record in given(said["records"]):
        building.append(*record)
    assert building.build() == batch_bytes(name)


@pytest.mark.parametrize("name", ["java-idempotent", "java-delete-horizon", "java-compacted"])
def test_the_same_is_true_of_what_a_broker_makes(name: str) -> None:
    """Producer fields, a delete horizon, and gaps that compaction left: the same bytes as Kafka's."""
    said = ORIGIN[f"{name}.batch"]
    building = BatchBuilder(
        BatchFields(
            base_offset=said["base_offset"],
            partition_leader_epoch=said["partition_leader_epoch"],
            producer_id=said.get("producer_id", -1),
            producer_epoch=said.get("producer_epoch", -1),
            base_sequence=said.get("base_sequence", NO_SEQUENCE),
            delete_horizon_ms=said.get("delete_horizon_ms"),
        )
    )
    for at, record in enumerate(given(said["records"])):
        building.append(*record, offset=said["offsets"][at] if "offsets" in said else None)
    assert building.build(said.get("last_offset")) == batch_bytes(f"{name}.batch")


@pytest.mark.parametrize("name", CONTROLS)
def test_control_batches_say_their_type(name: str) -> None:
    """Markers and the quorum's records are control records, and have no sequence."""
    said = ORIGIN[name]
    (batch,) = batches(memoryview(batch_bytes(name)))
    batch.check()
    assert batch.is_control
    assert (batch.base_offset, batch.count) == (said["base_offset"], 1)
    (record,) = records_of(batch)
    assert record.timestamp == said["timestamp"]
    assert control_type(record.key).name == said["control"]
    ended = end_transaction(record.key, record.value)
    if "coordinator_epoch" not in said:
        assert ended is None
        return
    assert batch.is_transactional
    assert (batch.producer_id, batch.producer_epoch) == (said["producer_id"], said["producer_epoch"])
    assert ended == EndTransaction(said["control"] == "COMMIT", said["coordinator_epoch"])


@pytest.mark.parametrize("record_type", [ControlRecordType.ABORT, ControlRecordType.COMMIT])
def test_we_write_markers_as_java_does(record_type: ControlRecordType) -> None:
    """A transaction marker of ours is Kafka's, to the byte."""
    name = f"java-marker-{record_type.name.lower()}.batch"
    said = ORIGIN[name]
    building = BatchBuilder(
        BatchFields(
            base_offset=said["base_offset"],
            partition_leader_epoch=said["partition_leader_epoch"],
            producer_id=said["producer_id"],
            producer_epoch=said["producer_epoch"],
            is_transactional=True,
            is_control=True,
        )
    )
    building.append(said["timestamp"], control_key(record_type), end_transaction_value(said["coordinator_epoch"]))
    assert building.build() == batch_bytes(name)


def test_an_empty_batch_is_javas() -> None:
    """What compaction leaves of a producer's last batch is a header that we read, and write, as Kafka does."""
    said = ORIGIN["java-empty.batch"]
    (batch,) = batches(memoryview(batch_bytes("java-empty.batch")))
    batch.check()
    assert list(records_of(batch)) == []
    assert (batch.base_offset, batch.last_offset) == (said["base_offset"], said["last_offset"])
    assert batch.last_sequence == said["base_sequence"] + 20
    fields = BatchFields.of(batch)
    assert batch.view == seal(
        b"",
        fields,
        count=0,
        last_offset_delta=20,
        base_timestamp=batch.base_timestamp,
        max_timestamp=batch.max_timestamp,
    )


@pytest.mark.parametrize("name", LEGACY)
def test_kafkas_old_formats_are_refused(name: str) -> None:
    """What Kafka's own classes write as magic 0 and 1 is recognised, compressed or not."""
    section = memoryview(batch_bytes(name))
    with pytest.raises(UnsupportedMagic, match=f"message format {ORIGIN[name]['magic']} is no longer supported"):
        produced_batch(section)


def ours(set_name: str, codec: CompressionType) -> tuple[bytes, list[Shown]]:
    """A batch of ours, and its records as the Python clients show them."""
    building = BatchBuilder(BatchFields(base_offset=100, compression_type=codec, producer_id=5, producer_epoch=0))
    shown: list[Shown] = []
    for timestamp, key, value, headers in given(set_name):
        shown.append((100 + len(building), timestamp, key, value, [(each.key, each.value) for each in headers]))
        building.append(timestamp, key, value, headers)
    return bytes(building.build()), shown


@pytest.mark.parametrize("set_name", ["plain", "headers", "large"])
@pytest.mark.parametrize("codec", [CompressionType.NONE, CompressionType.GZIP])
def test_kafka_python_reads_ours(set_name: str, codec: CompressionType) -> None:
    """kafka-python finds the checksum right and the same records, in the codecs that it knows without more packages."""
    written, shown = ours(set_name, codec)
    assert kafka_python_reads(written) == shown


@pytest.mark.parametrize("set_name", ["plain", "headers", "large"])
@pytest.mark.parametrize("codec", CompressionType)
def test_aiokafka_reads_ours(set_name: str, codec: CompressionType) -> None:
    """aiokafka finds the checksum right and the same records, in every codec."""
    written, shown = ours(set_name, codec)
    assert aiokafka_reads(written) == shown
