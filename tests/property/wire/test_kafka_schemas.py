"""The internal records, compared with the schemas inside Kafka's own jars (tests/golden/kafka-4.3/schemas.json).

kio knows nothing of these. The golden file says for every version the fields in order with their types, and the bytes
of an instance whose fields all have their defaults.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from ottla.protocol.codec.message import Message
from ottla.protocol.codec.schema import Field, StructSchema
from tests.property.wire.instances import all_messages

GOLDEN: dict[str, Any] = json.loads((Path(__file__).parents[2] / "golden/kafka-4.3/schemas.json").read_text())
INTERNAL = {cls.__name__: cls for cls in all_messages() if cls.schema().kind not in ("request", "response")}


def golden_name(name: str) -> str:
    """Java's name of a message."""
    return f"{name}Data" if name.endswith("Header") else name


class Described:
    """A version of a message of ours, in the form of the golden file."""

    def __init__(self, cls: type[Message], version: int) -> None:
        self.version, self.flexible = version, version in cls.schema().flexible

    def struct(self, schema: StructSchema) -> list[Any]:
        """The fields in order, the tagged ones last."""
        fields: list[Any] = [[spelled(field.name), self.type(field)] for field in schema.present(self.version)]
        if self.flexible:
            fields.append({"tags": {str(f.tag): [spelled(f.name), self.type(f)] for f in schema.tagged(self.version)}})
        return fields

    def type(self, field: Field) -> Any:
        """The type of a field."""
        nullable = self.version in field.nullable
        if field.is_array:
            kind = "compact_array" if self.flexible and field.flexible else "array"
            return {kind: self.element(field, nullable=False), **({"nullable": True} if nullable else {})}
        return self.element(field, nullable=nullable)

    def element(self, field: Field, *, nullable: bool) -> Any:
        """The type of a field that is no array, or of an array's elements."""
        if field.struct is not None:
            return {"struct": self.struct(field.struct), **({"nullable": True} if nullable else {})}
        if field.type in ("string", "bytes"):
            compact = "compact_" if self.flexible and field.flexible else ""
            return f"{compact}{'nullable_' if nullable else ''}{field.type}"
        return "boolean" if field.type == "bool" else field.type


def spelled(name: str) -> str:
    """A field's name without underscores, since Java splits words elsewhere than we do (`k_raft_version`)."""
    return name.replace("_", "")


def normalised(fields: Any) -> Any:
    """The golden form, with names spelled alike."""
    if isinstance(fields, list) and len(fields) == 2 and isinstance(fields[0], str):
        return [spelled(fields[0]), normalised(fields[1])]
    if isinstance(fields, list):
        return [normalised(field) for field in fields]
    if isinstance(fields, dict):
        return {key: normalised(value) for key, value in fields.items()}
    return fields


def test_the_sets_are_the_same() -> None:
    """Everything that Kafka has beside requests and responses is here, and nothing else."""
    assert {golden_name(name) for name in INTERNAL} == set(GOLDEN)


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_every_version_is_that_of_kafka(name: str) -> None:
    """Versions, fields, types, nullability and tags are Kafka's."""
    cls, golden = INTERNAL[name], GOLDEN[golden_name(name)]
    assert [str(version) for version in cls.VERSIONS] == list(golden["versions"])
    assert golden.get("apiKey", -1) in (cls.KEY, -1)
    for version in cls.VERSIONS:
        assert Described(cls, version).struct(cls.schema()) == normalised(golden["versions"][str(version)])


@pytest.mark.parametrize("name", sorted(INTERNAL))
def test_defaults_are_those_of_kafka(name: str) -> None:
    """An instance on which nothing is set gives Kafka's bytes in every version."""
    cls, golden = INTERNAL[name], GOLDEN[golden_name(name)]
    for version in cls.VERSIONS:
        assert cls().to_bytes(version).hex() == golden["defaultBytes"][str(version)], f"v{version}"
