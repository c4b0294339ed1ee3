"""Which batches belong to aborted transactions, and which markers nobody needs any more.

A walk over a log in its order, with the list of aborted transactions at hand. Records of an aborted transaction may go
at once. A marker has to stay as long as there are batches of its transaction, and a while longer (its delete horizon,
see `filtering`), since a consumer that is in the middle of them needs it.

Always true: whoever walks tells every batch, in the order of offsets; the walk ends below the last stable offset, so
that no transaction is open there.
"""

from collections.abc import Iterable

from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.control import ControlRecordType, control_type
from ottla.protocol.records.record import records_of
from ottla.storage.segments.transaction_index import AbortedTransaction


class CleanedTransactions:
    """The transactions that are open at this place of the walk."""

    __slots__ = ("_aborted", "_coming", "_committed", "_with_batches", "retained")

    def __init__(self, aborted: Iterable[AbortedTransaction] = ()) -> None:
        """Begin a walk over a range of offsets that these aborted transactions touch."""
        self._coming = sorted(aborted, key=lambda transaction: transaction.first_offset, reverse=True)
        self._aborted: dict[int, AbortedTransaction] = {}  # open ones, by producer id
        self._with_batches: set[int] = set()  # producers of open aborted ones of which a batch was seen
        self._committed: set[int] = set()  # producers of those that will be committed, of which a batch was seen
        self.retained: list[AbortedTransaction] = []  # whose markers stay, for the transaction index

    def is_aborted(self, batch: RecordBatch) -> bool:
        """Walk over a batch of records: whether an abort takes them away."""
        self._begin_up_to(batch.last_offset)
        if not batch.is_transactional:
            return False
        if batch.producer_id in self._aborted:
            self._with_batches.add(batch.producer_id)
            return True
        self._committed.add(batch.producer_id)
        return False

    def is_marker_spent(self, batch: RecordBatch) -> bool:
        """Walk over a control batch: whether nothing is left of the transaction that it ends."""
        self._begin_up_to(batch.last_offset)
        record = next(records_of(batch), None)
        if record is None:
            return True  # it was cleaned before, and is there for the sake of its header
        producer_id = batch.producer_id
        match control_type(record.key):
            case ControlRecordType.ABORT:
                transaction = self._aborted.pop(producer_id, None)
                if transaction is None or producer_id not in self._with_batches:
                    return True
                self._with_batches.remove(producer_id)
                self.retained.append(transaction)
                return False
            case ControlRecordType.COMMIT:
                if producer_id not in self._committed:
                    return True
                self._committed.remove(producer_id)
        return False

    def take_retained(self) -> list[AbortedTransaction]:
        """Those whose markers were kept since this was asked last."""
        taken, self.retained = self.retained, []
        return taken

    def _begin_up_to(self, offset: int) -> None:
        """Open the aborted transactions that have begun by this offset."""
        while self._coming and self._coming[-1].first_offset <= offset:
            transaction = self._coming.pop()
            self._aborted.setdefault(transaction.producer_id, transaction)
