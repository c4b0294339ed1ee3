"""Topics that are created because somebody asked for them."""

import pytest

from ottla.broker.metadata.auto_topics import AutoTopics, creatable
from ottla.config.layers import read_node
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsResponse
from ottla.world.api import Future, World
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import SETTINGS
from tests.unit.network.ends import run

CONFIG = read_node(SETTINGS | {"num.partitions": "3"})


class Controller:
    """Answers when the test lets it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.asked: list[CreateTopicsRequest] = []
        self.waiting: list[Future[CreateTopicsResponse]] = []

    async def ask(self, request: Message) -> CreateTopicsResponse:
        """A request, answered later."""
        assert isinstance(request, CreateTopicsRequest)
        self.asked.append(request)
        self.waiting.append(self.world.future())
        return await self.waiting[-1]


def test_a_topic_is_asked_for_once_at_a_time() -> None:
    """While a topic is being made nobody asks for it again; when that has ended, well or not, somebody may."""

    async def main(world: SimulatedWorld) -> None:
        controller = Controller(world)
        topics = AutoTopics(world, lambda: CONFIG, controller.ask)
        topics.create(["a", "b"])
        await world.clock.sleep(1)
        topics.create(["b"])
        topics.create(["b", "c"])
        await world.clock.sleep(1)
        assert [[topic.name for topic in each.topics] for each in controller.asked] == [["a", "b"], ["c"]]
        controller.waiting[0].set_result(CreateTopicsResponse())
        controller.waiting[1].set_exception(RequestRefused(ErrorCode.REQUEST_TIMED_OUT, "no controller"))
        await world.clock.sleep(1)
        topics.create(["a", "c"])
        await world.clock.sleep(1)
        assert [topic.name for topic in controller.asked[2].topics] == ["a", "c"]
        await topics.stop()
        assert controller.waiting[2].done()

    run(main)


def test_a_topic_has_the_brokers_defaults() -> None:
    """A topic that is made by asking has the broker's number of partitions and replicas, and no settings."""
    topic = creatable(CONFIG, "orders")
    assert (topic.num_partitions, topic.replication_factor, list(topic.configs)) == (3, 1, [])


@pytest.mark.parametrize(
    ("name", "configs"),
    [
        (
            "__consumer_offsets",
            {"cleanup.policy": "compact", "compression.type": "producer", "segment.bytes": "104857600"},
        ),
        (
            "__transaction_state",
            {
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": "2",
                "segment.bytes": "104857600",
                "unclean.leader.election.enable": "false",
            },
        ),
        (
            "__share_group_state",
            {
                "cleanup.policy": "delete",
                "compression.type": "producer",
                "min.insync.replicas": "2",
                "retention.ms": "-1",
                "segment.bytes": "104857600",
            },
        ),
    ],
)
def test_kafkas_own_topics_have_their_own_settings(name: str, configs: dict[str, str]) -> None:
    """The internal topics are made as Apache Kafka 4.3.1 makes them (asked with DescribeConfigs)."""
    topic = creatable(CONFIG, name)
    assert (topic.num_partitions, topic.replication_factor) == (50, 3)
    assert {each.name: each.value for each in topic.configs} == configs
