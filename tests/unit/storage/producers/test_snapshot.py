"""Snapshots hold the producers as Apache Kafka writes them."""

from pathlib import Path

import pytest

from ottla.errors import CorruptFile
from ottla.protocol.checksum import crc32c
from ottla.protocol.messages.storage_files import ProducerSnapshot
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.control import EndTransaction, end_transaction
from ottla.protocol.records.record import records_of
from ottla.storage.names import parse_file_name
from ottla.storage.producers.entry import AppendedBatch, ProducerEntry
from ottla.storage.producers.snapshot import ENTRY_SIZE, decode_snapshot, encode_snapshot
from ottla.storage.producers.state import ProducerState

PATH = "/data/t-0/00000000000000000042.snapshot"
GOLDEN = Path(__file__).parents[3] / "golden" / "kafka-4.3-logs"
ENTRY = ProducerEntry(
    2**40,
    3,
    coordinator_epoch=5,
    last_timestamp=1_000,
    current_txn_first_offset=17,
    batches=[AppendedBatch(8, 40, 1, 900), AppendedBatch(9, 41, 0, 1_000)],
)


def test_the_bytes() -> None:
    """A snapshot is the message that Kafka calls so, behind its version; of the batches the last one is in it."""
    data = encode_snapshot([ENTRY, ProducerEntry(7)])
    assert len(data) == 10 + 2 * ENTRY_SIZE
    message = ProducerSnapshot.read(data, 1, 2)
    assert (data[:2], message.crc) == (b"\x00\x01", crc32c(data[6:]))
    first, second = message.producer_entries
    assert (first.producer_id, first.epoch, first.last_sequence, first.last_offset) == (7, -1, -1, -1)
    assert (first.offset_delta, first.timestamp, first.coordinator_epoch) == (0, -1, -1)
    assert first.current_txn_first_offset == -1
    assert (second.producer_id, second.epoch, second.last_sequence, second.last_offset) == (2**40, 3, 9, 41)
    assert (second.offset_delta, second.timestamp, second.coordinator_epoch) == (0, 1_000, 5)
    assert second.current_txn_first_offset == 17


def test_what_was_written_is_read() -> None:
    """Producers come back, the ones without data and transaction too."""
    nobody, somebody = decode_snapshot(PATH, encode_snapshot([ENTRY, ProducerEntry(7)]))
    assert (nobody.producer_id, nobody.batches, nobody.current_txn_first_offset) == (7, [], None)
    assert (somebody.producer_id, somebody.producer_epoch, somebody.coordinator_epoch) == (2**40, 3, 5)
    assert (somebody.batches, somebody.current_txn_first_offset) == (ENTRY.batches[-1:], 17)
    assert decode_snapshot(PATH, encode_snapshot([])) == []


def marker_of(batch: RecordBatch) -> EndTransaction | None:
    """What a control batch's record says."""
    for record in records_of(batch) if batch.is_control else ():
        return end_transaction(record.key, record.value)
    return None


@pytest.mark.parametrize("topic", ["golden-plain-0", "golden-transactions-0", "golden-epochs-0"])
def test_replaying_a_real_kafkas_log_gives_its_snapshots(topic: str) -> None:
    """At each offset where a real Kafka took a snapshot, our state from its batches gives the same bytes."""
    files = {str(name): name for file in (GOLDEN / topic).iterdir() if (name := parse_file_name(file.name))}
    segments = sorted(name for name in files if name.endswith(".log"))
    snapshots = {files[name].offset: name for name in files if name.endswith(".snapshot")}
    state, compared = ProducerState(), 0
    for segment in segments:
        for batch in batches(memoryview((GOLDEN / topic / segment).read_bytes())):
            state.update(batch, marker_of(batch))
            if state.end_offset in snapshots:
                expected = (GOLDEN / topic / snapshots[state.end_offset]).read_bytes()
                assert encode_snapshot(state.producers.values()) == expected
                compared += 1
    assert compared == len(snapshots) > 0


def test_a_real_kafkas_snapshots_are_read() -> None:
    """Every snapshot that a real Kafka wrote is read, and written again byte by byte the same."""
    files = sorted(GOLDEN.glob("*/*.snapshot"))
    assert len(files) >= 8
    for file in files:
        entries = decode_snapshot(str(file), file.read_bytes())
        assert encode_snapshot(entries) == file.read_bytes()
        said = Path(f"{file}.dump").read_text().splitlines()[1:]
        assert [f"producerId: {entry.producer_id} producerEpoch: {entry.producer_epoch} " for entry in entries] == [
            line[: line.index("coordinatorEpoch")] for line in said
        ]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "0 bytes are too few"),
        (b"\x00\x01", "2 bytes are too few"),
        (b"\x00\x02" + encode_snapshot([ENTRY])[2:], "version is 2"),
        (encode_snapshot([ENTRY])[:-1], "checksum"),
        (encode_snapshot([ENTRY]) + b"\x00", "checksum"),
        (b"\x00\x01" + crc32c(b"\xff" * 4).to_bytes(4, "big") + b"\xff" * 4, "do not hold -1 producers"),
        (b"\x00\x01" + crc32c(b"\x00\x00\x00\x01").to_bytes(4, "big") + b"\x00\x00\x00\x01", "do not hold 1 producers"),
    ],
)
def test_damage_is_told_with_the_files_name(data: bytes, said: str) -> None:
    """A snapshot that is cut off, of another version, or whose checksum or count is wrong, is refused."""
    with pytest.raises(CorruptFile, match=PATH) as refused:
        decode_snapshot(PATH, data)
    assert refused.value.path == PATH
    assert said in str(refused.value)


def test_every_changed_bit_is_noticed() -> None:
    """No bit of a snapshot can change unseen."""
    sound = encode_snapshot([ENTRY])
    for position in range(len(sound) * 8):
        damaged = bytearray(sound)
        damaged[position // 8] ^= 1 << position % 8
        with pytest.raises(CorruptFile):
            decode_snapshot(PATH, bytes(damaged))
