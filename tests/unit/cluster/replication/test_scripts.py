"""The golden scripts in `scripts/`: what they say is what happens."""

from pathlib import Path

import pytest

from tests.unit.cluster.replication.script import Script, scripts


@pytest.mark.parametrize("path", scripts(), ids=lambda path: path.stem)
def test_a_script_says_what_happens(path: Path) -> None:
    """The replicas do, line for line, what a reviewer has read."""
    text = path.read_text(encoding="utf-8")
    assert Script().run(text) == text
