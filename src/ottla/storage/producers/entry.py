"""What a partition remembers of one producer: its epoch, its last batches, and its open transaction.

Apache Kafka keeps five batches of a producer, which is how many requests an idempotent producer may have on their way;
so a retry of any of them is known again. A new epoch is a new life: it forgets the batches of the one before.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from ottla.protocol.records.batch import (
    CONTROL_BIT,
    NO_PRODUCER_EPOCH,
    NO_SEQUENCE,
    NO_TIMESTAMP,
    SEQUENCE_MASK,
    TRANSACTIONAL_BIT,
    RecordBatch,
)

BATCHES_KEPT: Final = 5
NO_COORDINATOR_EPOCH: Final = -1
NO_OFFSET: Final = -1


class AppendedBatch(NamedTuple):
    """A batch that is in the log: what a producer that sends it again is answered with."""

    last_sequence: int
    last_offset: int
    offset_delta: int  # of the last record, from the first
    timestamp: int  # the batch's largest

    @property
    def first_sequence(self) -> int:
        """The sequence of the first record; behind 2^31 - 1 comes 0."""
        return (self.last_sequence - self.offset_delta) & SEQUENCE_MASK

    @property
    def first_offset(self) -> int:
        """The offset of the first record."""
        return self.last_offset - self.offset_delta


class ProducerEntry:
    """One producer. It has no transaction open while `current_txn_first_offset` is None."""

    __slots__ = (
        "batches",
        "coordinator_epoch",
        "current_txn_first_offset",
        "last_timestamp",
        "producer_epoch",
        "producer_id",
    )

    def __init__(
        self,
        producer_id: int,
        producer_epoch: int = NO_PRODUCER_EPOCH,
        *,
        coordinator_epoch: int = NO_COORDINATOR_EPOCH,
        last_timestamp: int = NO_TIMESTAMP,
        current_txn_first_offset: int | None = None,
        batches: Sequence[AppendedBatch] = (),
    ) -> None:
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.coordinator_epoch = coordinator_epoch
        self.last_timestamp = last_timestamp
        self.current_txn_first_offset = current_txn_first_offset
        self.batches = list(batches)  # the oldest first

    @property
    def last_sequence(self) -> int:
        """The sequence of the last record of this epoch; NO_SEQUENCE if none is known."""
        return self.batches[-1].last_sequence if self.batches else NO_SEQUENCE

    @property
    def last_data_offset(self) -> int:
        """The offset of the last record of this epoch; NO_OFFSET if none is known."""
        return self.batches[-1].last_offset if self.batches else NO_OFFSET

    def find_duplicate(self, batch: RecordBatch) -> AppendedBatch | None:
        """The same batch of the same epoch, if it is in the log and not too long ago."""
        if batch.producer_epoch == self.producer_epoch:
            first, last = batch.base_sequence, batch.last_sequence
            for appended in self.batches:
                if appended.last_sequence == last and appended.first_sequence == first:
                    return appended
        return None

    def continues_with(self, batch: RecordBatch) -> bool:
        """Whether a batch has the next sequence of the same epoch, within the open transaction or outside of any."""
        return (
            batch.producer_epoch == self.producer_epoch
            and batch.base_sequence == (self.last_sequence + 1) & SEQUENCE_MASK
            and bool(batch.attributes & TRANSACTIONAL_BIT) == (self.current_txn_first_offset is not None)
            and not batch.attributes & CONTROL_BIT
        )

    def enter_epoch(self, producer_epoch: int) -> None:
        """The producer writes under this epoch, another one than before or not."""
        if producer_epoch != self.producer_epoch:
            self.producer_epoch = producer_epoch
            self.batches.clear()

    def add_batch(self, batch: RecordBatch) -> None:
        """A batch with records was appended."""
        batches, delta, timestamp = self.batches, batch.last_offset_delta, batch.max_timestamp
        if batch.producer_epoch != self.producer_epoch:
            self.enter_epoch(batch.producer_epoch)
        elif len(batches) == BATCHES_KEPT:
            del batches[0]
        batches.append(AppendedBatch(batch.last_sequence, batch.base_offset + delta, delta, timestamp))
        self.last_timestamp = timestamp

    def is_expired(self, now_ms: int, expiration_ms: int) -> bool:
        """Whether it has been silent for too long. A transaction that is open is never forgotten."""
        return self.current_txn_first_offset is None and now_ms - self.last_timestamp >= expiration_ms

    def __repr__(self) -> str:
        """What a log line needs."""
        return (
            f"ProducerEntry({self.producer_id} epoch {self.producer_epoch}, last sequence {self.last_sequence}, "
            f"transaction from {self.current_txn_first_offset})"
        )
