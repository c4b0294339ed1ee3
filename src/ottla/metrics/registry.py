"""`Metrics`: all metrics of a node, by name. There is no global one; it is made with the node and handed to its parts.

A part asks for its metrics once, holds on to them, and changes them without coming back here. Asking again for a name
gives the same object. What belongs to a topic is removed with the topic, by the tag.

Series of one metric are kept together, since Prometheus wants them together. Their number is capped: `MAX_SERIES`, and
`MAX_PEER_SERIES` where a tag holds what a client calls itself. What comes after that shares one series whose tags are
`(other)`, so that sums stay right; a gauge, which cannot be shared, is handed out but not shown. How often that
happened is itself a metric, `RefusedSeries`.

Always true: no two metrics look the same to Prometheus, since a single such pair makes it refuse everything.
"""

from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from ottla.metrics.counters import ComputedGauge, Counter, Gauge
from ottla.metrics.histogram import Histogram
from ottla.metrics.meter import Meter
from ottla.metrics.names import OTHER, Kind, MetricName, family, labels, metric_name
from ottla.metrics.timer import Timer

MAX_SERIES: Final = 50_000  # one for each partition of a large broker
MAX_PEER_SERIES: Final = 1_000
PEER_TAGS: Final = frozenset({"client-id", "user", "clientSoftwareName", "clientSoftwareVersion"})
TICKS_A_CALL: Final = 1_000  # about a millisecond of the loop
REFUSED: Final = metric_name("ottla.metrics", "Metrics", "RefusedSeries")

Metric = Counter | Gauge | ComputedGauge | Meter | Histogram | Timer
Ticking = Meter | Histogram | Timer
M = TypeVar("M", Counter, Gauge, ComputedGauge, Meter, Histogram, Timer)

KINDS: Final[dict[type[Metric], Kind]] = {
    Counter: Kind.COUNTER,
    Gauge: Kind.GAUGE,
    ComputedGauge: Kind.GAUGE,
    Meter: Kind.COUNTER,
    Histogram: Kind.SUMMARY,
    Timer: Kind.SUMMARY,
}


class Family:
    """All series of one metric, by their labels."""

    __slots__ = ("identity", "kind", "name", "series")

    def __init__(self, name: str, kind: Kind, identity: MetricName) -> None:
        self.name = name
        self.kind = kind
        self.identity = identity
        self.series: dict[str, Metric] = {}

    def samples(self) -> tuple[str, ...]:
        """The names that its lines begin with."""
        return (self.name, f"{self.name}_sum", f"{self.name}_count") if self.kind is Kind.SUMMARY else (self.name,)


class Metrics:
    """All metrics of a node. See the module's docstring."""

    def __init__(
        self, now_ms: int = 0, *, max_series: int = MAX_SERIES, max_peer_series: int = MAX_PEER_SERIES
    ) -> None:
        self._now_ms = now_ms
        self._max_series = max_series
        self._max_peer_series = max_peer_series
        self._metrics: dict[MetricName, Metric] = {}
        self._families: dict[str, Family] = {}
        self._samples: dict[str, Family] = {}
        self._tagged: dict[tuple[str, str], dict[MetricName, None]] = {}  # a dict, since sets have no order
        self._to_tick: list[Ticking] = []
        self._refused = self.counter(REFUSED)

    def counter(self, name: MetricName) -> Counter:
        """A number that grows."""
        return self._get_or_add(name, Counter, Counter)

    def gauge(self, name: MetricName) -> Gauge:
        """A number that is set."""
        return self._get_or_add(name, Gauge, Gauge)

    def computed_gauge(self, name: MetricName, read: Callable[[], float]) -> ComputedGauge:
        """A number that is asked for when somebody looks. Its name must be new: which `read` would count?"""
        assert name not in self._metrics, f"{name} is there already"
        return self._get_or_add(name, ComputedGauge, lambda: ComputedGauge(read))

    def meter(self, name: MetricName) -> Meter:
        """A count with its rates."""
        return self._get_or_add(name, Meter, lambda: Meter(self._now_ms))

    def histogram(self, name: MetricName) -> Histogram:
        """How large things are."""
        return self._get_or_add(name, Histogram, lambda: Histogram(self._now_ms))

    def timer(self, name: MetricName) -> Timer:
        """How long things take, and how often they happen."""
        return self._get_or_add(name, Timer, lambda: Timer(self._now_ms))

    def remove(self, name: MetricName) -> bool:
        """Forget a metric, and say whether it was there. Whoever holds it may go on counting, unseen."""
        metric = self._metrics.pop(name, None)
        if metric is None:
            return False
        family_ = self._families[family(name, KINDS[type(metric)])]
        del family_.series[labels(name)]
        if not family_.series:
            del self._families[family_.name]
            for sample in family_.samples():
                del self._samples[sample]
        for tag in name.tags:
            del self._tagged[tag][name]
            if not self._tagged[tag]:
                del self._tagged[tag]
        return True

    def remove_tagged(self, key: str, value: str) -> int:
        """Forget every metric with this tag, as when a topic is deleted, and say how many there were."""
        return sum(self.remove(name) for name in list(self._tagged.get((key, value), ())))

    def tick(self, now_ms: int, at_most: int = TICKS_A_CALL) -> bool:
        """It is `now_ms`: tick the next metrics in turn, and say whether all had theirs.

        The shell begins a round every `meter.TICK_MS` and calls until this is true, letting others run in between.
        """
        self._now_ms = now_ms
        to_tick = self._to_tick
        if not to_tick:
            to_tick += [metric for metric in self._metrics.values() if isinstance(metric, Ticking)]
        for _ in range(min(at_most, len(to_tick))):
            to_tick.pop().tick(now_ms)
        return not to_tick

    def snapshot(self) -> Iterator[tuple[MetricName, dict[str, float]]]:
        """Every metric with its attributes as JMX shows them. Others may add and remove metrics meanwhile."""
        for name, metric in list(self._metrics.items()):
            attributes = metric.attributes()
            yield name, {name.attribute: next(iter(attributes.values()))} if name.attribute else attributes

    def families(self) -> list[Family]:
        """The metrics, series of one metric together."""
        return list(self._families.values())

    def get(self, name: MetricName) -> Metric | None:
        """The metric of this name, if there is one."""
        return self._metrics.get(name)

    def __len__(self) -> int:
        """How many series there are."""
        return len(self._metrics)

    def _get_or_add(self, name: MetricName, kind: type[M], make: Callable[[], M]) -> M:
        metric = self._metrics.get(name)
        if metric is None:
            return self._add(name, kind, make)
        assert isinstance(metric, kind), f"{name} is a {type(metric).__name__}, not a {kind.__name__}"
        return metric

    def _add(self, name: MetricName, kind: type[M], make: Callable[[], M]) -> M:
        assert not (name.attribute and issubclass(kind, Ticking)), f"{name} is one number, not a {kind.__name__}"
        family_ = self._family(name, KINDS[kind])
        if self._is_full(family_, name):
            self._refused.value += 1
            if KINDS[kind] is Kind.GAUGE:
                return make()
            return self._get_or_add(name.with_tags(tuple((key, OTHER) for key, _ in name.tags)), kind, make)
        text = labels(name)
        assert text not in family_.series, f"{name} looks to Prometheus like a metric that is there already: {text}"
        metric = make()
        self._families[family_.name] = family_
        self._samples |= dict.fromkeys(family_.samples(), family_)
        self._metrics[name] = family_.series[text] = metric
        for tag in name.tags:
            self._tagged.setdefault(tag, {})[name] = None
        return metric

    def _family(self, name: MetricName, kind: Kind) -> Family:
        """The family of a name: the one that is there, or a new one, which is kept once it has a series."""
        identity = name.with_tags(())
        family_ = self._families.get(family(name, kind))
        if family_ is None:
            family_ = Family(family(name, kind), kind, identity)
            for sample in family_.samples():
                assert sample not in self._samples, f"{name} and {self._samples[sample].identity} are both {sample}"
        assert family_.kind is kind, f"{identity} is a {family_.kind} elsewhere, not a {kind}"
        assert family_.identity == identity, f"{identity} and {family_.identity} are both {family_.name}"
        return family_

    def _is_full(self, family_: Family, name: MetricName) -> bool:
        tags = dict(name.tags)
        if not tags or set(tags.values()) == {OTHER}:
            return False  # what every metric may have, and what takes up the rest
        cap = self._max_series if PEER_TAGS.isdisjoint(tags) else self._max_peer_series
        return len(family_.series) >= cap
