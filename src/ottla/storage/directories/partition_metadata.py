"""`partition.metadata`: which topic a partition's directory belongs to, by the topic's id.

    version: 0
    topic_id: 5NzqKp9yQMm1PjXVX3pVcQ

It is written before any record, so that a directory that was left behind by a deleted topic is never taken for the one
of a new topic of the same name. Apache Kafka reads the lines by their place, takes any version from 0 up, since later
ones only add lines, and refuses the id zero; so do we.
"""

import re
from typing import Final

from ottla.errors import CorruptFile
from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.uuids import parse_uuid, uuid_text
from ottla.storage.directories.checkpoints import parse_number

FILE_NAME: Final = "partition.metadata"
VERSION: Final = 0
MAX_VERSION: Final = 2**31 - 1

_LINES = re.compile(r"[^:\r\n]*:\s+(\S+)(?:\r\n|\r|\n)[^:\r\n]*:\s+(\S+)(?:\s.*)?", re.ASCII | re.DOTALL)


def render_partition_metadata(topic_id: Uuid) -> bytes:
    """The file's content."""
    assert topic_id != ZERO_UUID
    return f"version: {VERSION}\ntopic_id: {uuid_text(topic_id)}".encode()


def parse_partition_metadata(path: str, data: bytes) -> Uuid:
    """The topic id in the file's content; the path is for the error."""
    match = _LINES.fullmatch(data.decode("utf-8", "replace"))
    if match is None:
        raise CorruptFile(f"{path}: a version and a topic id are expected, a line each", path=path)
    parse_number(path, match[1], MAX_VERSION)
    try:
        topic_id = parse_uuid(match[2])
    except ValueError as error:
        raise CorruptFile(f"{path}: {error}", path=path) from None
    if topic_id == ZERO_UUID:
        raise CorruptFile(f"{path}: no topic has the id zero", path=path)
    return topic_id
