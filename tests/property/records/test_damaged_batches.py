"""Whatever the bytes are: records, or a `RecordError`, and both twins say the same.

OTTLA_FUZZ_ROUNDS raises the number of damaged batches; tools/fuzz_kernel.py does so, under AddressSanitizer.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from crc32c import crc32c

from ottla.errors import RecordError
from ottla.protocol.records.batch import (
    HEADER_SIZE,
    CompressionType,
    RecordBatch,
    batches,
    produced_batch,
    whole_batches,
)
from ottla.protocol.records.columns import Columns
from ottla.protocol.records.compression import compress, decompress
from ottla.protocol.records.kernel import compiled, pure
from ottla.protocol.records.record import columns_of, section_of
from tests.property.records.mutations import damaged, sample_batches

ROUNDS = int(os.environ.get("OTTLA_FUZZ_ROUNDS", "35000"))
LIMIT_BYTES = 100_000
WALKED = ("offsets", "positions", "timestamps", "timestamp_offsets", "told", "told_after")
ARRAYS = [name for name in Columns.__slots__ if name != "data"]


def outcome(call: Callable[..., Any], *arguments: object, **named: object) -> object:
    """What a call answers: a value, or the class and the words of its error. Any other error is the test's failure."""
    try:
        value = call(*arguments, **named)
    except RecordError as error:
        return type(error), str(error)
    return [getattr(value, name) for name in ARRAYS] if isinstance(value, Columns) else value


def both(name: str, *arguments: object, **named: object) -> object:
    """What the twins answer, which is one and the same."""
    one = outcome(getattr(compiled, name), *arguments, **named)
    assert one == outcome(getattr(pure, name), *arguments, **named)
    return one


def resealed(batch: bytes) -> bytes:
    """The bytes with a checksum and a length that are right, so that the damage is seen by what comes after them."""
    data = bytearray(batch)
    if len(data) >= HEADER_SIZE:
        data[8:12] = (len(data) - 12).to_bytes(4, "big")
        data[17:21] = crc32c(bytes(data[21:])).to_bytes(4, "big")
    return bytes(data)


def read_everything(data: bytes) -> str:
    """Read a section in every way that there is; answer what came of it."""
    section = memoryview(data)
    outcome(lambda: list(batches(section)))
    outcome(produced_batch, section)
    try:
        found, left = whole_batches(section)
    except RecordError as error:
        return type(error).__name__
    assert sum(batch.size_bytes for batch in found) + left == len(data)
    for batch in found:
        try:
            batch.check()
            columns = columns_of(batch, LIMIT_BYTES)
        except RecordError as error:
            return type(error).__name__
        assert len(columns) == batch.count
        for at in range(len(columns)):
            assert len(columns.headers(at)) == columns.header_counts[at]
        assert len(columns.keys()) == len(columns.values()) == batch.count
    return "read"


def test_damaged_batches_are_read_or_refused() -> None:
    """Whatever happens to the bytes of 105,000 batches, their readers answer or raise a `RecordError`."""
    dice = random.Random(1)
    samples = sample_batches()
    seen: Counter[str] = Counter()
    for _ in range(ROUNDS):
        data = damaged(dice, dice.choice(samples))
        seen[read_everything(data)] += 1
        seen[read_everything(resealed(data))] += 1
        seen[read_everything(data + dice.choice(samples))] += 1
    assert {"read", "CorruptBatch", "InvalidRecord", "UnsupportedCodec"} <= set(seen), seen


def sections() -> list[tuple[bytes, int, int]]:
    """Well-formed sections, their counts and their base timestamps."""
    found = []
    for whole in sample_batches():
        batch = RecordBatch(memoryview(whole))
        found.append((bytes(section_of(batch)), batch.count, batch.base_timestamp))
    return found


def test_the_twins_agree_on_damaged_sections() -> None:
    """Compiled and pure give the same values, the same bytes, or the same error in the same words."""
    dice = random.Random(2)
    samples = sections()
    refused = 0
    for _ in range(ROUNDS):
        section, count, base = dice.choice(samples)
        section = damaged(dice, section, 2)
        count += dice.choice((0,) * 12 + (1, -1, 2**31 - 1 - count, -(2**31) - count))
        base = dice.choice((base, base, base, base, 0, 2**63 - 1, -(2**63)))
        flags = {"keys_required": dice.random() < 0.5, "header_text": dice.random() < 0.5}
        both("validate", section, count, base, earliest=10**12 - 9, latest=10**12 + 9, **flags)
        found = both("index", section, count, dice.choice((0, 1000, 2**63 - 2)), base)
        refused += isinstance(found, tuple)
        if 0 <= count < 1000:
            mask = dice.randbytes(count)
            both("retain", section, count, mask, base, base)
            both("retain", section, count, mask, base, dice.choice((0, 5, 2**62)))
    assert ROUNDS // 10 < refused < ROUNDS - ROUNDS // 10


def test_the_twins_agree_on_damaged_columns() -> None:
    """Columns that do not fit their data are an `AssertionError` in both twins; others build the same bytes."""
    dice = random.Random(3)
    samples = sections()
    wrong = 0
    for _ in range(ROUNDS):
        section, count, base = dice.choice(samples)
        columns = pure.index(section, count, 0, base)
        for _ in range(dice.randint(0, 2)):
            array = getattr(columns, dice.choice([name for name in ARRAYS if name != "header_counts"]))
            at = dice.randrange(count)
            array[at] = dice.choice((-1, -2, 0, 1, len(section), array[at] // 2 + 1, 2**31 - 1, -(2**31)))
        answers = []
        for twin in (compiled, pure):
            offsets = twin.OffsetMap(24 * 20)
            for call in (partial(twin.build, columns, 0, base), partial(offsets.put_columns, columns)):
                try:
                    answers.append(call())
                except AssertionError as error:
                    answers.append(str(error))
            answers.append([offsets.get(b"key-%d" % at) for at in range(40)])
        assert answers[:3] == answers[3:]
        wrong += isinstance(answers[0], str)
    assert ROUNDS // 10 < wrong < ROUNDS - ROUNDS // 10


def test_the_twins_agree_on_damaged_segments() -> None:
    """A walk over batches that were damaged, sealed again or not, stops at the same byte in both twins."""
    dice = random.Random(4)
    samples = sample_batches()
    stopped = 0
    for _ in range(ROUNDS):
        pieces = []
        for at in range(dice.randint(1, 4)):
            piece = (100 * at).to_bytes(8, "big") + dice.choice(samples)[8:]
            piece = piece if dice.random() < 0.7 else damaged(dice, piece, 1)
            pieces.append(resealed(piece) if dice.random() < 0.7 else piece)
        data, answers = b"".join(pieces), []
        for twin in (compiled, pure):
            walk = twin.BatchWalk(
                0, 2**31 - 1, 2**62, 100, next_offset=0, latest_epoch=0, max_timestamp=-1, offset_of_max_timestamp=0,
                indexed_position=0, indexed_timestamp=-1,
            )  # fmt: skip
            walked = walk.walk(data, 0)
            answers.append((walked, walk.next_offset, *(getattr(walk, name) for name in WALKED)))
        assert answers[0] == answers[1]
        stopped += walked < len(data)
    assert ROUNDS // 10 < stopped < ROUNDS - ROUNDS // 10


@pytest.mark.parametrize("codec", list(CompressionType)[1:])
def test_damaged_compression_is_decompressed_or_refused(codec: CompressionType) -> None:
    """Whatever the codec makes of the bytes, it is no more than the bound, or a `RecordError`."""
    dice = random.Random(codec)
    text = b"".join(b"line %d of a text that compresses, " % (at * at % 97) for at in range(300))
    whole = bytes(compress(codec, text))
    refused = 0
    for at in range(ROUNDS):
        data = damaged(dice, whole) if at % 8 else dice.randbytes(dice.randint(0, 60))
        answer = outcome(decompress, codec, data, dice.choice((100, len(text), LIMIT_BYTES)))
        refused += isinstance(answer, tuple)
        assert isinstance(answer, tuple) or len(answer) <= LIMIT_BYTES  # type: ignore[arg-type]
    assert ROUNDS // 10 < refused < ROUNDS
