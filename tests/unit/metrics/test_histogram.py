"""Histograms: exact where they can be, off by less than 1/64 where they cannot."""

from math import isnan

import pytest

from ottla.metrics.histogram import MAX_BUCKETS, PERCENTILES, WINDOW_MS, Histogram


def histogram(*values: int) -> Histogram:
    """One with these values."""
    made = Histogram(0)
    for value in values:
        made.update(value)
    return made


def test_attributes() -> None:
    """JMX shows these, under these names; the figures of the whole life are those of Kafka's library (run there)."""
    assert histogram(1, 2, 3, 4, 1_000).attributes() == {
        "Count": 5,
        "Min": 1,
        "Max": 1_000,
        "Mean": 202.0,
        "StdDev": pytest.approx(446.0969625541066),
        "50thPercentile": 3,
        "75thPercentile": 4,
        "95thPercentile": 999.5,  # the middle of 992 to 1007
        "98thPercentile": 999.5,
        "99thPercentile": 999.5,
        "999thPercentile": 999.5,
    }


def test_empty() -> None:
    """Without values everything is 0, as in Kafka, but no percentile is made up: they are NaN."""
    attributes = Histogram(0).attributes()
    assert [attributes[name] for name in ("Count", "Min", "Max", "Mean", "StdDev")] == [0, 0, 0, 0, 0]
    assert all(isnan(attributes[name]) for name, *_ in PERCENTILES)


def test_small_values_are_exact() -> None:
    """Below 64 every value has a bucket: percentiles are exact."""
    assert histogram(*range(64)).snapshot().percentiles() == [31, 47, 60, 62, 63, 63]


def test_percentiles_by_rank() -> None:
    """The percentile is the smallest value that so many of all do not exceed: of 1000 values the 500th, 750th, ..."""
    values = [0] * 500 + [1] * 250 + [2] * 200 + [3] * 30 + [4] * 10 + [5] * 9 + [6]
    assert histogram(*values).snapshot().percentiles() == [0, 1, 2, 3, 4, 5]
    assert histogram(*values, 6).snapshot().percentiles() == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("value", [64, 65, 100, 127, 128, 1_000_003, 2**40 + 1, 2**48 - 1])
def test_large_values_are_close(value: int) -> None:
    """Between two other values of its bucket, the middle that stands for a value is off by less than 1/64."""
    median = histogram(0, value, 2**48).snapshot().percentiles()[0]
    assert abs(median - value) / value < 1 / 64


def test_a_percentile_is_nothing_that_never_came() -> None:
    """A single value is its own percentile, even in the middle of a wide bucket."""
    assert set(histogram(1_000_003).snapshot().percentiles()) == {1_000_003}


def test_deviation_of_large_values() -> None:
    """Large values that differ little do not cancel out."""
    snapshot = histogram(10**15, 10**15 + 2).snapshot()
    assert snapshot.stddev == pytest.approx(2**0.5)
    assert histogram(10**15).snapshot().stddev == 0.0


def test_a_negative_value_counts_as_zero() -> None:
    """A duration over a clock that went back is 0, not a fault."""
    attributes = histogram(-5).attributes()
    assert (attributes["Count"], attributes["Min"], attributes["Max"], attributes["Mean"]) == (1, 0, 0, 0)


def test_no_value_makes_it_large() -> None:
    """Whatever is fed in, there are at most MAX_BUCKETS buckets, and nothing is lost."""
    made = histogram(2**48 - 1, 2**48, 2**64, 2**100_000)
    made.tick(WINDOW_MS)
    made.update(2**200)
    snapshot = made.snapshot()
    assert len(snapshot.buckets) == MAX_BUCKETS
    assert snapshot.count == sum(snapshot.buckets) == 5
    assert snapshot.max == 2**100_000


def test_percentiles_forget() -> None:
    """Percentiles are of the current window and the one before; count, smallest and largest are of the whole life."""
    made = histogram(*[1] * 10)
    made.tick(WINDOW_MS - 1)
    made.tick(WINDOW_MS)
    made.update(50)
    assert made.snapshot().percentiles()[0] == 1
    made.tick(2 * WINDOW_MS)
    assert made.snapshot().percentiles()[0] == 50
    made.tick(3 * WINDOW_MS)
    snapshot = made.snapshot()
    assert all(isnan(percentile) for percentile in snapshot.percentiles())
    assert (snapshot.count, snapshot.min, snapshot.max, snapshot.total) == (11, 1, 50, 60)


def test_merge() -> None:
    """Two brokers' histograms make one that knows what a single one had known."""
    first, second = [1, 5, 1_000], [0, 70, 2**30]
    merged = histogram(*first).snapshot().merge(histogram(*second).snapshot())
    both = histogram(*first, *second).snapshot()
    assert merged == both
    empty = Histogram(0).snapshot()
    assert both.merge(empty) == empty.merge(both) == both
