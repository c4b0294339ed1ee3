"""What is special to real directories, and what a disk closes."""

import errno
import gc
import os
from pathlib import Path

import pytest

from ottla.errors import DiskError, LockHeld, NoSuchFile
from ottla.world.real.disk import RealDisk


def descriptors() -> set[str]:
    """The open descriptors of this process, without what earlier tests have dropped."""
    gc.collect()
    return set(os.listdir("/proc/self/fd"))


def test_a_directory_is_no_file_to_read(tmp_path: Path) -> None:
    """A directory cannot be opened as a file, for reading either, and the attempt leaves no descriptor behind."""
    before = descriptors()
    for read_only in (True, False):
        with pytest.raises(DiskError) as refused:
            RealDisk().open(str(tmp_path), read_only=read_only)
        assert refused.value.errno == errno.EISDIR
    assert descriptors() == before


def test_files_are_made_as_the_umask_says(tmp_path: Path) -> None:
    """New files and lock files are readable and writable as far as the umask lets them be, and not executable."""
    before = os.umask(0o027)
    try:
        RealDisk().open(str(tmp_path / "file"), create=True).close()
        RealDisk().lock(str(tmp_path / ".lock")).release()
    finally:
        os.umask(before)
    assert [os.stat(tmp_path / name).st_mode & 0o777 for name in ("file", ".lock")] == [0o640, 0o640]


def test_a_disk_that_cannot_tell_whether_something_exists(tmp_path: Path) -> None:
    """What cannot be looked at is an error and not taken for missing: a log that seems missing would be made anew."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(DiskError) as refused:
        RealDisk().exists(str(tmp_path / "loop" / "file"))
    assert refused.value.errno == errno.ELOOP


def test_a_listing_follows_links_and_leaves_out_what_went_away(tmp_path: Path) -> None:
    """A link to a directory is one, as for log directories on other volumes; a name that leads nowhere is left out."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "volume").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    found = RealDisk().list(str(tmp_path))
    assert [(entry.name, entry.is_directory) for entry in found] == [("elsewhere", True), ("volume", True)]


def test_a_rename_that_fails_names_both_ends(tmp_path: Path) -> None:
    """A rename that fails carries the source's path, and says where it should have gone."""
    with pytest.raises(NoSuchFile, match=r"cannot rename to .*/b: .*/a: No such file") as refused:
        RealDisk().rename(f"{tmp_path}/a", f"{tmp_path}/b")
    assert refused.value.path == f"{tmp_path}/a"


def test_a_disk_closes_what_it_has_opened(tmp_path: Path) -> None:
    """Closing a disk closes its files and releases its locks, and nobody else's."""
    before = descriptors()
    disk, other = RealDisk(), RealDisk()
    file = disk.open(str(tmp_path / "file"), create=True)
    lock = disk.lock(str(tmp_path / ".lock"))
    kept = other.open(str(tmp_path / "kept"), create=True)
    with pytest.raises(LockHeld):
        other.lock(str(tmp_path / ".lock"))
    disk.close()
    with pytest.raises(DiskError):
        file.size()
    other.lock(str(tmp_path / ".lock")).release()
    assert kept.size() == 0
    lock.release()
    other.close()
    assert descriptors() == before


def test_what_nobody_holds_is_closed(tmp_path: Path) -> None:
    """A file or lock that was forgotten is closed when its last holder is gone."""
    before = descriptors()
    disk = RealDisk()
    disk.open(str(tmp_path / "file"), create=True)
    disk.lock(str(tmp_path / ".lock"))
    assert descriptors() == before
