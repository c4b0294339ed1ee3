"""Prometheus' text format, version 0.0.4: what a scrape is answered with.

The text comes in chunks, so that the loop can serve others while ten thousand series are written; metrics may come and
go between two chunks. Names are those of the JMX exporter with its rules for Kafka (see `names`): histograms and timers
become summaries, with `_sum` added, which the exporter does not have. The comment of a metric is its MBean, by which
Kafka's documentation describes it.
"""

from collections.abc import Iterator
from math import isinf, isnan
from typing import Final

from ottla.metrics.histogram import PERCENTILES, Histogram, HistogramSnapshot
from ottla.metrics.registry import Family, Metric, Metrics
from ottla.metrics.timer import Timer

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
LINES_A_CHUNK: Final = 1_000  # about a millisecond of the loop


def render(metrics: Metrics) -> Iterator[str]:
    """All metrics as text, in chunks of about LINES_A_CHUNK lines."""
    lines: list[str] = []
    for family in metrics.families():
        lines += _head(family)
        for labels, metric in list(family.series.items()):
            lines += _lines(family.name, labels, metric)
            if len(lines) >= LINES_A_CHUNK:
                yield "".join(lines)
                lines.clear()
    if lines:
        yield "".join(lines)


def number(value: float) -> str:
    """A number as Prometheus reads it."""
    if isinstance(value, int):
        return str(int(value))  # of a bool too
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return repr(value)


def _head(family: Family) -> list[str]:
    return [f"# HELP {family.name} {_escaped(str(family.identity))}\n", f"# TYPE {family.name} {family.kind}\n"]


def _lines(name: str, labels: str, metric: Metric) -> list[str]:
    if isinstance(metric, Histogram | Timer):
        return _summary(name, labels, metric.snapshot())
    return [f"{name}{labels} {number(metric.value)}\n"]


def _summary(name: str, labels: str, snapshot: HistogramSnapshot) -> list[str]:
    before = f"{name}{labels[:-1]}," if labels else f"{name}{{"
    percentiles = zip(PERCENTILES, snapshot.percentiles(), strict=True)
    lines = [f'{before}quantile="{quantile}"}} {number(value)}\n' for (_, quantile, _), value in percentiles]
    lines.append(f"{name}_sum{labels} {snapshot.total}\n")
    lines.append(f"{name}_count{labels} {snapshot.count}\n")
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
