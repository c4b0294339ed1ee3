"""Timers: how long things take, and how often they happen; Kafka's metrics called `...RateAndTimeMs`.

A timer is a histogram of milliseconds and a meter of how many there were. The meter reads its count off the histogram
when it ticks, so that an update costs what a histogram's does.
"""

from ottla.metrics.histogram import Histogram, HistogramSnapshot
from ottla.metrics.meter import Meter


class Timer:
    """The hot path is `timer.update(duration_ms)`, which is the histogram's."""

    __slots__ = ("_histogram", "_meter", "update")

    def __init__(self, now_ms: int) -> None:
        self._histogram = Histogram(now_ms)
        self._meter = Meter(now_ms)
        self.update = self._histogram.update

    @property
    def count(self) -> int:
        """How many durations came."""
        return self._histogram.count

    def tick(self, now_ms: int) -> None:
        """It is `now_ms`."""
        self._meter.count = self._histogram.count
        self._meter.tick(now_ms)
        self._histogram.tick(now_ms)

    def snapshot(self) -> HistogramSnapshot:
        """What is known of the durations now."""
        return self._histogram.snapshot()

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return self._histogram.attributes() | self._meter.rates()
