"""How every bench measures and prints: the best of several rounds, taking turns, and the load of the machine.

Figures of different runs do not compare, since machines are shared; only ratios within one run do. So contestants take
turns inside each round, and the best round of each counts: noise only ever adds time.
"""

import gc
import os
import time
from collections.abc import Callable, Sequence

ROUNDS = 7
ROUND_SECONDS = 0.05


def best_of_turns(*contestants: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Seconds a call for each contestant, the best of several rounds in which they take turns."""
    numbers = [_calls_per_round(contestant) for contestant in contestants]
    best = [float("inf")] * len(contestants)
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            for at, (contestant, number) in enumerate(zip(contestants, numbers, strict=True)):
                best[at] = min(best[at], _seconds(contestant, number) / number)
    finally:
        gc.enable()
    return best


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first to the left and the others to the right, with the load of the machine."""
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(len(heads))]
    load = " ".join(f"{figure:.2f}" for figure in os.getloadavg())
    print(f"\n{title}   (load {load}, {os.cpu_count()} cores)")
    for row in [heads, *rows]:
        cells = [
            cell.ljust(width) if at == 0 else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  " + "  ".join(cells).rstrip())


def microseconds(seconds: float) -> str:
    """A time as a bench row shows it."""
    return f"{seconds * 1e6:.2f}"


def _calls_per_round(call: Callable[[], object]) -> int:
    number = 1
    while _seconds(call, number) < ROUND_SECONDS:
        number *= 2
    return number


def _seconds(call: Callable[[], object], number: int) -> float:
    start = time.perf_counter()
    for _ in range(number):
        call()
    return time.perf_counter() - start
