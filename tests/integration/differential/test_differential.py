"""Ottla answers as Apache Kafka does, field by field, but for the differences that have a name.

Here each API is asked in its lowest version, its first flexible one and its highest; `OTTLA_DIFFERENTIAL=all` asks in
every version. What differs is printed by API and field, with the requests.
"""

import os
import re
from pathlib import Path

import pytest

from tests.integration.differential.both import both
from tests.integration.differential.cases import Case, cases
from tests.integration.differential.named import every_name
from tests.integration.differential.run import run

ROOT = Path(__file__).parents[3]
LEAST_PAIRS = 3_000
MOST_NAMES = 20
SHOWN_CHARS = 10_000


def is_asked(case: Case) -> bool:
    """Whether a case is among those that are asked here."""
    few = (case.api.min_version, case.api.flexible_from, case.api.max_version)
    return os.environ.get("OTTLA_DIFFERENTIAL") == "all" or case.version in few


@pytest.mark.timeout(900)
def test_answers_are_the_same(tmp_path: Path) -> None:
    """Thousands of requests made from the schema, to both brokers in the same state: no difference without a name."""
    with both(tmp_path) as sides:
        report = run(sides.left, sides.right, filter(is_asked, cases(sides.served())))
    lines = "\n".join(report.lines())
    assert not report.found, lines[:SHOWN_CHARS]
    assert report.pairs >= LEAST_PAIRS
    assert report.explained <= set(every_name())


def test_every_named_difference_is_documented() -> None:
    """docs/protocol.md lists the named differences with their reasons, and no others; they are few."""
    text = (ROOT / "docs/protocol.md").read_text()
    table = text.split("## What differs from Kafka", 1)[1].split("\n## ", 1)[0]
    listed = re.findall(r"^\| ([^|]+?) \| [^|]{20,} \|$", table, re.MULTILINE)
    assert listed == every_name()
    assert len(listed) <= MOST_NAMES
