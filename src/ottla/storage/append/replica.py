"""What a log looks at in batches that have their place already: a follower's, and those of the quorum's leader.

A follower's log is its leader's byte for byte, so nothing is changed here, and records are not looked at: the leader
did that. Looked at are the headers and the checksums, since the bytes came over a network, and that offsets go up:
gaps are fine (compaction makes them), overlaps are not. A fetched section may end in a part of a batch, which is left
out. Batches from the first on whose leader epoch is above the follower's own are left out too: they were sent by a
leader that was none any more (KAFKA-18723).
"""

from ottla.errors import CorruptBatch, InvalidRecord, RecordListTooLarge, UnexpectedOffset
from ottla.protocol.records.batch import NO_TIMESTAMP, RecordBatch, whole_batches
from ottla.storage.append.info import UNKNOWN_OFFSET, LogAppendInfo
from ottla.storage.log_config import LogConfig


def analyze_replicated(section: memoryview, config: LogConfig, log_end_offset: int, leader_epoch: int) -> LogAppendInfo:
    """What a follower fetched. There may be nothing in it that can be appended: then it has no batches.

    An `UnexpectedOffset` says where the batches lie if they begin before the log's end.
    """
    batches = []
    for batch in whole_batches(section)[0]:
        if batch.partition_leader_epoch > leader_epoch:
            break
        batches.append(batch)
    info = _analyzed(section, batches, config)
    if batches and info.first_offset < log_end_offset:
        raise UnexpectedOffset(
            f"the leader sent offsets {info.first_offset} to {info.last_offset}, where {log_end_offset} follows",
            first_offset=info.first_offset,
            last_offset=info.last_offset,
        )
    return info


def analyze_from_raft_leader(section: memoryview, config: LogConfig, leader_epoch: int) -> LogAppendInfo:
    """What the quorum's leader wrote: its batches have their offsets, and must have its epoch."""
    batches, remaining = whole_batches(section)
    if remaining:
        raise CorruptBatch(f"{remaining} bytes of a batch are left over behind {len(batches)} whole ones")
    for batch in batches:
        if batch.partition_leader_epoch != leader_epoch:
            raise InvalidRecord(f"{batch} is of leader epoch {batch.partition_leader_epoch}, and not of {leader_epoch}")
    return _analyzed(section, batches, config)


def _analyzed(section: memoryview, batches: list[RecordBatch], config: LogConfig) -> LogAppendInfo:
    """Check the batches, and say what the log has to know of them."""
    last_offset = offset_of_max_timestamp = UNKNOWN_OFFSET
    max_timestamp, record_count = NO_TIMESTAMP, 0
    for batch in batches:
        batch.check()
        if batch.base_offset <= last_offset or batch.last_offset_delta < 0 or batch.count < 0:
            raise UnexpectedOffset(f"{batch} follows offset {last_offset}: offsets have to go up")
        last_offset = batch.last_offset
        record_count += batch.count
        if batch.max_timestamp > max_timestamp:
            max_timestamp, offset_of_max_timestamp = batch.max_timestamp, last_offset
    if not batches:
        return LogAppendInfo(section[:0], ())
    first, last = batches[0], batches[-1]
    data = section[: last.position + last.size_bytes]
    if len(data) > config.segment_bytes:
        raise RecordListTooLarge(
            f"{len(batches)} batches from offset {first.base_offset} on have {len(data)} bytes, "
            f"and segment.bytes is {config.segment_bytes}"
        )
    return LogAppendInfo(
        data,
        batches,
        first.base_offset,
        last_offset,
        max_timestamp,
        offset_of_max_timestamp,
        last.partition_leader_epoch,
        record_count,
    )
