"""Who is told of images, when, and in which order."""

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage
from ottla.cluster.metadata.publisher import Publisher
from ottla.protocol.messages.metadata_records import TopicRecord
from tests.unit.cluster.metadata.histories import replayed, uuid

ONE = replayed([TopicRecord("one", uuid(1))])
TWO = replayed([TopicRecord("two", uuid(2))], ONE)


class Witness:
    """Remembers what it was told."""

    def __init__(self, name: str, seen: list[tuple[str, list[str], MetadataImage]]) -> None:
        self.name, self.seen = name, seen

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """Note the topics of the delta."""
        self.seen.append((self.name, sorted(topic.name for topic in delta.topics.changed.values()), image))


def test_nobody_is_told_before_the_image_has_caught_up() -> None:
    """Then each gets everything at once, in the order in which they were added, and after that each change."""
    seen: list[tuple[str, list[str], MetadataImage]] = []
    publisher = Publisher()
    for name in ("b", "a"):
        publisher.add(Witness(name, seen))
    publisher.publish(MetadataDelta.between(EMPTY, ONE), ONE)
    assert seen == []
    publisher.catch_up()
    publisher.catch_up()
    assert seen == [("b", ["one"], ONE), ("a", ["one"], ONE)]
    publisher.publish(MetadataDelta.between(ONE, TWO), TWO)
    assert seen[2:] == [("b", ["two"], TWO), ("a", ["two"], TWO)]


def test_who_comes_later_is_told_everything() -> None:
    """As a delta from the empty image; who has gone is told nothing more."""
    seen: list[tuple[str, list[str], MetadataImage]] = []
    publisher = Publisher()
    publisher.catch_up()
    publisher.publish(MetadataDelta.between(EMPTY, TWO), TWO)
    late = Witness("late", seen)
    publisher.add(late)
    assert seen == [("late", ["one", "two"], TWO)]
    publisher.remove(late)
    publisher.publish(MetadataDelta.between(TWO, ONE), ONE)
    assert len(seen) == 1
    assert publisher.image is ONE
