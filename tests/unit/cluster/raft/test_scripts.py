"""The golden scripts in `scripts/`: what they say is what happens."""

from pathlib import Path

import pytest

from tests.unit.cluster.raft.mutants import MUTANTS, Mutant
from tests.unit.cluster.raft.script import Script, scripts


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_says_what_happens(path: Path) -> None:
    """The quorum does, line for line, what a reviewer has read."""
    text = path.read_text(encoding="utf-8")
    assert Script().run(text) == text


@pytest.mark.parametrize("mutant", [mutant for mutant in MUTANTS if mutant.script], ids=lambda mutant: mutant.rule)
def test_a_script_sees_a_broken_rule(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    """What chance brings about too seldom, a script does: with the rule broken it says something else."""
    monkeypatch.setattr(mutant.owner, mutant.name, mutant.replacement)
    (path,) = (path for path in scripts() if path.stem == mutant.script)
    text = path.read_text(encoding="utf-8")
    assert Script().run(text) != text
