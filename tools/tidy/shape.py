"""Rules about the shape of files: how long, how named, how opened.

The numbers are ceilings, not aims: a file is best at 120-250 lines and a function under 30. What a program generated
is as long as the protocol makes it, and only that is exempt.
"""

import ast
import re
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import PurePosixPath

from tools.tidy.source import Finding, Source

MAX_FILE_LINES = 500
MAX_FUNCTION_LINES = 60
MIN_DOCSTRING_LINES = 3
MAX_DOCSTRING_LINES = 25

# Names that say nothing: what is in there lives with the noun that it serves.
NAMELESS = {"util", "utils", "helper", "helpers", "common", "misc"}

HANDLERS = "src/ottla/broker/handlers/"
NO_HANDLERS = {"__init__.py", "controller_table.py", "table.py"}
HANDLER_NAME = re.compile(r"[a-z_]*\d+_[a-z0-9_]+\.py")
HANDLER_VERSIONS = re.compile(r"^Versions: \d", re.MULTILINE)


def file_length(source: Source) -> Iterator[Finding]:
    """A file has at most 500 lines."""
    if source.is_code and not source.is_generated and len(source.lines) > MAX_FILE_LINES:
        yield MAX_FILE_LINES + 1, f"{len(source.lines)} lines, {MAX_FILE_LINES} are allowed: split it along a noun"


def function_length(source: Source) -> Iterator[Finding]:
    """A function has at most 60 lines, its docstring included."""
    if source.is_generated:
        return
    for function in source.functions():
        lines = (function.end_lineno or function.lineno) - function.lineno + 1
        if lines > MAX_FUNCTION_LINES:
            yield function.lineno, f"{function.name} has {lines} lines, {MAX_FUNCTION_LINES} are allowed"


def module_docstring(source: Source) -> Iterator[Finding]:
    """A module opens with a docstring; one that is installed takes 3-25 lines to say what is always true in it."""
    if not source.is_python:
        return
    docstring = ast.get_docstring(source.tree)
    if not docstring:
        yield 1, "the module has no docstring"
        return
    lines = len(cleandoc(docstring).splitlines())
    short = source.is_generated or not source.is_product or source.path.endswith("/__init__.py")
    least = 1 if short else MIN_DOCSTRING_LINES
    if not least <= lines <= MAX_DOCSTRING_LINES:
        yield 1, f"the module's docstring has {lines} lines, {least}-{MAX_DOCSTRING_LINES} are wanted"


def name(source: Source) -> Iterator[Finding]:
    """A module or folder is named after what it holds."""
    if not source.is_code:
        return
    path = PurePosixPath(source.path)
    for part in (*path.parts[1:-1], path.stem):
        if NAMELESS.intersection(part.split("_")):
            yield 1, f"{part} names no thing: a function lives with the noun that it serves"


def handler_header(source: Source) -> Iterator[Finding]:
    """A handler's file is named <key>_<name>.py, and its docstring has a line `Versions: first-last`."""
    path = PurePosixPath(source.path)
    if not source.path.startswith(HANDLERS) or path.name in NO_HANDLERS:
        return
    if not HANDLER_NAME.fullmatch(path.name):
        yield 1, "a handler's file is named <key>_<name>.py"
    if not HANDLER_VERSIONS.search(ast.get_docstring(source.tree) or ""):
        yield 1, "a handler's docstring has a line `Versions: first-last`"
