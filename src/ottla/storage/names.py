"""The names of what stands in a log directory: built, and read back. Nothing else in here knows how they look.

    topic-0                                     the directory of partition 0
        00000000000000000042.log                a segment whose first offset is 42, and what belongs to it:
                            .index .timeindex .txnindex
        00000000000000000042.snapshot           the producers as they were before offset 42
    topic-0.<32 hex digits>-future              a replica on its way into this log directory
    topic-0.<32 hex digits>-delete              a deleted one, which goes after `file.delete.delay.ms`
    topic-0.<32 hex digits>-stray               one that the cluster does not know

A file's name may end in `.cleaned` (compaction is writing it), `.swap` (it is whole, and about to replace others) or
`.deleted`. Deleted and stray directories have names of at most 255 characters, for which the topic is cut; so theirs
may be the name of a topic that there never was. What has any other name is none of ours: reading it gives None.
"""

import re
from enum import Enum
from typing import Final, NamedTuple

MAX_NAME_LENGTH: Final = 255  # what file systems take
MAX_OFFSET: Final = 2**63 - 1
MAX_PARTITION: Final = 2**31 - 1

UNIQUE_ID_SIZE: Final = 16  # bytes, written as 32 hex digits


class TopicPartition(NamedTuple):
    """A partition by its topic's name."""

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"


class FileKind(Enum):
    """What a file of a partition holds, by how its name ends."""

    LOG = ".log"
    OFFSET_INDEX = ".index"
    TIME_INDEX = ".timeindex"
    TRANSACTION_INDEX = ".txnindex"
    PRODUCER_SNAPSHOT = ".snapshot"


class FileState(Enum):
    """What is being done with a file, by the suffix behind its name."""

    LIVE = ""
    CLEANED = ".cleaned"
    SWAP = ".swap"
    DELETED = ".deleted"


class FileName(NamedTuple):
    """A file of a partition; `str` is its name."""

    offset: int
    kind: FileKind
    state: FileState = FileState.LIVE

    def __str__(self) -> str:
        return f"{self.offset:020d}{self.kind.value}{self.state.value}"


class DirectoryState(Enum):
    """What is being done with a partition's directory, by the suffix of its name."""

    LIVE = ""
    FUTURE = "-future"
    DELETED = "-delete"
    STRAY = "-stray"


class DirectoryName(NamedTuple):
    """A partition's directory as its name tells it."""

    topic_partition: TopicPartition
    state: DirectoryState


_FILE_NAME = re.compile(
    r"(?P<offset>\d{20})(?P<kind>\.log|\.index|\.timeindex|\.txnindex|\.snapshot)(?P<state>|\.cleaned|\.swap|\.deleted)",
    re.ASCII,
)
_DIRECTORY_NAME = re.compile(
    r"(?P<topic>[A-Za-z0-9._-]+)-(?P<partition>0|[1-9]\d{0,9})(\.[A-Za-z0-9_-]+(?P<state>-future|-delete|-stray))?",
    re.ASCII,
)


def parse_file_name(name: str) -> FileName | None:
    """What a name in a partition's directory says; None if it is not a segment's file."""
    match = _FILE_NAME.fullmatch(name)
    if match is None or (offset := int(match["offset"])) > MAX_OFFSET:
        return None
    return FileName(offset, FileKind(match["kind"]), FileState(match["state"]))


def directory_name(topic_partition: TopicPartition) -> str:
    """The name of a partition's directory."""
    return str(topic_partition)


def marked_directory_name(topic_partition: TopicPartition, state: DirectoryState, unique_id: bytes) -> str:
    """A name that no other directory has: for a partition that is moved, deleted, or a stray.

    Only a moved one keeps its topic's whole name: it is found by it after a restart. Apache Kafka does the same, and
    neither can move a topic whose name is longer than 212 characters (the file system refuses).
    """
    assert state is not DirectoryState.LIVE
    assert len(unique_id) == UNIQUE_ID_SIZE
    topic, partition = topic_partition
    ending = f"-{partition}.{unique_id.hex()}{state.value}"
    if state is not DirectoryState.FUTURE:
        topic = topic[: MAX_NAME_LENGTH - len(ending)]
    return topic + ending


def parse_directory_name(name: str) -> DirectoryName | None:
    """The partition that a directory of a log directory belongs to; None if it is no partition's."""
    match = _DIRECTORY_NAME.fullmatch(name)
    if match is None or (partition := int(match["partition"])) > MAX_PARTITION:
        return None
    return DirectoryName(TopicPartition(match["topic"], partition), DirectoryState(match["state"] or ""))
