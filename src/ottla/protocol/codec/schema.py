"""What a schema text says, as values: messages, structs, fields and the versions they live in.

A `Message` is one message for all its versions; `Field.versions` is already narrowed to the versions in which the
field's parent exists, so that nothing has to be intersected later. These values are read by the generators
(`reader`, `writer`, and the one that writes `ottla.protocol.messages`); nobody else needs them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

# wire type -> (struct format, size); everything else has a length of its own
FIXED: Final = {
    "bool": ("?", 1),
    "int8": ("b", 1),
    "int16": ("h", 2),
    "uint16": ("H", 2),
    "int32": ("i", 4),
    "uint32": ("I", 4),
    "int64": ("q", 8),
    "float64": ("d", 8),
    "uuid": ("16s", 16),
}
VARIABLE: Final = frozenset({"string", "bytes", "records"})

Default = int | float | str | bool | None


@dataclass(frozen=True, slots=True)
class Versions:
    """An inclusive range of versions; empty when `lowest > highest`."""

    lowest: int
    highest: int

    def __contains__(self, version: int) -> bool:
        return self.lowest <= version <= self.highest

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.lowest, self.highest + 1))

    def __and__(self, other: "Versions") -> "Versions":
        return Versions(max(self.lowest, other.lowest), min(self.highest, other.highest))

    def __str__(self) -> str:
        return str(self.lowest) if self.lowest == self.highest else f"{self.lowest}-{self.highest}"


NO_VERSIONS: Final = Versions(0, -1)


@dataclass(slots=True)
class Field:
    """One field of a struct, in all versions."""

    name: str
    type: str  # a name in FIXED or VARIABLE, or that of a struct
    versions: Versions
    is_array: bool = False
    nullable: Versions = NO_VERSIONS
    tag: int | None = None
    default: Default = None  # of a scalar: its value; of what can be null: None stands for null
    ignorable: bool = False
    flexible: bool = True  # False: the old encoding even in flexible versions
    struct: "StructSchema | None" = None

    @property
    def is_struct(self) -> bool:
        """Whether the field, or each element of it, is a struct."""
        return self.struct is not None


@dataclass(slots=True)
class StructSchema:
    """A named group of fields: a message itself, or what one of its fields holds."""

    name: str
    versions: Versions
    fields: list[Field] = field(default_factory=list)

    def present(self, version: int) -> list[Field]:
        """The untagged fields of a version, in the order of the wire."""
        return [f for f in self.fields if version in f.versions and f.tag is None]

    def tagged(self, version: int) -> list[Field]:
        """The tagged fields of a version, by tag."""
        found = [(f.tag, f) for f in self.fields if version in f.versions and f.tag is not None]
        return [f for _, f in sorted(found, key=lambda pair: pair[0])]

    def absent(self, version: int) -> list[Field]:
        """The fields that a version lacks."""
        return [f for f in self.fields if version not in f.versions]


@dataclass(slots=True)
class MessageSchema(StructSchema):
    """A message with its number, its versions, and the structs declared for it."""

    kind: str = "data"
    number: int | None = None
    flexible: Versions = NO_VERSIONS
    unstable: Versions = NO_VERSIONS
    listeners: tuple[str, ...] = ()
    doc: str = ""  # the comment right above the message
    structs: list[StructSchema] = field(default_factory=list)  # in the order in which they are first met
