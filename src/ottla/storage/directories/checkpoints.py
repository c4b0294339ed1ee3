"""Checkpoints: small text files that say how far each partition is, one line a partition.

    0                       version
    2                       how many lines follow
    topic 0 42              topic, partition, offset
    topic 1 17

There are four of them in each log directory: `recovery-point-offset-checkpoint` (below it everything is on disk),
`replication-offset-checkpoint` (high watermarks), `log-start-offset-checkpoint` (only those above their first segment's
offset) and `cleaner-offset-checkpoint` (compaction got so far). `leader-epoch-checkpoint` of a partition has the same
form with two numbers a line; see leader_epochs.py.

What Apache Kafka reads is read: an empty file, or one that ends behind the version, has no lines; any white space
separates; the last line of a partition counts. Everything else that it would not have written is a `CorruptFile`:
another version, a wrong count, blank lines, words where numbers belong, and also negative numbers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ottla.errors import CorruptFile
from ottla.storage.names import MAX_OFFSET, MAX_PARTITION, TopicPartition

RECOVERY_POINT: Final = "recovery-point-offset-checkpoint"
HIGH_WATERMARK: Final = "replication-offset-checkpoint"
LOG_START_OFFSET: Final = "log-start-offset-checkpoint"
CLEANER_OFFSET: Final = "cleaner-offset-checkpoint"

CHECKPOINT_VERSION: Final = 0
MAX_LINES: Final = 2**31 - 1

_LINE_END = re.compile(r"\r\n|\r|\n")
_WHITE_SPACE = re.compile(r"[ \t\n\x0b\f\r]+")
_NUMBER = re.compile(r"\+?[0-9]{1,19}|-0{1,19}")


def render_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    """The content of a checkpoint of offsets."""
    return render_lines(
        f"{topic_partition.topic} {topic_partition.partition} {offset}" for topic_partition, offset in offsets.items()
    )


def parse_offsets(path: str, data: bytes) -> dict[TopicPartition, int]:
    """The offsets in a checkpoint's content; the path is for the error."""
    offsets = {}
    for topic, partition, offset in parse_lines(path, data, words_per_line=3):
        number = parse_number(path, partition, MAX_PARTITION)
        offsets[TopicPartition(topic, number)] = parse_number(path, offset, MAX_OFFSET)
    return offsets


def render_lines(lines: Iterable[str]) -> bytes:
    """Lines behind a version and their count."""
    written = list(lines)
    return "\n".join([str(CHECKPOINT_VERSION), str(len(written)), *written, ""]).encode()


def parse_lines(path: str, data: bytes, words_per_line: int) -> list[Sequence[str]]:
    """The words of each line behind version and count."""
    lines = _lines(path, data)
    if lines and (version := parse_number(path, lines[0], MAX_LINES)) != CHECKPOINT_VERSION:
        raise CorruptFile(f"{path}: its version is {version}, and only {CHECKPOINT_VERSION} is known", path=path)
    if len(lines) < 2:
        return []
    count = parse_number(path, lines[1], MAX_LINES)
    entries = [_WHITE_SPACE.split(line.rstrip(" \t\x0b\f")) for line in lines[2:]]
    for number, words in enumerate(entries, 3):
        if len(words) != words_per_line or not words[0]:
            raise CorruptFile(f"{path}: line {number} does not have {words_per_line} words", path=path)
    if count != len(entries):
        raise CorruptFile(f"{path}: its second line announces {count} lines, and {len(entries)} follow", path=path)
    return list(entries)


def parse_number(path: str, text: str, largest: int) -> int:
    """A number from 0 to the largest that may stand there, as Java reads it."""
    if _NUMBER.fullmatch(text) and (number := int(text)) <= largest:
        return number
    raise CorruptFile(f"{path}: {text[:40]!r} stands where a number from 0 to {largest} belongs", path=path)


def _lines(path: str, data: bytes) -> list[str]:
    try:
        lines = _LINE_END.split(data.decode())
    except UnicodeDecodeError as error:
        raise CorruptFile(f"{path}: byte {error.start} is not UTF-8", path=path) from None
    if not lines[-1]:
        lines.pop()  # what follows the last line end is no line
    return lines
