"""Topics that are created because somebody asked for them (`auto.create.topics.enable`).

Whoever asks is answered at once that there is no such topic, and asks again; meanwhile the controller is asked to make
it, with this broker's defaults for partitions and replicas, and for Kafka's own topics with their own. What the
controller refuses is no error here: the topic is still not there when the client asks again.

Always true: a topic that is being made is not asked for a second time; at most `MAX_IN_FLIGHT` are, and what is beyond
that is made when it is asked for again.
"""

import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from ottla.config.config import Config
from ottla.errors import OttlaError
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsResponse
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopic as Topic
from ottla.protocol.messages.topics import CreateTopicsRequest_CreatableTopicConfig as TopicConfig
from ottla.world.api import Task, World

logger = logging.getLogger(__name__)

MAX_IN_FLIGHT: Final = 10_000

Ask = Callable[[Message], Coroutine[Any, Any, Any]]

# What Kafka's own topics are made with: partitions, replicas, other settings; the broker's setting for each.
_INTERNAL: Final[Mapping[str, tuple[str, str, Mapping[str, str]]]] = {
    "__consumer_offsets": (
        "offsets.topic.num.partitions",
        "offsets.topic.replication.factor",
        {"segment.bytes": "offsets.topic.segment.bytes"},
    ),
    "__transaction_state": (
        "transaction.state.log.num.partitions",
        "transaction.state.log.replication.factor",
        {
            "segment.bytes": "transaction.state.log.segment.bytes",
            "min.insync.replicas": "transaction.state.log.min.isr",
        },
    ),
    "__share_group_state": (
        "share.coordinator.state.topic.num.partitions",
        "share.coordinator.state.topic.replication.factor",
        {
            "segment.bytes": "share.coordinator.state.topic.segment.bytes",
            "min.insync.replicas": "share.coordinator.state.topic.min.isr",
        },
    ),
}
_FIXED: Final[Mapping[str, Mapping[str, str]]] = {
    "__consumer_offsets": {"cleanup.policy": "compact", "compression.type": "producer"},
    "__transaction_state": {
        "unclean.leader.election.enable": "false",
        "compression.type": "uncompressed",
        "cleanup.policy": "compact",
    },
    "__share_group_state": {"cleanup.policy": "delete", "compression.type": "producer", "retention.ms": "-1"},
}


class AutoTopics:
    """What is being created."""

    def __init__(self, world: World, config: Callable[[], Config], ask: Ask) -> None:
        self._world, self._config, self._ask = world, config, ask
        self._in_flight: set[str] = set()
        self._tasks: list[Task[None]] = []

    def create(self, names: Sequence[str]) -> None:
        """Have these made, unless they are already on their way."""
        fresh = [name for name in names if name not in self._in_flight][: MAX_IN_FLIGHT - len(self._in_flight)]
        if not fresh:
            return
        self._in_flight.update(fresh)
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(self._world.spawn(self._create(fresh), "auto-create topics"))

    async def stop(self) -> None:
        """Nobody waits for what is not made yet."""
        for task in self._tasks:
            task.cancel()
        while any(not task.done() for task in self._tasks):  # what is cancelled ends within a few turns of the loop
            await self._world.clock.sleep(0)
        self._tasks.clear()

    async def _create(self, names: Sequence[str]) -> None:
        config = self._config()
        request = CreateTopicsRequest(
            [creatable(config, name) for name in names], timeout_ms=config.integer("request.timeout.ms")
        )
        try:
            response: CreateTopicsResponse = await self._ask(request)
        except OttlaError as error:
            logger.info("topics were not created", extra={"topics": names, "why": str(error)})
        else:
            for topic in response.topics:
                if topic.error_code not in (ErrorCode.NONE, ErrorCode.TOPIC_ALREADY_EXISTS):
                    logger.info(
                        "a topic was not created", extra={"topic": topic.name, "why": topic.error_message or ""}
                    )
        finally:
            self._in_flight.difference_update(names)


def creatable(config: Config, name: str) -> Topic:
    """The topic as it is asked for."""
    if name not in _INTERNAL:
        return Topic(name, config.integer("num.partitions"), config.integer("default.replication.factor"))
    partitions, replicas, configs = _INTERNAL[name]
    texts = {**_FIXED[name], **{own: str(config.integer(setting)) for own, setting in configs.items()}}
    return Topic(
        name,
        config.integer(partitions),
        config.integer(replicas),
        configs=[TopicConfig(own, text) for own, text in sorted(texts.items())],
    )
