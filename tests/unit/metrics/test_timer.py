"""Timers: a histogram of durations with the rates of a meter."""

from ottla.metrics.histogram import WINDOW_MS
from ottla.metrics.meter import TICK_MS
from ottla.metrics.timer import Timer


def test_attributes() -> None:
    """JMX shows of a timer what it shows of a histogram, and the rates of a meter."""
    timer = Timer(0)
    for duration_ms in (10, 20, 30, 40, 50):
        timer.update(duration_ms)
    timer.tick(TICK_MS)
    attributes = timer.attributes()
    assert set(attributes) == {
        "Count", "Min", "Max", "Mean", "StdDev",
        "50thPercentile", "75thPercentile", "95thPercentile", "98thPercentile", "99thPercentile", "999thPercentile",
        "MeanRate", "OneMinuteRate", "FiveMinuteRate", "FifteenMinuteRate",
    }  # fmt: skip
    assert (attributes["Count"], attributes["Mean"], attributes["50thPercentile"]) == (5, 30.0, 30)
    assert attributes["OneMinuteRate"] == attributes["MeanRate"] == 1.0


def test_counting_goes_on_over_windows() -> None:
    """A new window of the histogram takes nothing from the count and the rates."""
    timer = Timer(0)
    timer.update(1)
    timer.tick(WINDOW_MS)
    timer.update(2)
    timer.tick(2 * WINDOW_MS)
    assert timer.count == timer.snapshot().count == 2
    assert timer.attributes()["MeanRate"] == 2_000 / (2 * WINDOW_MS)
