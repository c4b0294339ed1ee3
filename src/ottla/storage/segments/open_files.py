"""Open files, no more than so many at a time: ten thousand partitions within `ulimit -n 4096`.

Whoever keeps a file keeps an `OpenFile` instead: a path, and a handle while it is open. `use` opens it again where the
pool has closed it. Which one is closed is decided by second chance: the oldest that was not used since it was last
looked at, which costs the hot path one attribute instead of a move in an ordered dict.

Always true: no more than `limit` handles are open, but for those that are pinned because a thread works on them. What
was written through a handle that the pool closed is in the page cache as before, and a later `sync` of the path,
through another handle, brings it to the disk.
"""

from collections.abc import Callable

from ottla.world.api import Disk, File


class OpenFile:
    """A file that may be closed behind its owner's back, and is opened again when it is used."""

    __slots__ = ("closing", "file", "path", "pins", "used")

    def __init__(self, path: str, closing: Callable[[], None] | None = None) -> None:
        """Nothing is opened yet. `closing` is called when the pool has closed the file to make room."""
        self.path = path
        self.file: File | None = None
        self.used = False
        self.pins = 0
        self.closing = closing


class OpenFiles:
    """The pool of one node, or of one log directory."""

    def __init__(self, disk: Disk, limit: int) -> None:
        """Keep at most `limit` files open."""
        assert limit > 0, "a pool without room"
        self.disk = disk
        self._limit = limit
        self._open: dict[OpenFile, None] = {}  # in the order in which they get their next look

    def __len__(self) -> int:
        """How many files are open."""
        return len(self._open)

    def use(self, handle: OpenFile) -> File:
        """The open file. The caller may use it until the next call of the pool, or pins it."""
        handle.used = True
        return handle.file or self._reopen(handle, create=False)

    def create(self, handle: OpenFile) -> File:
        """Make the file if it is missing, and open it."""
        handle.used = True
        return handle.file or self._reopen(handle, create=True)

    def adopt(self, handle: OpenFile, file: File) -> None:
        """Keep a file that was opened in a thread; if it has been opened here meanwhile, that one stays."""
        handle.used = True
        if handle.file is not None:
            file.close()
            return
        if len(self._open) >= self._limit:
            self._make_room()
        handle.file = file
        self._open[handle] = None

    def pin(self, handle: OpenFile) -> File:
        """The open file, which stays open until it is unpinned as often as it was pinned."""
        file = self.use(handle)
        handle.pins += 1
        return file

    def unpin(self, handle: OpenFile) -> None:
        """The thread is done with it."""
        assert handle.pins > 0, f"{handle.path} is not pinned"
        handle.pins -= 1

    def close(self, handle: OpenFile) -> None:
        """Give the handle up; the next use opens the file again."""
        if handle.file is not None:
            del self._open[handle]
            file, handle.file = handle.file, None
            file.close()

    def _reopen(self, handle: OpenFile, *, create: bool) -> File:
        if len(self._open) >= self._limit:
            self._make_room()
        file = handle.file = self.disk.open(handle.path, create=create)
        self._open[handle] = None
        return file

    def _make_room(self) -> None:
        """Close the oldest that was not used lately. Two rounds find one, unless all of them are pinned."""
        for _ in range(2 * len(self._open)):
            handle = next(iter(self._open))
            del self._open[handle]
            if handle.used or handle.pins:
                handle.used = False
                self._open[handle] = None
                continue
            file, handle.file = handle.file, None
            assert file is not None, f"{handle.path} is in the pool and not open"
            file.close()
            if handle.closing is not None:
                handle.closing()
            return
