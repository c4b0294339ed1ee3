"""What a broker knows of the cluster, and how one waits for it."""

from ottla.broker.metadata.cache import MetadataCache
from ottla.protocol.messages.metadata_records import (
    FeatureLevelRecord,
    FenceBrokerRecord,
    TopicRecord,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import AWAY, CLUSTER, NO_WORLD, ORDERS, replay
from tests.unit.network.ends import run


def cache() -> MetadataCache:
    """Broker 1's."""
    made = MetadataCache(NO_WORLD, 1, "a-cluster", lambda: 1)
    replay(made, *CLUSTER)
    return made


def test_brokers_come_and_go() -> None:
    """Fenced brokers are not listed, and are listed again when they are back; a listener lists those that have it."""
    known = cache()

    def listed(listener: str = "PLAINTEXT") -> list[int]:
        return [broker.node_id for broker, _ in known.brokers_on(listener)]

    assert (listed(), listed("SECRET"), listed("OTHER")) == ([1, 2], [1], [])
    replay(known, UnfenceBrokerRecord(4, 104))
    assert listed() == [1, 2, 4]
    replay(known, FenceBrokerRecord(1, 101))
    assert (listed(), listed("SECRET")) == ([2, 4], [])
    replay(known, UnregisterBrokerRecord(2, 102))
    assert listed() == [4]
    assert (known.is_alive(1), known.is_alive(2), known.is_alive(4)) == (False, False, True)


def test_the_leader_of_a_partition() -> None:
    """Who leads, with the epoch, and where clients of a listener find it; None where nobody does."""
    known = cache()
    assert known.leader(ORDERS, 1) == (2, 3)
    assert known.leader(ORDERS, 2) is None
    assert known.leader(AWAY, 0) is None
    found = known.end_point(2, "PLAINTEXT")
    assert found is not None
    assert (found[0].rack, found[1].host) == ("r2", "two")
    assert known.end_point(2, "SECRET") is None
    assert known.end_point(9, "PLAINTEXT") is None


def test_topics_are_named_in_order() -> None:
    """Their names, as of now."""
    known = cache()
    assert list(known.topic_names()) == ["__consumer_offsets", "orders"]
    replay(known, TopicRecord("middle", AWAY))
    assert list(known.topic_names()) == ["__consumer_offsets", "middle", "orders"]
    topic, by_id = known.topic("middle"), known.topic_by_id(AWAY)
    assert topic is by_id is not None


def test_the_quorum_has_a_feature_of_its_own() -> None:
    """kraft.version is told beside those of the metadata; as of the newest record."""
    known = cache()
    assert known.features.levels() == {"kraft.version": 1, "metadata.version": 30}
    epoch = known.features.epoch
    replay(known, FeatureLevelRecord("group.version", 1))
    assert known.features.levels() == {"group.version": 1, "kraft.version": 1, "metadata.version": 30}
    assert known.features.epoch == epoch + 1


def test_waiting_for_an_image() -> None:
    """Whoever waits goes on with the first image in which it holds, or is told that there was none in time."""

    async def main(world: SimulatedWorld) -> None:
        known, begun_ms = MetadataCache(world, 1, "a-cluster"), world.clock.monotonic_ms()
        waiting = world.spawn(known.until(lambda image: image.topics.named("a") is not None, 1_000), "waiting")
        in_vain = world.spawn(known.until(lambda image: image.topics.named("b") is not None, 1_000), "in vain")
        await world.clock.sleep(10)
        replay(known, TopicRecord("other", ORDERS))
        await world.clock.sleep(10)
        assert not waiting.done()
        replay(known, TopicRecord("a", AWAY))
        assert await waiting
        assert world.clock.monotonic_ms() < begun_ms + 1_000
        assert not await in_vain
        assert world.clock.monotonic_ms() >= begun_ms + 1_000
        assert await known.until(lambda image: image.topics.named("a") is not None, 0)
        assert not await known.until(lambda image: image.topics.named("b") is not None, 0)

    run(main)
