"""How long a quorum is without a leader, at the default timeouts, in virtual milliseconds."""

import pytest

from tests.unit.cluster.raft.failover import without_leader_ms

SEEDS = range(20)  # `python -m bench quorum` takes more


def test_a_killed_leader_is_followed_by_another() -> None:
    """Within 3.5 s in 95 of 100 cases, and within 6 s in all: the fetch timeout, and an election."""
    found = sorted(without_leader_ms(seed, "killed", voters=3 + 2 * (seed % 2)) for seed in SEEDS)
    assert found[len(found) * 95 // 100 - 1] <= 3_500
    assert found[-1] <= 6_000


@pytest.mark.parametrize("way", ["stopped", "resigned"])
def test_a_leader_that_goes_in_order_is_followed_within_a_second(way: str) -> None:
    """It tells who should try first; what was under way from it when it went delays nobody."""
    assert max(without_leader_ms(seed, way, voters=3 + 2 * (seed % 2)) for seed in SEEDS) <= 1_000
