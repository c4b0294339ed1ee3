"""A million pending timers, in a timing wheel and in a heap whose cancelled timers wait for their time.

The heap is how asyncio and most event loops keep timers: `heapq` does its work in C, cancelling only marks. Both get
the same deadlines, 0.5 to 30 s ahead, both have half of them cancelled, and both must hand out the other half; then
time moves to each deadline in turn. The memory is what Python's allocator gave out, the deadlines not counted.
"""

import gc
import heapq
import random
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, Protocol

from bench.measure import table
from ottla.timing_wheel import TimingWheel

TIMERS = 1_000_000
ROUNDS = 3
NEAREST_MS, FURTHEST_MS = 500, 30_000


class Timers(Protocol):
    """What is compared."""

    def add(self, deadline_ms: int, item: int, /) -> object: ...
    def cancel(self, entry: Any, /) -> object: ...
    def deadline(self) -> int | None: ...
    def advance(self, now_ms: int, /) -> list[int]: ...


class Heap:
    """The baseline: a heap of [deadline, number, item], where a cancelled item is None."""

    def __init__(self) -> None:
        self._heap: list[list[int | None]] = []
        self._number = 0

    def add(self, deadline_ms: int, item: int) -> list[int | None]:
        """A timer; numbered, so that items need no order."""
        self._number += 1
        entry: list[int | None] = [deadline_ms, self._number, item]
        heapq.heappush(self._heap, entry)
        return entry

    def cancel(self, entry: list[int | None]) -> None:
        """Marks it: a heap has no cheap way to take something out of its middle."""
        entry[2] = None

    def deadline(self) -> int | None:
        """When the first timer is due that was not cancelled."""
        heap = self._heap
        while heap and heap[0][2] is None:
            heapq.heappop(heap)
        return heap[0][0] if heap else None

    def advance(self, now_ms: int) -> list[int]:
        """What is due."""
        heap = self._heap
        due = []
        while heap and (deadline_ms := heap[0][0]) is not None and deadline_ms <= now_ms:
            item = heapq.heappop(heap)[2]
            if item is not None:
                due.append(item)
        return due


Figures = dict[str, float]


def seconds(make: Callable[[], Timers], deadlines: list[int], order: list[int]) -> Figures:
    """How long each part of one round takes."""
    timers = make()
    clock = time.perf_counter
    start = clock()
    entries = [timers.add(deadline_ms, item) for item, deadline_ms in enumerate(deadlines)]
    added = clock()
    for item in order:
        timers.cancel(entries[item])
    cancelled = clock()
    handed_out = 0
    longest = 0.0
    while (now_ms := timers.deadline()) is not None:
        before = clock()
        handed_out += len(timers.advance(now_ms))
        longest = max(longest, clock() - before)
    ended = clock()
    assert handed_out == len(deadlines) - len(order), "timers were lost"
    return {
        "add": (added - start) / len(deadlines),
        "cancel": (cancelled - added) / len(order),
        "hand out": (ended - cancelled) / handed_out,
        "longest": longest,
    }


def memory(make: Callable[[], Timers], deadlines: list[int], order: list[int]) -> tuple[float, float]:
    """Bytes that all timers take, and that are left after half of them were cancelled and let go."""
    tracemalloc.start()
    try:
        timers = make()
        entries: list[object] = [timers.add(deadline_ms, 0) for deadline_ms in deadlines]
        full = tracemalloc.get_traced_memory()[0]
        for item in order:
            timers.cancel(entries[item])
            entries[item] = None
        return full, tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def run() -> None:
    """Print the table."""
    rng = random.Random(4)  # noqa: S311 - the same timers in every run
    deadlines = [rng.randrange(NEAREST_MS, FURTHEST_MS) for _ in range(TIMERS)]
    order = rng.sample(range(TIMERS), TIMERS // 2)
    contestants: dict[str, Callable[[], Timers]] = {"wheel": TimingWheel, "heap": Heap}
    best: dict[str, Figures] = {}
    for _ in range(ROUNDS):
        for name, make in contestants.items():
            gc.collect()
            gc.disable()
            try:
                figures = seconds(make, deadlines, order)
            finally:
                gc.enable()
            earlier = best.get(name, figures)
            best[name] = {part: min(figure, earlier[part]) for part, figure in figures.items()}
    sizes = {name: memory(make, deadlines, order) for name, make in contestants.items()}
    parts = {"add": ("add, ns", 1e9), "cancel": ("cancel, ns", 1e9), "hand out": ("hand out, ns each", 1e9)}
    parts["longest"] = ("longest advance, ms", 1e3)
    rows = [
        [label, *(f"{best[name][part] * scale:.4g}" for name in contestants)] for part, (label, scale) in parts.items()
    ]
    rows.append(["all pending, MB", *(f"{sizes[name][0] / 1e6:.0f}" for name in contestants)])
    rows.append(["half cancelled, MB", *(f"{sizes[name][1] / 1e6:.0f}" for name in contestants)])
    table(f"Timers: {TIMERS:,} pending, half of them cancelled", ["", *contestants], rows)
