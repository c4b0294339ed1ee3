"""The rows in order, the table, and the file that keeps it."""

import os
import platform
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bench.measure import table
from bench.versus import cost, latency, many, small, throughput
from bench.versus.contestants import Contestant, both, warm_page_cache
from bench.versus.throughput import Row
from ottla.protocol.records.kernel import KERNEL

RESULTS = Path(__file__).parents[1] / "results"
PARTS: dict[str, Callable[[Sequence[Contestant]], list[Row]]] = {
    "latency": lambda contestants: [*latency.end_to_end(contestants), *latency.beside_a_flood(contestants)],
    "small": small.run,
    "produce": throughput.produce,
    "consume": throughput.consume,
    "many": many.run,
    "cost": cost.restart,
}
HEADS = ("", "unit", "ottla", "Kafka", "ratio", "CPU ottla", "CPU Kafka")
PAGE_CACHE_BYTES = 4 << 30


def run(names: Sequence[str] = ()) -> None:
    """Run these parts, or all, and keep what is printed."""
    assert KERNEL == "compiled", "the kernel's twin in Python is eight times slower: `make setup` compiles it"
    warm_page_cache(PAGE_CACHE_BYTES)
    rows: list[Row] = []
    with both() as contestants:
        rows.append(cost.resident(contestants, "idle"))
        throughput.warm(contestants)
        for name in names or PARTS:
            rows += PARTS[name](contestants)
            table(f"Beside Apache Kafka: {name}", HEADS, [_shown(row) for row in rows[-20:]])
        rows.insert(1, cost.resident(contestants, "under load"))
    shown = [_shown(row) for row in rows]
    table("Beside Apache Kafka", HEADS, shown)
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(tz=UTC)
    load = " ".join(f"{figure:.2f}" for figure in os.getloadavg())
    lines = [f"# {now:%Y-%m-%d %H:%M} UTC, load {load}, {os.cpu_count()} cores, {platform.machine()}", "\t".join(HEADS)]
    lines += ["\t".join(row) for row in shown]
    (RESULTS / f"versus-{now:%Y%m%d-%H%M}.tsv").write_text("\n".join(lines) + "\n")


def _shown(row: Row) -> tuple[str, ...]:
    name, unit, (ours, theirs), is_less_better = row
    ratio = (theirs.value / ours.value if is_less_better else ours.value / theirs.value) if ours.value else float("nan")
    cpu = [f"{each.cpu_s:.2f}" if each.cpu_s else "" for each in (ours, theirs)]
    return name, unit, _figure(ours.value), _figure(theirs.value), f"{ratio:.2f}", *cpu


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
