"""The files that the rules look at, each read and parsed once.

Which files: everything with a known suffix below the trees of the project, and what lies at its top. Git is not asked,
so that the rules hold in an unpacked release as well; what is built or cached has names of its own and is left out.

A rule is a function from a `Source` to (line, reason) pairs. It decides itself which files it is about, by
`source.path`, which is always relative to the project and has forward slashes.
"""

import ast
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

CODE_TREES = ("src", "tests", "bench", "tools")
OTHER_TREES = ("docs", "requirements", ".ci")
CODE_SUFFIXES = (".py", ".pyx", ".pxi", ".pxd")
SUFFIXES = {*CODE_SUFFIXES, ".pyi", ".md", ".toml", ".yaml", ".txt", ".in", ".schema", ".json", ".java"}
PLAIN_NAMES = {"Makefile", "run"}
BUILT = {"__pycache__", "build", "dist"}

# Written by `tools.generate`: long where the protocol is long.
GENERATED = "src/ottla/protocol/messages/"

Finding = tuple[int, str]


@dataclass(frozen=True)
class Source:
    """One file: where it is and what it says."""

    path: str
    text: str = field(repr=False)

    @property
    def is_python(self) -> bool:
        """Whether the file can be parsed as Python; Cython can not."""
        return self.path.endswith(".py")

    @property
    def is_code(self) -> bool:
        """Whether the file is Python or Cython in one of the code trees."""
        return self.path.endswith(CODE_SUFFIXES) and self.path.split("/")[0] in CODE_TREES

    @property
    def is_product(self) -> bool:
        """Whether the file is part of what is installed."""
        return self.is_code and self.path.startswith("src/")

    @property
    def is_test(self) -> bool:
        """Whether the file belongs to the tests."""
        return self.is_code and self.path.startswith("tests/")

    @property
    def is_generated(self) -> bool:
        """Whether a program wrote the file."""
        return self.path.startswith(GENERATED)

    @cached_property
    def lines(self) -> list[str]:
        """The text line by line."""
        return self.text.splitlines()

    @cached_property
    def tree(self) -> ast.Module:
        """The parsed module; an empty one for what is not Python."""
        return ast.parse(self.text if self.is_python else "", self.path)

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the module."""
        return list(ast.walk(self.tree))

    def functions(self) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
        """Every function and method, nested ones included."""
        for node in self.nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node

    def imports(self) -> Iterator[tuple[int, str]]:
        """Every import as (line, dotted name): `from a import b` is `a.b`, since b may be a module."""
        for node in self.nodes:
            if isinstance(node, ast.Import):
                yield from ((node.lineno, alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                module = "." * node.level + (node.module or "")
                yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)

    def calls(self) -> Iterator[tuple[int, str]]:
        """Every call as (line, dotted name); what is called on something nameless begins with a dot."""
        for node in self.nodes:
            if isinstance(node, ast.Call):
                yield node.lineno, dotted(node.func)


def dotted(node: ast.AST) -> str:
    """The name that an expression spells: `os.open`, `open`, or `.read_text` where no name comes before the dot."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return ""


Rule = Callable[[Source], Iterable[Finding]]


def sources(root: Path) -> Iterator[Source]:
    """Every file of the project that some rule could be about, in a fixed order."""
    paths = [path for path in root.iterdir() if path.is_file()]
    for tree in (*CODE_TREES, *OTHER_TREES):
        paths += (root / tree).rglob("*")
    for path in sorted(paths):
        name = path.relative_to(root)
        if BUILT.intersection(name.parts) or any(part.endswith(".egg-info") for part in name.parts):
            continue
        if path.is_file() and (path.suffix in SUFFIXES or path.name in PLAIN_NAMES):
            yield Source(name.as_posix(), path.read_text(encoding="utf-8"))
