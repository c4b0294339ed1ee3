"""From batches to images: transactions, places, damage."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage, Provenance
from ottla.cluster.metadata.loader import SLICE_RECORDS, Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.metadata.snapshot_file import control_batch
from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.control_records import LeaderChangeMessage
from ottla.protocol.messages.metadata_records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
    NoOpRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType
from tests.unit.cluster.metadata.histories import batch_of, uuid

A, B, C, D = (TopicRecord(name, uuid(ord(name))) for name in "abcd")
BEGIN, END, ABORT = BeginTransactionRecord("name"), EndTransactionRecord(), AbortTransactionRecord("why")


class Reading:
    """A loader, and what it published: the last offset and the topics of each image."""

    def __init__(self) -> None:
        self.published: list[tuple[int, str]] = []
        self.damage: list[str] = []
        publisher = Publisher()
        publisher.catch_up()
        publisher.add(self._note)
        self.published.clear()
        self.loader = Loader(publisher, lambda damage: self.damage.append(str(damage)))
        self.end_offset = 0

    def _note(self, delta: MetadataDelta, image: MetadataImage) -> None:
        self.published.append((image.provenance.last_contained_offset, "".join(sorted(image.topics.ids))))

    def read(self, *batches: list[Message]) -> None:
        """Commit these batches, and publish."""
        for messages in batches:
            batch = batch_of(messages, self.end_offset, epoch=4)
            self.end_offset = batch.next_offset
            self.loader.load_batch(batch)
        self.loader.publish()


def test_batches_that_are_read_together_are_one_image() -> None:
    """At the offset of the last one."""
    reading = Reading()
    reading.read([A, B], [C])
    reading.read([NoOpRecord()])
    assert reading.published == [(2, "abc"), (3, "abc")]
    assert reading.loader.image.provenance == Provenance(3, 4, 1, is_batch_aligned=True)


def test_an_open_transaction_shows_nothing() -> None:
    """What came before it is published at the offset before it; all of it once it has ended, however it was cut."""
    reading = Reading()
    reading.read([A], [B, BEGIN, C])
    assert reading.published == [(1, "ab")]
    assert not reading.loader.image.provenance.is_batch_aligned
    reading.read([D])
    assert reading.loader.is_in_transaction
    reading.read([END])
    assert reading.published == [(1, "ab"), (5, "abcd")]
    assert reading.loader.image.provenance.is_batch_aligned


def test_an_aborted_transaction_leaves_nothing() -> None:
    """Not even where records follow it in the same read."""
    reading = Reading()
    reading.read([A])
    reading.read([BEGIN, B])
    reading.read([RemoveTopicRecord(A.topic_id), ABORT, C])
    assert reading.published == [(0, "a"), (5, "ac")]


def test_one_transaction_after_the_other() -> None:
    """In one read each of them counts, and a begin publishes what ended before it."""
    reading = Reading()
    reading.read([BEGIN, A, END, BEGIN, B, ABORT, BEGIN, C, END])
    assert reading.published == [(2, "a"), (5, "a"), (8, "ac")]


def test_transactions_that_do_not_fit_are_damage() -> None:
    """A begin in a transaction, an end of none: said with the offset, and otherwise passed over."""
    reading = Reading()
    reading.read([END, BEGIN, BEGIN, A, END, ABORT])
    assert [each.partition(": ")[0] for each in reading.damage] == ["offset 0", "offset 2", "offset 5"]
    assert ["transaction in a transaction" in each for each in reading.damage] == [False, True, False]
    assert reading.published[-1] == (5, "a")


def test_damage_is_passed_over_or_stops() -> None:
    """Who can go on gets everything else; who cannot raises, and the offset is in the error."""
    reading = Reading()
    reading.read([A, RemoveTopicRecord(uuid(77)), B])
    assert reading.published == [(2, "ab")]
    (damage,) = reading.damage
    assert damage.startswith("offset 1: there is no topic 0")
    strict = Loader(Publisher())
    with pytest.raises(DamagedMetadata, match="offset 1: there is no topic"):
        strict.load_batch(batch_of([A, RemoveTopicRecord(uuid(77)), B]))


@pytest.mark.parametrize("value", [None, b"", b"\x01\x63\x00", b"\x02\x02\x00", b"\x01\x02\x07", b"\x01\x02\x00\x05"])
def test_what_is_no_record_is_damage(value: bytes | None) -> None:
    """Nothing, an unknown type, frame or version, a record that is cut off: said with the offset."""
    building = BatchBuilder(BatchFields(9))
    building.append(1, None, value)
    reading = Reading()
    reading.loader.load_batch(RecordBatch(memoryview(building.build())))
    (damage,) = reading.damage
    assert damage.startswith("offset 9: ")


def test_the_quorums_records_move_the_place_alone() -> None:
    """A leader change is no metadata, but the image reaches up to it."""
    reading = Reading()
    reading.read([A])
    batch = control_batch(1, 5, [(ControlRecordType.LEADER_CHANGE, LeaderChangeMessage(0, 3))], 70)
    reading.loader.load_batch(RecordBatch(memoryview(batch)))
    reading.loader.publish()
    assert reading.loader.image.provenance == Provenance(1, 5, 70, is_batch_aligned=True)
    assert reading.published == [(0, "a"), (1, "a")]


def test_a_snapshot_takes_the_place_of_everything() -> None:
    """Of the image before it, and of a transaction that had begun; unchanged topics are shared."""
    reading = Reading()
    reading.read([A, B], [BEGIN, C])
    before = reading.loader.image
    place = Provenance(40, 6, 9, is_batch_aligned=True)
    reading.loader.load_snapshot([VersionedRecord(B), VersionedRecord(D)], place)
    assert reading.loader.image.provenance == place
    assert reading.published[-1] == (40, "bd")
    assert reading.loader.image.topics.by_id[B.topic_id] is before.topics.by_id[B.topic_id]
    reading.end_offset = 41
    reading.read([A])
    assert reading.published[-1] == (41, "abd")


def test_damage_in_a_snapshot_says_which_record() -> None:
    """Records of a snapshot have no offsets of the log, so they are counted."""
    reading = Reading()
    reading.loader.load_snapshot(
        [VersionedRecord(A), VersionedRecord(RemoveTopicRecord(uuid(77)))], Provenance(3, 1, 1)
    )
    (damage,) = reading.damage
    assert damage.startswith("record 1 of a snapshot: there is no topic")
    assert reading.published == [(3, "a")]


def test_loading_in_slices() -> None:
    """A large batch or snapshot lets others come in between; nothing is published before the end of it."""
    topics = [TopicRecord(f"topic-{number}", uuid(1_000 + number)) for number in range(2 * SLICE_RECORDS + 1)]
    reading = Reading()
    slices = sum(1 for _ in reading.loader.loading_batch(batch_of([*topics])))
    assert (slices, reading.published) == (2, [])
    reading.loader.publish()
    loading = reading.loader.loading_snapshot(map(VersionedRecord, topics[:-1]), Provenance(9_999, 1, 1))
    seen = [len(reading.published) for _ in loading]
    assert seen == [1, 1]
    assert len(reading.loader.image.topics.ids) == 2 * SLICE_RECORDS
