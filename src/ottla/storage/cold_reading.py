"""Bringing into memory what a read on the loop did not find there.

`Log.read` never waits for a disk: what it misses it tells (`NotCached`), a thread brings that, and the read is made
again, step by step, until nothing is missing. There are three things to miss: bytes that the read itself looks at; the
bytes of a range, which whoever sends it would wait for on the loop (sendfile does not say what it would block on); and
the indexes of a segment that nobody has used for a while.

Always true: what was brought before a cut is not believed behind it; what is brought is kept for this one read alone,
and the indexes in their segment. Opening a file again that the pool has closed stays on the loop: 20 µs.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage.reading import Brought, FetchedRecords, FetchIsolation, IndexesForgotten, NotCached, blocking

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.segments.segment import Segment

COLD_STEPS_MAX: Final = 32  # of a read: each brings what stopped the one before; then the loop waits for the disk


async def read_cold(
    log: "Log", offset: int, max_bytes: int, isolation: FetchIsolation, *, min_one_message: bool, as_range: bool
) -> FetchedRecords:
    """`Log.read`, however much of it has to be brought."""
    read = partial(log.read, offset, max_bytes, isolation, min_one_message=min_one_message, as_range=as_range)
    brought, truncations = Brought(), log.truncations
    for _ in range(COLD_STEPS_MAX):
        try:
            return read(reader=brought.reader)
        except IndexesForgotten as missing:
            await bring_indexes(log, missing.segment)
        except NotCached as missing:
            data = await _bytes(log, missing)
            if truncations == log.truncations:
                brought.add(missing, data)
        if truncations != log.truncations:  # what was brought may have been cut since
            brought, truncations = Brought(), log.truncations
    return read(reader=blocking)


async def _bytes(log: "Log", missing: NotCached) -> bytes:
    files, handle = log.services.files, missing.segment.file
    file = files.pin(handle)
    try:
        return await log.services.world.threads.run(file.read, missing.position, missing.size)
    finally:
        files.unpin(handle)


async def bring_indexes(log: "Log", segment: "Segment") -> None:
    """Have the indexes of a segment in memory. The files are read in a thread, unless they have to be made anew."""
    indexes = segment.indexes
    if indexes.are_loaded:
        return
    saved = indexes.sizes()
    try:
        found = await log.services.world.threads.run(segment.read_indexes)
    except (CorruptFile, NoSuchFile):
        segment.loaded_indexes()  # they are damaged, or were renamed meanwhile
        return
    if indexes.sizes() == saved:  # nobody has loaded and changed them meanwhile
        indexes.install(*found)
