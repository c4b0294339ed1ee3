"""The quorum under every fault, from seeds; and what the checkers see when a rule is broken."""

from collections import Counter

import pytest

from tests.unit.cluster.raft.driver import Cluster
from tests.unit.cluster.raft.mutants import MUTANTS, Mutant

SEEDS = 20


def test_any_course_of_events_keeps_what_is_committed_and_ends_well() -> None:
    """Whatever happens: one leader an epoch, nothing committed is lost or differs, and after the faults all go on."""
    faults: Counter[str] = Counter()
    checks: Counter[str] = Counter()
    for seed in range(SEEDS):
        cluster = Cluster(seed)
        try:
            cluster.run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, {cluster.shape}: {error}") from error
        faults += cluster.faults
        checks += cluster.checkers.counts
    never = {"cut", "one-way", "crash", "all-crash", "pause", "resign", "barrier-crash", "young-leader"}
    never |= {"AddRaftVoterRequest", "RemoveRaftVoterRequest", "lost-disk", "snapshot"}
    never -= set(faults)
    assert not never, f"faults that never happened: {never}"
    kinds = {
        "one vote an epoch", "one leader an epoch", "logs match", "committed agrees", "snapshots agree", "Truncate",
    }  # fmt: skip
    assert kinds <= set(checks), f"checkers that had nothing to see: {kinds - set(checks)}"


def test_a_seed_is_a_run() -> None:
    """The same seed gives the same run, to the last event."""
    runs = [Cluster(7), Cluster(7)]
    for cluster in runs:
        cluster.run()
    assert runs[0].state() == runs[1].state()
    assert runs[0].checkers.digests == runs[1].checkers.digests
    assert runs[0].checkers.counts == runs[1].checkers.counts


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.rule)
def test_a_broken_rule_is_seen(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """The checkers are not blind: each rule, broken, is seen within 200 seeds; these begin near one that sees it."""
    monkeypatch.setattr(mutant.owner, mutant.name, mutant.replacement)
    complaint = next((said for seed in mutant.seeds if (said := _complaint(seed, mutant))), None)
    assert complaint is not None, f"nobody sees that {mutant.rule!r} is broken"
    assert any(words in complaint for words in mutant.seen_as), f"seen as something else: {complaint}"


def _complaint(seed: int, mutant: Mutant) -> str | None:
    try:
        Cluster(seed, mutant.shape).run()
    except AssertionError as error:
        return str(error)
    return None
