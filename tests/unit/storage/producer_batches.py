"""Batches of producers as a log sees them, headers only, and a log that keeps nothing else."""

from typing import NamedTuple

from ottla.protocol.records.batch import (
    CONTROL_BIT,
    HEADER,
    HEADER_SIZE,
    LENGTH_END,
    MAGIC,
    NO_PRODUCER_ID,
    NO_SEQUENCE,
    TRANSACTIONAL_BIT,
    RecordBatch,
)
from ottla.protocol.records.control import EndTransaction
from ottla.storage.append.info import AppendOrigin
from ottla.storage.producers.entry import AppendedBatch
from ottla.storage.producers.state import CompletedTransaction, ProducerState
from ottla.storage.producers.verification import NO_GUARD, VerificationGuard


def batch_of(
    producer_id: int,
    *,
    epoch: int = 0,
    sequence: int = NO_SEQUENCE,
    count: int = 1,
    offset: int = 0,
    timestamp: int = 1_000,
    attributes: int = 0,
) -> RecordBatch:
    """A batch's header; its records do not matter."""
    fields = (offset, HEADER_SIZE - LENGTH_END, 0, MAGIC, 0, attributes, count - 1, timestamp, timestamp)
    return RecordBatch(memoryview(bytearray(HEADER.pack(*fields, producer_id, epoch, sequence, count))))


class Entry(NamedTuple):
    """A batch in the log, and what it says if it is a marker."""

    batch: RecordBatch
    marker: EndTransaction | None = None


class Partition:
    """A log of headers: what is let in gets the next offset."""

    def __init__(self) -> None:
        self.state = ProducerState()
        self.log: list[Entry] = []

    @property
    def end(self) -> int:
        """The log end offset."""
        return self.state.end_offset

    def produce(
        self,
        producer_id: int = NO_PRODUCER_ID,
        sequence: int = NO_SEQUENCE,
        *,
        epoch: int = 0,
        count: int = 1,
        transactional: bool = False,
        timestamp: int = 1_000,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        guard: VerificationGuard | None = None,
    ) -> AppendedBatch | None:
        """Append records. With a guard, also `NO_GUARD`, verification is switched on."""
        attributes = TRANSACTIONAL_BIT if transactional else 0
        batch = batch_of(
            producer_id, epoch=epoch, sequence=sequence, count=count, timestamp=timestamp, attributes=attributes
        )
        duplicate = self.state.check(batch, origin, guard=guard or NO_GUARD, is_verification_required=guard is not None)
        if duplicate is None:
            self._append(Entry(batch))
        return duplicate

    def end_transaction(
        self,
        producer_id: int,
        *,
        commit: bool,
        epoch: int = 0,
        coordinator_epoch: int = 0,
        version: int = 0,
        timestamp: int = 1_000,
        origin: AppendOrigin = AppendOrigin.COORDINATOR,
    ) -> CompletedTransaction | None:
        """Append a marker."""
        marker = EndTransaction(commit, coordinator_epoch)
        batch = batch_of(producer_id, epoch=epoch, timestamp=timestamp, attributes=TRANSACTIONAL_BIT | CONTROL_BIT)
        self.state.check(batch, origin, marker=marker, transaction_version=version, is_verification_required=True)
        return self._append(Entry(batch, marker))

    def _append(self, entry: Entry) -> CompletedTransaction | None:
        entry.batch.stamp(self.end, 0)
        self.log.append(entry)
        return self.state.update(*entry)
