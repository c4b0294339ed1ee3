"""The engine that runs suites."""

from collections import Counter
from collections.abc import Callable

import pytest

from tests.simulation.__main__ import main
from tests.simulation.ledger import scenario
from tests.simulation.suite import ENOUGH_SEEDS, MAX_FAILURES, Report, Result, Suite, caught_by, replay, run

GOOD = Report("hash", 60_000, 200, Counter(crash=3, kill=2), Counter(promises=1))


def suite(one: Callable[[int], Report]) -> Suite:
    """A suite of two kinds of faults and one checker."""
    return Suite("made", lambda seed, show: one(seed), frozenset({"crash", "kill"}), frozenset({"promises"}))


def changed(**changes: object) -> Report:
    """A report that differs from a good one."""
    return Report(**{**{name: getattr(GOOD, name) for name in Report.__slots__}, **changes})


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        (GOOD, True),
        (changed(virtual_ms=59_999), False),
        (changed(acknowledged=199), False),
        (changed(faults=Counter(crash=2, kill=2)), False),
        (changed(faults=Counter(crash=9, kill=0)), False),
    ],
)
def test_a_seed_counts_if_it_was_long_and_bad_enough(report: Report, counts: bool) -> None:
    """A seed counts from 60 virtual seconds, 5 faults of 2 kinds and 200 acknowledged operations on."""
    assert report.counts() is counts


def complaints(one: Callable[[int], Report], seeds: int = ENOUGH_SEEDS) -> list[str]:
    """What is said of some seeds."""
    return run(suite(one), range(seeds)).complaints()


def test_a_good_suite_has_nothing_to_complain_of() -> None:
    """Seeds that count and exercise everything are ok, in one line."""
    result = run(suite(lambda seed: GOOD), range(ENOUGH_SEEDS))
    assert result.complaints() == []
    assert result.line().startswith("made: ok, 20 seeds, 20 count, 1,200 virtual s in ")
    assert result.line().endswith("4,000 operations; faults: crash 60, kill 40; checks: promises 20")


def test_a_failing_seed_is_told_with_its_replay() -> None:
    """A failure names its seed, the commit and the command; after a few of them a suite is given up."""

    def one(seed: int) -> Report:
        assert seed != 7, "seven is bad"
        return GOOD

    (line,) = complaints(one)
    assert line.startswith("AssertionError: seven is bad; seed 7 at commit ")
    assert line.endswith("replay it with: make sim SUITE=made SEED=7")

    def bad(seed: int) -> Report:
        raise ValueError(seed)

    assert len(complaints(bad, 1_000)) == MAX_FAILURES


def test_a_suite_that_did_not_suffer_fails() -> None:
    """Too few seeds that count, a fault that never struck and a checker that never looked are failures."""
    assert complaints(lambda seed: changed(acknowledged=100)) == ["only 0 of 20 seeds count"]
    assert complaints(lambda seed: changed(faults=Counter(crash=9, pause=9))) == ["no kill ever struck"]
    assert complaints(lambda seed: changed(checks=Counter())) == ["promises was never checked"]
    assert complaints(lambda seed: changed(checks=Counter()), ENOUGH_SEEDS - 1) == []
    assert "made: FAILED" in Result(suite(lambda seed: GOOD), seeds=20).line()


@pytest.mark.parametrize("rule", ["sync", "directory sync", "sync before rename", "write anew"])
def test_the_ledger_suite_sees_a_broken_rule(rule: str) -> None:
    """A ledger that leaves out what makes its promises safe is found out within a few seeds, by a promise broken."""
    caught = caught_by(lambda seed, show: scenario(seed, show, broken=rule), range(20))
    assert caught is not None
    assert isinstance(caught[1], AssertionError)
    assert "buried" not in str(caught[1])


def test_a_seed_is_replayed_with_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    """`make sim SUITE=ledger SEED=3` prints every event, a line each, and the hash that it always has."""
    assert main(["--suite", "ledger", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any("nemesis" in line for line in lines)
    assert lines[-1] == f"ledger, seed 3: ok, {scenario(3).acknowledged} operations, hash {scenario(3).hash}"


def test_a_seed_alone_is_not_enough(capsys: pytest.CaptureFixture[str]) -> None:
    """A seed belongs to a suite."""
    with pytest.raises(SystemExit):
        main(["--seed", "3"])
    assert "name it" in capsys.readouterr().err


def test_where_a_run_came_from_is_told() -> None:
    """A replay needs suite, seed and commit."""
    assert replay("x", 5).startswith("seed 5 at commit ")
