"""Logs on a world's disk, filled by producers, for tests of the cleaner."""

from collections.abc import Callable

from ottla.errors import DiskError
from ottla.protocol.records.batch import CompressionType, batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.protocol.records.record import Record, records_of
from ottla.storage.append.info import AppendOrigin
from ottla.storage.cleaner.cleaning import CleaningMeans
from ottla.storage.cleaner.policy import Cleanable, LogState, cleanable
from ottla.storage.cleaner.throttle import Throttle
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.reading import blocking
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import World

COMPACTED = LogConfig(compact=True, delete=False, segment_bytes=1_000, segment_index_bytes=1_200)
UNLIMITED = 1e300
Pair = tuple[bytes | None, bytes | None]


def refused(error: DiskError) -> None:
    """The directory's owner of a test whose disk does not fail."""
    raise AssertionError(str(error)) from error


async def open_log(
    world: World,
    config: LogConfig = COMPACTED,
    *,
    name: str = "topic",
    partition: int = 0,
    is_clean: bool = True,
    failed: Callable[[DiskError], None] = refused,
) -> Log:
    """The log in a directory of the root; nobody verifies transactions."""
    services = LogServices(world, OpenFiles(world.disk, 50), failed, is_verification_required=False)
    topic_partition = TopicPartition(name, partition)
    log, _ = await load_log(services, topic_partition, f"/logs/{topic_partition}", config, StartingPoint(is_clean))
    log.update_high_watermark(log.log_end_offset)
    return log


def write(
    log: Log,
    *pairs: Pair,
    fields: BatchFields | None = None,
    codec: CompressionType = CompressionType.NONE,
) -> int:
    """Append a batch of these keys and values, replicated at once; answers its base offset."""
    building = BatchBuilder(fields or BatchFields(compression_type=codec))
    for key, value in pairs:
        building.append(log.services.world.clock.wall_ms(), key, value)
    log.services.pace.is_slow = False  # a machine that let a real world wait is taken for a slow disk
    appended = log.append_as_leader(memoryview(building.build()), 0)
    assert appended is not None
    log.update_high_watermark(log.log_end_offset)
    return appended.first_offset


def end_transaction(log: Log, producer_id: int, *, committed: bool) -> None:
    """Append the marker that ends a producer's transaction."""
    fields = BatchFields(producer_id=producer_id, producer_epoch=0, is_transactional=True, is_control=True)
    building = BatchBuilder(fields)
    kind = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
    building.append(log.services.world.clock.wall_ms(), control_key(kind), end_transaction_value(0))
    log.services.pace.is_slow = False
    log.append_as_leader(memoryview(building.build()), 0, AppendOrigin.COORDINATOR)
    log.update_high_watermark(log.log_end_offset)


def dirty_part(log: Log, checkpoint_offset: int | None = None) -> Cleanable:
    """What of a log may be cleaned."""
    state = LogState(list(log.segments), log.log_start_offset, log.log_end_offset, log.last_stable_offset)
    return cleanable(state, log.config, checkpoint_offset, log.services.world.clock.wall_ms())


def means(world: World, *, dedupe_bytes: int = 1 << 20, piece_bytes: int = 700) -> CleaningMeans:
    """What a cleaning may use: pieces are small, so that a segment takes several."""
    return CleaningMeans(world, Throttle(UNLIMITED), dedupe_bytes, 0.9, piece_bytes)


def records(log: Log) -> list[Record]:
    """All records that users see, aborted ones too, by reading the log from its start as a consumer does."""
    found: list[Record] = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        fetched = log.read(offset, 600, reader=blocking)
        assert isinstance(fetched.records, bytes)
        if not fetched.records:
            break
        for batch in batches(memoryview(bytearray(fetched.records))):
            batch.check()
            if not batch.is_control:
                found.extend(record for record in records_of(batch) if record.offset >= offset)
            offset = batch.next_offset
    return found


def pairs(log: Log) -> list[Pair]:
    """Their keys and values."""
    return [(record.key, record.value) for record in records(log)]


def names(world: World, suffix: str) -> list[str]:
    """The files of the log that end in this."""
    return [entry.name for entry in world.disk.list("/logs/topic-0") if entry.name.endswith(suffix)]
