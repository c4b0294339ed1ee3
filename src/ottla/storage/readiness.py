"""Having in memory what an append asks of the active segment, before it is asked on the loop.

A log that was just loaded, or that nobody used for long, has its .log closed, its indexes in their files, and the
timestamp of its first batch unread: on a cold disk each of them is a wait, and on the loop everybody waits. So an
append is made at once only where the active segment `is_ready`; any other takes a turn, which begins in here, with one
call in a thread. That is so for leaders and followers, the first time and after any rest; ten thousand logs to which
nobody writes cost nothing, whoever leads them.

Always true: what was read is kept only where nothing else brought it meanwhile; it is read by who has the log to
himself, so nothing is cut or appended between. Index files that are damaged are made anew on the loop, as for a read.
Opening again a .log that the pool has closed, of a segment that is ready, stays on the loop: 20 µs.
"""

from typing import TYPE_CHECKING, NamedTuple

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage.segments.offset_index import OffsetIndex
from ottla.storage.segments.segment import UNKNOWN, Segment
from ottla.storage.segments.time_index import TimeIndex
from ottla.storage.segments.transaction_index import TransactionIndex
from ottla.world.api import Disk, File

if TYPE_CHECKING:
    from ottla.storage.log import Log


class Brought(NamedTuple):
    """What was read."""

    file: File
    first_timestamp: int
    indexes: tuple[OffsetIndex, TimeIndex] | None  # None: they are damaged, or not needed
    transactions: TransactionIndex


def is_ready(segment: Segment) -> bool:
    """Whether an append finds in memory all that it asks. Of an empty segment it asks nothing."""
    indexes = segment.indexes
    return not segment.size_bytes or (
        UNKNOWN not in (segment.first_timestamp, segment.max_timestamp)
        and indexes.offsets is not None
        and indexes.times is not None
        and (segment.transactions is not None or not segment.has_aborted)
    )


async def make_ready(log: "Log") -> None:
    """For who has the log to himself. `DiskError` if the disk refuses."""
    segment, services = log.segments.active, log.services
    if is_ready(segment):
        return
    brought = await services.world.threads.run(_bring, services.world.disk, segment)
    services.files.adopt(segment.file, brought.file)
    segment.first_timestamp = brought.first_timestamp
    if segment.transactions is None:
        segment.transactions = brought.transactions
    if brought.indexes is not None and not segment.indexes.are_loaded:
        segment.indexes.install(*brought.indexes)
    _ = segment.largest


def _bring(disk: Disk, segment: Segment) -> Brought:
    """Runs in a thread, and changes nothing of the segment."""
    file = disk.open(segment.file.path)
    try:
        return Brought(file, segment.first_timestamp_in(file.read), _indexes(segment), segment.read_transactions())
    except BaseException:
        file.close()
        raise


def _indexes(segment: Segment) -> tuple[OffsetIndex, TimeIndex] | None:
    try:
        return None if segment.indexes.are_loaded else segment.read_indexes()
    except (CorruptFile, NoSuchFile):
        return None
