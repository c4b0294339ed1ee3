"""Formatting: what is in a directory before a node's first start, and what a crash in the middle of it leaves."""

from random import Random

import pytest

from ottla.cluster.formatting import FIRST_SNAPSHOT, METADATA_FOLDER, Format, Formatter, Kind, look_at
from ottla.cluster.metadata.bootstrap import BOOTSTRAP_FILE, levels_at
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotReader
from ottla.cluster.new_cluster import Asked, FirstVoters, new_cluster
from ottla.errors import ConfigError
from ottla.protocol.features import MetadataVersion
from ottla.security.scram import parse_credential
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import Disk
from tests.unit.cluster.settings import node
from tests.unit.storage.machines import Machine

NOW_MS = 1_783_141_567_000
RANDOM = Random(0).randbytes
SNAPSHOT = f"{METADATA_FOLDER}/{FIRST_SNAPSHOT.file_name}"


def standalone(*, ignore_formatted: bool = False) -> Format:
    """A node that is all of its cluster, with two directories."""
    return new_cluster(node(), Asked("cluster", FirstVoters.STANDALONE, ignore_formatted=ignore_formatted), RANDOM)


def formatted(disk: Disk, wanted: Format) -> list[tuple[str, Kind]]:
    """Format, and say what was formatted."""
    return list(Formatter(disk, wanted, RANDOM, NOW_MS).run())


def snapshot(disk: Disk, path: str) -> SnapshotReader:
    """A snapshot on the disk."""
    return SnapshotReader(memoryview(read_whole_file(disk, path)))


def names(disk: Disk, directory: str) -> list[str]:
    """What is in a directory."""
    return [entry.name for entry in disk.list(directory)]


def test_a_standalone_node() -> None:
    """Each directory has its identity and the bootstrap records, the metadata's alone a snapshot with the voter."""
    disk = Machine(1).boot()
    wanted = standalone()
    assert formatted(disk, wanted) == [("/data/a", Kind.DYNAMIC_METADATA_VOTER), ("/data/b", Kind.DATA)]
    assert names(disk, "/data/a") == [METADATA_FOLDER, BOOTSTRAP_FILE, "meta.properties"]
    assert names(disk, "/data/b") == [BOOTSTRAP_FILE, "meta.properties"]
    found = look_at(disk, wanted.directories).formatted
    assert {(each.cluster_id, each.node_id, each.version) for each in found.values()} == {("cluster", 1, 1)}
    assert wanted.voters is not None
    assert [voter.key.directory_id for voter in wanted.voters] == [found["/data/a"].directory_id]
    assert found["/data/b"].directory_id not in (None, found["/data/a"].directory_id)
    first = snapshot(disk, f"/data/a/{SNAPSHOT}")
    assert first.head == SnapshotHead(NOW_MS, 1, wanted.voters.to_record())
    assert list(first.records()) == []
    for directory in wanted.directories:
        assert list(snapshot(disk, f"{directory}/{BOOTSTRAP_FILE}").records()) == wanted.records()


def test_kinds_of_metadata_directories() -> None:
    """Without voters in the log there is no snapshot; with voters of which this node is none there is one."""
    static = new_cluster(node(), Asked("cluster", FirstVoters.NONE), RANDOM)
    disk = Machine(1).boot()
    assert formatted(disk, static)[0] == ("/data/a", Kind.STATIC_METADATA)
    assert METADATA_FOLDER not in names(disk, "/data/a")
    others = Asked("cluster", FirstVoters.LISTED, "2@b:9093:hQV4gAmyTqu6QDq_dTMSDw")
    disk = Machine(1).boot()
    assert formatted(disk, new_cluster(node(), others, RANDOM))[0] == ("/data/a", Kind.DYNAMIC_METADATA)
    assert len(snapshot(disk, f"/data/a/{SNAPSHOT}").head.voters.voters) == 1  # type: ignore[union-attr]


def test_a_formatted_directory_is_not_formatted_again() -> None:
    """What is formatted is refused, or passed over if that is asked for; then the others are formatted."""
    disk = Machine(1).boot()
    wanted = standalone()
    formatted(disk, wanted)
    before = read_whole_file(disk, "/data/a/meta.properties")
    with pytest.raises(ConfigError, match="/data/a is already formatted"):
        formatted(disk, standalone())
    disk.unlink("/data/b/meta.properties")
    assert formatted(disk, standalone(ignore_formatted=True)) == [("/data/b", Kind.DATA)]
    assert formatted(disk, standalone(ignore_formatted=True)) == []
    assert read_whole_file(disk, "/data/a/meta.properties") == before


def test_a_formatted_directory_of_another_cluster() -> None:
    """A directory that stays has to belong to the cluster that the others are formatted for."""
    disk = Machine(1).boot()
    formatted(disk, standalone())
    other = Asked("other", FirstVoters.STANDALONE, ignore_formatted=True)
    with pytest.raises(ConfigError, match="belongs to cluster cluster"):
        formatted(disk, new_cluster(node(), other, RANDOM))


def test_a_directory_that_cannot_be_read_is_passed_over() -> None:
    """A damaged identity is no empty directory; with no other directory there is nothing to format."""
    disk = Machine(1).boot()
    disk.make_directory("/data/a")
    disk.open("/data/a/meta.properties", create=True).write(0, [b"version=7\n"])
    assert formatted(disk, standalone()) == [("/data/b", Kind.DATA)]
    with pytest.raises(ConfigError, match="its version is 7"):
        formatted(disk, new_cluster(node(log_dirs="/data/a"), Asked("cluster", FirstVoters.NONE), RANDOM))


def test_credentials_are_among_the_first_records() -> None:
    """A user to begin with is a record behind the features, where the metadata version knows such records."""
    users = [parse_credential("SCRAM-SHA-256=[name=alice,password=secret]", RANDOM)]
    asked = Asked("cluster", FirstVoters.STANDALONE, credentials=users)
    *_, last = new_cluster(node(), asked, RANDOM).records()
    assert (last.message.name, last.message.salt) == ("alice", users[0].salt)  # type: ignore[attr-defined]
    old = Format("c", 1, ("/a",), "/a", levels_at(MetadataVersion.IBP_3_5_IV1), credentials=users)
    with pytest.raises(ConfigError, match=r"metadata\.version 3\.5-IV2"):
        old.records()


@pytest.mark.parametrize("seed", range(10))
def test_a_crash_leaves_a_directory_formatted_or_not(seed: int) -> None:
    """Wherever the power fails, a directory with an identity is whole, and one without is formatted the next time."""
    machine = Machine(seed)
    crashes = 0
    while machine.crash_in(crashes + 1, lambda disk: formatted(disk, standalone(ignore_formatted=True))):
        crashes += 1
        disk = machine.boot()
        for directory in look_at(disk, ("/data/a", "/data/b")).formatted:
            assert list(snapshot(disk, f"{directory}/{BOOTSTRAP_FILE}").records()) == standalone().records()
        if "/data/a" in look_at(disk, ("/data/a",)).formatted:
            assert snapshot(disk, f"/data/a/{SNAPSHOT}").head.kraft_version == 1
    assert crashes > 10
    assert len(look_at(machine.boot(), ("/data/a", "/data/b")).formatted) == 2
