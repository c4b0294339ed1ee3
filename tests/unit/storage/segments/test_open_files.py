"""The pool of open files: bounded, fair, and safe for who works on a file in a thread."""

import pytest

from ottla.errors import NoSuchFile
from ottla.storage.segments.open_files import OpenFile, OpenFiles
from ottla.world.api import World
from tests.unit.storage.logs import run


def test_no_more_than_the_limit_are_open() -> None:
    """Ten files are used through three handles, and each gives its own bytes whenever it is asked."""

    async def main(world: World) -> None:
        files = OpenFiles(world.disk, 3)
        handles = [OpenFile(f"/file-{at}") for at in range(10)]
        for at, handle in enumerate(handles):
            files.create(handle).write(0, [b"%d" % at])
            assert len(files) <= 3
        for _ in range(3):
            assert [files.use(handle).read(0, 9) for handle in handles] == [b"%d" % at for at in range(10)]
        assert len(files) == 3

    run(main)


def test_what_is_used_stays_open() -> None:
    """The one to be closed is one that nobody used since it was last looked at."""

    async def main(world: World) -> None:
        files = OpenFiles(world.disk, 3)
        closed: list[str] = []
        busy = OpenFile("/busy", lambda: closed.append("/busy"))
        files.create(busy)
        for at in range(20):
            path = f"/file-{at}"
            files.use(busy)
            files.create(OpenFile(path, lambda path=path: closed.append(path)))  # type: ignore[misc]
        assert closed.count("/busy") <= 1, "at first all of them are new, and the oldest goes"
        assert len(closed) >= 18

    run(main)


def test_a_pinned_file_is_not_closed() -> None:
    """A file that a thread works on stays open, even if the pool has more open than it should."""

    async def main(world: World) -> None:
        files = OpenFiles(world.disk, 1)
        pinned, other = OpenFile("/pinned"), OpenFile("/other")
        files.create(pinned)
        file = files.pin(pinned)
        files.create(other)
        assert len(files) == 2
        file.write(0, [b"still open"])
        files.unpin(pinned)
        with pytest.raises(AssertionError):
            files.unpin(pinned)

    run(main)


def test_closing_gives_the_handle_up() -> None:
    """A closed file is opened again by its next use, twice closing does nothing, and a missing file is told."""

    async def main(world: World) -> None:
        files = OpenFiles(world.disk, 2)
        handle = OpenFile("/file")
        with pytest.raises(NoSuchFile):
            files.use(handle)
        files.create(handle).write(0, [b"there"])
        files.close(handle)
        files.close(handle)
        assert len(files) == 0
        assert files.use(handle).read(0, 9) == b"there"

    run(main)
