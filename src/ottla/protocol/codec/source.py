"""A program under construction: its lines, and for each line the field that it is about.

The generated readers and writers say nothing about fields: they just fail, and the line at which they failed tells
the field. So the common path pays nothing for good error messages.
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Source:
    """Lines of Python with their indentation, the names they need, and the field behind each line."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.lines: list[str] = []
        self.fields: list[str] = []
        self.namespace = namespace
        self._indent = 0
        self.path: list[str] = []
        self._names = 0

    def __call__(self, line: str, about: str | None = None) -> None:
        """Add a line, which is about the field at hand unless it says otherwise."""
        self.lines.append("    " * self._indent + line)
        self.fields.append(".".join(self.path) if about is None else about)

    @contextmanager
    def block(self, line: str) -> Iterator[None]:
        """Add a line that opens a block; what is added inside is indented."""
        self(line)
        self._indent += 1
        yield
        self._indent -= 1

    @contextmanager
    def field(self, name: str) -> Iterator[None]:
        """What is added inside is about this field."""
        self.path.append(name)
        yield
        self.path.pop()

    def name(self, stem: str) -> str:
        """A local name that nothing else uses."""
        self._names += 1
        return f"{stem}{self._names}"

    def unpack(self, formats: str) -> str:
        """The name of the function that reads these fixed-width values in one call."""
        return self._packer("unpack", formats, struct.Struct(f">{formats}").unpack_from)

    def pack(self, formats: str) -> str:
        """The name of the function that writes these fixed-width values in one call."""
        return self._packer("pack", formats, struct.Struct(f">{formats}").pack)

    def bind(self, name: str, value: object) -> str:
        """Make a value known to the program under this name."""
        assert self.namespace.get(name, value) is value, f"{name} is taken"
        self.namespace[name] = value
        return name

    def _packer(self, verb: str, formats: str, function: Callable[..., Any]) -> str:
        name = f"{verb}_{formats.replace('16s', 'u').replace('?', 'z')}"
        self.namespace.setdefault(name, function)
        return name

    def text(self) -> str:
        """The whole program."""
        return "\n".join(self.lines) + "\n"

    def compile(self, function: str, title: str) -> Callable[..., Any]:
        """Run the program's definitions and return the function of this name."""
        exec(compile(self.text(), f"<{title}>", "exec"), self.namespace)  # noqa: S102 - our own text, from our own schema
        compiled: Callable[..., Any] = self.namespace[function]
        return compiled
