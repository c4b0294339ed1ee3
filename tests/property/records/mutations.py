"""Damage: what turns well-formed bytes into all kinds of nearly well-formed ones, the same ones for the same seed."""

import random

from ottla.protocol.records.batch import CompressionType
from ottla.protocol.records.builder import BatchBuilder, BatchFields

# Bytes on which varints, lengths and flags turn: signs, continuations, the largest and the smallest.
TURNING_POINTS = (0x00, 0x01, 0x02, 0x03, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF)
LONG_VARINTS = (
    b"\xfe\xff\xff\xff\x0f",
    b"\xff\xff\xff\xff\x0f",
    b"\x80\x80\x80\x80\x10",
    b"\xff" * 9 + b"\x01",
    b"\x80" * 11,
)


def sample_batches() -> list[bytes]:
    """Well-formed batches of every shape and codec, to begin with."""
    shapes = []
    for codec in CompressionType:
        for count in (1, 3, 40):
            building = BatchBuilder(BatchFields(base_offset=1000, compression_type=codec, producer_id=count))
            for at in range(count):
                key = None if at % 3 == 2 else b"key-%d" % at
                value = None if at % 5 == 4 else b"value " * (at % 7)
                headers = [("name", b"content"), ("größe", None)][: at % 3]
                building.append(10**12 + at * at - 7 * at, key, value, headers)
            shapes.append(bytes(building.build()))
    return shapes


def damaged(dice: random.Random, whole: bytes, most: int = 4) -> bytes:
    """The bytes with up to so many things wrong with them; now and then with nothing wrong."""
    data = bytearray(whole)
    for _ in range(dice.randint(0, most)):
        at = dice.randrange(len(data) + 1)
        match dice.randrange(8):
            case 0:
                data[at : at + 1] = bytes((dice.randrange(256),))
            case 1:
                data[at : at + 1] = bytes((dice.choice(TURNING_POINTS),))
            case 2:
                data[at:at] = dice.randbytes(dice.randint(1, 9))
            case 3:
                del data[at : at + dice.randint(1, 9)]
            case 4:
                del data[at:]
            case 5:
                data[at : at + dice.randint(0, 5)] = dice.choice(LONG_VARINTS)
            case 6:
                data[at:at] = data[at : at + dice.randint(1, 40)]
            case _:
                end = at + dice.choice((1, 2, 4, 8))
                data[at:end] = dice.choice((b"\x00", b"\xff", b"\x7f", b"\x80"))[:1] * (end - at)
    return bytes(data)
