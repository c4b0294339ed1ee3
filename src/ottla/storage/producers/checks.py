"""The rules by which a batch follows what its producer has appended before; each raises the error with Kafka's code.

`entry` is what the partition remembers of the producer, None if nothing: never seen, expired, or all of it deleted.
Then nothing can be compared, and any sequence is accepted, as Kafka does since KIP-360, so that a producer that was
silent for long can go on.
"""

from typing import Final

from ottla.errors import (
    InvalidProducerEpoch,
    InvalidTransactionState,
    OutOfOrderSequence,
    TransactionCoordinatorFenced,
)
from ottla.protocol.records.batch import NO_PRODUCER_EPOCH, SEQUENCE_MASK, RecordBatch
from ottla.protocol.records.control import EndTransaction
from ottla.storage.producers.entry import ProducerEntry
from ottla.storage.producers.verification import NO_GUARD, VerificationEntry, VerificationGuard

EPOCH_BUMPING_VERSION: Final = 2  # from this `transaction.version` on, a marker carries the epoch of what comes next
LAST_EPOCH: Final = 2**15 - 1


def check_verified(
    batch: RecordBatch,
    entry: ProducerEntry | None,
    verification: VerificationEntry | None,
    guard: VerificationGuard,
    *,
    is_verification_required: bool,
) -> None:
    """A transactional batch of a producer that has no transaction open must be one that its coordinator knows of."""
    _check_epoch(batch, entry)
    if not is_verification_required or batch.is_control:
        return
    if verification is None or guard is NO_GUARD or guard is not verification.guard:
        raise InvalidTransactionState(
            f"{_what(batch)}: no transaction is open here, and the coordinator has not confirmed one"
        )


def check_data_batch(
    batch: RecordBatch, entry: ProducerEntry | None, verification: VerificationEntry | None, *, has_sequence: bool
) -> None:
    """Records follow in epoch and sequence, and are part of the transaction if one is open."""
    _check_epoch(batch, entry)
    if has_sequence:
        if verification is not None:
            _check_waiting(batch, entry, verification)
        if entry is not None and entry.producer_epoch != NO_PRODUCER_EPOCH:
            _check_sequence(batch, entry)
    if entry is not None and entry.current_txn_first_offset is not None and not batch.is_transactional:
        raise InvalidTransactionState(
            f"{_what(batch)}: no part of its transaction, which is open from offset {entry.current_txn_first_offset}"
        )


def check_control_batch(
    batch: RecordBatch, entry: ProducerEntry | None, marker: EndTransaction, transaction_version: int
) -> None:
    """A marker comes from the newest coordinator, under the epoch that its transaction's version asks for."""
    if entry is None:
        return
    if transaction_version >= EPOCH_BUMPING_VERSION:
        _check_bumped_epoch(batch, entry)
    else:
        _check_epoch(batch, entry)
    if marker.coordinator_epoch < entry.coordinator_epoch:
        raise TransactionCoordinatorFenced(
            f"{_what(batch)}: its marker is of coordinator epoch {marker.coordinator_epoch}, and "
            f"{entry.coordinator_epoch} is known"
        )


def _check_epoch(batch: RecordBatch, entry: ProducerEntry | None) -> None:
    if entry is not None and batch.producer_epoch < entry.producer_epoch:
        raise InvalidProducerEpoch(f"{_what(batch)}: its epoch is {entry.producer_epoch} by now")


def _check_bumped_epoch(batch: RecordBatch, entry: ProducerEntry) -> None:
    """Such a marker's epoch is above that of its records. One that has it already is a retry, if its transaction is
    over; at the last epoch there is none above.
    """
    epoch = batch.producer_epoch
    if epoch > entry.producer_epoch:
        return
    is_over = entry.current_txn_first_offset is None or epoch == LAST_EPOCH
    if epoch < entry.producer_epoch or not is_over:
        raise InvalidProducerEpoch(f"{_what(batch)}: a marker's epoch must be above {entry.producer_epoch}")


def _check_waiting(batch: RecordBatch, entry: ProducerEntry | None, verification: VerificationEntry) -> None:
    """No batch overtakes another one that still waits for the coordinator, or that has not come yet."""
    sequence = batch.base_sequence
    if verification.supports_epoch_bump and sequence != 0 and (entry is None or not entry.batches):
        raise OutOfOrderSequence(f"{_what(batch)}: the first one of an epoch has sequence 0")
    if sequence > verification.lowest_sequence:
        raise OutOfOrderSequence(f"{_what(batch)}: sequence {verification.lowest_sequence} is not appended yet")


def _check_sequence(batch: RecordBatch, entry: ProducerEntry) -> None:
    sequence, last_sequence = batch.base_sequence, entry.last_sequence
    if batch.producer_epoch != entry.producer_epoch:
        if sequence != 0:
            raise OutOfOrderSequence(
                f"{_what(batch)}: the first one of an epoch has sequence 0, it follows epoch {entry.producer_epoch}"
            )
    elif sequence != (last_sequence + 1) & SEQUENCE_MASK:
        raise OutOfOrderSequence(f"{_what(batch)}: {last_sequence} was the last sequence")


def _what(batch: RecordBatch) -> str:
    return (
        f"producer {batch.producer_id}, epoch {batch.producer_epoch}, "
        f"{'a marker' if batch.is_control else f'sequence {batch.base_sequence}'} at offset {batch.base_offset}"
    )
