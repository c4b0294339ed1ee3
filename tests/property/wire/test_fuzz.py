"""Hostile bytes: whatever arrives, a reader gives a value or the one error, at a bounded price."""

import random
import re
import struct
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest

from ottla.errors import MalformedMessage
from ottla.protocol.codec import wire
from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.schema import Field, StructSchema
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.connection import ApiVersionsRequest, SaslHandshakeRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, ProduceRequest
from tests.property.wire.instances import Instances, all_messages

MUTANTS_PER_VERSION = 150  # times 728 versions: more than 100,000
MEMORY_FACTOR = 64
LOOKS = 3
MEMORY_OF_A_MESSAGE = 8192  # the message object itself, the error and its text: what even an empty frame may cost
NAMED = re.compile(r"\w+ v\d+: (\S+ at byte \d+|byte \d+): .+", re.DOTALL)
HOSTILE = [
    b"\xff\xff\xff\xff\x0f",
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x80\x80\x80\x80\x80\x80",
    b"\0",
    b"\xff\xff",
]


def mutated(rng: random.Random, frame: bytes) -> bytes:
    """The frame with a few things wrong with it."""
    data = bytearray(frame or b"\0")
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(5)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(data):
            data[at] = rng.randrange(256)
        elif kind == 2:
            data[at : at + rng.choice([0, 1, 4])] = rng.choice(HOSTILE)
        elif kind == 3:
            del data[at : at + rng.randint(1, 6)]
        else:
            data[at:at] = rng.randbytes(rng.randint(1, 6))
        data = data or bytearray(b"\0")
    return bytes(data)


def memory_to_read(cls: type[Message], frame: bytes, version: int) -> int:
    """Bytes that reading a frame holds at its peak, whether it succeeds or not."""
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    try:
        message: Any = cls.read(frame, version)
    except MalformedMessage as error:
        message = error
    peak = tracemalloc.get_traced_memory()[1] - before
    if isinstance(message, MalformedMessage):
        assert NAMED.fullmatch(str(message)), str(message)
        assert message.code == 42
    return peak


@pytest.mark.parametrize("cls", all_messages(), ids=lambda cls: cls.__name__)
def test_corrupted_messages_are_values_or_the_one_error(cls: type[Message]) -> None:
    """A corrupted message decodes to some value or is a MalformedMessage, within 64 times its size in memory."""
    for version in cls.VERSIONS:
        rng = random.Random(f"{cls.__name__} {version}")
        frames = [Instances(rng).message(cls, version).to_bytes(version) for _ in range(10)]
        cls.read(frames[0], version)
        tracemalloc.start()
        try:
            for turn in range(MUTANTS_PER_VERSION):
                frame = mutated(rng, frames[turn % len(frames)])
                limit = MEMORY_FACTOR * len(frame) + MEMORY_OF_A_MESSAGE
                # What other threads of the test run hold in that moment is counted too: one look of several is enough.
                assert any(memory_to_read(cls, frame, version) <= limit for _ in range(LOOKS)), frame.hex()
        finally:
            tracemalloc.stop()


def arrays(schema: StructSchema, version: int, path: tuple[Field, ...] = ()) -> Iterator[tuple[Field, ...]]:
    """The way to every array of a version."""
    for field in (*schema.present(version), *schema.tagged(version)):
        if field.is_array:
            yield (*path, field)
        if field.struct is not None:
            yield from arrays(field.struct, version, (*path, field))


def smallest(cls: type[Message], field: Field, version: int) -> Any:
    """The value of an array's element that takes the fewest bytes on the wire."""
    if field.struct is None:
        return {"string": "", "bytes": b"", "uuid": bytes(16), "int8": 1}.get(field.type, 300)
    element = getattr(cls, field.struct.name)()
    for inner in field.struct.present(version):
        if inner.type == "records":
            setattr(element, inner.name, b"")
        if inner.struct is not None and not inner.is_array and version in inner.nullable:
            setattr(element, inner.name, None)
    return element


def dense(cls: type[Message], path: tuple[Field, ...], version: int, *, wide: int) -> Message:
    """Very many of the smallest elements: all in the array at index `wide` of its path, one elsewhere."""
    message = cls()
    holders: list[Struct] = [message]
    for depth, field in enumerate(path):
        following: list[Struct] = []
        for holder in holders:
            if not field.is_array:
                assert field.struct is not None
                value: Any = getattr(cls, field.struct.name)()
                following.append(value)
            else:
                value = [smallest(cls, field, version) for _ in range(300 if depth == wide else 1)]
                following += value
            setattr(holder, field.name, value)
        holders = following
    return message


@pytest.mark.parametrize("cls", all_messages(), ids=lambda cls: cls.__name__)
def test_the_densest_messages_are_bounded(cls: type[Message]) -> None:
    """Messages of the smallest possible elements, in every array at every depth, stay within 64 times their size."""
    for version in {cls.VERSIONS[0], cls.VERSIONS[-1]}:
        for path in arrays(cls.schema(), version):
            for wide in (depth for depth, field in enumerate(path) if field.is_array):
                frame = dense(cls, path, version, wide=wide).to_bytes(version)
                cls.read(frame, version)
                tracemalloc.start()
                try:
                    assert memory_to_read(cls, frame, version) <= MEMORY_FACTOR * len(frame) + MEMORY_OF_A_MESSAGE
                finally:
                    tracemalloc.stop()


@pytest.mark.parametrize(
    ("cls", "version", "frame", "words"),
    [
        (MetadataRequest, 9, b"\xff\xff\xff\xff\x0f", "topics at byte 5: 4294967294 elements announced"),
        (MetadataRequest, 1, b"\x7f\xff\xff\xff", "topics at byte 4: 2147483647 elements announced"),
        (MetadataRequest, 0, b"\xff\xff\xff\xff", "topics at byte 4: null, where null is not allowed"),
        (MetadataRequest, 1, b"\0\0\0\1\xff\xff", "topics.name at byte 6: null, where null is not allowed"),
        (MetadataRequest, 1, b"\0\0\0\1\0\2\xc3\x28", "topics.name at byte 6: not UTF-8"),
        (MetadataRequest, 1, b"\0\0\0\1\0\5ab", "topics.name at byte 6: 5 bytes announced, 2 remain"),
        (MetadataRequest, 9, b"\x02\xff\xff\xff\xff\xff", "topics.name at byte 2: a varint of more than 32 bits"),
        (MetadataRequest, 9, b"\x02\x82\x80\x02" + bytes(32769), "topics.name at byte 4: a string of 32769 bytes"),
        (MetadataRequest, 4, b"\0\0\0\0", "allow_auto_topic_creation at byte 4: the message ends after 4 bytes"),
        (FetchRequest, 4, bytes(13), "max_bytes at byte 12: the message ends after 13 bytes"),
        (ApiVersionsRequest, 3, b"\1\1\1\5\3ab", "tags at byte 3: tag 5 announces 3 bytes, 2 remain"),
        (SaslHandshakeRequest, 1, b"\0\5PLAIN!", "byte 7: 1 bytes left over"),
        (ProduceRequest, 3, b"\xff\xff\0\1\0\0\0\0\0\0\0\1\0\1t\0\0\0\1\0\0\0\0\0\0\0\4abc", "records at byte 27: 4"),
    ],
)  # fmt: skip
def test_errors_say_where_and_what(cls: type[Message], version: int, frame: bytes, words: str) -> None:
    """The error names message, version, field and position, and says what is wrong there."""
    with pytest.raises(MalformedMessage, match=words) as caught:
        cls.read(frame, version)
    assert str(caught.value).startswith(f"{cls.__name__} v{version}: ")


def test_a_message_has_only_so_many_elements() -> None:
    """The sum over all arrays is bounded, however the bytes are laid out: the cap ends it before it is allocated. That
    of a request is lower, since others wait while it is served.
    """
    half = wire.MAX_REQUEST_ELEMENTS // 2
    partitions = struct.pack(f">i{half}i", half, *bytes(half))
    forgotten = b"\0\1t" + partitions
    fixed = struct.pack(">iiiibii", -1, 0, 0, 0, 0, 0, 0) + struct.pack(">i", 0)
    FetchRequest.read(fixed + struct.pack(">i", 1) + forgotten, 7)
    with pytest.raises(
        MalformedMessage, match=r"forgotten_topics_data\.partitions at byte .* more than 200000 elements"
    ):
        FetchRequest.read(fixed + struct.pack(">i", 2) + forgotten * 2, 7)


def test_a_struct_has_at_most_128_unknown_tags() -> None:
    """Unknown tagged fields are kept up to a named number, with a struct that knows tags and with one that does not."""
    for cls, version in ((FetchRequest, 17), (MetadataResponse, 12)):
        message = cls()
        message.unknown_tags = tuple((1000 + tag, b"") for tag in range(wire.MAX_UNKNOWN_TAGS))
        assert cls.read(message.to_bytes(version), version) == message
        message.unknown_tags = (*message.unknown_tags, (5000, b""))
        with pytest.raises(MalformedMessage, match="more than 128 unknown tagged fields"):
            cls.read(message.to_bytes(version), version)
