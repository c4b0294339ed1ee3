"""The producers of a partition: what idempotent and transactional ones may append, and which transactions are open.

One machine for life and recovery. `check` looks at a batch before it is written, refuses it or knows it again, and
changes nothing; its rules are in producer_checks.py. `update` takes every batch that is in the log, in order, and
refuses nothing: replaying a log's batches, or a snapshot and the batches behind it, makes the state that the leader
had. (Two things are the leader's alone, and lost with it: batches before a producer's last one in a snapshot, and
which ended transactions still wait for the high watermark.) The rules are Apache Kafka's (KIP-98, KIP-447, KIP-890).

Always true: a transaction is open from its first batch to the marker that ends it, and unstable until that marker lies
below the high watermark; open ones stand in the order of their first offsets, since offsets only grow.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final, NamedTuple

from ottla.errors import InvalidProducerEpoch
from ottla.protocol.records.batch import CONTROL_BIT, NO_PRODUCER_ID, TRANSACTIONAL_BIT, RecordBatch
from ottla.protocol.records.control import EndTransaction
from ottla.storage.append.info import AppendOrigin
from ottla.storage.producers.checks import check_control_batch, check_data_batch, check_verified
from ottla.storage.producers.entry import AppendedBatch, ProducerEntry
from ottla.storage.producers.verification import NO_GUARD, VerificationEntry, VerificationGuard

LATE_TRANSACTION_BUFFER_MS: Final = 5 * 60 * 1000


class CompletedTransaction(NamedTuple):
    """A transaction that its marker has just ended, as the index of aborted transactions wants it."""

    producer_id: int
    first_offset: int
    last_offset: int  # the marker's
    is_aborted: bool
    last_stable_offset: int  # below it, every other transaction had ended when this one did


class ProducerState:
    """All producers of one partition, as they are behind the batch before `end_offset`."""

    __slots__ = ("_open", "_unreplicated", "_verifications", "end_offset", "producers")

    def __init__(self, end_offset: int = 0) -> None:
        self.end_offset = end_offset
        self.producers: dict[int, ProducerEntry] = {}
        self._open: dict[int, int] = {}  # transactions: producer id by first offset, the first one first
        # Ended transactions above the high watermark, as (first offset, marker's offset). Only those that may yet be
        # the lowest are kept: one that began later and ended earlier than another never is. So both numbers grow.
        self._unreplicated: deque[tuple[int, int]] | None = None
        self._verifications: dict[int, VerificationEntry] = {}

    # What may be appended

    def check(
        self,
        batch: RecordBatch,
        origin: AppendOrigin,
        *,
        marker: EndTransaction | None = None,
        transaction_version: int = 0,
        guard: VerificationGuard = NO_GUARD,
        is_verification_required: bool = False,
    ) -> AppendedBatch | None:
        """Refuse a batch (`ProducerError`), know it again (what is in the log), or let it pass (None).

        `marker` is what a control batch's record says, `transaction_version` what the coordinator that wrote it speaks.
        """
        if batch.producer_id == NO_PRODUCER_ID or origin is AppendOrigin.REPLICATION:
            return None  # the leader has decided
        entry = self.producers.get(batch.producer_id)
        verification = self._verifications.get(batch.producer_id)
        if origin is AppendOrigin.CLIENT and entry is not None:
            if verification is None and entry.continues_with(batch):
                return None  # what nearly every batch does, told without a call of each rule
            if duplicate := entry.find_duplicate(batch):
                return duplicate
        if batch.is_transactional and not self.has_open_transaction(batch.producer_id, batch.producer_epoch):
            check_verified(batch, entry, verification, guard, is_verification_required=is_verification_required)
        if not batch.is_control:
            check_data_batch(batch, entry, verification, has_sequence=origin is AppendOrigin.CLIENT)
        elif marker is not None:
            check_control_batch(batch, entry, marker, transaction_version)
        return None

    def has_open_transaction(self, producer_id: int, producer_epoch: int) -> bool:
        """Whether a producer has a transaction open here, under this epoch."""
        entry = self.producers.get(producer_id)
        return (
            entry is not None and entry.current_txn_first_offset is not None and entry.producer_epoch == producer_epoch
        )

    def start_verification(
        self, producer_id: int, sequence: int, producer_epoch: int, now_ms: int, *, supports_epoch_bump: bool
    ) -> VerificationGuard:
        """The guard to show with the append once the coordinator has agreed; `NO_GUARD` if it need not be asked."""
        entry = self.producers.get(producer_id)
        if entry is not None and producer_epoch < entry.producer_epoch:
            raise InvalidProducerEpoch(
                f"producer {producer_id}: its epoch is {entry.producer_epoch} by now, and not {producer_epoch}"
            )
        if self.has_open_transaction(producer_id, producer_epoch):
            return NO_GUARD
        waiting = self._verifications.get(producer_id)
        if waiting is None:
            waiting = VerificationEntry(now_ms, sequence, producer_epoch, supports_epoch_bump=supports_epoch_bump)
            self._verifications[producer_id] = waiting
        waiting.note(sequence, producer_epoch)
        return waiting.guard

    # What was appended

    def update(self, batch: RecordBatch, marker: EndTransaction | None = None) -> CompletedTransaction | None:
        """A batch is in the log, whoever let it in. Answers which transaction it ended, if any."""
        self.end_offset = batch.next_offset
        producer_id, attributes = batch.producer_id, batch.attributes
        if producer_id == NO_PRODUCER_ID:
            return None
        if attributes & CONTROL_BIT and marker is None:
            return None  # a control batch without a record: the cleaner took all of its transaction
        entry = self.producers.get(producer_id)
        if entry is None:
            entry = self.producers[producer_id] = ProducerEntry(producer_id)
        if attributes & TRANSACTIONAL_BIT:
            self._end_verification(batch)
        if attributes & CONTROL_BIT and marker is not None:
            return self._end_transaction(entry, batch, marker)
        entry.add_batch(batch)
        if attributes & TRANSACTIONAL_BIT and entry.current_txn_first_offset is None:
            entry.current_txn_first_offset = batch.base_offset
            self._open[batch.base_offset] = producer_id
        return None

    def _end_transaction(
        self, entry: ProducerEntry, batch: RecordBatch, marker: EndTransaction
    ) -> CompletedTransaction | None:
        first_offset, marker_offset = entry.current_txn_first_offset, batch.base_offset
        entry.enter_epoch(batch.producer_epoch)
        entry.coordinator_epoch = marker.coordinator_epoch
        entry.last_timestamp = batch.max_timestamp
        entry.current_txn_first_offset = None
        if first_offset is None:
            return None  # it wrote nothing here
        self._open.pop(first_offset, None)  # it is there, unless a snapshot told of two with the same offset
        self._await_replication(first_offset, marker_offset)
        return CompletedTransaction(
            entry.producer_id,
            first_offset,
            marker_offset,
            is_aborted=not marker.committed,
            last_stable_offset=next(iter(self._open), marker_offset + 1),
        )

    def _await_replication(self, first_offset: int, marker_offset: int) -> None:
        if self._unreplicated is None:
            self._unreplicated = deque()
        while self._unreplicated and self._unreplicated[-1][0] >= first_offset:
            self._unreplicated.pop()
        self._unreplicated.append((first_offset, marker_offset))

    def _end_verification(self, batch: RecordBatch) -> None:
        """The guard is spent. Not by the marker of the transaction before, under whose epoch the next one waits."""
        waiting = self._verifications.get(batch.producer_id)
        if waiting is None:
            return
        if waiting.supports_epoch_bump and batch.is_control and batch.producer_epoch == waiting.producer_epoch:
            return
        del self._verifications[batch.producer_id]

    # What is stable

    @property
    def first_undecided_offset(self) -> int | None:
        """Where the first transaction begins that nobody has ended; None if none is open."""
        return next(iter(self._open), None)

    @property
    def first_unstable_offset(self) -> int | None:
        """Where the first transaction begins that is open, or whose end is not replicated yet."""
        undecided = next(iter(self._open), None)
        if not self._unreplicated:
            return undecided
        unreplicated = self._unreplicated[0][0]
        return unreplicated if undecided is None else min(undecided, unreplicated)

    def advance_high_watermark(self, high_watermark: int) -> None:
        """Markers below the high watermark are replicated."""
        waiting = self._unreplicated
        while waiting and waiting[0][1] < high_watermark:
            waiting.popleft()

    def advance_log_start(self, log_start_offset: int) -> None:
        """Records below the new start are gone; their producers are still known."""
        self.advance_high_watermark(log_start_offset)
        self.end_offset = max(self.end_offset, log_start_offset)

    def has_late_transaction(self, now_ms: int, max_transaction_timeout_ms: int) -> bool:
        """Whether the first open transaction has been silent for so long that its coordinator must have lost it."""
        first = next(iter(self._open.values()), None)
        if first is None:
            return False
        silent_since_ms = self.producers[first].last_timestamp
        return (
            silent_since_ms > 0 and now_ms - silent_since_ms > max_transaction_timeout_ms + LATE_TRANSACTION_BUFFER_MS
        )

    # What is kept

    @property
    def is_empty(self) -> bool:
        """Whether nothing is remembered, so that cutting the log cannot make it wrong."""
        return not self.producers and not self._unreplicated

    def expire(self, now_ms: int, expiration_ms: int) -> int:
        """Forget producers that have been silent for `producer.id.expiration.ms`; how many that were."""
        expired = [entry.producer_id for entry in self.producers.values() if entry.is_expired(now_ms, expiration_ms)]
        for producer_id in expired:
            del self.producers[producer_id]
        waiting = self._verifications
        for producer_id in [found for found, entry in waiting.items() if now_ms - entry.created_ms >= expiration_ms]:
            del waiting[producer_id]
        return len(expired)

    def clear(self, end_offset: int) -> None:
        """Forget all producers and transactions: the log is empty, or will be replayed from this offset on.

        Guards stay: whoever waits for a coordinator's answer still does.
        """
        self.producers.clear()
        self._open.clear()
        self._unreplicated = None
        self.end_offset = end_offset

    def load(self, entries: Iterable[ProducerEntry], end_offset: int) -> None:
        """Take over what a snapshot says."""
        self.clear(end_offset)
        self.producers.update((entry.producer_id, entry) for entry in entries)
        open_from = (
            (entry.current_txn_first_offset, entry.producer_id)
            for entry in self.producers.values()
            if entry.current_txn_first_offset is not None
        )
        self._open.update(sorted(open_from))
