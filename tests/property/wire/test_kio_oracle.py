"""kio as the oracle: an implementation by others, generated from Kafka's own message definitions.

For every message-version that kio has, the fields are the same in order, type, tag and nullability, and an instance
translated into kio's classes gives the same bytes, which kio reads back to the same instance. kio covers the wire and
the common control records; the internal records are compared with Kafka's own schemas in `test_kafka_schemas.py`.

What kio cannot say is kept out of the instances: unknown tags, unknown error codes, milliseconds beyond what Python's
timedelta and datetime reach.
"""

import dataclasses
import datetime
import importlib
import io
import random
import re
import uuid
from typing import Any

import pytest
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_reader, entity_writer

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.schema import Field, StructSchema
from tests.property.wire.instances import Instances, all_messages

SAMPLES = 20
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
MILLISECOND = datetime.timedelta(milliseconds=1)
KNOWN_CODES = [code.value for code in ErrorCode]


def kio_class(cls: type[Message], version: int) -> Any:
    """kio's class for a message-version, or None where kio has none."""
    name = re.sub(r"(?<!^)(?=[A-Z][a-z])|(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
    kind = cls.schema().kind
    if kind in ("request", "response"):
        name = name.removesuffix(f"_{kind}")
    paths = {entity.name: path for entity, path in schema_name_map.get(name, {}).get(version, {}).items()}
    if kind not in paths:
        return None
    module, _, attribute = paths[kind].partition(":")
    return getattr(importlib.import_module(module), attribute)


def kio_covers() -> list[tuple[type[Message], list[int]]]:
    """Every message that kio has, with its versions."""
    covered = [(cls, [version for version in cls.VERSIONS if kio_class(cls, version)]) for cls in all_messages()]
    return [(cls, versions) for cls, versions in covered if versions]


def spelled(name: str) -> str:
    """A field's name without what the two sides spell differently: `type_` and `k_raft_version`, and units."""
    return name.removesuffix("_ms").replace("_", "")


def fields_of(schema: StructSchema, version: int) -> list[Field]:
    """The fields of a version in the order in which Kafka declares them."""
    return [field for field in schema.fields if version in field.versions]


class Translator:
    """Turns our instance into kio's; what kio cannot hold is first replaced in ours."""

    def __init__(self, cls: type[Message], version: int, kio: Any, rng: random.Random) -> None:
        self.cls, self.version, self.rng = cls, version, rng
        self.module = importlib.import_module(kio.__module__)

    def struct(self, ours: Struct, schema: StructSchema, kio: Any) -> Any:
        """One struct; the fields of both sides are matched by their order."""
        values = {}
        declared = fields_of(schema, self.version)
        for field, theirs in zip(declared, dataclasses.fields(kio), strict=True):
            values[theirs.name] = self.value(ours, field, theirs)
        return kio(**values)

    def value(self, ours: Struct, field: Field, theirs: Any) -> Any:
        """One field."""
        value = getattr(ours, field.name)
        if value is None:
            return None
        if field.struct is not None:
            inner = getattr(self.module, field.struct.name)
            if field.is_array:
                return tuple(self.struct(item, field.struct, inner) for item in value)
            return self.struct(value, field.struct, inner)
        kind = theirs.metadata["kafka_type"]
        if field.is_array:
            value = [self.within(kind, item) for item in value]
            setattr(ours, field.name, value)
            return tuple(self.translated(kind, item) for item in value)
        allowed = self.within(kind, value)
        if allowed != value:
            setattr(ours, field.name, allowed)
        return self.translated(kind, allowed)

    def within(self, kind: str, value: Any) -> Any:
        """A value that kio can hold."""
        if kind == "error_code":
            return value if value in KNOWN_CODES else self.rng.choice(KNOWN_CODES)
        if kind == "datetime_i64":
            return abs(value) % 10**12
        if kind == "timedelta_i64":
            return value % 10**12
        return value

    def translated(self, kind: str, value: Any) -> Any:
        """The value as kio has it."""
        if kind == "error_code":
            return ErrorCode(value)
        if kind == "datetime_i64":
            return EPOCH + value * MILLISECOND
        if kind.startswith("timedelta"):
            return value * MILLISECOND
        if kind == "uuid":
            return uuid.UUID(bytes=value) if any(value) else None
        return value


@pytest.mark.parametrize(("cls", "versions"), kio_covers(), ids=lambda value: getattr(value, "__name__", ""))
def test_the_bytes_are_those_of_kio(cls: type[Message], versions: list[int]) -> None:
    """In every version that kio has, both sides write the same bytes and read them to the same values."""
    for version in versions:
        kio = kio_class(cls, version)
        write, read = entity_writer(kio), entity_reader(kio)
        for seed in range(SAMPLES):
            rng = random.Random(f"{cls.__name__} {version} {seed}")
            ours = Instances(rng, unknown_tags=False).message(cls, version)
            theirs = Translator(cls, version, kio, rng).struct(ours, cls.schema(), kio)
            written = io.BytesIO()
            write(written, theirs)
            assert ours.to_bytes(version) == written.getvalue(), f"seed {seed}"
            assert cls.read(written.getvalue(), version) == ours, f"seed {seed}"
            assert read(written.getvalue(), 0) == (theirs, len(written.getvalue())), f"seed {seed}"


@pytest.mark.parametrize(("cls", "versions"), kio_covers(), ids=lambda value: getattr(value, "__name__", ""))
def test_the_defaults_are_those_of_kio(cls: type[Message], versions: list[int]) -> None:
    """A scalar field that nobody has set holds the default of Kafka's definitions."""
    for version in versions:
        kio = kio_class(cls, version)
        translator = Translator(cls, version, kio, random.Random(0))
        module = importlib.import_module(kio.__module__)
        for schema in (cls.schema(), *cls.schema().structs):
            theirs = kio if schema is cls.schema() else getattr(module, schema.name, None)
            ours = cls() if schema is cls.schema() else getattr(cls, schema.name)()
            for field, their in zip(
                fields_of(schema, version), dataclasses.fields(theirs) if theirs else (), strict=False
            ):
                if their.default is dataclasses.MISSING or field.struct is not None or field.is_array:
                    continue
                value = getattr(ours, field.name)
                if "datetime" in their.metadata["kafka_type"] and value == -1:
                    value = None
                translated = None if value is None else translator.translated(their.metadata["kafka_type"], value)
                assert translated == their.default, f"{schema.name}.{field.name} v{version}"


@pytest.mark.parametrize(("cls", "versions"), kio_covers(), ids=lambda value: getattr(value, "__name__", ""))
def test_the_fields_are_those_of_kio(cls: type[Message], versions: list[int]) -> None:
    """Names, order and tags of the fields are Kafka's, in every version and in every struct."""
    for version in versions:
        kio = kio_class(cls, version)
        module = importlib.import_module(kio.__module__)
        for schema, theirs in [
            (cls.schema(), kio),
            *((s, getattr(module, s.name, None)) for s in cls.schema().structs),
        ]:
            ours = fields_of(schema, version)
            if theirs is None:  # a struct that no field of this version holds
                assert all(f.struct is not schema for s in cls.schema().structs for f in fields_of(s, version))
                continue
            names = [spelled(field.name) for field in ours]
            assert names == [spelled(field.name) for field in dataclasses.fields(theirs)], schema.name
            assert [f.tag for f in ours] == [f.metadata.get("tag") for f in dataclasses.fields(theirs)], schema.name


def test_kio_covers_the_whole_wire() -> None:
    """Every version of every request and response has been compared; nothing was left out by a wrong name."""
    covered = dict(kio_covers())
    for cls in all_messages():
        if cls.schema().kind in ("request", "response", "header"):
            assert covered.get(cls) == list(cls.VERSIONS), cls.__name__
    assert sum(len(versions) for versions in covered.values()) == 625
