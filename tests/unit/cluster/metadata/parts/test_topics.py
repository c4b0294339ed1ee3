"""Topics: made, grown, changed, deleted, and what a delta says of that."""

import pytest

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.parts.topics import TopicsDelta
from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import (
    ClearElrRecord,
    ConfigRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from tests.unit.cluster.metadata.histories import replayed, uuid

ONE, OTHER = uuid(201), uuid(202)


def partition(index: int, topic_id: Uuid = ONE, *, eligible: list[int] | None = None) -> PartitionRecord:
    """A partition on broker 1."""
    return PartitionRecord(index, topic_id, [1], [1], [], [], 1, 0, 0, 0, [], eligible)


IMAGE = replayed([TopicRecord("one", ONE), partition(0), partition(1), ConfigRecord(2, "one", "retention.ms", "5")])


def delta_of(messages: list[Message], base: MetadataImage = IMAGE) -> TopicsDelta:
    """What records do to topics."""
    delta = MetadataDelta(base)
    for message in messages:
        delta.replay(message)
    return delta.topics


def test_a_topic_is_found_by_name_and_id() -> None:
    """Both lead to the same topic, and an unknown one to none."""
    topic = IMAGE.topics.named("one")
    assert topic is not None
    assert topic is IMAGE.topics.by_id[ONE]
    assert topic.partitions[1] is IMAGE.topics.partition(ONE, 1)
    assert not topic.is_internal
    assert IMAGE.topics.named("two") is None
    assert IMAGE.topics.partition(ONE, 2) is IMAGE.topics.partition(OTHER, 0) is None


def test_a_changed_partition_shares_all_the_rest() -> None:
    """The other partitions, topics and parts of the next image are those of the last one."""
    grown = replayed([TopicRecord("other", OTHER), partition(0, OTHER)], IMAGE)
    after = replayed([PartitionChangeRecord(1, ONE, leader=-1)], grown)
    assert after.topics.by_id[ONE].partitions[1].leader_id == -1
    assert grown.topics.by_id[ONE].partitions[1].leader_id == 1
    assert after.topics.by_id[ONE].partitions[0] is grown.topics.by_id[ONE].partitions[0]
    assert after.topics.by_id[OTHER] is grown.topics.by_id[OTHER]
    assert after.topics.ids is grown.topics.ids
    assert after.configs is grown.configs


def test_a_delta_tells_made_from_changed() -> None:
    """A new topic is among the created ones with all its partitions, an old one with those that differ."""
    delta = delta_of([TopicRecord("other", OTHER), partition(0, OTHER), PartitionChangeRecord(1, ONE, isr=[])])
    assert set(delta.created) == {OTHER}
    assert {topic.name: set(topic.changed_partitions) for topic in delta.changed.values()} == {"other": {0}, "one": {1}}
    assert not delta.deleted


def test_a_deleted_topic_takes_its_name_and_settings_along() -> None:
    """The delta has it as it was; the name is free, and the settings do not come back with the next topic of it."""
    assert delta_of([RemoveTopicRecord(ONE)]).deleted == {ONE: IMAGE.topics.by_id[ONE]}
    after = replayed([RemoveTopicRecord(ONE), TopicRecord("one", OTHER)], IMAGE)
    assert after.topics.ids == {"one": OTHER}
    assert set(after.topics.by_id) == {OTHER}
    assert after.configs == EMPTY.configs


def test_a_topic_made_and_deleted_at_once_leaves_no_trace() -> None:
    """Neither in the delta nor in the image, its settings included."""
    messages = [
        TopicRecord("other", OTHER),
        partition(0, OTHER),
        ConfigRecord(2, "other", "retention.ms", "7"),
        RemoveTopicRecord(OTHER),
    ]
    assert not delta_of(messages)
    assert replayed(messages, IMAGE) == IMAGE


def test_eligible_leaders_of_one_topic_or_of_all() -> None:
    """Partitions that have some lose them under a new partition epoch; the others have not changed."""
    base = replayed([partition(0, eligible=[2]), TopicRecord("other", OTHER), partition(0, OTHER, eligible=[2])], IMAGE)
    one = delta_of([ClearElrRecord("one")], base)
    assert {topic.name: set(topic.changed_partitions) for topic in one.changed.values()} == {"one": {0}}
    both = delta_of([partition(5, OTHER, eligible=[2]), ClearElrRecord("")], base)
    assert {topic.name: set(topic.changed_partitions) for topic in both.changed.values()} == {
        "one": {0},
        "other": {0, 5},
    }
    changed = [partition for topic in both.changed.values() for partition in topic.changed_partitions.values()]
    assert [each.eligible_leader_replicas for each in changed] == [()] * 3
    assert one.changed[ONE].changed_partitions[0].partition_epoch == 1
    assert not delta_of([ClearElrRecord("")])


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (partition(0, OTHER), "there is no topic 0+ca: PartitionRecord"),
        (PartitionChangeRecord(0, OTHER), "there is no topic 0+ca: PartitionChangeRecord"),
        (PartitionChangeRecord(2, ONE), r"topic one has no such partition: PartitionChangeRecord\(partition_id=2"),
        (RemoveTopicRecord(OTHER), "there is no topic 0+ca: RemoveTopicRecord"),
        (ClearElrRecord("other"), r"there is no topic of this name: ClearElrRecord\(topic_name='other'"),
    ],
)
def test_damage_names_the_record_and_changes_nothing(record: Message, why: str) -> None:
    """A record about a topic or partition that is not there: who loads may go on with the next one."""
    delta = MetadataDelta(IMAGE)
    with pytest.raises(DamagedMetadata, match=why):
        delta.replay(record)
    assert not delta
    assert delta.apply(IMAGE.provenance) == IMAGE


def test_a_deleted_topic_is_not_there_any_more() -> None:
    """A record behind the deletion is damage, in the same delta as well as in the next."""
    with pytest.raises(DamagedMetadata, match=r"there is no topic 0+c9"):
        delta_of([RemoveTopicRecord(ONE), PartitionChangeRecord(0, ONE)])


def test_a_name_goes_with_its_newest_topic() -> None:
    """Where another topic has taken the name, deleting the older one leaves it to the newer, at once or later."""
    taken = TopicRecord("one", OTHER)
    for after in (
        replayed([taken, RemoveTopicRecord(ONE)], IMAGE),
        replayed([RemoveTopicRecord(ONE)], replayed([taken], IMAGE)),
    ):
        assert after.topics.ids == {"one": OTHER}
        assert set(after.topics.by_id) == {OTHER}


def test_an_id_that_comes_again() -> None:
    """It is a topic without the partitions that it had, under its new name alone, and not a deleted one."""
    for messages in ([TopicRecord("again", ONE)], [RemoveTopicRecord(ONE), TopicRecord("again", ONE)]):
        delta = delta_of([*messages])
        assert not delta.deleted
        assert not delta.created
        after = delta.apply()
        assert after.ids == {"again": ONE}
        assert after.by_id[ONE].name == "again"
        assert len(after.by_id[ONE].partitions) == 0


def test_what_was_changed_back_has_not_changed() -> None:
    """A partition that is again what it was in the base is in no delta, nor is its topic."""
    assert not delta_of([PartitionChangeRecord(1, ONE, leader=-1), partition(1)])
    assert delta_of([PartitionChangeRecord(1, ONE, leader=-1), PartitionChangeRecord(1, ONE, leader=1)])


def test_eligible_leaders_of_all_topics_that_are_left() -> None:
    """A topic that was deleted in the same delta is not looked for."""
    made: list[Message] = [TopicRecord("other", OTHER), partition(0, OTHER, eligible=[2])]
    cleared = delta_of([*made, RemoveTopicRecord(ONE), ClearElrRecord("")])
    assert cleared.changed[OTHER].changed_partitions[0].eligible_leader_replicas == ()
    assert set(cleared.deleted) == {ONE}
