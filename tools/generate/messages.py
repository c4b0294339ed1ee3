"""Writes `ottla.protocol.messages`: one class per message, from the schema texts.

The classes could be made at run time as well; written down, they are known to type checkers and editors, and cost an
import instead of a compilation. A test holds them equal to what this module would write.
"""

from pathlib import Path
from textwrap import wrap

import ottla
from ottla.protocol.codec.notation import family
from ottla.protocol.codec.schema import Field, MessageSchema, StructSchema
from ottla.protocol.schema import FAMILIES, family_text

PACKAGE = Path(ottla.__file__).parent / "protocol" / "messages"

TYPES = {
    "bool": "bool",
    "string": "str",
    "bytes": "bytes",
    "records": "Records",
    "uuid": "Uuid",
    "float64": "float",
}

HEADER = '''\
"""{title}

Generated from `schema/{family}.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import {names}

if TYPE_CHECKING:
    from collections.abc import Sequence

'''

PACKAGE_DOCSTRING = '''\
"""One class per message for all its versions, one module per family.

Generated from `ottla.protocol.schema` by `make docs`; do not edit. Structs inside a message are classes inside its
class, as `FetchRequest.FetchTopic`. What a field means, and in which versions it exists, is told by the schema text.
"""
'''


def generated() -> dict[Path, str]:
    """Every generated module, by its path."""
    modules = {PACKAGE / f"{name}.py": module(name) for name in FAMILIES}
    return {PACKAGE / "__init__.py": PACKAGE_DOCSTRING, **modules}


def module(name: str) -> str:
    """The module of a family."""
    title = family_text(name).splitlines()[0].lstrip("# ")
    body = "\n\n".join(message_class(message) for message in family(name).values())
    names = ", ".join(word for word in ("ZERO_UUID", "Records", "Uuid") if f" {word}" in body or f"[{word}" in body)
    header = HEADER.format(title=title, family=name, names=names or "*")
    if "Sequence[" not in body:
        header = header.replace("\nif TYPE_CHECKING:\n    from collections.abc import Sequence\n", "")
        header = header.replace("from typing import TYPE_CHECKING\n\n", "")
    if "(Struct)" not in body:
        header = header.replace("Message, Struct", "Message")
    if not names:
        header = header.replace("from ottla.protocol.codec.wire import *\n", "")
    return header + "\n" + body


def message_class(message: MessageSchema) -> str:
    """A message, behind the structs inside it: they stand at the margin so that they can be each other's defaults."""
    lines: list[str] = []
    for struct in dependencies_first(message):
        lines += [f"class {message.name}_{struct.name}(Struct):"]
        lines += [f'    __qualname__ = "{message.name}.{struct.name}"']
        lines += [f"    {line}".rstrip() for line in members(struct, message)]
        lines += ["", ""]
    lines += [f"class {message.name}(Message):", *docstring(message), ""]
    if message.number is not None:
        lines += [f"    KEY = {message.number}"]
    lines += [f"    VERSIONS = range({message.versions.lowest}, {message.versions.highest + 1})"]
    lines += [f"    {struct.name} = {message.name}_{struct.name}" for struct in message.structs]
    lines += [f"    {line}".rstrip() for line in members(message, message)]
    return "\n".join(lines) + "\n"


def dependencies_first(message: MessageSchema) -> list[StructSchema]:
    """The structs of a message, each behind those that it holds."""
    ordered: list[StructSchema] = []

    def visit(struct: StructSchema) -> None:
        for field in struct.fields:
            if field.struct is not None:
                visit(field.struct)
        if struct is not message and struct not in ordered:
            ordered.append(struct)

    visit(message)
    ordered += [struct for struct in message.structs if struct not in ordered]
    return ordered


def docstring(message: MessageSchema) -> list[str]:
    """The docstring of a message: the first line above it in the schema text, what it is, and the other lines."""
    told = message.doc.splitlines()
    if not told:
        return [f'    """{summary(message)}"""']
    lines = [summary(message), *told[1:]]
    return [f'    """{told[0]}', "", *(f"    {line}".rstrip() for line in lines), '    """']


def summary(message: MessageSchema) -> str:
    """What a message is, in a line."""
    number = "" if message.number is None else f" {message.number}"
    what = {
        "request": f"Request{number}",
        "response": f"Response to request{number}",
        "key": f"Key of record type{number}",
        "value": f"Value of record type{number}",
        "metadata": f"Record type{number}",
        "header": "Header",
    }.get(message.kind, "Data")
    one = message.versions.lowest == message.versions.highest
    return f"{what}, version{'' if one else 's'} {message.versions}."


def members(struct: StructSchema, message: MessageSchema) -> list[str]:
    """The slots of a class and its `__init__`."""
    fields = struct.fields
    lines = ["__slots__ = (" + "".join(f'"{field.name}", ' for field in fields).rstrip() + ")", ""]
    if len(lines[0]) > 110:
        names = " ".join(f'"{field.name}",' for field in fields)
        lines = ["__slots__ = (", *wrap(names, width=108, initial_indent="    ", subsequent_indent="    "), ")", ""]
    if not fields:
        lines = ["__slots__ = ()", "", "def __init__(self) -> None:"]
    else:
        parameters = [f"{field.name}: {annotation(field, message)} = {default(field, message)}," for field in fields]
        text = " ".join(["self,", *parameters]).rstrip(",")
        lines += [
            "def __init__(",
            *wrap(text, width=108, initial_indent="    ", subsequent_indent="    "),
            ") -> None:",
        ]
    lines += [f"    self.{field.name} = {field.name}" for field in fields]
    return [*lines, "    self.unknown_tags = ()"]


def annotation(field: Field, message: MessageSchema) -> str:
    """The type of a field, as Python says it."""
    name = f"{message.name}_{field.type}" if field.struct is not None else TYPES.get(field.type, "int")
    if field.is_array:
        name = f"Sequence[{name}]"
    return f"{name} | None" if list(field.nullable) or field.default is None else name


def default(field: Field, message: MessageSchema) -> str:
    """The default of a parameter."""
    if field.default is None:
        return "None"
    if field.is_array:
        return "()"
    if field.struct is not None:
        return f"{message.name}_{field.type}.default()"
    if field.type == "uuid":
        return "ZERO_UUID"
    if field.type == "string":
        return f'"{field.default}"'
    if field.type == "bytes":
        return 'b""'
    return repr(field.default)
