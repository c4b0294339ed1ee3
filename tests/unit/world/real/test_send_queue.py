"""The queue of a connection, against a plain string of bytes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import DiskError
from ottla.world.api import Chunk, FileRange
from ottla.world.real.disk import RealDisk
from ottla.world.real.file import RealFile
from ottla.world.real.file_ranges import read_range
from ottla.world.real.send_queue import SendQueue

CONTENT = bytes(range(256))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> RealFile:
    """A file with every byte once."""
    path = tmp_path_factory.mktemp("queue") / "file"
    path.write_bytes(CONTENT)
    return RealDisk().open(str(path), read_only=True)


def take(queue: SendQueue, limit: int) -> bytes:
    """The next bytes, as a stream would send them."""
    range_ = queue.first_range()
    if range_ is None:
        taken = queue.take_bytes(limit)
        assert all(len(chunk) for chunk in taken)
        return b"".join(taken)
    data = read_range(range_, limit)
    queue.advance(len(data))
    return data


Piece = bytes | tuple[int, int]
pieces = st.lists(st.lists(st.binary(max_size=20) | st.tuples(st.integers(0, 200), st.integers(0, 50)), max_size=5))


@given(pieces, st.lists(st.integers(1, 30)))
def test_what_is_taken_is_what_was_added(file: RealFile, writes: list[list[Piece]], limits: list[int]) -> None:
    """Bytes and ranges of files come out in the order in which they went in, however they are cut, and are counted."""
    queue, expected, got = SendQueue(), bytearray(), bytearray()
    for number, write in enumerate(writes):
        chunks: list[Chunk] = [piece if isinstance(piece, bytes) else FileRange(file, *piece) for piece in write]
        queue.add(chunks)
        for piece in write:
            expected += piece if isinstance(piece, bytes) else CONTENT[piece[0] : piece[0] + piece[1]]
        assert queue.size == len(expected) - len(got)
        if number < len(limits):
            taken = take(queue, limits[number])
            assert len(taken) <= limits[number]
            got += taken
    while queue.size:
        got += take(queue, 7)
    assert got == expected
    assert take(queue, 7) == b""
    assert queue.first_range() is None


def test_large_chunks_are_not_copied() -> None:
    """A chunk that is taken in parts is taken as views of itself, and a whole one as itself."""
    queue, chunk = SendQueue(), bytes(1_000)
    queue.add([chunk])
    assert queue.take_bytes(1_000) == [chunk]
    queue.add([chunk])
    for _ in range(4):
        (part,) = queue.take_bytes(250)
        assert isinstance(part, memoryview)
        assert part.obj is chunk
    assert queue.size == 0


def test_a_closed_file_is_refused_and_nothing_is_added(file: RealFile, tmp_path: Path) -> None:
    """A range of a file that is closed already is DiskError with its path; a file may be closed once it is queued."""
    other = RealDisk().open(str(tmp_path / "other"), create=True)
    other.write(0, [b"0123456789"])
    queue = SendQueue()
    queue.add([b"ab", FileRange(other, 2, 3)])
    other.close()
    with pytest.raises(DiskError, match="other"):
        queue.add([b"cd", FileRange(other, 0, 1)])
    assert queue.size == 5
    assert [take(queue, 100), take(queue, 100), take(queue, 100)] == [b"ab", b"234", b""]


def test_a_range_behind_the_end_of_its_file_is_told(file: RealFile) -> None:
    """What the file does not have is DiskError which says where it ends."""
    queue = SendQueue()
    queue.add([FileRange(file, 250, 10)])
    assert take(queue, 100) == CONTENT[250:]
    with pytest.raises(DiskError, match=r"file ends at 256, 4 bytes before its range"):
        take(queue, 100)


def test_what_is_cleared_is_gone(file: RealFile) -> None:
    """An aborted connection forgets everything."""
    queue = SendQueue()
    queue.add([b"ab", FileRange(file, 2, 3)])
    queue.clear()
    assert queue.size == 0
    assert queue.first_range() is None
    assert take(queue, 10) == b""
