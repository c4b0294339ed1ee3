"""Files that our log wrote, read by Kafka's own `kafka-dump-log`: it accepts them, and says what was written."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from ottla.protocol.records.batch import CompressionType, TimestampType
from ottla.protocol.records.record import Record
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import World
from ottla.world.real.run import run
from tests.integration.peer.jars import run_class
from tests.integration.storage.writing import COORDINATOR_EPOCH, Producer, Writer, Written
from tests.unit.storage.cleaner.filled import refused

TOOL = "org.apache.kafka.tools.DumpLogSegments"
SMALL = LogConfig(segment_bytes=6_000, index_interval_bytes=300)
IDEMPOTENT, FIRST, SECOND = Producer(5), Producer(7, is_transactional=True), Producer(8, 2, is_transactional=True)
OPEN = Producer(9, is_transactional=True)


class Files(NamedTuple):
    """A log's directory, and what was written into it."""

    directory: Path
    batches: list[Written]

    def ending(self, suffix: str) -> list[str]:
        """Its files of a kind, in the order of the log."""
        return sorted(str(path) for path in self.directory.glob(f"*{suffix}"))


def fill(writer: Writer) -> None:
    """Every codec, nulls and headers, an idempotent producer, transactions of each end, and two leader epochs."""
    sequence = 0
    for number in range(40):
        codec = list(CompressionType)[number % 5]
        writer.write((b"key-%d" % number, b"value of %d" % number * 9), (None, b""), (b"", None), codec=codec)
        producer = IDEMPOTENT._replace(sequence=sequence)
        headers = (("origin", b"here"), ("empty", b""), ("null", None)) if number % 2 else ()
        writer.write((None, b"again and again" * 5), (None, None), codec=codec, producer=producer, headers=headers)
        sequence += 2
        if number == 20:
            writer.leader_epoch = 4
        if number % 10 == 5:
            at = number // 10 * 2
            writer.write((b"first", b"kept or not"), (b"a", b"b"), producer=FIRST._replace(sequence=at), codec=codec)
            writer.write((b"second", b"interleaved"), producer=SECOND._replace(sequence=number // 10))
            writer.end(FIRST, committed=number == 15)
            writer.end(SECOND, committed=number != 15)
    writer.write((b"open", b"at the end"), producer=OPEN)


def written(directory: Path, config: LogConfig) -> Files:
    """A log with all of that, closed as it should be."""

    async def main(world: World) -> list[Written]:
        services = LogServices(world, OpenFiles(world.disk, 50), refused, is_verification_required=False)
        log, _ = await load_log(services, TopicPartition("topic", 0), str(directory), config, StartingPoint(True))
        writer = Writer(log)
        fill(writer)
        assert len(log.segments) >= 3
        await log.close()
        return writer.batches

    return Files(directory, run(main))


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The log, with the producers' timestamps."""
    return written(tmp_path_factory.mktemp("logs") / "topic-0", SMALL)


def dump(*arguments: str, files: list[str]) -> list[str]:
    """What the tool says of files, line by line."""
    assert files
    return run_class(TOOL, *arguments, "--files", ",".join(files)).splitlines()


def told(batch: Written, record: Record, timestamp_type: str) -> str:
    """A record as the tool tells it. The values of headers it keeps to itself."""
    sequence = batch.fields.base_sequence
    if sequence >= 0:
        sequence += record.offset - batch.records[0].offset
    sizes = [-1 if field is None else len(field) for field in (record.key, record.value)]
    text = (
        f"offset: {record.offset} {timestamp_type}: {record.timestamp} keySize: {sizes[0]} valueSize: {sizes[1]} "
        f"sequence: {sequence} headerKeys: [{','.join(key for key, _ in record.headers)}]"
    )
    if batch.marker is not None:
        return f"{text} endTxnMarker: {batch.marker.name} coordinatorEpoch: {COORDINATOR_EPOCH}"
    text += f" key: {record.key.decode()}" if record.key is not None else ""
    return text + (f" payload: {record.value.decode()}" if record.value is not None else "")


def test_batches_and_records(files: Files) -> None:
    """Every batch with its header, every record with its key, value, timestamp, sequence and headers."""
    check_batches(files, "CreateTime")


def test_log_append_time(tmp_path: Path) -> None:
    """The same where the log sets the timestamps."""
    config = replace(SMALL, message_timestamp_type=TimestampType.LOG_APPEND_TIME)
    check_batches(written(tmp_path / "topic-0", config), "LogAppendTime")


def check_batches(files: Files, timestamp_type: str) -> None:
    """What the tool says of the segments is what was written."""
    lines = dump("--deep-iteration", "--print-data-log", files=files.ending(".log"))
    said = [dict(re.findall(r"(\w+): (\S+)", line)) for line in lines if line.startswith("baseOffset:")]
    assert len(said) == len(files.batches)
    for told_of, batch in zip(said, files.batches, strict=True):
        fields = batch.fields
        assert told_of["isvalid"] == "true"
        assert told_of["compresscodec"] == fields.compression_type.name.lower()
        assert (told_of["isTransactional"], told_of["isControl"]) == (
            str(fields.is_transactional).lower(),
            str(fields.is_control).lower(),
        )
        names = ("baseOffset", "lastOffset", "count", "partitionLeaderEpoch", "producerId", "producerEpoch")
        assert [int(told_of[name]) for name in (*names, "baseSequence")] == [
            batch.records[0].offset,
            batch.records[-1].offset,
            len(batch.records),
            batch.leader_epoch,
            fields.producer_id,
            fields.producer_epoch,
            fields.base_sequence,
        ]
    records = [line[2:] for line in lines if line.startswith("| ")]
    assert records == [told(batch, record, timestamp_type) for batch in files.batches for record in batch.records]


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_indexes(files: Files, suffix: str) -> None:
    """Each index is sane, fits its segment, and there is something in it."""
    indexes = files.ending(suffix)
    sane = dump("--index-sanity-check", files=indexes)
    assert len([line for line in sane if line.endswith("passed sanity check.")]) == len(indexes)
    for said in (dump("--verify-index-only", files=indexes), dump("--deep-iteration", files=indexes)):
        text = "\n".join(said)
        assert not re.search(r"mismatch|not found|out of order|exception|error", text, re.IGNORECASE), text
    assert len([line for line in said if re.match(r"(offset|timestamp): \d+", line)]) > len(indexes)


def test_aborted_transactions(files: Files) -> None:
    """The transaction indexes list the transactions that were aborted, and no others."""
    lines = dump(files=files.ending(".txnindex"))
    ends = {
        batch.records[0].offset: batch.fields.producer_id
        for batch in files.batches
        if batch.marker is not None and batch.marker.name == "ABORT"
    }
    said = [dict(re.findall(r"(\w+): (\d+)", line)) for line in lines if line.startswith("version:")]
    assert {int(one["lastOffset"]): int(one["producerId"]) for one in said} == ends
    for one in said:
        begin, end, producer_id = (int(one[name]) for name in ("firstOffset", "lastOffset", "producerId"))
        of_producer = [
            batch.records[0].offset
            for batch in files.batches
            if batch.fields.producer_id == producer_id and begin <= batch.records[0].offset <= end
        ]
        assert of_producer[0] == begin
        assert int(one["lastStableOffset"]) in {end + 1, *(batch.records[0].offset for batch in files.batches)}


def test_producers(files: Files) -> None:
    """The snapshot at the end tells the state of every producer, and which transaction is open."""
    snapshots = files.ending(".snapshot")
    end_offset = files.batches[-1].records[-1].offset + 1
    assert Path(snapshots[-1]).name == f"{end_offset:020}.snapshot"
    lines = dump(files=snapshots)
    last = [line for line in lines if line.startswith(("producerId:", "Dumping"))]
    last = last[max(at for at, line in enumerate(last) if line.startswith("Dumping")) + 1 :]
    said = {int(one["producerId"]): one for one in (dict(re.findall(r"(\w+): (\S+)", line)) for line in last)}
    assert sorted(said) == [producer.producer_id for producer in (IDEMPOTENT, FIRST, SECOND, OPEN)]
    for producer_id, one in said.items():
        of_it = [batch for batch in files.batches if batch.fields.producer_id == producer_id]
        data = [batch for batch in of_it if batch.marker is None][-1]
        open_offset = data.records[0].offset if producer_id == OPEN.producer_id else None
        assert one["currentTxnFirstOffset"] == (
            "OptionalLong.empty" if open_offset is None else f"OptionalLong[{open_offset}]"
        )
        names = ("producerEpoch", "lastSequence", "lastOffset", "offsetDelta", "lastTimestamp")
        assert [int(one[name]) for name in names] == [
            data.fields.producer_epoch,
            data.fields.base_sequence + len(data.records) - 1,
            data.records[-1].offset,
            len(data.records) - 1,
            of_it[-1].records[-1].timestamp,
        ]
