"""Any bytes in place of a small file are read, or are told as damage that names the file; nothing else happens."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.errors import CorruptFile
from ottla.protocol.codec.wire import Uuid
from ottla.storage.directories.checkpoints import parse_offsets, render_offsets
from ottla.storage.directories.clean_shutdown import parse_clean_shutdown, render_clean_shutdown
from ottla.storage.directories.meta_properties import MetaProperties, parse_meta_properties, render_meta_properties
from ottla.storage.directories.partition_metadata import parse_partition_metadata, render_partition_metadata
from ottla.storage.leader_epochs import LeaderEpochs
from ottla.storage.names import TopicPartition

PATH = "/data/some-file"
OFFSETS = {TopicPartition("orders", 0): 42, TopicPartition("a-1", 5): 0}
SOUND: list[tuple[Callable[[str, bytes], Any], bytes]] = [
    (parse_offsets, render_offsets(OFFSETS)),
    (LeaderEpochs.from_bytes, b"0\n2\n0 0\n1 50\n"),
    (parse_partition_metadata, render_partition_metadata(Uuid(bytes(range(16))))),
    (parse_meta_properties, render_meta_properties(MetaProperties("c", 1, Uuid(bytes(range(16)))), 0)),
]


@pytest.mark.parametrize(("parse", "sound"), SOUND)
@given(data=st.data())
def test_any_bytes(parse: Callable[[str, bytes], Any], sound: bytes, data: st.DataObject) -> None:
    """Random bytes, and sound content with a few bytes changed, cut out or put in, are read or told as damage."""
    start = data.draw(st.integers(0, len(sound)))
    end = data.draw(st.integers(start, min(len(sound), start + 4)))
    mutated = sound[:start] + data.draw(st.binary(max_size=4)) + sound[end:]
    for content in (data.draw(st.binary(max_size=60)), mutated):
        try:
            parse(PATH, content)
        except CorruptFile as damage:
            assert damage.path == PATH  # noqa: PT017 - either outcome is right
            assert str(damage).startswith(PATH)  # noqa: PT017


@given(st.one_of(st.binary(max_size=60), st.binary(max_size=6).map(lambda data: data + render_clean_shutdown(7))))
def test_a_clean_shutdown_is_never_an_error(content: bytes) -> None:
    """Whatever the file holds, it tells an epoch that a broker may have, or none."""
    epoch = parse_clean_shutdown(content)
    assert epoch is None or -1 <= epoch < 2**63


TOPICS = st.text("abcXYZ019._-", min_size=1, max_size=20)
PARTITIONS = st.builds(TopicPartition, TOPICS, st.integers(0, 2**31 - 1))


@given(st.dictionaries(PARTITIONS, st.integers(0, 2**63 - 1), max_size=20))
def test_offsets_round_trip(offsets: dict[TopicPartition, int]) -> None:
    """A checkpoint gives back the offsets that were written to it."""
    assert parse_offsets(PATH, render_offsets(offsets)) == offsets


@given(
    st.builds(
        MetaProperties,
        st.text(max_size=20),
        st.integers(0, 2**31 - 1),
        st.one_of(st.none(), st.binary(min_size=16, max_size=16).map(Uuid)),
    ),
    st.integers(0, 2**42),
)
def test_meta_properties_round_trip(properties: MetaProperties, now_ms: int) -> None:
    """meta.properties gives back what was written to it, whatever letters a cluster's id has."""
    assert parse_meta_properties(PATH, render_meta_properties(properties, now_ms)) == properties
