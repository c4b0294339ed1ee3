"""The quorum under every fault, from seeds; and what the checkers see when a rule is broken."""

import pytest

from tests.unit.cluster.raft.driver import Cluster
from tests.unit.cluster.raft.mutants import MUTANTS, Mutant

SEEDS = range(1_000, 1_005)  # twenty others, and that all faults strike, are for tests/simulation/quorum.py


@pytest.mark.parametrize("seed", SEEDS)
def test_any_course_of_events_keeps_what_is_committed_and_ends_well(seed: int) -> None:
    """Whatever happens: one leader an epoch, nothing committed is lost or differs, and after the faults all go on."""
    Cluster(seed).run()


def test_a_seed_is_a_run() -> None:
    """The same seed gives the same run, to the last event."""
    runs = [Cluster(7), Cluster(7)]
    for cluster in runs:
        cluster.run()
    assert runs[0].fingerprint == runs[1].fingerprint
    assert runs[0].checkers.counts == runs[1].checkers.counts


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.rule)
def test_a_broken_rule_is_seen(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkers are not blind: each of these rules, broken, is seen within thirty seeds."""
    monkeypatch.setattr(mutant.owner, mutant.name, mutant.replacement)
    complaint = next((said for seed in range(30) if (said := _complaint(seed, mutant))), None)
    assert complaint is not None, f"nobody sees that {mutant.rule!r} is broken"
    assert any(words in complaint for words in mutant.seen_as), f"seen as something else: {complaint}"


def _complaint(seed: int, mutant: Mutant) -> str | None:
    try:
        Cluster(seed, mutant.shape).run()
    except AssertionError as error:
        return str(error)
    return None
