"""What counting costs on the hot path, and what a scrape costs, beside prometheus_client.

prometheus_client's histogram has its default buckets and no percentiles, ours has percentiles; both are given the same
values. In a scrape both write the same names, labels and values of counters, which is checked before anything is timed.
The longest chunk is how long a scrape keeps the loop from serving others. Memory is what Python's allocator gave out.
"""

import random
import time
import tracemalloc
from collections.abc import Callable

import prometheus_client
from prometheus_client.parser import text_string_to_metric_families

from bench.measure import best_of_turns, table
from ottla.metrics.exposition import render
from ottla.metrics.meter import TICK_MS, Meter
from ottla.metrics.names import metric_name
from ottla.metrics.registry import Metrics

CALLS = 1_000
ROUNDS = 20
SERIES = 10_000
TOPICS = SERIES // 10
NAMES = [f"Metric{number}In" for number in range(10)]

Work = Callable[[], object]


def increments() -> list[tuple[str, Work, Work]]:
    """Counting once, CALLS times: without labels, and in a series of a topic."""
    metrics = Metrics()
    counter = metrics.counter(metric_name("kafka.server", "T", "OnePerSec"))
    meter = metrics.meter(metric_name("kafka.server", "T", "TwoPerSec", topic="orders"))
    registry = prometheus_client.CollectorRegistry()
    theirs = prometheus_client.Counter("one", "one", registry=registry)
    labelled = prometheus_client.Counter("two", "two", ["topic"], registry=registry).labels("orders")

    def counter_ours() -> None:
        for _ in range(CALLS):
            counter.value += 1

    def meter_ours() -> None:
        for _ in range(CALLS):
            meter.count += 1

    def counter_theirs() -> None:
        for _ in range(CALLS):
            theirs.inc()

    def labelled_theirs() -> None:
        for _ in range(CALLS):
            labelled.inc()

    return [
        ("counter, increment", counter_ours, counter_theirs),
        ("meter of a topic, increment", meter_ours, labelled_theirs),
    ]


def updates() -> list[tuple[str, Work, Work]]:
    """Taking CALLS values into a histogram: latencies in ms, and sizes in bytes."""
    rng = random.Random(4)  # noqa: S311 - the same values in every run
    rows: list[tuple[str, Work, Work]] = []
    for unit, mean in (("ms", 20), ("bytes", 100_000)):
        values = [int(rng.expovariate(1 / mean)) for _ in range(CALLS)]
        ours = Metrics().histogram(metric_name("kafka.network", "RequestMetrics", "TotalTimeMs"))
        theirs = prometheus_client.Histogram("h", "h", registry=prometheus_client.CollectorRegistry())
        rows.append((f"histogram, update in {unit}", over(ours.update, values), over(theirs.observe, values)))
    return rows


def over(update: Callable[[int], None], values: list[int]) -> Work:
    """A call for each value."""

    def work() -> None:
        for value in values:
            update(value)

    return work


def scrapes() -> tuple[Metrics, prometheus_client.CollectorRegistry]:
    """The same counters in both: ten metrics, each of a thousand topics."""
    metrics = Metrics()
    registry = prometheus_client.CollectorRegistry()
    for name in NAMES:
        theirs = prometheus_client.Counter(f"kafka_server_t_{name.lower()}", "help", ["topic"], registry=registry)
        for topic in range(TOPICS):
            value = topic * 7_919 % 10_000
            metrics.meter(metric_name("kafka.server", "T", f"{name}PerSec", topic=f"topic-{topic}")).count += value
            theirs.labels(f"topic-{topic}").inc(value)
    return metrics, registry


def series(text: str) -> dict[tuple[str, str], float]:
    """The counters of a text, by name and topic."""
    return {
        (sample.name, sample.labels["topic"]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if "topic" in sample.labels and sample.name.endswith("_total")
    }


def longest_chunk(metrics: Metrics) -> float:
    """Seconds that the longest chunk of a scrape takes, in the best of several scrapes."""
    best = float("inf")
    for _ in range(ROUNDS):
        longest = 0.0
        chunks = render(metrics)
        chunk: str | None = ""
        while chunk is not None:
            start = time.perf_counter()
            chunk = next(chunks, None)
            longest = max(longest, time.perf_counter() - start)
        best = min(best, longest)
    return best


def ticks(metrics: Metrics) -> tuple[float, float]:
    """Seconds of a whole round of ticks over active meters, and of its longest slice."""
    best = longest = float("inf")
    now_ms = 0
    meters = [metric for family in metrics.families() for metric in family.series.values() if isinstance(metric, Meter)]
    for _ in range(ROUNDS):
        now_ms += TICK_MS
        for meter in meters:
            meter.count += 1
        slices = []
        done = False
        while not done:
            start = time.perf_counter()
            done = metrics.tick(now_ms)
            slices.append(time.perf_counter() - start)
        best, longest = min(best, sum(slices)), min(longest, max(slices))
    return best, longest


def memory(make: Callable[[int], object], number: int) -> float:
    """Bytes a series."""
    tracemalloc.start()
    try:
        kept = [make(at) for at in range(number)]
        return tracemalloc.get_traced_memory()[0] / len(kept)
    finally:
        tracemalloc.stop()


def run() -> None:
    """Print the tables."""
    work = increments() + updates()
    best = best_of_turns(*(side for _, ours, theirs in work for side in (ours, theirs)))
    rows = [
        [name, f"{best[2 * at] / CALLS * 1e9:.0f}", f"{best[2 * at + 1] / CALLS * 1e9:.0f}"]
        for at, (name, *_) in enumerate(work)
    ]
    table("Metrics: the hot path, ns a call", ["", "ottla", "prometheus_client"], rows)
    metrics, registry = scrapes()
    text = "".join(render(metrics))
    assert series(text) == series(prometheus_client.generate_latest(registry).decode()), "other values were written"
    best = best_of_turns(lambda: "".join(render(metrics)), lambda: prometheus_client.generate_latest(registry))
    round_s, slice_s = ticks(metrics)
    fresh = Metrics()
    histograms = memory(lambda at: fill(fresh, at), 500)
    meters = memory(lambda at: fresh.meter(metric_name("kafka.server", "U", "OnePerSec", topic=f"t{at}")), 500)
    rows = [
        [f"scrape of {SERIES:,} series, ms", f"{best[0] * 1e3:.1f}", f"{best[1] * 1e3:.1f}"],
        ["  its longest chunk, ms", f"{longest_chunk(metrics) * 1e3:.2f}", ""],
        [f"ticks of {SERIES:,} active meters, ms", f"{round_s * 1e3:.1f}", ""],
        ["  their longest slice, ms", f"{slice_s * 1e3:.2f}", ""],
        ["a meter with a tag, bytes", f"{meters:.0f}", ""],
        ["a histogram with a tag and 1,000 latencies, bytes", f"{histograms:.0f}", ""],
    ]
    table("Metrics: what happens beside it", ["", "ottla", "prometheus_client"], rows)


def fill(metrics: Metrics, at: int) -> None:
    """A histogram as it is in a broker at work."""
    rng = random.Random(at)  # noqa: S311 - the same values in every run
    histogram = metrics.histogram(metric_name("kafka.network", "RequestMetrics", "TotalTimeMs", request=f"r{at}"))
    for _ in range(1_000):
        histogram.update(int(rng.expovariate(1 / 20)))
