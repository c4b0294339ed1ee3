"""Images are handed on to clients when the broker can do what they say."""

from ottla.broker.metadata.applied_images import AppliedImages
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.replication.leader import Leader
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import NoOpRecord, PartitionRecord, TopicRecord
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import ME, DataBroker, simulate
from tests.unit.storage.home import Home


def new_topic(name: str, partitions: int) -> list[TopicRecord | PartitionRecord]:
    """A topic that this broker leads alone."""
    topic_id = Uuid(name.encode().ljust(16, b"."))
    indexes = range(partitions)
    return [
        TopicRecord(name, topic_id),
        *(PartitionRecord(index, topic_id, replicas=[ME], isr=[ME], leader=ME, leader_epoch=1) for index in indexes),
    ]


def test_a_topic_is_told_when_its_partitions_have_logs() -> None:
    """Whoever sees a topic in the metadata can produce to it; images stay in their order, and none is left out."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        told: list[MetadataImage] = []

        def tell(delta: MetadataDelta, image: MetadataImage) -> None:
            told.append(image)
            for name in image.topics.ids:
                if name.startswith("new-"):
                    assert isinstance(broker.partition(2, name).role, Leader), f"{name} is told too early"

        applied = AppliedImages(world, broker.replicas, [tell])
        broker.publisher.add(applied)
        first = len(told)
        expected = []
        for number in range(5):
            broker.replay(*new_topic(f"new-{number}", 3))
            expected.append(broker.publisher.image)
            broker.replay(NoOpRecord())
            expected.append(broker.publisher.image)
        assert len(told) == first, "logs are made while the loop goes on"
        await broker.replicas.settled()
        await world.clock.sleep(1)
        assert told[first:] == expected
        broker.replay(NoOpRecord())
        assert told[-1] is broker.publisher.image, "with nothing to make, an image is told at once"
        await applied.stop()
        await broker.stop()

    simulate(main)


def test_nothing_is_told_after_the_end() -> None:
    """A broker that stops tells nobody of topics whose logs are not there yet."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        told: list[MetadataImage] = []
        applied = AppliedImages(world, broker.replicas, [lambda delta, image: told.append(image)])
        broker.publisher.add(applied)
        first = len(told)
        broker.replay(*new_topic("new", 3))
        await applied.stop()
        await broker.replicas.settled()
        await world.clock.sleep(10)
        assert len(told) == first
        await broker.stop()

    simulate(main)
