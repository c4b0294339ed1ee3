"""Meters: a count, and its rates over the last one, five and fifteen minutes.

The hot path is `meter.count += n`; everything else happens in `tick`, which is told the time, and is called about every
five seconds. A rate is an exponentially weighted moving average: of every interval between two ticks the average rate
is taken in with the weight `1 - exp(-interval / window)`. With ticks every 5 s these are exactly the figures of the
metrics library that Kafka uses; a tick that comes late weighs more, so that rates do not depend on being on time. As
there, the first interval sets the rates.
"""

from math import expm1
from typing import Final

TICK_MS: Final = 5_000
ONE_MINUTE_MS: Final = 60_000
FIVE_MINUTES_MS: Final = 300_000
FIFTEEN_MINUTES_MS: Final = 900_000


class Meter:
    """Counts, and knows how fast. Rates are per second."""

    __slots__ = (
        "_started_ms",
        "_ticked_count",
        "_ticked_ms",
        "count",
        "fifteen_minute_rate",
        "five_minute_rate",
        "one_minute_rate",
    )

    def __init__(self, now_ms: int) -> None:
        self.count = 0
        self._started_ms = now_ms
        self._ticked_ms = now_ms
        self._ticked_count = 0
        self.one_minute_rate = 0.0
        self.five_minute_rate = 0.0
        self.fifteen_minute_rate = 0.0

    @property
    def value(self) -> int:
        """The count, under the name that it has in a counter."""
        return self.count

    @property
    def mean_rate(self) -> float:
        """The rate of its whole life, as of the last tick."""
        lived_ms = self._ticked_ms - self._started_ms
        return self._ticked_count * 1_000 / lived_ms if lived_ms else 0.0

    def tick(self, now_ms: int) -> None:
        """It is `now_ms`: take what was counted since the last tick into the rates. Too early a tick does nothing."""
        interval_ms = now_ms - self._ticked_ms
        if interval_ms < TICK_MS:
            return
        counted = self.count - self._ticked_count
        is_first = self._ticked_ms == self._started_ms
        self._ticked_ms = now_ms
        if counted == 0 and self.fifteen_minute_rate == 0:
            return  # most meters of most nodes
        self._ticked_count = self.count
        rate = counted * 1_000 / interval_ms
        if is_first:
            self.one_minute_rate = self.five_minute_rate = self.fifteen_minute_rate = rate
            return
        self.one_minute_rate -= (rate - self.one_minute_rate) * expm1(-interval_ms / ONE_MINUTE_MS)
        self.five_minute_rate -= (rate - self.five_minute_rate) * expm1(-interval_ms / FIVE_MINUTES_MS)
        self.fifteen_minute_rate -= (rate - self.fifteen_minute_rate) * expm1(-interval_ms / FIFTEEN_MINUTES_MS)

    def rates(self) -> dict[str, float]:
        """What JMX shows of the rates."""
        return {
            "MeanRate": self.mean_rate,
            "OneMinuteRate": self.one_minute_rate,
            "FiveMinuteRate": self.five_minute_rate,
            "FifteenMinuteRate": self.fifteen_minute_rate,
        }

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return {"Count": self.count, **self.rates()}
