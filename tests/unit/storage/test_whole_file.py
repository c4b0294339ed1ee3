"""Small files are replaced whole."""

from functools import partial
from pathlib import Path

import pytest

from ottla.errors import CorruptFile, NoSuchFile
from ottla.storage import whole_file
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.real.disk import RealDisk
from tests.unit.storage.machines import Machine


def test_a_file_is_made_and_replaced(tmp_path: Path) -> None:
    """The new content stands alone in the file, whatever was there before, and no temporary file stays."""
    disk, path = RealDisk(), f"{tmp_path}/checkpoint"
    for content in (b"long content", b"short", b"", b"again"):
        replace_whole_file(disk, path, content)
        assert read_whole_file(disk, path) == content
        assert [entry.name for entry in disk.list(str(tmp_path))] == ["checkpoint"]


def test_what_a_crash_left_is_overwritten(tmp_path: Path) -> None:
    """A temporary file from before a crash, longer than the new content, leaves nothing in it."""
    (tmp_path / "checkpoint.tmp").write_bytes(b"half of something long")
    replace_whole_file(RealDisk(), f"{tmp_path}/checkpoint", b"new")
    assert (tmp_path / "checkpoint").read_bytes() == b"new"


def test_a_missing_file(tmp_path: Path) -> None:
    """Reading a file that is not there says so."""
    with pytest.raises(NoSuchFile, match="checkpoint"):
        read_whole_file(RealDisk(), f"{tmp_path}/checkpoint")


def test_a_file_that_cannot_be_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file too large to be what its name says is not read into memory."""
    monkeypatch.setattr(whole_file, "MAX_SIZE_BYTES", 4)
    (tmp_path / "checkpoint").write_bytes(b"12345")
    with pytest.raises(CorruptFile, match="5 bytes are more than it can have"):
        read_whole_file(RealDisk(), f"{tmp_path}/checkpoint")


@pytest.mark.parametrize("seed", range(20))
def test_a_crash_leaves_the_old_or_the_new(seed: int) -> None:
    """Wherever the power fails, the file holds all of the old content or all of the new; once told, the new."""
    machine = Machine(seed)
    machine.boot().make_directory("/data")
    machine.boot().sync_directory("/")
    path, old = "/data/checkpoint", b""
    replace_whole_file(machine.boot(), path, old)
    for calls in range(1, 100):
        new = f"{calls} ".encode() * (calls * 300)
        crashed = machine.crash_in(calls, partial(replace_whole_file, path=path, data=new))
        found = read_whole_file(machine.boot(), path)
        assert found in ((old, new) if crashed else (new,))
        if not crashed:
            assert calls > 5
            machine.disk.power_lost()
            assert read_whole_file(machine.boot(), path) == new
            return
        old = found
    pytest.fail("it never came to an end")
