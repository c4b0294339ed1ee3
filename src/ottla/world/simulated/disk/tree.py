"""Files and directories of a simulated disk, each in two states: what programs see, and what is on the platter.

A write changes what is seen, and waits in its file until a sync carries it over. A change of names (a file made,
renamed, unlinked) waits in the tree's journal until its directory is synced. Both wait as values, so that
`disk.crash` can draw which of them a loss of power keeps.

What is always true: the seen state is the stable one with everything that waits applied in order, except after a sync
that failed and dropped what waited. A file has one name. A change of names is one thing: a rename's two sides are both
done or both not.

What it does not do: paths, errors, faults and costs are `disk.disk`'s; no links, no permissions, no times.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

MAX_WAITING = 1_000  # of a file's writes, or of changes of names: what is older has been written back meanwhile


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes at a position."""

    position: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Resize:
    """A file cut, or extended with zeros."""

    size: int


def apply(content: bytearray, change: Write | Resize) -> None:
    """Do to some content what a program did to its file."""
    if isinstance(change, Resize):
        del content[change.size :]
        content.extend(bytes(change.size - len(content)))
        return
    if change.position > len(content):
        content.extend(bytes(change.position - len(content)))
    content[change.position : change.position + len(change.data)] = change.data


class FileNode:
    """A file, whatever it is called."""

    __slots__ = ("content", "is_linked", "stable", "waiting")

    def __init__(self) -> None:
        self.content = bytearray()  # as programs see it
        self.stable = bytearray()  # as it was synced last
        self.waiting: list[Write | Resize] = []
        self.is_linked = True

    def change(self, change: Write | Resize) -> None:
        """Do something to the file, unsynced."""
        apply(self.content, change)
        self.waiting.append(change)
        if len(self.waiting) > MAX_WAITING:
            for old in self.waiting[: MAX_WAITING // 2]:
                apply(self.stable, old)
            del self.waiting[: MAX_WAITING // 2]

    def waiting_bytes(self) -> int:
        """How much a sync has to write."""
        return sum(len(change.data) for change in self.waiting if isinstance(change, Write))

    def sync(self) -> None:
        """What waits is stable."""
        for change in self.waiting:
            apply(self.stable, change)
        self.waiting.clear()

    def settle(self, content: bytearray) -> None:
        """From now on hold this, and nothing waits."""
        self.content, self.stable = content, bytearray(content)
        self.waiting.clear()


class DirectoryNode:
    """A directory, whatever it is called."""

    __slots__ = ("entries", "stable")

    def __init__(self) -> None:
        self.entries: dict[str, FileNode | DirectoryNode] = {}
        self.stable: dict[str, FileNode | DirectoryNode] = {}


TreeNode = FileNode | DirectoryNode


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A name in a directory."""

    directory: DirectoryNode
    name: str

    def key(self) -> tuple[int, str]:
        """What tells it from other names."""
        return id(self.directory), self.name


@dataclass(frozen=True, slots=True, eq=False)
class NameChange:
    """Something made (added), unlinked (removed), or renamed (both)."""

    node: TreeNode
    removed: Entry | None = None
    added: Entry | None = None

    def entries(self) -> Iterator[Entry]:
        """The names that it touches."""
        if self.removed is not None:
            yield self.removed
        if self.added is not None:
            yield self.added

    def apply_to_seen(self) -> None:
        """Do it, as programs see it."""
        if self.removed is not None:
            del self.removed.directory.entries[self.removed.name]
        if self.added is not None:
            self.added.directory.entries[self.added.name] = self.node

    def apply_to_stable(self) -> None:
        """Do it on the platter."""
        if self.removed is not None:
            self.removed.directory.stable.pop(self.removed.name, None)
        if self.added is not None:
            self.added.directory.stable[self.added.name] = self.node

    def moves(self) -> bool:
        """Whether it takes something from one directory into another."""
        return None not in (self.removed, self.added) and len({id(entry.directory) for entry in self.entries()}) > 1


@dataclass(slots=True)
class Tree:
    """Everything on a disk."""

    root: DirectoryNode = field(default_factory=DirectoryNode)
    journal: list[NameChange] = field(default_factory=list)  # changes that are not synced, in their order

    def change(self, change: NameChange) -> None:
        """Change a name, unsynced."""
        change.apply_to_seen()
        self.journal.append(change)
        if len(self.journal) > MAX_WAITING:
            for old in self.journal[: MAX_WAITING // 2]:
                old.apply_to_stable()
            del self.journal[: MAX_WAITING // 2]

    def sync(self, directory: DirectoryNode) -> None:
        """The names in a directory are stable, with every older change without which they could not be.

        That the directory itself has a name is for its parent's sync to say.
        """
        names: set[tuple[int, str]] = set()
        nodes: set[int] = set()
        emptied: set[int] = set()  # directories that were removed: what was taken out of them must be out
        reached: set[int] = set()  # directories that something was moved to: they must be there
        needed: list[NameChange] = []
        for change in reversed(self.journal):
            entries = list(change.entries())
            if (
                any(entry.directory is directory or id(entry.directory) in emptied for entry in entries)
                or any(entry.key() in names for entry in entries)
                or id(change.node) in nodes
                or (change.added is not None and id(change.node) in reached)
            ):
                needed.append(change)
                names.update(entry.key() for entry in entries)
                nodes.add(id(change.node))
                if change.added is None:
                    emptied.add(id(change.node))
                elif change.moves() or id(change.node) in reached:
                    reached.add(id(change.added.directory))
        for change in reversed(needed):
            change.apply_to_stable()
        done = {id(change) for change in needed}
        self.journal = [change for change in self.journal if id(change) not in done]

    def sync_all(self) -> None:
        """All names are stable."""
        for change in self.journal:
            change.apply_to_stable()
        self.journal.clear()

    def files(self) -> Iterator[tuple[str, FileNode]]:
        """Every file that is seen, by its path, in the order of paths."""
        yield from _files(self.root, "")


def _files(directory: DirectoryNode, path: str) -> Iterator[tuple[str, FileNode]]:
    for name, node in sorted(directory.entries.items()):
        if isinstance(node, FileNode):
            yield f"{path}/{name}", node
        else:
            yield from _files(node, f"{path}/{name}")
