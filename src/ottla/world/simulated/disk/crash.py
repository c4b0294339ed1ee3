"""What a loss of power leaves of a disk.

Of each file, every sector holds one of the contents that it had since it was synced, and the size is one of those that
the file had, or ends where a write was torn: a write may be there, absent, or torn between sectors, and zeros may stand
where nothing was written. Of the changes of names, any that need no lost one may be there. How bad it is, is drawn
first: all was written back by luck, nothing was, everything up to some moment, or anything.

What is always true: what was synced is there, byte for byte, unless a program changed it afterwards; what is there was
written at some time, or is zero; a rename happened or it did not, so of its file one name is left.
"""

from collections.abc import Iterable
from enum import Enum
from random import Random

from ottla.world.simulated.disk.tree import DirectoryNode, FileNode, NameChange, Resize, Tree, Write, apply

SECTOR_BYTES = 512  # what a drive writes whole or not at all


class Luck(Enum):
    """How much of what was not synced is there."""

    ALL = "all of it"
    NOTHING = "nothing of it"
    PREFIX = "what came before some moment"
    ANYTHING = "any of it"


LUCK = (Luck.ALL, Luck.NOTHING, Luck.PREFIX, Luck.PREFIX, Luck.ANYTHING, Luck.ANYTHING)


def lose_power(tree: Tree, rng: Random) -> str:
    """Leave of a disk what a loss of power does; says what became of it."""
    waiting = len(tree.journal)
    kept = surviving_changes(tree.journal, rng)
    for change in kept:
        change.apply_to_stable()
    tree.journal.clear()
    _show_stable(tree.root)
    unsynced = 0
    for _, file in tree.files():
        unsynced += bool(file.waiting)
        file.settle(surviving_content(file, rng))
    return f"{unsynced} files had unsynced writes, {waiting - len(kept)} of {waiting} changes of names are lost"


def surviving_content(file: FileNode, rng: Random) -> bytearray:
    """What a file holds after a loss of power."""
    content = bytearray(file.stable)
    if not file.waiting:
        return content
    luck = rng.choice(LUCK)
    if luck is Luck.ANYTHING:
        return _any_sectors(content, file.waiting, rng)
    count = len(file.waiting) if luck is Luck.ALL else 0
    if luck is Luck.PREFIX:
        count = rng.randrange(len(file.waiting))
    for change in file.waiting[:count]:
        apply(content, change)
    if luck is Luck.PREFIX:
        _tear(content, file.waiting[count], rng)
    return content


def _tear(content: bytearray, change: Write | Resize, rng: Random) -> None:
    """Some sectors of one write, from its start; the file may be as long as if all were there."""
    if isinstance(change, Resize):
        return
    sectors = rng.randrange(change.position // SECTOR_BYTES, _sector_behind(change) + 1)
    whole_size = max(len(content), change.position + len(change.data))
    part = change.data[: max(0, sectors * SECTOR_BYTES - change.position)]
    if part:
        apply(content, Write(change.position, part))
    if rng.random() < 0.5:
        apply(content, Resize(whole_size))


def _any_sectors(content: bytearray, changes: Iterable[Write | Resize], rng: Random) -> bytearray:
    """Of every sector any of its contents, and any of the sizes."""
    sizes = [len(content)]
    touched: dict[int, list[Write | Resize]] = {}
    for change in changes:
        size = sizes[-1]
        if isinstance(change, Resize):
            sectors = range(min(size, change.size) // SECTOR_BYTES, -(-size // SECTOR_BYTES))
            sizes.append(change.size)
        else:
            sectors = range(change.position // SECTOR_BYTES, _sector_behind(change))
            sizes.append(max(size, change.position + len(change.data)))
        for sector in sectors:
            touched.setdefault(sector, []).append(change)
    content.extend(bytes(max(sizes) - len(content)))
    for sector, history in touched.items():
        for change in history[: rng.randrange(len(history) + 1)]:
            _apply_to_sector(content, sector, change)
    apply(content, Resize(rng.choice(sizes)))
    return content


def _sector_behind(write: Write) -> int:
    """The first sector that a write does not touch any more."""
    return -(-(write.position + len(write.data)) // SECTOR_BYTES)


def _apply_to_sector(content: bytearray, sector: int, change: Write | Resize) -> None:
    """The part of a change that is in one sector; the content is long enough already."""
    start, end = sector * SECTOR_BYTES, min((sector + 1) * SECTOR_BYTES, len(content))
    if isinstance(change, Resize):
        start = min(end, max(start, change.size))
        content[start:end] = bytes(end - start)
        return
    start, end = max(start, change.position), min(end, change.position + len(change.data))
    content[start:end] = change.data[start - change.position : end - change.position]


def surviving_changes(journal: list[NameChange], rng: Random) -> list[NameChange]:
    """Which changes of names are there after a loss of power, in their order."""
    luck = rng.choice(LUCK)
    if luck is Luck.PREFIX:
        return journal[: rng.randrange(len(journal) + 1)]
    if luck is not Luck.ANYTHING:
        return list(journal) if luck is Luck.ALL else []
    kept: list[NameChange] = []
    names: set[tuple[int, str]] = set()  # what a lost change has touched: nothing later can have happened to it
    nodes: set[int] = set()
    used: set[int] = set()  # directories that a lost change was in: they were not empty yet
    for change in journal:
        entries = list(change.entries())
        if (
            rng.random() < 0.5
            or id(change.node) in nodes
            or any(entry.key() in names for entry in entries)
            or (change.added is not None and id(change.added.directory) in nodes)
            or (change.added is None and id(change.node) in used)
        ):
            names.update(entry.key() for entry in entries)
            nodes.add(id(change.node))
            used.update(id(entry.directory) for entry in entries)
        else:
            kept.append(change)
    return kept


def _show_stable(directory: DirectoryNode) -> None:
    """After a loss of power programs see what is on the platter."""
    directory.entries = dict(sorted(directory.stable.items()))
    for node in directory.entries.values():
        if isinstance(node, DirectoryNode):
            _show_stable(node)
