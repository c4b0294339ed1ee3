"""What a log learns of the batches that it is about to append, and who they are from.

Always true of a `LogAppendInfo`: `data` holds the whole batches and nothing else, the positions of `batches` are
positions in it, and both last as long as the buffer that they are views of: whatever is kept longer is copied.
The fields are Kafka's LogAppendInfo's, as far as somebody needs them.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from ottla.protocol.records.batch import NO_TIMESTAMP, RecordBatch

UNKNOWN_OFFSET: Final = -1


class AppendOrigin(IntEnum):
    """Who wants to append: some may do what others may not."""

    REPLICATION = 0  # a follower, what its leader sent
    COORDINATOR = 1  # a coordinator of this broker: control batches are its to write
    CLIENT = 2  # whoever sent a Produce request
    RAFT_LEADER = 3  # the metadata quorum's leader: offsets and epochs are there already


class LogAppendInfo(NamedTuple):
    """Batches that may be written as they are, and where they will lie in the log."""

    data: memoryview
    batches: Sequence[RecordBatch]
    first_offset: int = UNKNOWN_OFFSET
    last_offset: int = UNKNOWN_OFFSET
    max_timestamp: int = NO_TIMESTAMP
    offset_of_max_timestamp: int = UNKNOWN_OFFSET  # the last one of the batch that has it, as a time index wants it
    last_leader_epoch: int = -1
    record_count: int = 0
    log_append_time_ms: int = NO_TIMESTAMP  # what a Produce response says of a topic with LogAppendTime
    is_rewritten: bool = False  # compressed anew: no longer the sender's bytes
