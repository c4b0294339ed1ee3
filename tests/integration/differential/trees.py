"""Messages as trees: dicts of fields, lists, and values, which are easy to change, to compare and to show.

A tree may hold `Symbol`s, for what differs from broker to broker: the id of a topic, or what an earlier answer told.
They are put in when a request is sent.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.schema import Field, StructSchema
from ottla.protocol.schema import FAMILIES

Tree = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Symbol:
    """What each broker has another value for."""

    kind: str  # "topic id", "directory", or "told": by an earlier answer of the case
    name: str

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"


@cache
def _classes() -> dict[str, type[Message]]:
    modules = [import_module(f"ottla.protocol.messages.{name}") for name in FAMILIES]
    everything = (each for module in modules for each in vars(module).values())
    return {each.__name__: each for each in everything if isinstance(each, type) and issubclass(each, Message)}


def request_class(api: ApiKey) -> type[Message]:
    """The class of its requests."""
    return _classes()[f"{api.message}Request"]


def response_class(api: ApiKey) -> type[Message]:
    """The class of its responses."""
    return _classes()[f"{api.message}Response"]


def completed(owner: type[Message], schema: StructSchema, tree: Tree, version: int, root: bool = True) -> Tree:
    """The same with every field that the version has, and no other."""
    default = owner() if root else getattr(owner, schema.name)()
    result: Tree = {}
    for field in schema.fields:
        if version not in field.versions:
            continue
        value = tree[field.name] if field.name in tree else getattr(default, field.name)
        if isinstance(value, Struct):
            value = {}
        if field.struct is not None and value is not None:
            parts = [value] if not field.is_array else value
            parts = [completed(owner, field.struct, part, version, root=False) for part in parts]
            value = parts if field.is_array else parts[0]
        elif field.is_array and value is not None:
            value = list(value)
        result[field.name] = value
    unknown = tree.keys() - {field.name for field in schema.fields}
    assert not unknown, f"{schema.name} has no {unknown}"
    return result


def message_of(owner: type[Message], tree: Tree) -> Message:
    """A message with these fields."""
    message = owner()
    _fill(owner, message, owner.schema(), tree)
    return message


def _fill(owner: type[Message], struct: Struct, schema: StructSchema, tree: Tree) -> None:
    for field in schema.fields:
        if field.name in tree:
            setattr(struct, field.name, _value(owner, field, tree[field.name]))


def _value(owner: type[Message], field: Field, value: Any) -> Any:
    if field.struct is None or value is None:
        return value
    built = []
    for part in value if field.is_array else [value]:
        struct = getattr(owner, field.struct.name)()
        _fill(owner, struct, field.struct, part)
        built.append(struct)
    return built if field.is_array else built[0]


def tree_of(struct: Struct, schema: StructSchema, version: int) -> Tree:
    """What a message says, in the fields that the version has."""
    result: Tree = {}
    for field in schema.fields:
        if version not in field.versions:
            continue
        value = getattr(struct, field.name)
        if field.struct is not None and value is not None:
            inner = field.struct
            value = (
                [tree_of(part, inner, version) for part in value] if field.is_array else tree_of(value, inner, version)
            )
        elif field.is_array and value is not None:
            value = list(value)
        elif isinstance(value, memoryview):
            value = bytes(value)
        result[field.name] = value
    return result


def mapped(tree: Any, change: Callable[[Any], Any]) -> Any:
    """The same with every leaf changed."""
    if isinstance(tree, dict):
        return {name: mapped(value, change) for name, value in tree.items()}
    if isinstance(tree, list):
        return [mapped(value, change) for value in tree]
    return change(tree)
