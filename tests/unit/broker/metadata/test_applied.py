"""Answers that wait until this broker has applied what it is about."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from ottla.broker.context import RequestContext
from ottla.broker.metadata import applied
from ottla.broker.parts import BrokerParts
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import AlterConfigsRequest, IncrementalAlterConfigsRequest
from ottla.protocol.messages.metadata_records import ConfigRecord, RemoveTopicRecord, TopicRecord
from ottla.protocol.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)
from ottla.protocol.messages.topics import DeleteTopicsResponse_DeletableTopicResult as Deleted
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import AWAY, ORDERS, Controller, context, partition, parts, replay
from tests.unit.network.ends import run

Handle = Callable[[RequestContext, Any], Awaitable[Message]]
TOPIC = 2


async def waits_for(
    world: SimulatedWorld, handle: Handle, request: Message, response: Message, *records: Message
) -> BrokerParts:
    """Whether an answer comes with these records, and not before."""
    broker = parts(world, controller=Controller(response))
    answering = world.spawn(_answer(handle, context(5, broker=broker), request), "answering")
    await world.clock.sleep(100)
    assert not answering.done()
    replay(broker.metadata, TopicRecord("unrelated", Uuid(b"unrelated".ljust(16, b"\1"))))
    await world.clock.sleep(100)
    assert not answering.done()
    replay(broker.metadata, *records)
    await world.clock.sleep(1)
    assert answering.done()
    assert await answering is response
    return broker


async def _answer(handle: Handle, circumstances: RequestContext, request: Message) -> Message:
    return await handle(circumstances, request)


def test_a_topic_that_is_made_can_be_used() -> None:
    """CreateTopics is answered when this broker knows the topics that were made; the others do not matter."""
    results = [
        CreateTopicsResponse.CreatableTopicResult("new", error_code=ErrorCode.NONE),
        CreateTopicsResponse.CreatableTopicResult("bad", error_code=ErrorCode.INVALID_PARTITIONS),
    ]
    request = CreateTopicsRequest([CreateTopicsRequest.CreatableTopic("new", 1, 1)], 60_000)

    async def main(world: SimulatedWorld) -> None:
        response = CreateTopicsResponse(topics=results)
        await waits_for(world, applied.create_topics, request, response, TopicRecord("new", AWAY))

    run(main)


@pytest.mark.parametrize(
    "result",
    [
        Deleted("orders"),
        Deleted("orders", ORDERS),
        Deleted(None, ORDERS),
    ],
)
def test_a_topic_that_is_deleted_is_gone(result: Deleted) -> None:
    """DeleteTopics is answered when the topic is gone here, even if another one has its name by then."""

    async def main(world: SimulatedWorld) -> None:
        request = DeleteTopicsRequest(topic_names=["orders"], timeout_ms=60_000)
        records = [RemoveTopicRecord(ORDERS), TopicRecord("orders", AWAY)]
        await waits_for(world, applied.delete_topics, request, DeleteTopicsResponse(responses=[result]), *records)

    run(main)


def test_partitions_that_are_made_are_there() -> None:
    """CreatePartitions is answered when this broker knows as many as were asked for."""

    async def main(world: SimulatedWorld) -> None:
        request = CreatePartitionsRequest([CreatePartitionsRequest.CreatePartitionsTopic("orders", 4)], 60_000)
        response = CreatePartitionsResponse(results=[CreatePartitionsResponse.CreatePartitionsTopicResult("orders")])
        await waits_for(world, applied.create_partitions, request, response, partition(ORDERS, 3, 1, 0, (1,), (1,)))

    run(main)


@pytest.mark.parametrize(("timeout_ms", "waited_ms"), [(300, 300), (600_000, applied.LONGEST_MS), (0, 0)])
def test_nobody_waits_for_ever(timeout_ms: int, waited_ms: int) -> None:
    """What is committed is answered as such after the request's timeout, or some seconds."""

    async def main(world: SimulatedWorld) -> None:
        response = CreateTopicsResponse(topics=[CreateTopicsResponse.CreatableTopicResult("new")])
        request = CreateTopicsRequest([CreateTopicsRequest.CreatableTopic("new", 1, 1)], timeout_ms)
        circumstances = context(5, broker=parts(world, controller=Controller(response)))
        begun_ms = world.clock.monotonic_ms()
        assert await applied.create_topics(circumstances, request) is response
        assert waited_ms <= world.clock.monotonic_ms() - begun_ms <= waited_ms + 10

    run(main)


def test_trying_out_waits_for_nothing() -> None:
    """With validate_only there is nothing to wait for."""

    async def main(world: SimulatedWorld) -> None:
        response = CreateTopicsResponse(topics=[CreateTopicsResponse.CreatableTopicResult("new")])
        request = CreateTopicsRequest([CreateTopicsRequest.CreatableTopic("new", 1, 1)], 60_000, validate_only=True)
        circumstances = context(5, broker=parts(world, controller=Controller(response)))
        begun_ms = world.clock.monotonic_ms()
        await applied.create_topics(circumstances, request)
        assert world.clock.monotonic_ms() == begun_ms

    run(main)


def incremental(operation: int, name: str, value: str | None) -> IncrementalAlterConfigsRequest:
    """A request for one setting of a topic."""
    config = IncrementalAlterConfigsRequest.AlterableConfig(name, operation, value)
    return IncrementalAlterConfigsRequest(
        [IncrementalAlterConfigsRequest.AlterConfigsResource(TOPIC, "orders", [config])]
    )


@pytest.mark.parametrize(
    ("request_", "before", "after"),
    [
        (incremental(applied.SET, "retention.ms", "5"), None, "5"),
        (incremental(applied.DELETE, "retention.ms", None), "5", None),
        (incremental(applied.APPEND, "cleanup.policy", "compact"), "delete", "delete,compact"),
        (incremental(applied.SUBTRACT, "cleanup.policy", "compact"), "delete,compact", "delete"),
        (
            AlterConfigsRequest(
                [
                    AlterConfigsRequest.AlterConfigsResource(
                        TOPIC, "orders", [AlterConfigsRequest.AlterableConfig("retention.ms", "5")]
                    )
                ]
            ),
            None,
            "5",
        ),
    ],
)
def test_settings_are_in_force(request_: Any, before: str | None, after: str | None) -> None:
    """A change of settings is answered when this broker goes by it."""
    (resource,) = request_.resources
    (config,) = resource.configs

    async def main(world: SimulatedWorld) -> None:
        broker = parts(world)
        replay(broker.metadata, ConfigRecord(TOPIC, "orders", config.name, before))
        waiting = world.spawn(applied.configs_reached(context(1, broker=broker), request_, set()), "waiting")
        await world.clock.sleep(100)
        assert not waiting.done()
        replay(broker.metadata, ConfigRecord(TOPIC, "orders", config.name, after))
        await world.clock.sleep(1)
        assert waiting.done()
        failed = {(TOPIC, "orders")}
        replay(broker.metadata, ConfigRecord(TOPIC, "orders", config.name, before))
        begun_ms = world.clock.monotonic_ms()
        await applied.configs_reached(context(1, broker=broker), request_, failed)
        assert world.clock.monotonic_ms() == begun_ms, "nobody waits for what was refused"

    run(main)
