"""Metrics under anything: names, values and times."""

from math import isnan

from hypothesis import example, given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ottla.metrics.exposition import render
from ottla.metrics.histogram import MAX_BITS, PERCENTILES, WINDOW_MS, Histogram
from ottla.metrics.meter import Meter
from ottla.metrics.names import metric_name
from ottla.metrics.registry import Metrics

TAGS = st.dictionaries(
    st.sampled_from(["topic", "client-id", "user", "networkProcessor"]),
    st.one_of(st.text(max_size=8), st.text(st.sampled_from('\\"\n,={} '), max_size=8)),
    max_size=3,
)
VALUES = st.one_of(st.integers(0, 200), st.integers(0, 10**6), st.integers(0, 2**MAX_BITS - 1))


@given(st.lists(TAGS, max_size=8), st.integers(0, 2**53))
def test_any_tags_are_read_back(tags: list[dict[str, str]], value: int) -> None:
    """Whatever a client calls itself, a standard parser reads exactly the labels and values that were written."""
    metrics = Metrics()
    expected = {}
    for each in tags:
        name = metric_name("kafka.server", "Fetch", "BytesPerSec", **each)
        metrics.meter(name).count = value
        expected[frozenset((key.replace("-", "_"), text) for key, text in name.tags)] = value
    families = text_string_to_metric_families("".join(render(metrics)))
    read = [sample for family in families if family.name == "kafka_server_fetch_bytes" for sample in family.samples]
    assert {frozenset(sample.labels.items()): sample.value for sample in read} == expected
    assert len(read) == len(expected)


@given(st.lists(VALUES, min_size=1, max_size=200))
@example([64, 65])
@example([2**MAX_BITS - 1])
def test_a_histogram_agrees_with_a_sorted_list(values: list[int]) -> None:
    """Percentiles are within 1/64 of the value at their rank; the rest is exact."""
    histogram = Histogram(0)
    for value in values:
        histogram.update(value)
    snapshot = histogram.snapshot()
    in_order = sorted(values)
    for (_, _, thousandths), percentile in zip(PERCENTILES, snapshot.percentiles(), strict=True):
        exact = in_order[-(-len(values) * thousandths // 1_000) - 1]
        assert abs(percentile - exact) <= exact / 64
        assert percentile == exact or exact >= 64
    assert (snapshot.count, snapshot.total) == (len(values), sum(values))
    assert (snapshot.min, snapshot.max) == (in_order[0], in_order[-1])
    assert snapshot.percentiles() == sorted(snapshot.percentiles())


@given(st.lists(VALUES, max_size=50), st.lists(VALUES, max_size=50))
def test_merging_is_as_good_as_one_histogram(first: list[int], second: list[int]) -> None:
    """Two histograms merged are the one that would have been given all values, in either order."""
    one, other, both = Histogram(0), Histogram(0), Histogram(0)
    for histogram, values in ((one, first), (other, second), (both, first + second)):
        for value in values:
            histogram.update(value)
    merged = one.snapshot().merge(other.snapshot())
    assert merged == other.snapshot().merge(one.snapshot())
    assert (
        merged.attributes().items()
        >= {key: value for key, value in both.snapshot().attributes().items() if not isnan(value)}.items()
    )


@given(st.lists(st.tuples(VALUES, st.integers(0, 2 * WINDOW_MS)), max_size=40))
def test_percentiles_are_of_the_recent_past(steps: list[tuple[int, int]]) -> None:
    """Every value of the last window counts, and none that is older than two windows between ticks."""
    histogram = Histogram(0)
    now_ms = rotations = 0
    since_ms = 0
    came: list[tuple[int, int]] = []  # (value, rotations before it)
    for value, pause_ms in steps:
        now_ms += pause_ms
        if now_ms - since_ms >= WINDOW_MS:
            rotations, since_ms = rotations + 1, now_ms
        histogram.tick(now_ms)
        histogram.update(value)
        came.append((value, rotations))
    recent = [value for value, before in came if before >= rotations - 1]
    assert sum(histogram.snapshot().buckets) == len(recent)
    assert histogram.count == len(came)
    if recent:
        highest = histogram.snapshot().percentiles()[-1]
        assert abs(highest - sorted(recent)[-1]) <= max(recent) / 64


@given(st.lists(st.tuples(st.integers(0, 10**9), st.integers(-1_000, 10**7)), max_size=40))
def test_rates_stay_between_what_was_counted(steps: list[tuple[int, int]]) -> None:
    """However ticks come, a rate is never negative and never above the fastest interval; nothing is lost."""
    meter = Meter(0)
    now_ms = ticked_ms = 0
    counted = since = 0
    fastest = 0.0
    for count, pause_ms in steps:
        now_ms += pause_ms
        meter.count += count
        counted += count
        since += count
        if now_ms - ticked_ms >= 5_000:
            fastest = max(fastest, since * 1_000 / (now_ms - ticked_ms))
            ticked_ms, since = now_ms, 0
        meter.tick(now_ms)
        for rate in (meter.one_minute_rate, meter.five_minute_rate, meter.fifteen_minute_rate, meter.mean_rate):
            assert 0 <= rate <= fastest * (1 + 1e-9)
    assert meter.value == counted
