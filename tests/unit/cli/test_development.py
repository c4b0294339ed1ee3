"""The node that runs without any settings."""

from random import Random

import pytest

from ottla.cli.development import format_if_new, settings
from ottla.cluster.formatting import METADATA_FOLDER, look_at
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.rules.startup import is_broker, is_controller, warnings_about_node
from ottla.errors import ConfigError
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import Disk
from tests.unit.storage.machines import Machine

RANDOM = Random(0).randbytes


def config(**given: str) -> Config:
    """Its settings, some of them others."""
    return read_node(settings("/data") | {name.replace("_", "."): value for name, value in given.items()})


def write(disk: Disk, path: str) -> None:
    """A file with something in it."""
    disk.make_directory(path.rpartition("/")[0])
    disk.open(path, create=True).write(0, [b"something"])


def test_it_is_sound_and_listens_on_this_machine_alone() -> None:
    """Broker and controller in one, on localhost:9092, with nothing odd about it, and copies on itself alone."""
    found = config()
    assert is_broker(found)
    assert is_controller(found)
    assert found.words("listeners") == ("PLAINTEXT://localhost:9092", "CONTROLLER://localhost:9093")
    assert (found.warnings, found.unknown, warnings_about_node(found)) == ((), (), ())
    for name in found:
        if name.endswith((".replication.factor", ".min.isr")) or name == "min.insync.replicas":
            assert found.integer(name) in (1, -1), name


def test_a_new_directory_is_formatted_once() -> None:
    """What was never used becomes a cluster of one; what is formatted is left alone."""
    disk = Machine(1).boot()
    assert format_if_new(disk, config(), RANDOM, 5)
    before = read_whole_file(disk, "/data/meta.properties")
    snapshot = f"/data/{METADATA_FOLDER}/00000000000000000000-0000000000.checkpoint"
    head = SnapshotReader(memoryview(read_whole_file(disk, snapshot))).head
    assert head.voters is not None
    assert [voter.voter_id for voter in head.voters.voters] == [1]
    assert not format_if_new(disk, config(), RANDOM, 6)
    assert read_whole_file(disk, "/data/meta.properties") == before


def test_files_of_a_start_do_not_stand_in_the_way() -> None:
    """A log and a lock of a start that came to nothing are no data."""
    disk = Machine(1).boot()
    for name in ("server.log", ".lock", "notes.txt"):
        write(disk, f"/data/{name}")
    assert format_if_new(disk, config(), RANDOM, 5)


@pytest.mark.parametrize("path", ["/data/orders-0/00000000000000000000.log", f"/data/{METADATA_FOLDER}/{7:020d}.log"])
def test_data_without_identity_are_not_formatted_over(path: str) -> None:
    """A directory with partitions that lost its meta.properties is refused, and nothing is written into it."""
    disk = Machine(1).boot()
    write(disk, path)
    with pytest.raises(ConfigError, match=r"/data holds .*-0 and no meta\.properties"):
        format_if_new(disk, config(), RANDOM, 5)
    assert look_at(disk, ("/data",)).empty == ("/data",)
    assert len(disk.list("/data")) == 1


def test_a_formatting_that_broke_off_is_done_again() -> None:
    """The snapshot that a broken-off formatting left is no data."""
    disk = Machine(1).boot()
    write(disk, f"/data/{METADATA_FOLDER}/00000000000000000000-0000000000.checkpoint")
    assert format_if_new(disk, config(), RANDOM, 5)
