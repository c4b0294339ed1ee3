"""Files that a stop left half-way through a deletion or a compaction, resolved when a log is loaded.

`.deleted` files go. `.cleaned` ones were being written, and go; so do `.swap` ones from the least offset of a
`.cleaned` on: they were renamed from the last to the first, so the replacement was never whole. What is left of `.swap`
is whole: the files whose offsets it covers go, and then it takes its name.

Always true: done again after a crash in the middle, the same comes out, since the directory is synced between the
steps.
"""

from ottla.errors import CorruptFile
from ottla.storage.names import FileKind, FileName, FileState, parse_file_name
from ottla.storage.recovery.report import RecoveryReport
from ottla.storage.segments.scan import places
from ottla.world.api import Disk


def resolve_leftovers(disk: Disk, directory: str, report: RecoveryReport) -> None:
    """Leave live files alone in the directory, beside what is none of a segment's."""
    names = [name for entry in disk.list(directory) if (name := parse_file_name(entry.name)) and not entry.is_directory]
    cleaned = [name for name in names if name.state is FileState.CLEANED]
    swapped = [name for name in names if name.state is FileState.SWAP]
    first_cleaned = min((name.offset for name in cleaned), default=None)
    unfinished = [name for name in swapped if first_cleaned is not None and name.offset >= first_cleaned]
    gone = [name for name in names if name.state is FileState.DELETED]
    # The order matters: a .swap must not outlive the .cleaned that says that it is worth nothing.
    for some in (unfinished, [*cleaned, *gone]):
        _remove(disk, directory, some, report)
    finished = [name for name in swapped if name not in unfinished]
    if finished:
        _swap_in(disk, directory, finished, [name for name in names if name.state is FileState.LIVE], report)


def _swap_in(
    disk: Disk, directory: str, finished: list[FileName], live: list[FileName], report: RecoveryReport
) -> None:
    """Remove what the finished files replace, and give them their names."""
    first = last = None
    for name in finished:
        if name.kind is FileKind.LOG:
            end_offset = _end_offset(disk, directory, name)
            first = name.offset if first is None else min(first, name.offset)
            last = end_offset if last is None else max(last, end_offset)
    if first is not None and last is not None:
        _remove(disk, directory, [name for name in live if first <= name.offset < last], report)
    for name in finished:
        report.note(f"{directory}/{name}: compaction was interrupted behind it, swapped in")
        disk.rename(f"{directory}/{name}", f"{directory}/{name._replace(state=FileState.LIVE)}")
    disk.sync_directory(directory)


def _end_offset(disk: Disk, directory: str, name: FileName) -> int:
    """The offset behind the last batch of a .log; a damaged one ends where the damage is."""
    file = disk.open(f"{directory}/{name}", read_only=True)
    end_offset = name.offset
    try:
        for place in places(file.read, file.path, 0, file.size()):
            end_offset = place.last_offset + 1
    except CorruptFile:
        pass
    finally:
        file.close()
    return end_offset


def _remove(disk: Disk, directory: str, names: list[FileName], report: RecoveryReport) -> None:
    for name in names:
        report.note(f"{directory}/{name}: left by an interrupted deletion or compaction, removed")
        disk.unlink(f"{directory}/{name}")
    if names:
        disk.sync_directory(directory)
