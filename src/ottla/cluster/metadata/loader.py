"""From committed batches and snapshots to published images.

Records go into a delta; `publish` turns the delta into the next image. Between a BeginTransactionRecord and its end
nothing of what was replayed is published (KIP-868); what came before the begin is published first, at the offset before
it, so that nobody has to wait for the transaction. An abort drops the delta. Kafka's own loader keeps the records of an
aborted transaction if others follow in the same read; here they are gone, as its controllers have it.

Always true: images come in the order of the log, and each contains exactly the records up to its provenance but those
of unfinished transactions. Damage goes to `on_damage`, which decides: where it returns, the next record is read, and
the image lacks what could not be read, as on Kafka's brokers; controllers raise.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import VersionedRecord, parse_record
from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.metadata_records import (
    AbortTransactionRecord,
    BeginTransactionRecord,
    EndTransactionRecord,
)
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.record import records_of

SLICE_RECORDS: Final = 200  # replayed in 2 to 4 ms


def refuse(damage: DamagedMetadata) -> None:
    """What a controller does about damage: it goes no further."""
    raise damage


class Loader:
    """The delta that grows, and the place in the log that it has reached."""

    __slots__ = ("_delta", "_on_damage", "_place", "is_in_transaction", "publisher")

    def __init__(self, publisher: Publisher, on_damage: Callable[[DamagedMetadata], None] = refuse) -> None:
        self.publisher = publisher
        self.is_in_transaction = False
        self._on_damage = on_damage
        self._delta = MetadataDelta(publisher.image)
        self._place = publisher.image.provenance

    def load_batch(self, batch: RecordBatch) -> None:
        """Replay a committed batch; of the quorum's own records only the place counts."""
        for _ in self.loading_batch(batch):
            pass

    def loading_batch(self, batch: RecordBatch) -> Iterator[None]:
        """The same in slices: a controller's batch may hold ten thousand records, which is a tenth of a second."""
        epoch = batch.partition_leader_epoch
        if not batch.is_control:
            for number, record in enumerate(records_of(batch), 1):
                try:
                    self._replay(parse_record(record.value, record.offset).message, record.offset)
                except DamagedMetadata as damage:
                    self._on_damage(damage)
                self._place = Provenance(record.offset, epoch, batch.max_timestamp)
                if number % SLICE_RECORDS == 0:
                    yield
        self._place = Provenance(batch.last_offset, epoch, batch.max_timestamp, is_batch_aligned=True)

    def publish(self) -> None:
        """Publish what was replayed: nothing while a transaction is open."""
        if not self.is_in_transaction:
            self._publish()

    def load_snapshot(self, records: Iterable[VersionedRecord], provenance: Provenance) -> None:
        """Publish the image that a snapshot holds; whatever was replayed before counts no more."""
        for _ in self.loading_snapshot(records, provenance):
            pass

    def loading_snapshot(self, records: Iterable[VersionedRecord], provenance: Provenance) -> Iterator[None]:
        """The same in slices, the last of which makes and publishes the image: nothing is seen before."""
        fresh = MetadataDelta(EMPTY)
        for number, record in enumerate(records):
            if number % SLICE_RECORDS == SLICE_RECORDS - 1:
                yield
            try:
                fresh.replay(record.message)
            except DamagedMetadata as damage:
                self._on_damage(DamagedMetadata(f"record {number} of a snapshot: {damage}"))
        self.is_in_transaction = False
        image = self.publisher.image
        self._delta = fresh if image is EMPTY else MetadataDelta.between(image, fresh.apply(provenance))
        self._place = provenance
        self._publish()

    def _replay(self, record: Message, offset: int) -> None:
        try:
            if isinstance(record, BeginTransactionRecord):
                self._begin(record)
            elif isinstance(record, EndTransactionRecord | AbortTransactionRecord):
                self._end(record)
            else:
                self._delta.replay(record)
        except DamagedMetadata as damage:
            raise DamagedMetadata(f"offset {offset}: {damage}") from damage

    def _begin(self, record: BeginTransactionRecord) -> None:
        if self.is_in_transaction:
            raise damaged(record, "a transaction in a transaction")
        if self._place.last_contained_offset > self.publisher.image.provenance.last_contained_offset:
            self._publish()
        self.is_in_transaction = True

    def _end(self, record: EndTransactionRecord | AbortTransactionRecord) -> None:
        if not self.is_in_transaction:
            raise damaged(record, "the end of no transaction")
        self.is_in_transaction = False
        if isinstance(record, AbortTransactionRecord):
            self._delta = MetadataDelta(self.publisher.image)

    def _publish(self) -> None:
        delta, image = self._delta, self._delta.apply(self._place)
        self._delta = MetadataDelta(image)
        self.publisher.publish(delta, image)

    @property
    def image(self) -> MetadataImage:
        """The newest image."""
        return self.publisher.image
