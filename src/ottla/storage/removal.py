"""Taking segments away: what retention deletes, what compaction replaces, and a whole log.

Files are not removed at once. They get the suffix `.deleted`, since readers may still have them, and go after
`file.delete.delay.ms`; what a stop leaves of them is removed when the log is loaded.

Compaction's segments come in by Kafka's protocol, so that a crash at any moment leaves the old segments or the new:
synced as `.cleaned`, renamed to `.swap` from the last to the first, and from then on they count; then the old ones
become `.deleted`, then `.swap` goes from the names. Where Kafka trusts the file system to keep the order of renames, we
sync the directory between the steps.

Always true: a segment is out of the log before its files change; there is always one left.
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ottla.errors import DiskError, NoSuchFile
from ottla.storage.cold_reading import bring_indexes
from ottla.storage.log_config import LogConfig
from ottla.storage.names import FileState
from ottla.storage.retention import LogBounds, deletable
from ottla.storage.segments.indexes import file_path
from ottla.storage.segments.segment import SEGMENT_KINDS, Segment, create_files
from ottla.world.api import Disk, File

if TYPE_CHECKING:
    from ottla.storage.log import Log


async def delete_old_segments(log: "Log") -> int:
    """Delete what has served its time; the log begins with what is left."""
    segments = list(log.segments)
    count = _deletable_count(log, segments)
    if count == len(segments):
        await log.roll_in_turn()
        segments = list(log.segments)  # whoever had the log before us may have appended to it
        count = min(_deletable_count(log, segments), len(segments) - 1)
    if not count:
        return 0
    gone = segments[:count]
    following = log.segments.higher(gone[-1].base_offset)
    assert following is not None, "a log is never without a segment"
    if following.base_offset > log.log_start_offset:
        log.maybe_increment_log_start_offset(following.base_offset)
    await discard(log, gone)
    return count


def _deletable_count(log: "Log", segments: Sequence[Segment]) -> int:
    """How many of a log's segments, from the first on, have served their time."""
    bounds = LogBounds(log.log_start_offset, log.high_watermark, log.log_end_offset)
    now_ms = log.services.world.clock.wall_ms()
    return sum(deletion.segment_count for deletion in deletable(segments, log.config, bounds, now_ms))


async def discard(log: "Log", gone: Sequence[Segment]) -> None:
    """Take segments out of the log at once, rename their files in a thread, and remove them after the delay."""
    for segment in gone:
        if segment in log.segments:
            log.segments.remove(segment.base_offset)
    await rename_away(log, gone)
    log.snapshots.forget_all(segment.base_offset for segment in gone)
    delete_later(log, gone)


async def rename_away(log: "Log", gone: Sequence[Segment]) -> None:
    """Give segments the names of deleted ones. Readers that have them may go on."""
    await _rename(log, gone, FileState.DELETED)


async def replace_segments(log: "Log", new: Sequence[Segment], old: Sequence[Segment]) -> None:
    """Put cleaned segments into the place of others. Those of the old that are gone already do not matter."""
    assert new, "compaction leaves an empty segment, never none"
    world = log.services.world
    new = sorted(new, key=lambda segment: segment.base_offset)
    try:
        await world.threads.run(_finish_all, new, log.config)
        await _rename(log, new[::-1], FileState.SWAP)
        gone = [segment for segment in old if segment in log.segments]
        for segment in gone:
            log.segments.remove(segment.base_offset)
        for segment in new:
            log.segments.add(segment)
        log.truncations += 1
        await _rename(log, gone, FileState.DELETED)
        await _rename(log, new, FileState.LIVE)
    except DiskError as error:
        raise log.fail(error) from None
    kept = {segment.base_offset for segment in new}
    log.snapshots.forget_all(segment.base_offset for segment in gone if segment.base_offset not in kept)
    delete_later(log, gone)


async def new_cleaned_segment(log: "Log", base_offset: int) -> Segment:
    """An empty segment for compaction to write into, whose files are made in a thread: half a millisecond."""
    world, files = log.services.world, log.services.files
    file = await world.threads.run(_make_cleaned, world.disk, log.directory, base_offset, log.config)
    interval = log.config.index_interval_bytes
    segment = Segment(files, log.directory, base_offset, index_interval_bytes=interval, state=FileState.CLEANED)
    segment.created(file, 0, 0)
    return segment


def _make_cleaned(disk: Disk, directory: str, base_offset: int, config: LogConfig) -> File:
    """What a former try left is removed."""
    remove_files(disk, directory, base_offset, FileState.CLEANED)
    return create_files(disk, directory, base_offset, config, FileState.CLEANED)


async def delete(log: "Log") -> None:
    """Remove everything in the log's directory, and the directory."""
    for segment in log.segments:
        segment.close()
    await log.services.world.threads.run(remove_directory, log.services.world.disk, log.directory)


def remove_directory(disk: Disk, directory: str) -> None:
    """Remove a directory of files. What is gone already is no fault."""
    with suppress(NoSuchFile):
        for entry in disk.list(directory):
            disk.unlink(f"{directory}/{entry.name}")
        disk.remove_directory(directory)


def remove_files(disk: Disk, directory: str, base_offset: int, state: FileState) -> None:
    """Remove the files of a segment, as far as they are there."""
    for kind in SEGMENT_KINDS:
        with suppress(NoSuchFile):
            disk.unlink(file_path(directory, base_offset, kind, state))


async def _rename(log: "Log", segments: Sequence[Segment], state: FileState) -> None:
    """Rename files in a thread, one segment after the other, and bring the names to the disk.

    Readers may come meanwhile, and must not look for a file under either name: so all is open and in memory first.
    """
    world, files = log.services.world, log.services.files
    pinned: list[Segment] = []
    try:
        for segment in segments:
            files.pin(segment.file)
            pinned.append(segment)
            await bring_indexes(log, segment)
            segment.loaded_indexes()
            segment.loaded_transactions()
        names = [(segment.directory, segment.base_offset, segment.state, state) for segment in segments]
        await world.threads.run(rename_all, world.disk, names)
    except DiskError as error:
        raise log.fail(error) from None
    finally:
        for segment in pinned:
            files.unpin(segment.file)
    for segment in segments:
        segment.renamed(state)


def rename_all(disk: Disk, names: Sequence[tuple[str, int, FileState, FileState]]) -> None:
    """Give the files of segments another suffix. The .log goes first: the others are found, or not missed, by it."""
    for directory, base_offset, old, new in names:
        for kind in SEGMENT_KINDS:
            with suppress(NoSuchFile):
                disk.rename(file_path(directory, base_offset, kind, old), file_path(directory, base_offset, kind, new))
        disk.sync_directory(directory)


def _finish_all(segments: Sequence[Segment], config: LogConfig) -> None:
    """Nobody but the cleaner has seen these segments yet, so a thread may change them."""
    for segment in segments:
        segment.become_inactive(config)
        segment.sync()


def delete_later(log: "Log", gone: Sequence[Segment]) -> None:
    """Remove the files of segments after the delay, unless the log stops before that."""
    world = log.services.world

    async def remove() -> None:
        for segment in gone:
            segment.close()
            try:
                await world.threads.run(remove_files, world.disk, segment.directory, segment.base_offset, segment.state)
            except DiskError as error:
                log.fail(error)

    def begin() -> None:
        world.spawn(remove(), f"delete segments of {log.topic_partition}")

    if gone:
        world.clock.call_at(world.clock.monotonic_ms() + log.config.file_delete_delay_ms, begin)
