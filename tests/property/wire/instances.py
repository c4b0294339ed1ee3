"""Random instances of any message in any version: what the round trips, the oracle and the fuzz are fed with.

An instance sets only fields that its version has. Sizes are small and skewed to the interesting ones: empty, null, one,
few. The generator is plain `random.Random`, so that a seed names an instance.
"""

import importlib
import random
from collections.abc import Iterator
from typing import Any

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.schema import Field, StructSchema
from ottla.protocol.schema import FAMILIES

LIMITS = {
    "int8": (-(1 << 7), (1 << 7) - 1),
    "int16": (-(1 << 15), (1 << 15) - 1),
    "uint16": (0, (1 << 16) - 1),
    "int32": (-(1 << 31), (1 << 31) - 1),
    "uint32": (0, (1 << 32) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
}
ALPHABET = "abcXYZ019-_.éß中文😀\0 "


def all_messages() -> list[type[Message]]:
    """Every message class, of every family."""
    found = []
    for family in FAMILIES:
        module = importlib.import_module(f"ottla.protocol.messages.{family}")
        found += [
            c for c in vars(module).values() if isinstance(c, type) and issubclass(c, Message) and c is not Message
        ]
    return found


def all_versions() -> Iterator[tuple[type[Message], int]]:
    """Every (message, version)."""
    for cls in all_messages():
        for version in cls.VERSIONS:
            yield cls, version


class Instances:
    """Draws instances from one source of randomness."""

    def __init__(self, rng: random.Random, *, most: int = 3, unknown_tags: bool = True) -> None:
        self.rng, self.most, self.with_unknown_tags = rng, most, unknown_tags

    def message(self, cls: type[Message], version: int) -> Message:
        """An instance of a message that this version can carry."""
        message = self.struct(cls, cls.schema(), cls, version)
        assert isinstance(message, Message)
        return message

    def struct(self, cls: type[Struct], schema: StructSchema, message: type[Message], version: int) -> Struct:
        """An instance of a struct inside `message`."""
        struct = cls()
        for field in (*schema.present(version), *schema.tagged(version)):
            if field.tag is not None and self.rng.random() < 0.4:
                continue
            setattr(struct, field.name, self.value(field, message, version))
        flexible = version in message.schema().flexible
        if flexible and self.with_unknown_tags and self.rng.random() < 0.1:
            taken = {field.tag for field in schema.tagged(version)}
            tags = sorted(set(self.rng.choices(range(200), k=2)) - taken)
            struct.unknown_tags = tuple((tag, self.rng.randbytes(self.size())) for tag in tags)
        return struct

    def value(self, field: Field, message: type[Message], version: int) -> Any:
        """A value of a field."""
        if version in field.nullable and self.rng.random() < 0.2:
            return None
        if field.is_array:
            return [self.element(field, message, version) for _ in range(self.size())]
        return self.element(field, message, version)

    def element(self, field: Field, message: type[Message], version: int) -> Any:
        """A value of a field, or of one element of it."""
        rng = self.rng
        if field.struct is not None:
            return self.struct(getattr(message, field.struct.name), field.struct, message, version)
        if field.type == "bool":
            return rng.random() < 0.5
        if field.type == "float64":
            return rng.choice([0.0, 1.5, -2.25, 1e300])
        if field.type == "uuid":
            return rng.randbytes(16)
        if field.type in ("bytes", "records"):
            return rng.randbytes(self.size() * rng.choice([1, 1, 1, 60]))
        if field.type == "string":
            return "".join(rng.choices(ALPHABET, k=self.size() * rng.choice([1, 1, 1, 60])))
        return self.integer(field)

    def integer(self, field: Field) -> int:
        """An integer of a field's type, often one at an edge."""
        low, high = LIMITS[field.type]
        return self.rng.choice([low, high, 0, max(low, -1), 1, self.rng.randint(low, high)])

    def size(self) -> int:
        """How many elements, or bytes."""
        return self.rng.randint(0, self.most)
