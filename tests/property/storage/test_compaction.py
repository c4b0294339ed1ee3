"""Compaction without files: whatever was written, the log says of every key what a dict would say."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.protocol.records.batch import CompressionType, TimestampType
from tests.unit.storage.cleaner.logs import NOW_MS, RETENTION_MS, BatchList, Pair

keys = st.sampled_from([b"a", b"b", b"c", b"d"]) | st.integers(0, 200).map(lambda number: b"%d" % number)
pairs = st.lists(st.tuples(keys, st.none() | st.binary(max_size=3)), min_size=1, max_size=6)
codecs = st.sampled_from([CompressionType.NONE, CompressionType.NONE, CompressionType.LZ4])
plain = st.tuples(st.just("write"), pairs, codecs, st.sampled_from(TimestampType))
within = st.tuples(st.just("in transaction"), pairs, st.integers(1, 3))
ends = st.tuples(st.just("end"), st.integers(1, 3), st.booleans())
steps = st.lists(plain | within | ends, max_size=25)
Steps = list[tuple[object, ...]]


def log_of(drawn: Steps) -> tuple[BatchList, dict[bytes, bytes]]:
    """A log that was written in these steps, all transactions ended, and what is true of it."""
    log, truth = BatchList(), dict[bytes, tuple[int, bytes | None]]()
    pending: dict[int, list[tuple[int, Pair]]] = {}

    def note(offset: int, pair: Pair) -> None:
        assert pair[0] is not None
        if truth.get(pair[0], (-1, None))[0] < offset:
            truth[pair[0]] = (offset, pair[1])

    def end(producer_id: int, *, committed: bool) -> None:
        log.end_transaction(producer_id, committed=committed)
        for offset, pair in pending.pop(producer_id, []):
            if committed:
                note(offset, pair)

    for step in drawn:
        match step:
            case ("write", list(found), CompressionType() as codec, TimestampType() as timestamp_type):
                batch = log.write(*found, codec=codec, timestamp_type=timestamp_type)
                for at, pair in enumerate(found):
                    note(batch.base_offset + at, pair)
            case ("in transaction", list(found), int(producer_id)):
                batch = log.write(*found, producer_id=producer_id, is_transactional=True)
                pending.setdefault(producer_id, []).extend(
                    (batch.base_offset + at, pair) for at, pair in enumerate(found)
                )
            case ("end", int(producer_id), bool(committed)):
                end(producer_id, committed=committed)
    for producer_id in list(pending):
        end(producer_id, committed=True)
    return log, {key: value for key, (_, value) in truth.items() if value is not None}


def view_of(log: BatchList) -> dict[bytes, bytes]:
    """What a reader learns who reads the whole log; the aborted records are gone by then."""
    view: dict[bytes, bytes] = {}
    for key, value in log.pairs():
        assert key is not None
        if value is None:
            view.pop(key, None)
        else:
            view[key] = value
    return view


@given(steps)
def test_a_reader_learns_what_a_dict_would_know(drawn: Steps) -> None:
    """After compaction every key has its newest committed value, once, at the offset where it was written."""
    log, truth = log_of(drawn)
    before = {record.offset: record for record in log.records()}
    cleaned = log.cleaned()
    assert view_of(cleaned) == truth
    found = cleaned.records()
    assert len({record.key for record in found}) == len(found)
    for record in found:
        assert record == before[record.offset]
    assert cleaned.end_offset == log.end_offset
    for batch in cleaned.batches:
        batch.check()


@given(steps)
def test_cleaning_again_changes_nothing(drawn: Steps) -> None:
    """A clean log stays as it is, but for markers that have got nothing to mark; a third time changes nothing."""
    twice = log_of(drawn)[0].cleaned().cleaned()
    assert twice.cleaned().bytes() == twice.bytes()


@given(steps)
def test_tombstones_go_in_the_end(drawn: Steps) -> None:
    """Once the horizons have passed, only values are left, and they are the same."""
    log, truth = log_of(drawn)
    late = log.cleaned().cleaned(now_ms=NOW_MS + RETENTION_MS)
    assert view_of(late) == truth
    assert sorted(record.key or b"" for record in late.records()) == sorted(truth)


@given(steps, st.integers(0, 80), st.integers(0, 80))
def test_in_parts(drawn: Steps, first: int, second: int) -> None:
    """However a log is cleaned, in parts and again, a reader learns the same."""
    log, truth = log_of(drawn)
    aborted = log.aborted
    ends = {batch.next_offset for batch in log.batches} | {0}
    open_at = [range(transaction.first_offset + 1, transaction.last_offset + 1) for transaction in aborted]
    dirty_from = 0
    for wanted in sorted((first, second)):
        end = max(offset for offset in ends if offset <= wanted)
        if any(end in span for span in open_at) or end <= dirty_from:
            continue  # below the last stable offset there is no open transaction
        log = log.cleaned(start_offset=dirty_from, end_offset=end)
        log.aborted = aborted
        dirty_from = end
    log = log.cleaned(start_offset=dirty_from)
    assert view_of(log) == truth


@given(steps)
def test_a_small_map(drawn: Steps) -> None:
    """A map with room for few keys takes several rounds, each of which gets further, and arrives at the same."""
    log, truth = log_of(drawn)
    dirty_from, end = 0, log.end_offset
    while dirty_from < end:
        log = log.cleaned(start_offset=dirty_from, map_bytes=24 * 20)
        assert log.cleaned_to > dirty_from
        dirty_from = log.cleaned_to
    assert view_of(log) == truth
    assert len({record.key for record in log.records()}) == len(log.records())
