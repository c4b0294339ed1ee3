"""Counters and gauges: a number in an attribute.

The hot path holds on to the object and says `counter.value += n`: no call, no lock, no lookup by label, which is what
makes it ten times cheaper than the usual metrics library. All of a node's metrics are changed by its loop alone.
"""

from collections.abc import Callable


class Counter:
    """A number that only grows. The hot path is `counter.value += n`."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = 0

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return {"Count": self.value}


class Gauge:
    """A number that is set: `gauge.value = n`."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value: float = 0

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return {"Value": self.value}


class ComputedGauge:
    """A number that is asked for when somebody looks; `read` is cheap, never waits and never raises."""

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], float]) -> None:
        self._read = read

    @property
    def value(self) -> float:
        """What it is now."""
        return self._read()

    def attributes(self) -> dict[str, float]:
        """What JMX shows of it."""
        return {"Value": self.value}
