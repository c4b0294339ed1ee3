"""Log directories: whose they are, who has them, and what becomes of one whose disk refuses."""

from pathlib import Path
from random import Random

import pytest

from ottla.errors import ConfigError, CorruptFile, DiskError, LockHeld
from ottla.storage.directories.checkpoints import RECOVERY_POINT
from ottla.storage.directories.directory import LogDirectory, adopt, open_log_directories
from ottla.storage.names import TopicPartition
from ottla.world.real.disk import RealDisk
from ottla.world.simulated.disk.faults import DiskFault, DiskFaultKind
from tests.unit.storage.machines import Machine

NOW_MS = 1_783_141_567_000


def adopted(paths: list[str], *, cluster_id: str = "c", node_id: int = 1) -> list[LogDirectory]:
    """Directories that this node has made its own."""
    directories = open_log_directories(RealDisk(), paths)
    adopt(directories, cluster_id=cluster_id, node_id=node_id, randbytes=Random(0).randbytes, now_ms=NOW_MS)
    return directories


def close(directories: list[LogDirectory]) -> None:
    """Give the locks up."""
    for directory in directories:
        directory.close()


def test_new_directories_are_made_and_adopted(tmp_path: Path) -> None:
    """Missing directories are made, and belong to cluster and node, each under an id of its own, from then on."""
    first = adopted([f"{tmp_path}/a", f"{tmp_path}/b/c/"])
    ids = [directory.directory_id for directory in first]
    assert None not in ids
    assert len(set(ids)) == 2
    assert [directory.path for directory in first] == [f"{tmp_path}/a", f"{tmp_path}/b/c"]
    close(first)
    again = adopted([f"{tmp_path}/a", f"{tmp_path}/b/c"])
    assert [directory.directory_id for directory in again] == ids
    close(again)


def test_old_directories_get_what_they_lack(tmp_path: Path) -> None:
    """A directory of version 0 becomes one of version 1, with an id."""
    (tmp_path / "meta.properties").write_text("broker.id=1\ncluster.id=c\n")
    (directory,) = adopted([str(tmp_path)])
    text = (tmp_path / "meta.properties").read_text()
    assert "version=1\n" in text
    assert "node.id=1\n" in text
    assert directory.directory_id is not None
    directory.close()


def test_somebody_elses_directories(tmp_path: Path) -> None:
    """A node does not start on directories of another cluster or another node."""
    close(adopted([str(tmp_path)]))
    with pytest.raises(ConfigError, match="belongs to cluster c"):
        adopted([str(tmp_path)], cluster_id="other")
    with pytest.raises(ConfigError, match=r"node\.id 1, not to 2"):
        adopted([str(tmp_path)], node_id=2)


def test_a_directory_that_is_in_use(tmp_path: Path) -> None:
    """A second node on the same directory is refused, and told who probably has it; its other directories are free."""
    holder = adopted([f"{tmp_path}/shared"])
    with pytest.raises(LockHeld, match=r"shared: another process.*node 1 of cluster c\).*log\.dirs") as refused:
        open_log_directories(RealDisk(), [f"{tmp_path}/own", f"{tmp_path}/shared"])
    assert refused.value.path == f"{tmp_path}/shared"
    own = open_log_directories(RealDisk(), [f"{tmp_path}/own"])
    close(holder)
    close(own + open_log_directories(RealDisk(), [f"{tmp_path}/shared"]))


def test_a_directory_that_is_named_twice(tmp_path: Path) -> None:
    """The same directory twice in log.dirs is a mistake, however it is written."""
    with pytest.raises(ConfigError, match="twice"):
        open_log_directories(RealDisk(), [f"{tmp_path}/a", f"{tmp_path}//a/"])


def test_a_directory_that_cannot_be_read(tmp_path: Path) -> None:
    """A directory that is a file, or whose meta.properties is damaged, is offline and says why; others are online."""
    (tmp_path / "file").write_text("")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "meta.properties").write_text("version=1\n")
    directories = adopted([f"{tmp_path}/{name}" for name in ("file", "damaged", "good")])
    assert [directory.is_online for directory in directories] == [False, False, True]
    assert isinstance(directories[1].failure, CorruptFile)
    assert "offline" in repr(directories[1])
    assert "meta.properties" in repr(directories[1])
    assert "online" in repr(directories[2])
    assert directories[1].directory_id is None
    close(directories)


def test_going_offline(tmp_path: Path) -> None:
    """The first failure counts, and a directory that is offline is locked no more."""
    (directory,) = adopted([str(tmp_path)])
    failure = DiskError("broken", path=str(tmp_path))
    total_bytes, free_bytes = directory.volume_bytes()
    assert 0 < free_bytes <= total_bytes
    assert directory.free_bytes() > 0
    assert directory.go_offline(failure)
    assert not directory.go_offline(DiskError("again", path=str(tmp_path)))
    assert directory.failure is failure
    close(open_log_directories(RealDisk(), [str(tmp_path)]))


def test_a_disk_that_cannot_be_written() -> None:
    """A directory that cannot be made this node's own goes offline alone."""
    machine = Machine(1)
    disk = machine.boot()
    directories = open_log_directories(disk, ["/a", "/b"])
    machine.disk.faults.begin(DiskFault(DiskFaultKind.READ_ONLY, "/b"))
    adopt(directories, cluster_id="c", node_id=1, randbytes=Random(0).randbytes, now_ms=NOW_MS)
    assert [directory.is_online for directory in directories] == [True, False]


def test_how_it_was_left(tmp_path: Path) -> None:
    """A clean stop leaves a sign with the broker's epoch, which the next start takes away."""
    (directory,) = adopted([str(tmp_path)])
    directory.take_clean_shutdown()
    assert (directory.was_clean, directory.broker_epoch) == (False, None)
    directory.write_clean_shutdown(42)
    close([directory])
    (again,) = adopted([str(tmp_path)])
    assert again.clean_epoch() == again.clean_epoch() == 42
    again.take_clean_shutdown()
    assert again.clean_epoch() is None
    assert (again.was_clean, again.broker_epoch) == (True, 42)
    assert not (tmp_path / ".kafka_cleanshutdown").exists()
    close([again])


def test_checkpoints(tmp_path: Path) -> None:
    """A checkpoint that was never written is empty; one that says the same already is not written again."""
    (directory,) = adopted([str(tmp_path)])
    assert directory.read_checkpoint(RECOVERY_POINT) == {}
    directory.write_checkpoint(RECOVERY_POINT, {TopicPartition("t", 0): 5})
    assert directory.read_checkpoint(RECOVERY_POINT) == {TopicPartition("t", 0): 5}
    (tmp_path / RECOVERY_POINT).unlink()
    directory.write_checkpoint(RECOVERY_POINT, {TopicPartition("t", 0): 5})
    assert not (tmp_path / RECOVERY_POINT).exists()
    directory.write_checkpoint(RECOVERY_POINT, {TopicPartition("t", 0): 6})
    assert (tmp_path / RECOVERY_POINT).read_text() == "0\n1\nt 0 6\n"
    close([directory])
