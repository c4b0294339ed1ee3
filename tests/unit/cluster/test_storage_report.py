"""What is found out about a node's directories."""

from random import Random

from ottla.cluster.formatting import Formatter
from ottla.cluster.new_cluster import Asked, FirstVoters, new_cluster
from ottla.cluster.storage_report import storage_report
from ottla.world.api import Disk
from tests.unit.cluster.settings import node
from tests.unit.storage.machines import Machine

RANDOM = Random(0).randbytes


def write(disk: Disk, path: str, text: str) -> None:
    """A file."""
    disk.make_directory(path.rpartition("/")[0])
    disk.open(path, create=True).write(0, [text.encode()])


def test_formatted_directories() -> None:
    """Formatted directories have no problem, and the identity of the first is shown."""
    disk = Machine(1).boot()
    list(Formatter(disk, new_cluster(node(), Asked("c", FirstVoters.STANDALONE), RANDOM), RANDOM, 0).run())
    report = storage_report(disk, node())
    assert (report.directories, report.problems) == (("/data/a", "/data/b"), ())
    assert report.properties is not None
    assert set(report.properties) == {"cluster.id", "directory.id", "node.id", "version"}


def test_what_is_missing() -> None:
    """A directory that is not there, is a file, or is not formatted is a problem each, in the order of names."""
    disk = Machine(1).boot()
    write(disk, "/data/a", "")
    disk.make_directory("/data/c")
    report = storage_report(disk, node(log_dirs="/data/c,/data/b,/data/a"))
    assert report.directories == ("/data/c",)
    assert report.properties is None
    assert report.problems == (
        "/data/a is not a directory",
        "/data/b does not exist",
        "/data/c is not formatted.",
    )


def test_contradictions() -> None:
    """Directories of two clusters or nodes, or of a cluster with ZooKeeper, do not go together."""
    disk = Machine(1).boot()
    write(disk, "/data/a/meta.properties", "version=0\nbroker.id=1\ncluster.id=one\n")
    write(disk, "/data/b/meta.properties", "version=1\nnode.id=2\ncluster.id=other\n")
    problems = storage_report(disk, node()).problems
    assert len(problems) == 3
    assert "ZooKeeper" in problems[0]
    assert problems[1:] == (
        "Mismatched cluster IDs between storage directories.",
        "Mismatched node IDs between storage directories.",
    )


def test_what_cannot_be_read() -> None:
    """An identity that cannot be read is told with its reason."""
    disk = Machine(1).boot()
    write(disk, "/data/a/meta.properties", "version=7\n")
    (problem,) = storage_report(disk, node(log_dirs="/data/a")).problems
    assert problem.startswith("Error loading /data/a/meta.properties: ")
    assert "its version is 7" in problem
