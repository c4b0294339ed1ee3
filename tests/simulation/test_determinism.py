"""A run is a function of its seed."""

import os
import subprocess
import sys
from pathlib import Path

from tests.simulation.ledger import scenario

ROOT = Path(__file__).parents[2]
SCRIPT = "from tests.simulation.ledger import scenario; print(*(scenario(seed).hash for seed in (3, 10)))"


def hashes(hash_seed: str) -> list[str]:
    """The hashes of two seeds, as another process finds them."""
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_a_seed_is_the_same_run_in_every_process() -> None:
    """The trace hash of a seed is the same under any PYTHONHASHSEED, and however often it is run."""
    here = [scenario(seed).hash for seed in (3, 10)]
    assert here == [scenario(seed).hash for seed in (3, 10)]
    for hash_seed in ("0", "1", "4242"):
        assert hashes(hash_seed) == here


def test_seeds_are_different_runs() -> None:
    """No two seeds have the same hash."""
    assert len({scenario(seed).hash for seed in range(5)}) == 5
