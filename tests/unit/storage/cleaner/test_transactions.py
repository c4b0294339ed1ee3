"""What compaction does to transactions: aborted records, markers, and the transaction index."""

from ottla.storage.cleaner.filtering import LastRecord
from ottla.storage.cleaner.transactions import CleanedTransactions
from ottla.storage.segments.transaction_index import AbortedTransaction
from tests.unit.storage.cleaner.logs import NOW_MS, RETENTION_MS, BatchList

HORIZON_MS = NOW_MS + RETENTION_MS
A, A2, B = (b"a", b"1"), (b"a", b"2"), (b"b", b"1")


def with_transaction(*, committed: bool) -> BatchList:
    """A record, a transaction that overwrites it, and another record."""
    log = BatchList()
    log.write(A)
    log.write(A2, producer_id=9, is_transactional=True)
    log.end_transaction(9, committed=committed)
    log.write(B)
    return log


def test_a_committed_transaction() -> None:
    """Committed records count as all others do; the marker stays while a record of its transaction does."""
    cleaned = with_transaction(committed=True).cleaned()
    assert cleaned.pairs() == [A2, B]
    assert cleaned.shape() == [(1, 1, 1), (2, 2, 1), (3, 3, 1)]
    assert cleaned.cleaned(now_ms=HORIZON_MS * 2).bytes() == cleaned.bytes()


def test_an_aborted_transaction() -> None:
    """Aborted records go at once and overwrite nothing; their marker stays in this cleaning, and in the index."""
    log = with_transaction(committed=False)
    cleaned = log.cleaned()
    assert cleaned.pairs() == [A, B]
    assert cleaned.shape() == [(0, 0, 1), (2, 2, 1), (3, 3, 1)]
    assert cleaned.batches[1].delete_horizon_ms is None
    assert cleaned.aborted == log.aborted


def test_a_spent_marker() -> None:
    """A marker without records gets a horizon, goes behind it, and the index forgets its transaction before that."""
    for committed in (False, True):
        log = with_transaction(committed=committed)
        if committed:
            log.write(A)  # overwrites the committed record
        first = log.cleaned()
        second = first.cleaned()
        marker = next(batch for batch in second.batches if batch.is_control)
        marker.check()
        assert marker.delete_horizon_ms == HORIZON_MS
        assert marker.count == 1
        assert not second.aborted
        assert second.cleaned(now_ms=HORIZON_MS - 1).bytes() == second.bytes()
        third = second.cleaned(now_ms=HORIZON_MS)
        assert not [batch for batch in third.batches if batch.is_control]


def test_the_last_marker_of_an_active_producer() -> None:
    """Where a marker is all that is left of an active producer, its header stays: it has the epoch that fences."""
    log = with_transaction(committed=False).cleaned().cleaned()
    kept = log.cleaned(now_ms=HORIZON_MS, last_records={9: LastRecord(-1, 0)})
    assert [(batch.producer_id, batch.count) for batch in kept.batches if batch.is_control] == [(9, 0)]
    again = kept.cleaned(now_ms=HORIZON_MS * 2, last_records={9: LastRecord(-1, 0)})
    assert again.bytes() == kept.bytes()
    for other in ({9: LastRecord(-1, 1)}, {8: LastRecord(-1, 0)}, {9: LastRecord(1, 0)}):
        assert not [batch for batch in kept.cleaned(last_records=other).batches if batch.is_control]


def test_an_aborted_batch_of_an_active_producer() -> None:
    """The header of an aborted batch stays if it has an active producer's last sequence, and keeps the marker."""
    log = with_transaction(committed=False)
    last = {9: LastRecord(1, 0)}
    cleaned = log.cleaned(last_records=last)
    assert cleaned.shape() == [(0, 0, 1), (1, 1, 0), (2, 2, 1), (3, 3, 1)]
    assert cleaned.cleaned(last_records=last, now_ms=HORIZON_MS * 2).bytes() == cleaned.bytes()


def test_transactions_between_each_other() -> None:
    """Aborts touch their own producer's batches only, and only those of that transaction."""
    log = BatchList()
    log.write((b"k1", b"1"), producer_id=1, is_transactional=True)
    log.write((b"k2", b"1"), producer_id=2, is_transactional=True)
    log.end_transaction(1, committed=False)
    log.write((b"k3", b"1"), producer_id=1, is_transactional=True)
    log.end_transaction(2, committed=True)
    log.write((b"k4", b"1"), producer_id=1)
    log.end_transaction(1, committed=True)
    log.write((b"k5", b"1"), producer_id=2, is_transactional=True)
    log.end_transaction(2, committed=False)
    assert [key for key, _ in log.cleaned().pairs()] == [b"k2", b"k3", b"k4"]


def test_each_transaction_has_its_own_marker() -> None:
    """A marker is spent or not by its own transaction, whatever the same producer did before."""
    for committed in (True, False):
        log = BatchList()
        log.write(A, producer_id=4, is_transactional=True)
        log.end_transaction(4, committed=committed)
        log.end_transaction(4, committed=committed)
        cleaned = log.cleaned()
        horizons = [batch.delete_horizon_ms for batch in cleaned.batches if batch.is_control]
        assert horizons == [None, HORIZON_MS]
        assert len(cleaned.aborted) == (0 if committed else 1)


def test_an_abort_that_nobody_knows() -> None:
    """A marker whose transaction is in no index, or that is of the quorum, is told for what it is."""
    log = BatchList()
    marker = log.end_transaction(3, committed=False)
    assert CleanedTransactions().is_marker_spent(marker)
    assert CleanedTransactions([AbortedTransaction(3, 0, 0, 1)]).is_marker_spent(marker)
