"""`Metrics`: by name, removed by name or tag, capped, and never a pair that Prometheus would refuse."""

from collections.abc import Callable

import pytest

from ottla.metrics.histogram import WINDOW_MS
from ottla.metrics.meter import TICK_MS
from ottla.metrics.names import OTHER, MetricName, attribute_name, metric_name
from ottla.metrics.registry import REFUSED, Metrics

NAME = metric_name("kafka.server", "BrokerTopicMetrics", "BytesInPerSec")


ASKED: list[Callable[[Metrics], object]] = [
    lambda metrics: metrics.counter(NAME),
    lambda metrics: metrics.gauge(NAME),
    lambda metrics: metrics.meter(NAME),
    lambda metrics: metrics.histogram(NAME),
    lambda metrics: metrics.timer(NAME),
]


@pytest.mark.parametrize("ask", ASKED)
def test_one_name_is_one_object(ask: Callable[[Metrics], object]) -> None:
    """Asking again for a name gives the same object; in another node's metrics it is another."""
    metrics = Metrics()
    first = ask(metrics)
    assert ask(metrics) is first is metrics.get(NAME)
    assert ask(Metrics()) is not first


def test_one_name_is_one_kind() -> None:
    """A name that is a meter cannot be a histogram, not even with other tags."""
    metrics = Metrics()
    metrics.gauge(NAME)
    with pytest.raises(AssertionError, match="is a Gauge, not a Histogram"):
        metrics.histogram(NAME)
    with pytest.raises(AssertionError, match="is a gauge elsewhere, not a summary"):
        metrics.histogram(metric_name("kafka.server", "BrokerTopicMetrics", "BytesInPerSec", topic="t"))
    with pytest.raises(AssertionError, match="is there already"):
        metrics.computed_gauge(NAME, lambda: 1)


def test_an_attribute_is_one_number() -> None:
    """An attribute of an MBean is a counter or a gauge; what has several figures needs an MBean of its own."""
    metrics = Metrics()
    name = attribute_name("kafka.server", "socket-server-metrics", "connection-count", listener="PLAINTEXT")
    metrics.gauge(name).value = 3
    assert dict(metrics.snapshot())[name] == {"connection-count": 3}
    other = attribute_name("kafka.server", "socket-server-metrics", "request-rate")
    for ask in (metrics.meter, metrics.histogram, metrics.timer):
        with pytest.raises(AssertionError, match="is one number"):
            ask(other)


@pytest.mark.parametrize(
    "names",
    [
        (metric_name("kafka.server", "T", "Foo"), metric_name("kafka.server", "t", "FOO")),
        (metric_name("kafka", "server-T", "Foo"), metric_name("kafka.server", "T", "Foo")),
        (metric_name("g", "T", "N", a="1", b="2"), metric_name("g", "T", "N", b="2", a="1")),
        (metric_name("g", "T", "N", **{"client-id": "1"}), metric_name("g", "T", "N", client_id="1")),
        (attribute_name("g", "T", "n"), metric_name("g", "T", "n")),
    ],
)
def test_nothing_looks_the_same_to_prometheus(names: tuple[MetricName, MetricName]) -> None:
    """Two metrics that Prometheus could not tell apart are a fault of ours, told when the second is made."""
    metrics = Metrics()
    first, second = names
    metrics.gauge(first)
    with pytest.raises(AssertionError):
        metrics.gauge(second)
    assert metrics.get(second) is None
    metrics.remove(first)
    metrics.gauge(second)


def test_no_line_belongs_to_two_metrics() -> None:
    """The `_count` of a summary and a counter of that name exclude each other, until one is removed."""
    metrics = Metrics()
    summary, counter = metric_name("g", "T", "Time"), metric_name("g", "T", "Time_count-total")
    gauge = metric_name("g", "T", "Time_count")
    metrics.histogram(summary)
    with pytest.raises(AssertionError, match="are both g_t_time_count"):
        metrics.gauge(gauge)
    metrics.counter(counter)
    metrics.remove(summary)
    metrics.gauge(gauge)
    with pytest.raises(AssertionError, match="are both g_t_time_count"):
        metrics.histogram(summary)


def test_remove() -> None:
    """A removed metric is gone from everything that is read; whoever holds it can go on; a new one begins anew."""
    metrics = Metrics()
    counter = metrics.counter(NAME)
    counter.value += 5
    assert metrics.remove(NAME)
    assert not metrics.remove(NAME)
    counter.value += 1
    assert metrics.get(NAME) is None
    assert NAME not in dict(metrics.snapshot())
    assert [family.identity for family in metrics.families()] == [REFUSED]
    assert metrics.counter(NAME).value == 0


def test_remove_what_belongs_to_a_topic() -> None:
    """When a topic is deleted all that carries its tag goes, and nothing else."""
    metrics = Metrics()
    before = len(metrics)
    all_topics = metrics.meter(NAME)
    for topic in ("orders", "events"):
        metrics.meter(metric_name("kafka.server", "BrokerTopicMetrics", "BytesInPerSec", topic=topic))
        for partition in range(3):
            metrics.gauge(metric_name("kafka.log", "Log", "Size", topic=topic, partition=partition))
    assert metrics.remove_tagged("topic", "orders") == 4
    assert metrics.remove_tagged("topic", "orders") == 0
    assert len(metrics) == before + 1 + 4
    assert metrics.get(NAME) is all_topics
    assert {value for name, _ in metrics.snapshot() for key, value in name.tags if key == "topic"} == {"events"}
    assert metrics.remove_tagged("topic", "events") == 4
    assert metrics._tagged == {}


def test_over_the_cap_there_is_one_series() -> None:
    """What comes after the cap is counted together as `(other)`, so that the sum stays right, and is told."""
    metrics = Metrics(max_series=3)
    for number in range(10):
        metrics.meter(metric_name("g", "T", "InPerSec", topic=f"t{number}")).count += 1
    assert [family.name for family in metrics.families()] == [
        "ottla_metrics_metrics_refusedseries_count",
        "g_t_in_total",
    ]
    counts = {name.tags: values["Count"] for name, values in metrics.snapshot() if name.name == "InPerSec"}
    assert counts == {(("topic", f"t{number}"),): 1 for number in range(3)} | {(("topic", OTHER),): 7}
    assert metrics.counter(REFUSED).value == 7
    metrics.meter(metric_name("g", "T", "InPerSec"))
    assert metrics.counter(REFUSED).value == 7


def test_a_gauge_over_the_cap_is_not_shown() -> None:
    """A gauge cannot be shared: over the cap each is an object of its own, which nobody sees."""
    metrics = Metrics(max_series=1)
    first, second, third = (metrics.gauge(metric_name("g", "T", "N", topic=topic)) for topic in "abc")
    second.value = 5
    assert (first.value, third.value) == (0, 0)
    assert len(dict(metrics.snapshot())) == 2
    assert metrics.computed_gauge(metric_name("g", "T", "N", topic="d"), lambda: 4).value == 4
    assert not metrics.remove(metric_name("g", "T", "N", topic="d"))


def test_what_peers_name_has_a_lower_cap() -> None:
    """Where a tag holds what a client calls itself, fewer series are kept; removing one makes room."""
    metrics = Metrics(max_peer_series=2)
    for number in range(5):
        metrics.counter(metric_name("g", "T", "Peers", user=f"u{number}"))
        metrics.counter(metric_name("g", "T", "Topics", topic=f"t{number}"))
    assert metrics.counter(REFUSED).value == 3
    assert sum(name.name == "Peers" for name, _ in metrics.snapshot()) == 3
    assert sum(name.name == "Topics" for name, _ in metrics.snapshot()) == 5


def test_ticks_in_slices() -> None:
    """A round of ticks is done in slices, and says when every metric has had its turn."""
    metrics = Metrics(now_ms=1_000)
    meters = [metrics.meter(metric_name("g", "T", "InPerSec", topic=f"t{number}")) for number in range(5)]
    timer, histogram = metrics.timer(metric_name("g", "T", "Time")), metrics.histogram(metric_name("g", "T", "Size"))
    for meter in meters:
        meter.count += 10
    timer.update(3)
    histogram.update(3)
    rounds = [metrics.tick(1_000 + TICK_MS, at_most=3) for _ in range(3)]
    assert rounds == [False, False, True]
    assert [meter.one_minute_rate for meter in meters] == [2.0] * 5
    assert timer.attributes()["OneMinuteRate"] == 0.2
    assert metrics.tick(1_000 + WINDOW_MS)
    assert metrics.tick(1_000 + 2 * WINDOW_MS)
    assert sum(histogram.snapshot().buckets) == sum(timer.snapshot().buckets) == 0


def test_a_metric_made_later_lives_from_then_on() -> None:
    """The mean rate of a meter counts from when it was made, as far as the node knew the time."""
    metrics = Metrics()
    metrics.tick(100_000)
    meter = metrics.meter(NAME)
    meter.count += 5
    metrics.tick(105_000)
    assert meter.mean_rate == 1.0


def test_metrics_may_come_and_go_while_they_are_read() -> None:
    """A snapshot that is read slowly is not disturbed by what others do meanwhile."""
    metrics = Metrics()
    for topic in "abc":
        metrics.counter(metric_name("g", "T", "N", topic=topic))
    seen: list[MetricName] = []
    for name, _ in metrics.snapshot():
        metrics.remove_tagged("topic", "c")
        metrics.counter(metric_name("g", "T", "N", topic=f"new {len(seen)}"))
        seen.append(name)
    assert len(seen) == 4
