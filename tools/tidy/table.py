"""The rules by name, and the one function that applies them to a tree.

A rule that is not in the table is not checked; `tests/unit/test_tidy.py` plants a violation of every rule in it.
"""

from pathlib import Path
from typing import NamedTuple

from tools.tidy import rights, shape, words
from tools.tidy.source import Rule, sources

RULES: dict[str, Rule] = {
    "file-length": shape.file_length,
    "function-length": shape.function_length,
    "module-docstring": shape.module_docstring,
    "name": shape.name,
    "handler-header": shape.handler_header,
    "outside": rights.outside,
    "event-loop": rights.event_loop,
    "third-party": rights.third_party,
    "waiting": rights.waiting,
    "later": words.later,
    "machine": words.machine,
    "swallowed": words.swallowed,
    "star": words.star,
    "not-run": words.not_run,
    "test-docstring": words.test_docstring,
}


class Complaint(NamedTuple):
    """One violation of one rule."""

    path: str
    line: int
    rule: str
    reason: str

    def __str__(self) -> str:
        """As compilers print it, so that editors can jump there."""
        return f"{self.path}:{self.line}: {self.rule}: {self.reason}"


def complaints(root: Path) -> list[Complaint]:
    """Every violation below `root`, in the order of the files."""
    return [
        Complaint(source.path, line, rule, reason)
        for source in sources(root)
        for rule, check in RULES.items()
        for line, reason in check(source)
    ]
