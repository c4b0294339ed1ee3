"""A life's `Disk`: paths, names and locks of its machine's disk, with the errors that a system gives.

What is always true: a call that fails has changed no name; what strikes a call is asked for before anything is changed.
What survives which death is said in `disk.tree` and `disk.crash`.
"""

import errno
from collections.abc import Sequence

from ottla.errors import LockHeld
from ottla.world.api import DirectoryEntry
from ottla.world.simulated.disk.calls import NANOSECONDS, Calls, refusal
from ottla.world.simulated.disk.faults import DiskFaultKind
from ottla.world.simulated.disk.file import SimulatedFile, SimulatedLock
from ottla.world.simulated.disk.machine import MachineDisk
from ottla.world.simulated.disk.tree import DirectoryNode, Entry, FileNode, NameChange, TreeNode
from ottla.world.simulated.loop import NodeLoop

OPEN_FILES_MAX = 4_096


class SimulatedDisk:
    """What a life sees of its machine's disk."""

    def __init__(self, machine: MachineDisk, loop: NodeLoop) -> None:
        self._machine, self._tree, self._calls = machine, machine.tree, Calls(machine, loop)

    # Files

    def open(
        self, path: str, *, create: bool = False, exclusive: bool = False, read_only: bool = False
    ) -> SimulatedFile:
        """Open a file, or make it."""
        self._calls.begin(path, "open", NANOSECONDS.name)
        if not read_only:
            self._calls.may_fail(DiskFaultKind.READ_ONLY, path, "open")
        return SimulatedFile(path, self._opened(path, create, exclusive), self._calls, read_only=read_only)

    def unlink(self, path: str) -> None:
        """Remove a file."""
        self._begin_change(path, "unlink")
        entry = self._entry(path)
        node = self._existing(path)
        if isinstance(node, DirectoryNode):
            raise refusal(path, errno.EISDIR)
        self._forget(node)
        self._tree.change(NameChange(node, removed=entry))

    def lock(self, path: str) -> SimulatedLock:
        """Lock a file, made if missing."""
        self._calls.begin(path, "lock", NANOSECONDS.name)
        self._calls.may_fail(DiskFaultKind.READ_ONLY, path, "lock")
        node = self._opened(path, create=True, exclusive=False)
        if id(node) in self._machine.locks:
            raise LockHeld(f"{path} is locked by another process or node", path=path, errno=errno.EAGAIN)
        return SimulatedLock(self._machine.locks, node, self._calls)

    # Directories

    def make_directory(self, path: str) -> None:
        """Make a directory and its parents."""
        self._calls.begin(path, "make", NANOSECONDS.name)
        node: TreeNode = self._tree.root
        for part in self._calls.parts(path):
            if isinstance(node, FileNode):
                raise refusal(path, errno.ENOTDIR)
            child = node.entries.get(part)
            if child is None:
                self._may_not_grow(path, "make")
                child = DirectoryNode()
                self._tree.change(NameChange(child, added=Entry(node, part)))
            node = child
        if isinstance(node, FileNode):
            raise refusal(path, errno.EEXIST)

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""
        self._begin_change(path, "remove")
        node, entry = self._directory(path), self._entry(path)
        if node.entries:
            raise refusal(path, errno.ENOTEMPTY)
        self._tree.change(NameChange(node, removed=entry))

    def list(self, path: str) -> Sequence[DirectoryEntry]:
        """What is in a directory, by name."""
        self._calls.begin(path, "list", NANOSECONDS.name)
        self._calls.may_fail(DiskFaultKind.READ_ERROR, path, "list")
        return [
            DirectoryEntry(
                name, isinstance(node, DirectoryNode), len(node.content) if isinstance(node, FileNode) else 0
            )
            for name, node in sorted(self._directory(path).entries.items())
        ]

    def sync_directory(self, path: str) -> None:
        """The names in a directory are stable."""
        self._calls.begin(path, "sync", NANOSECONDS.sync(0, self._calls.rng))
        directory = self._directory(path)
        self._calls.may_fail(DiskFaultKind.SYNC_ERROR, path, "sync")
        self._tree.sync(directory)

    # Either

    def rename(self, source: str, target: str) -> None:
        """Move something, replacing a file, in one step."""
        self._begin_change(source, "rename")
        self._may_not_change(target, "rename")
        removed, node, added = self._entry(source), self._existing(source), self._entry(target)
        replaced = added.directory.entries.get(added.name)
        if replaced is node:
            return
        if isinstance(node, FileNode):
            if isinstance(replaced, DirectoryNode):
                raise refusal(target, errno.EISDIR)
            if replaced is not None:
                self._forget(replaced)
        else:
            if isinstance(replaced, FileNode):
                raise refusal(target, errno.ENOTDIR)
            if self._is_inside(target, node):
                raise refusal(target, errno.EINVAL)
            if replaced is not None:
                if replaced.entries:
                    raise refusal(target, errno.ENOTEMPTY)
                self._tree.sync_all()  # what was moved out of the old directory must be out before it is gone
        self._tree.change(NameChange(node, removed=removed, added=added))

    def exists(self, path: str) -> bool:
        """Whether there is something."""
        self._calls.begin(path, "look", NANOSECONDS.name)
        return self._find(path) is not None

    def free_bytes(self, path: str) -> int:
        """How much more fits; nothing where the disk counts as full."""
        self._calls.begin(path, "look", NANOSECONDS.name)
        self._existing(path)
        return 0 if self._calls.strikes(DiskFaultKind.FULL, path, "look") else self._calls.free_bytes()

    def total_bytes(self, path: str) -> int:
        """How much the disk holds altogether."""
        self._calls.begin(path, "look", NANOSECONDS.name)
        self._existing(path)
        return self._calls.machine.capacity_bytes

    def open_files_max(self) -> int:
        """As many as most systems let a process have."""
        return OPEN_FILES_MAX

    # Ways

    def _opened(self, path: str, create: bool, exclusive: bool) -> FileNode:
        entry = self._entry(path)
        node = entry.directory.entries.get(entry.name)
        if isinstance(node, DirectoryNode):
            raise refusal(path, errno.EISDIR)
        if node is not None:
            if create and exclusive:
                raise refusal(path, errno.EEXIST)
            return node
        if not create:
            raise refusal(path, errno.ENOENT)
        self._may_not_grow(path, "make")
        node = FileNode()
        self._tree.change(NameChange(node, added=entry))
        return node

    def _find(self, path: str) -> TreeNode | None:
        node: TreeNode | None = self._tree.root
        for part in self._calls.parts(path):
            node = node.entries.get(part) if isinstance(node, DirectoryNode) else None
        return node

    def _existing(self, path: str) -> TreeNode:
        node = self._find(path)
        if node is None:
            raise refusal(path, errno.ENOENT)
        return node

    def _directory(self, path: str) -> DirectoryNode:
        node = self._existing(path)
        if isinstance(node, FileNode):
            raise refusal(path, errno.ENOTDIR)
        return node

    def _entry(self, path: str) -> Entry:
        """The place of a name, whether or not something is there; its directory must be."""
        *parents, name = self._calls.parts(path) or [""]
        directory = self._find("/".join(parents))
        if directory is None:
            raise refusal(path, errno.ENOENT)
        if isinstance(directory, FileNode):
            raise refusal(path, errno.ENOTDIR)
        if not name:
            raise refusal(path, errno.EBUSY)  # the root is nobody's entry
        return Entry(directory, name)

    def _is_inside(self, path: str, directory: DirectoryNode) -> bool:
        parts = self._calls.parts(path)
        return any(self._find("/".join(parts[:count])) is directory for count in range(1, len(parts) + 1))

    def _forget(self, file: FileNode) -> None:
        self._calls.resized(file, -len(file.content))
        file.is_linked = False

    def _begin_change(self, path: str, what: str) -> None:
        self._calls.begin(path, what, NANOSECONDS.name)
        self._may_not_change(path, what)

    def _may_not_change(self, path: str, what: str) -> None:
        self._calls.may_fail(DiskFaultKind.READ_ONLY, path, what)
        self._calls.may_fail(DiskFaultKind.WRITE_ERROR, path, what)

    def _may_not_grow(self, path: str, what: str) -> None:
        self._may_not_change(path, what)
        if self._calls.strikes(DiskFaultKind.FULL, path, what):
            raise refusal(path, errno.ENOSPC)
