"""Logs in a simulated world, and batches to put into them."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ottla.errors import DiskError
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, end_transaction_value
from ottla.storage.log import Log
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import LogServices
from ottla.storage.names import TopicPartition
from ottla.storage.reading import FetchIsolation
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.segments.open_files import OpenFiles
from ottla.world.api import FileRange, World
from ottla.world.simulated.simulation import Simulation

T = TypeVar("T")

ORDERS = TopicPartition("orders", 0)
DIRECTORY = "/data/orders-0"
CONFIG = LogConfig(segment_bytes=4_000, index_interval_bytes=200, message_timestamp_after_max_ms=2**62)
CLEAN = StartingPoint(is_clean=True)


def run(main: Callable[[World], Coroutine[Any, Any, T]], seed: int = 0) -> T:
    """Run a coroutine in a world of its own."""
    return Simulation(seed).run(main).value


@dataclass
class Shelf:
    """A log directory: what its logs share, and what they told of their disk."""

    world: World
    limit: int = 8
    errors: list[DiskError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.files = OpenFiles(self.world.disk, self.limit)
        self.services = LogServices(self.world, self.files, self.errors.append)

    async def load(
        self, config: LogConfig = CONFIG, start: StartingPoint = CLEAN, directory: str = DIRECTORY
    ) -> tuple[Log, RecoveryReport]:
        """The log in a directory, and what recovery says of it."""
        return await load_log(self.services, ORDERS, directory, config, start)

    async def log(self, config: LogConfig = CONFIG, start: StartingPoint = CLEAN) -> Log:
        """The log alone."""
        return (await self.load(config, start))[0]


def produced(
    count: int = 1, *, timestamp: int = 1_000, value: bytes = b"v" * 50, fields: BatchFields | None = None
) -> memoryview:
    """A batch as a producer sends it, whose timestamps go up by one."""
    building = BatchBuilder(fields)
    base_offset = building.fields.base_offset
    for at in range(count):
        building.append(timestamp + at, b"key-%d" % at, value, offset=base_offset + at)
    return memoryview(building.build())


def idempotent(
    sequence: int, count: int = 1, *, producer_id: int = 7, epoch: int = 0, open_: bool = False
) -> memoryview:
    """A batch of an idempotent producer, or of a transactional one."""
    fields = BatchFields(producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence, is_transactional=open_)
    return produced(count, fields=fields)


def marker(*, committed: bool, producer_id: int = 7, epoch: int = 0, coordinator_epoch: int = 0) -> memoryview:
    """What a coordinator writes to end a transaction."""
    fields = BatchFields(producer_id=producer_id, producer_epoch=epoch, is_transactional=True, is_control=True)
    building = BatchBuilder(fields)
    kind = ControlRecordType.COMMIT if committed else ControlRecordType.ABORT
    building.append(1_000, control_key(kind), end_transaction_value(coordinator_epoch))
    return memoryview(building.build())


async def batches_from(
    log: Log, offset: int = 0, max_bytes: int = 1_000, isolation: FetchIsolation = FetchIsolation.LOG_END
) -> list[RecordBatch]:
    """All batches from an offset on, read as a consumer reads them."""
    found: list[RecordBatch] = []
    while True:
        fetched = await log.read_cold(offset, max_bytes, isolation)
        assert not isinstance(fetched.records, FileRange)
        some = list(batches(memoryview(fetched.records)))
        if not some:
            return found
        for batch in some:
            batch.check()
        found += some
        offset = some[-1].next_offset


async def offsets_from(log: Log, offset: int = 0, isolation: FetchIsolation = FetchIsolation.LOG_END) -> list[int]:
    """The offsets of all records from an offset on, of logs that were not compacted."""
    found = await batches_from(log, offset, isolation=isolation)
    return [each for batch in found for each in range(batch.base_offset, batch.next_offset)]
