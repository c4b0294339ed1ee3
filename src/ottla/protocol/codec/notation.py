"""Reads the notation in which messages are declared; `ottla.protocol.schema` explains it.

One pass over the lines with a stack of open structs. What does not parse is our own mistake, so it is an assertion
with the line in it, never an error that a peer could cause.
"""

import re
from functools import cache

from ottla.protocol.codec.schema import (
    FIXED,
    NO_VERSIONS,
    VARIABLE,
    Default,
    Field,
    MessageSchema,
    StructSchema,
    Versions,
)
from ottla.protocol.schema import family_text

LISTENERS = {"broker", "controller"}

_FIELD = re.compile(r"(?P<name>\w+) +(?P<open>\[?)(?P<type>\w+)\]?(?P<null>\?[0-9+-]*)?(?: +(?P<rest>.*))?$")
_VERSIONS = re.compile(r"(\d+)(\+|-\d+)?$")
_WORDS = re.compile(r"tag (?P<tag>\d+)|= (?P<default>\S+)|(?P<ignorable>ignorable)|(?P<inflexible>flexible none)")


@cache
def family(name: str) -> dict[str, MessageSchema]:
    """The messages of a family by name, such as `family("produce_fetch")["FetchRequest"]`."""
    return {message.name: message for message in parse(family_text(name))}


def parse(text: str) -> list[MessageSchema]:
    """All messages that a text declares."""
    messages: list[MessageSchema] = []
    stack: list[StructSchema] = []  # the open struct at each depth; the message itself is at 0
    comment: list[str] = []
    for line in text.splitlines():
        words = line.split("#", 1)[0].rstrip()
        if not words:
            comment = [*comment, line.lstrip("# ")] if line.startswith("#") else []
            continue
        content = words.lstrip(" ")
        depth = (len(words) - len(content)) // 2
        if depth == 0:
            messages.append(_message(content))
            messages[-1].doc = "\n".join(comment)
            stack = [messages[-1]]
            continue
        message = messages[-1]
        del stack[depth:]
        assert len(stack) == depth, f"indented too deep: {line!r}"
        if content.startswith("struct "):
            declared = _struct(message, content.removeprefix("struct ").strip(), message.versions)
            declared.versions = message.versions
            stack.append(declared)
            continue
        field = _field(content, message, stack[-1])
        stack[-1].fields.append(field)
        if field.struct is not None:
            stack.append(field.struct)
    return messages


def _message(line: str) -> MessageSchema:
    """`FetchRequest  request 1  versions 4-18  flexible 12+  on broker controller`."""
    name, kind, *words = line.split()
    message = MessageSchema(name, NO_VERSIONS, kind=kind)
    if words[0].isdigit():
        message.number = int(words.pop(0))
    while words:
        word = words.pop(0)
        if word == "versions":
            message.versions = _versions(words.pop(0), Versions(0, 1 << 15))
        elif word == "flexible":
            message.flexible = _versions(words.pop(0), message.versions)
        elif word == "unstable":
            message.unstable = _versions(words.pop(0), message.versions)
        else:
            assert word == "on", f"unknown word {word!r}: {line!r}"
            assert set(words) <= LISTENERS, f"unknown listeners {words}: {line!r}"
            message.listeners = tuple(words)
            break
    assert message.versions.lowest <= message.versions.highest, f"no versions: {line!r}"
    return message


def _field(line: str, message: MessageSchema, parent: StructSchema) -> Field:
    """`topics  [FetchTopic]?7+  4-12  tag 1 = -1 ignorable`."""
    match = _FIELD.match(line)
    assert match, f"not a field: {line!r}"
    rest = match["rest"] or ""
    first, _, others = rest.partition(" ")
    versions = parent.versions
    if _VERSIONS.match(first):
        versions, rest = _versions(first, message.versions) & parent.versions, others
    field = Field(match["name"], match["type"], versions, is_array=bool(match["open"]))
    if match["null"]:
        field.nullable = _versions(match["null"][1:], message.versions) & versions if match["null"][1:] else versions
    if field.type not in FIXED and field.type not in VARIABLE:
        field.struct = _struct(message, field.type, field.versions)
    default = _words(rest.strip(), field)
    field.default = _default(field, default)
    return field


def _struct(message: MessageSchema, name: str, versions: Versions) -> StructSchema:
    """The struct of this name: met before, or met here and declared by lines to come."""
    for known in message.structs:
        if known.name == name:
            return known
    struct = StructSchema(name, versions)
    message.structs.append(struct)
    return struct


def _words(rest: str, field: Field) -> str | None:
    """Takes the words behind a field's versions; returns the text of the default, if one is given."""
    default = None
    while rest:
        match = _WORDS.match(rest)
        assert match, f"unknown words {rest!r} at {field.name}"
        if match["tag"]:
            field.tag = int(match["tag"])
        elif match["default"]:
            default = match["default"]
        elif match["ignorable"]:
            field.ignorable = True
        else:
            field.flexible = False
        rest = rest[match.end() :].lstrip()
    return default


def _default(field: Field, text: str | None) -> Default:
    """The value of a field that nobody has set; None for null (and for structs and arrays, which have their own)."""
    if field.is_array or field.is_struct:
        return None if text == "null" else ""
    if text == "null" or field.type == "records":
        return None
    if field.type in ("string", "bytes"):
        return text or ""
    if field.type == "bool":
        return text == "true"
    if field.type == "float64":
        return float(text or 0)
    return int(text or 0)


def _versions(text: str, within: Versions) -> Versions:
    match = _VERSIONS.match(text)
    assert match, f"not a range of versions: {text!r}"
    lowest, end = int(match[1]), match[2]
    if end is None:
        return Versions(lowest, lowest)
    return Versions(lowest, within.highest if end == "+" else int(end[1:]))
