"""Images of histories: however records come in, the image is the same; written as records, it comes back the same."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.cluster.metadata.delta import MetadataDelta, image_of
from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.loader import Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import VersionedRecord, parse_record
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotReader, write_snapshot
from ottla.errors import UnwritableMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.features import LATEST, MetadataVersion
from tests.unit.cluster.metadata.histories import History, batch_of, loaded, replayed

SEEDS = st.integers(0, 2**32)
LENGTH = 150


def drawn(seed: int, version: MetadataVersion = LATEST, length: int = LENGTH) -> list[Message]:
    """The records of a history."""
    return History(random.Random(seed), version).messages(length)


def without_place(image: MetadataImage) -> MetadataImage:
    """The image, wherever it is from."""
    return replace(image, provenance=EMPTY.provenance)


@given(SEEDS)
def test_one_by_one_in_batches_or_at_once(seed: int) -> None:
    """Records make the same image one by one, in batches of any size, or all in one delta."""
    messages, rng = drawn(seed), random.Random(seed)
    at_once = loaded(messages, lambda: len(messages))
    assert loaded(messages, lambda: 1) == at_once
    assert loaded(messages, lambda: rng.randint(1, 20)) == at_once


@given(SEEDS, st.integers(1, LENGTH))
def test_snapshot_and_tail(seed: int, cut: int) -> None:
    """A snapshot taken anywhere, read into a node that is empty or elsewhere, and the rest of the log: one image."""
    messages = drawn(seed)
    whole = loaded(messages, lambda: len(messages))
    head = loaded(messages[:cut], lambda: cut)
    file = b"".join(write_snapshot(1, SnapshotHead(), head.records(), 5))
    for behind in (EMPTY, loaded(messages[: cut // 2], lambda: cut) if cut > 1 else EMPTY):
        publisher = Publisher()
        publisher.image = behind
        loader = Loader(publisher)
        loader.load_snapshot(SnapshotReader(memoryview(file)).records(), head.provenance)
        assert loader.image == head
        if messages[cut:]:
            loader.load_batch(batch_of(messages[cut:], cut))
            loader.publish()
        assert without_place(loader.image) == without_place(whole)


@pytest.mark.parametrize("version", MetadataVersion, ids=lambda version: version.text)
def test_records_and_back(version: MetadataVersion) -> None:
    """At every metadata version an image written as records, down to the bytes, is read as the same image."""
    for seed in range(5):
        image = replayed(drawn(seed, version))
        written = list(image.records())
        read = [parse_record(record.to_bytes(), offset) for offset, record in enumerate(written)]
        assert [record.version for record in read] == [record.version for record in written]
        assert image_of((record.message for record in read), image.provenance) == image


@given(SEEDS, st.sampled_from(MetadataVersion))
def test_at_another_version_nothing_is_lost_in_silence(seed: int, version: MetadataVersion) -> None:
    """An image written at another metadata version comes back the same but for that, or the loss is an error."""
    image = replayed(drawn(seed, length=40))
    try:
        written = list(image.records(version))
    except UnwritableMetadata:
        assert version < LATEST
        return
    features = replace(image.features, metadata_version=version)
    read = (parse_record(record.to_bytes(), 0).message for record in written)
    assert image_of(read, image.provenance) == replace(image, features=features)


@given(SEEDS, st.integers(1, LENGTH))
def test_a_delta_names_what_differs(seed: int, cut: int) -> None:
    """What a delta says has changed is what differs between the images, found by comparing them."""
    messages = drawn(seed)
    before = replayed(messages[:cut])
    delta = MetadataDelta(before)
    for message in messages[cut:]:
        delta.replay(message)
    after = delta.apply(before.provenance)
    found = MetadataDelta.between(before, after)
    assert found.apply(before.provenance) == after
    assert bool(delta) == bool(found) == (before != after)
    assert delta.topics.deleted == found.topics.deleted
    assert delta.topics.created.keys() == found.topics.created.keys()
    changed = {topic_id: topic.changed_partitions for topic_id, topic in found.topics.changed.items()}
    assert {topic_id: topic.changed_partitions for topic_id, topic in delta.topics.changed.items()} == changed
    assert delta.cluster.brokers.changes == found.cluster.brokers.changes
    assert delta.configs.resources.changes == found.configs.resources.changes


@given(SEEDS)
def test_equal_images_give_equal_bytes(seed: int) -> None:
    """What a snapshot of an image says does not depend on the way that led to the image."""

    def written(image: MetadataImage) -> list[bytes]:
        return [VersionedRecord.to_bytes(record) for record in image.records()]

    messages = drawn(seed)
    image = replayed(messages)
    back = image_of((record.message for record in image.records()), image.provenance)
    assert written(back) == written(image) == written(loaded(messages, lambda: 3))
