"""What a real file does when the system does less than it was asked to, or refuses."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.errors import DiskError, DiskFull, NoSuchFile
from ottla.world.real import file as file_module
from ottla.world.real.disk import RealDisk
from ottla.world.real.file import IOV_MAX, SPARE_BYTES, RealFile, after, disk_error


def new_file(folder: Path, content: bytes = b"") -> RealFile:
    """A file on a disk of its own."""
    file = RealDisk().open(str(folder / "file"), create=True)
    file.write(0, [content])
    return file


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chunks=st.lists(st.binary(max_size=9), max_size=9), most=st.integers(1, 12), position=st.integers(0, 5))
def test_a_short_write_is_continued(tmp_path: Path, chunks: list[bytes], most: int, position: int) -> None:
    """A write that the system cuts short is continued where it stopped, until all chunks stand in the file."""

    def stingy(number: int, chunks: Sequence[bytes], position: int) -> int:
        return os.pwrite(number, b"".join(chunks)[:most], position)

    file = new_file(tmp_path)
    file.truncate(0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "pwritev", stingy)
        assert file.write(position, chunks) == len(b"".join(chunks))
    expected = bytes(position) + b"".join(chunks) if any(chunks) else b""
    assert file.read(0, 1_000) == expected
    file.close()


def test_a_write_that_makes_no_progress_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes no byte and names no reason is not asked for ever: the write fails with EIO."""
    file = new_file(tmp_path)
    monkeypatch.setattr(os, "pwritev", lambda *_: 0)
    with pytest.raises(DiskError, match=r"cannot write .*file") as refused:
        file.write(0, [b"abc"])
    assert refused.value.errno == errno.EIO
    file.close()


@given(st.lists(st.binary(max_size=5), max_size=5), st.integers(0, 25))
def test_what_is_left_of_chunks(chunks: list[bytes], count: int) -> None:
    """What is left behind so many bytes are the bytes behind them."""
    assert b"".join(after(chunks, count)) == b"".join(chunks)[count:]


def test_a_system_call_gets_as_many_chunks_as_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write of many chunks is made in calls of at most IOV_MAX, and no more calls than it needs."""
    counts, pwritev = [], os.pwritev

    def counting(number: int, chunks: Sequence[bytes], position: int) -> int:
        counts.append(len(chunks))
        return pwritev(number, chunks, position)

    file = new_file(tmp_path)
    monkeypatch.setattr(os, "pwritev", counting)
    assert file.write(0, [b"ab"] * (2 * IOV_MAX + 1)) == 4 * IOV_MAX + 2
    assert counts == [IOV_MAX, IOV_MAX, 1]
    assert file.size() == 4 * IOV_MAX + 2
    file.close()


@pytest.mark.parametrize("most", [1, 3, 10, 11])
def test_a_short_read_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """A read that the system cuts short is continued until there is as much as was asked for, or the file ends."""
    pread = os.pread
    file = new_file(tmp_path, b"0123456789")
    monkeypatch.setattr(os, "pread", lambda number, size, position: pread(number, min(size, most), position))
    assert file.read(2, 6) == b"234567"
    assert file.read(2, 100) == b"23456789"
    assert file.read(10, 5) == b""
    file.close()


def test_a_full_disk_is_told_as_such() -> None:
    """A write for which there is no room is DiskFull, with path and number."""
    file = RealDisk().open("/dev/full")
    with pytest.raises(DiskFull, match="cannot write /dev/full: No space left on device") as refused:
        file.write(0, [b"x"])
    assert (refused.value.path, refused.value.errno) == ("/dev/full", errno.ENOSPC)
    file.close()


def test_a_disk_that_cannot_read_is_told_as_such() -> None:
    """A read that fails is a DiskError with the system's number. (Page 0 of a process is never there.)"""
    file = RealDisk().open("/proc/self/mem", read_only=True)
    with pytest.raises(DiskError, match="cannot read /proc/self/mem") as refused:
        file.read(0, 10)
    assert (refused.value.path, refused.value.errno) == ("/proc/self/mem", errno.EIO)
    file.close()


def test_a_file_that_cannot_be_synced_is_told_as_such() -> None:
    """A sync that fails is a DiskError; it is not taken for done."""
    file = RealDisk().open("/dev/full")
    with pytest.raises(DiskError, match="cannot sync /dev/full"):
        file.sync()
    file.close()


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOENT, NoSuchFile), (errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, DiskError)],
)
def test_errors_of_the_system_are_translated(number: int, kind: type[DiskError]) -> None:
    """What is missing, what is full and what is broken are told apart; path and number are kept, a quota is a limit."""
    error = disk_error("write", "/a/b", OSError(number, os.strerror(number)))
    assert type(error) is kind
    assert (error.path, error.errno) == ("/a/b", number)
    assert str(error) == f"cannot write /a/b: {os.strerror(number)}"


def has_cached_reads(file: RealFile) -> bool:
    """Whether this kernel and file system know reads that do not block."""
    try:
        return os.preadv(file.descriptor.number, [bytearray(1)], 0, os.RWF_NOWAIT) == 1
    except OSError:
        return False


def test_what_was_just_written_is_in_memory(tmp_path: Path) -> None:
    """Bytes that were just written are read without waiting, whatever their number, also up to the end of the file."""
    content = os.urandom(SPARE_BYTES + 5_000)
    file = new_file(tmp_path, content)
    for position, size in ((0, 10), (7, SPARE_BYTES), (1, SPARE_BYTES + 1), (len(content) - 3, 10), (len(content), 1)):
        expected = content[position : position + size] if has_cached_reads(file) else None
        assert file.read_cached(position, size) == expected
    file.close()


def test_a_read_that_would_block_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cached read is None when nothing, or only the beginning, is in memory; and is tried again the next time."""
    file = new_file(tmp_path, b"0123456789")

    def nothing(*_: object) -> int:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    def first_four(number: int, buffers: list[memoryview], position: int, flags: int) -> int:
        buffers[0][:4] = os.pread(number, 4, position)
        return 4

    with monkeypatch.context() as patch:
        patch.setattr(os, "preadv", nothing)
        assert file.read_cached(0, 8) is None
    with monkeypatch.context() as patch:
        patch.setattr(os, "preadv", first_four)
        assert file.read_cached(0, 8) is None
        assert file.read_cached(6, 8) == b"6789"
    file.close()


@pytest.mark.parametrize("number", [errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_cached_reads_is_asked_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Where kernel or file system have no reads that do not block, a cached read is None and does not ask again."""
    asked = []

    def lacking(*_: object) -> int:
        asked.append(True)
        raise OSError(number, os.strerror(number))

    file = new_file(tmp_path, b"0123456789")
    monkeypatch.setattr(os, "preadv", lacking)
    assert [file.read_cached(0, 4) for _ in range(3)] == [None] * 3
    assert len(asked) == 1
    assert file.read(0, 4) == b"0123"
    file.close()


def test_a_platform_without_cached_reads_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the platform has no such reads at all, a cached read is None."""
    monkeypatch.setattr(file_module, "RWF_NOWAIT", None)
    file = new_file(tmp_path, b"0123456789")
    assert file.read_cached(0, 4) is None
    file.close()


def test_a_cached_read_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken disk is not taken for one that would block."""

    def broken(*_: object) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    file = new_file(tmp_path, b"0123456789")
    monkeypatch.setattr(os, "preadv", broken)
    with pytest.raises(DiskError) as refused:
        file.read_cached(0, 4)
    assert refused.value.errno == errno.EIO
    file.close()


def is_open(number: int) -> bool:
    """Whether a descriptor is open."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_a_file_that_is_in_use_is_closed_afterwards(tmp_path: Path) -> None:
    """Whoever holds the descriptor of a file that is closed meanwhile still reads that file, and then it is closed."""
    file = new_file(tmp_path, b"0123456789")
    descriptor = file.descriptor
    number = descriptor.number
    file.close()
    assert os.pread(descriptor.number, 4, 0) == b"0123"
    with pytest.raises(DiskError, match="file is closed"):
        _ = file.descriptor
    del descriptor
    assert not is_open(number)


def test_an_error_does_not_keep_a_file_open() -> None:
    """A file is closed at once, though somebody still holds the error of a read."""
    file = RealDisk().open("/proc/self/mem", read_only=True)
    number = file.descriptor.number
    with pytest.raises(DiskError) as refused:
        file.read(0, 10)
    file.close()
    assert not is_open(number)
    assert refused.value.errno == errno.EIO
