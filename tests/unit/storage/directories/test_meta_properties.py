"""meta.properties ties a log directory to a cluster and a node."""

from dataclasses import replace
from pathlib import Path

import pytest

from ottla.errors import ConfigError, CorruptFile
from ottla.protocol.codec.wire import Uuid
from ottla.storage.directories.meta_properties import (
    MetaProperties,
    check_ensemble,
    is_reserved_directory_id,
    parse_meta_properties,
    render_meta_properties,
)

PATH = "/data/meta.properties"
PROPERTIES = MetaProperties("8sVgPWhqRQqfJ1FHDnpd7A", 1, Uuid(bytes(range(16))))
TEXT = b"""\
#
#Sat Jul 04 05:06:07 UTC 2026
node.id=1
directory.id=AAECAwQFBgcICQoLDA0ODw
version=1
cluster.id=8sVgPWhqRQqfJ1FHDnpd7A
"""
NOW_MS = 1_783_141_567_000
GOLDEN = Path(__file__).parents[3] / "golden" / "kafka-4.3-logs"


def test_the_file() -> None:
    """The file is as Java writes properties: an empty comment, the date, a line a value."""
    assert render_meta_properties(PROPERTIES, NOW_MS) == TEXT
    assert parse_meta_properties(PATH, TEXT) == PROPERTIES


def test_a_real_kafkas_file() -> None:
    """What a real Kafka wrote is read, and but for the date it is written again byte by byte the same."""
    data = (GOLDEN / "meta.properties").read_bytes()
    properties = parse_meta_properties(PATH, data)
    assert (properties.cluster_id, properties.node_id) == ("Z29sZGVuLmxvZy5kaXIuMQ", 1)
    written = render_meta_properties(properties, NOW_MS).splitlines()
    assert [written[0], *written[2:]] == [data.splitlines()[0], *data.splitlines()[2:]]
    assert len(written[1]) == len(data.splitlines()[1])


def test_files_of_version_0() -> None:
    """An old file has a broker id, and may lack everything; without a version it is an old one."""
    assert parse_meta_properties(PATH, b"") == MetaProperties(None, None, None, 0)
    old = MetaProperties("c", 7, None, 0)
    assert parse_meta_properties(PATH, b"broker.id=7\ncluster.id=c\n") == old
    assert parse_meta_properties(PATH, render_meta_properties(old, NOW_MS)) == old
    assert parse_meta_properties(PATH, b"version=0\nnode.id=7\n").node_id is None


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"version=2\nnode.id=1\ncluster.id=c\n", "version is 2"),
        (b"version=one\n", "'one'"),
        (b"version=1\ncluster.id=c\n", "node.id"),
        (b"version=1\nnode.id=1\n", "cluster.id"),
        (b"version=1\nbroker.id=1\ncluster.id=c\n", "node.id"),
        (b"version=1\nnode.id=-1\ncluster.id=c\n", "'-1'"),
        (b"version=1\nnode.id=1 \ncluster.id=c\n", "'1 '"),
        (b"version=1\nnode.id=1\ncluster.id=c\ndirectory.id=short\n", "directory.id: 'short'"),
        (b"version=\\u00", "hexadecimal"),
    ],
)
def test_damage_is_told_with_the_files_name(data: bytes, said: str) -> None:
    """What is no such file is refused; the error says in which file, and what is wrong."""
    with pytest.raises(CorruptFile, match=PATH) as refused:
        parse_meta_properties(PATH, data)
    assert refused.value.path == PATH
    assert said in str(refused.value)


def test_directories_of_one_node() -> None:
    """Directories of the same cluster and node are fine, also next to old ones that say less."""
    other = replace(PROPERTIES, directory_id=Uuid(bytes(range(1, 17))))
    check_ensemble({"/a": PROPERTIES, "/b": other}, PROPERTIES.cluster_id, 1)
    check_ensemble({"/a": MetaProperties(None, None, None, 0), "/b": other}, None, 1)
    check_ensemble({}, None, 1)


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (replace(PROPERTIES, cluster_id="another", directory_id=None), "/b belongs to cluster another"),
        (replace(PROPERTIES, node_id=2, directory_id=None), "/b belongs to the node with node.id 2"),
        (PROPERTIES, "/b and /a have the same directory.id"),
        (replace(PROPERTIES, directory_id=Uuid(bytes(15) + b"\x02")), "reserved directory.id AAAAAAAAAAAAAAAAAAAAAg"),
    ],
)
def test_directories_that_do_not_belong_together(second: MetaProperties, said: str) -> None:
    """A node refuses directories of another cluster or node, copies of each other, and reserved ids."""
    with pytest.raises(ConfigError, match=said):
        check_ensemble({"/a": PROPERTIES, "/b": second}, None, 1)
    with pytest.raises(ConfigError, match="/a belongs to cluster"):
        check_ensemble({"/a": PROPERTIES}, "configured", 1)


def test_reserved_directory_ids() -> None:
    """The first hundred ids are reserved, and as Java compares signed numbers, so are the last ones of that half."""
    for number, is_reserved in ((0, True), (99, True), (100, False), (2**63 - 1, False), (2**63, True)):
        assert is_reserved_directory_id(Uuid(number.to_bytes(16, "big"))) == is_reserved
    assert not is_reserved_directory_id(Uuid((1 << 64).to_bytes(16, "big")))
