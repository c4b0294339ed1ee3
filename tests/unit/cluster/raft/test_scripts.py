"""The golden scripts in `scripts/`: what they say is what happens."""

from pathlib import Path

import pytest

from ottla.cluster.raft.progress import Progress
from tests.unit.cluster.raft.script import Script, scripts


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_says_what_happens(path: Path) -> None:
    """The quorum does, line for line, what a reviewer has read."""
    text = path.read_text(encoding="utf-8")
    assert Script().run(text) == text


def test_a_script_sees_that_older_epochs_are_committed_by_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figure 8 as a script: with the rule of 5.4.2 broken it says something else."""
    monkeypatch.setattr(Progress, "is_committed_by_count", lambda self, offset: offset > 0)
    (path,) = (path for path in scripts() if path.stem == "older_epochs")
    text = path.read_text(encoding="utf-8")
    assert Script().run(text) != text
