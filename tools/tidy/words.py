"""Rules about what a file must not say: things left for later, faults swallowed, tests that do not run.

The forbidden words are put together out of pieces here, so that this file may be looked at by its own rules.
"""

import ast
import re
from collections.abc import Iterator

from tools.tidy.source import Finding, Source, dotted

LATER = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")

# A machine's paths and a package registry's host: true for one person on one day, and for nobody else.
MACHINE = re.compile(
    "|".join(
        re.escape(first + second)
        for first, second in (
            ("/wo", "rk/"),
            ("../sha", "red"),
            ("/ho", "me/"),
            ("/ro", "ot/"),
            ("kafka-", "peer"),
            ("pypi", ".org"),
            ("pythonhosted", ".org"),
            ("repo1.maven", ".org"),
            ("repo.maven", ".apache.org"),
        )
    )
)
NOT_RUN = {"skip", "skipif", "skipIf", "skipUnless", "xfail", "importorskip", "SkipTest"}


def later(source: Source) -> Iterator[Finding]:
    """Nothing is left for later: it is done, or it is written down where plans are."""
    for number, line in enumerate(source.lines, 1):
        if found := LATER.search(line):
            yield number, f"{found[0]}: do it, or write it down where plans are"


def machine(source: Source) -> Iterator[Finding]:
    """No file names a path or a host that exists at one workplace only."""
    for number, line in enumerate(source.lines, 1):
        if found := MACHINE.search(line):
            yield number, f"{found[0]} exists on some machines only"


def swallowed(source: Source) -> Iterator[Finding]:
    """No fault is swallowed whole: `except Exception` does something about it."""
    for node in source.nodes:
        if not isinstance(node, ast.ExceptHandler):
            continue
        caught = {getattr(part, "id", None) for part in ast.walk(node.type)} if node.type else {"Exception"}
        silent = all(isinstance(statement, ast.Pass | ast.Continue) or _is_dots(statement) for statement in node.body)
        if silent and caught & {"Exception", "BaseException"}:
            yield node.lineno, "every fault is caught here, and nothing is done about it"


def _is_dots(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and statement.value.value is ...
    )


def star(source: Source) -> Iterator[Finding]:
    """An import says what it imports."""
    for line, module in source.imports():
        if module.endswith(".*"):
            yield line, f"import of everything in {module[:-2]}"


def not_run(source: Source) -> Iterator[Finding]:
    """A test runs: none is skipped or expected to fail."""
    if not source.is_test:
        return
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr in NOT_RUN:
            name = dotted(node)
            if name.startswith(("pytest.", "unittest.")):
                yield node.lineno, f"{name}: a test that does not run proves nothing"
    for line, module in source.imports():
        if module.startswith(("pytest.", "unittest.")) and module.rpartition(".")[2] in NOT_RUN:
            yield line, f"{module}: a test that does not run proves nothing"


def test_docstring(source: Source) -> Iterator[Finding]:
    """A test's docstring is the rule that it proves."""
    if not source.is_test:
        return
    for function in source.functions():
        if function.name.startswith("test") and not ast.get_docstring(function):
            yield function.lineno, f"{function.name} does not say which rule it proves"
