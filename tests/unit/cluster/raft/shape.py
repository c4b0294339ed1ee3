"""What kind of run a seed is: how many nodes, how bad the network and the disks, and which faults there are at all."""

from dataclasses import dataclass
from random import Random

FAULTS = (
    "cut", "one-way", "crash", "all-crash", "pause", "resign", "barrier-crash", "young-leader", "append-crash",
    "full-disk", "figure-8",
)  # fmt: skip
ALL_AT_ONCE_BYTES, BATCH_BY_BATCH_BYTES = 1_048_576, 1


@dataclass(frozen=True, slots=True)
class Shape:
    """The settings of a run."""

    voters: int
    observers: int
    suffering_ms: int
    loss: float
    doubling: float
    delay_ms: tuple[float, float]
    faults: tuple[str, ...]
    fault_every_ms: int
    append_every_ms: int
    snapshots: bool
    kraft_version: int = 0
    auto_join: bool = False
    upgrades: bool = False
    fetch_max_bytes: tuple[int, ...] = (BATCH_BY_BATCH_BYTES, 300, ALL_AT_ONCE_BYTES)
    election_timeout_ms: int = 1_000
    fetch_timeout_ms: int = 2_000
    clock_skew: float = 0.05  # by how much clocks run too fast or too slow

    @classmethod
    def drawn(cls, rng: Random) -> "Shape":
        """A shape out of the seed."""
        election_timeout_ms, fetch_timeout_ms = rng.choice(((1_000, 2_000), (1_000, 2_000), (300, 600), (2_000, 500)))
        return cls(
            voters=rng.choice((1, 2, 3, 3, 3, 4, 5, 5)),
            observers=rng.choice((0, 0, 0, 1, 2, 3, 4, 5)),
            suffering_ms=rng.choice((20_000, 60_000)),
            loss=rng.choice((0, 0, 0.02, 0.2)),
            doubling=rng.choice((0, 0.05)),
            delay_ms=rng.choice(((0.1, 2), (0.1, 2), (1, 50), (1, 50), (1, 50), (1, 900))),
            faults=tuple(kind for kind in FAULTS if rng.random() < (0.25 if kind == "all-crash" else 0.5)),
            fault_every_ms=rng.choice((1_500, 3_000, 6_000)),
            append_every_ms=rng.choice((40, 80)),
            snapshots=rng.random() < 0.5,
            kraft_version=rng.choice((0, 1)),
            auto_join=rng.random() < 0.8,
            upgrades=rng.random() < 0.5,
            election_timeout_ms=election_timeout_ms,
            fetch_timeout_ms=fetch_timeout_ms,
            clock_skew=rng.choice((0.01, 0.05, 0.3)),
        )
