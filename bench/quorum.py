"""Failover: how long a quorum is without a leader at the default timeouts, in virtual time.

The figures say nothing about this machine, and are the same on every one: the network takes up to 5 ms and a sync up to
10, each seed ends the leader at another moment of its life.
"""

from bench.measure import table
from tests.unit.cluster.raft.failover import WAYS, without_leader_ms

SEEDS = 200


def run() -> None:
    """A row for each way to lose a leader, and each size of a quorum."""
    rows = []
    for way in WAYS:
        for voters in (3, 5):
            found = sorted(without_leader_ms(seed, way, voters) for seed in range(SEEDS))
            figures = (found[SEEDS // 2], found[SEEDS * 95 // 100 - 1], found[-1])
            rows.append((f"{way}, {voters} voters", *(f"{figure / 1_000:.2f} s" for figure in figures)))
    table(f"failover, {SEEDS} seeds, virtual time", ("", "median", "95 %", "all"), rows)
