"""Histograms: how large things are, in buckets that widen with the value.

Values below 64 have a bucket each; above, every power of two is cut into 32. So a bucket is at most 1/32 as wide as its
values are large, and its middle, which stands for all of them, is off by less than 1/64: that bounds the error of every
percentile. Count, sum, smallest, largest, mean and deviation are exact. Values are whole numbers (bytes, milliseconds);
a negative one counts as 0.

Percentiles are of the recent past: two windows of 150 s are kept, the current one and the one before, so they cover the
last 2.5 to 5 minutes; without a value in that time they are NaN. Kafka samples 1028 values with a bias towards the
last five minutes instead. Buckets cost the same whatever comes, have no luck in them, and can be added up over brokers
(`HistogramSnapshot.merge`). Everything else is of the whole life, as in Kafka.

Always true: nobody who feeds in values can make it hold more than 2 x MAX_BUCKETS numbers.
"""

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from math import nan, sqrt
from typing import Final

WINDOW_MS: Final = 150_000
MAX_BITS: Final = 48  # what is larger than 2^48 is counted as if it were just below
_EXACT_BITS: Final = 6
_EXACT: Final = 1 << _EXACT_BITS
_CUT_BITS: Final = _EXACT_BITS - 1
MAX_BUCKETS: Final = _EXACT + (MAX_BITS - _EXACT_BITS << _CUT_BITS)

# Attribute, quantile as the JMX exporter writes it, thousandths.
PERCENTILES: Final = (
    ("50thPercentile", "0.50", 500),
    ("75thPercentile", "0.75", 750),
    ("95thPercentile", "0.95", 950),
    ("98thPercentile", "0.98", 980),
    ("99thPercentile", "0.99", 990),
    ("999thPercentile", "0.999", 999),
)


class Histogram:
    """The hot path is `histogram.update(value)`."""

    __slots__ = ("_buckets", "_earlier", "_max", "_min", "_retired", "_since_ms", "_squares", "_sum")

    def __init__(self, now_ms: int) -> None:
        self._buckets = [0] * _EXACT
        self._earlier: list[int] = []
        self._since_ms = now_ms
        self._retired = 0  # how many values came before the current window
        self._sum = 0
        self._squares = 0
        self._min = 1 << 64
        self._max = -1

    def update(self, value: int) -> None:
        """Take in a value. Measured at 110-170 ns; the count is the sum of the buckets, so it is not kept."""
        if value < _EXACT:
            if value < 0:  # noqa: PLR1730 - here and below: a call of max or min would cost 50 ns
                value = 0
            at = value
        else:
            shift = value.bit_length() - _EXACT_BITS
            at = (shift << _CUT_BITS) + (value >> shift)
        try:
            self._buckets[at] += 1
        except IndexError:
            self._grow(at)
        self._sum += value
        self._squares += value * value
        if value > self._max:  # noqa: PLR1730
            self._max = value
        if value < self._min:  # noqa: PLR1730
            self._min = value

    def tick(self, now_ms: int) -> None:
        """It is `now_ms`: begin a new window if it is time."""
        if now_ms - self._since_ms >= WINDOW_MS:
            self._retired += sum(self._buckets)
            self._earlier, self._buckets = self._buckets, [0] * len(self._buckets)
            self._since_ms = now_ms

    @property
    def count(self) -> int:
        """How many values came."""
        return self._retired + sum(self._buckets)

    def snapshot(self) -> "HistogramSnapshot":
        """What is known now, as a value."""
        count = self.count
        return HistogramSnapshot(
            count,
            self._sum,
            self._squares,
            self._min if count else 0,
            self._max if count else 0,
            _added(self._buckets, self._earlier),
        )

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return self.snapshot().attributes()

    def _grow(self, at: int) -> None:
        at = min(at, MAX_BUCKETS - 1)
        self._buckets += [0] * (at + 1 - len(self._buckets))
        self._buckets[at] += 1


@dataclass(frozen=True, slots=True)
class HistogramSnapshot:
    """What a histogram knew at one moment. `buckets` are those of the recent past, the rest is of the whole life."""

    count: int
    total: int
    squares: int
    min: int
    max: int
    buckets: tuple[int, ...]

    @property
    def mean(self) -> float:
        """The mean of all values, 0 without any."""
        return self.total / self.count if self.count else 0.0

    @property
    def stddev(self) -> float:
        """The standard deviation of all values as a sample, 0 if there are fewer than two."""
        if self.count < 2:
            return 0.0
        # In whole numbers, so that large values that differ little do not cancel out.
        return sqrt((self.count * self.squares - self.total * self.total) / (self.count * (self.count - 1)))

    def percentiles(self) -> list[float]:
        """The values that so many thousandths of the recent ones do not exceed, in the order of PERCENTILES."""
        up_to = list(accumulate(self.buckets))
        recent = up_to[-1] if up_to else 0
        if not recent:
            return [nan] * len(PERCENTILES)
        return [self._value(bisect_left(up_to, -(-recent * thousandths // 1_000))) for *_, thousandths in PERCENTILES]

    def merge(self, other: "HistogramSnapshot") -> "HistogramSnapshot":
        """What one histogram would know that had been given the values of both."""
        if not self.count or not other.count:
            return self if self.count else other
        return HistogramSnapshot(
            self.count + other.count,
            self.total + other.total,
            self.squares + other.squares,
            min(self.min, other.min),
            max(self.max, other.max),
            _added(self.buckets, other.buckets),
        )

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        shown = {"Count": self.count, "Min": self.min, "Max": self.max, "Mean": self.mean, "StdDev": self.stddev}
        percentiles = zip(PERCENTILES, self.percentiles(), strict=True)
        return shown | {attribute: value for (attribute, *_), value in percentiles}

    def _value(self, at: int) -> float:
        """What stands for the values of a bucket: its middle, but nothing that never came."""
        if at < _EXACT:
            return at
        shift = (at >> _CUT_BITS) - 1
        lowest = (at - (shift << _CUT_BITS)) << shift
        return min(max(lowest + ((1 << shift) - 1) / 2, self.min), self.max)


def _added(first: list[int] | tuple[int, ...], second: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip_longest(first, second, fillvalue=0))
