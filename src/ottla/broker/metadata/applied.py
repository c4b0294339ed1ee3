"""Changes that are answered when this broker has applied them, and not only when the controller has committed them.

A client that was told that its topic is made produces to it at once, and most likely through the broker that told it.
So what the controller answers is held back until this broker's newest image says the same, for as long as the request's
timeout lasts and at most `LONGEST_MS`: what is committed is a success also for whoever lags behind.
"""

from typing import Final

from ottla.broker.context import RequestContext
from ottla.cluster.metadata.image import MetadataImage
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import AlterConfigsRequest, IncrementalAlterConfigsRequest
from ottla.protocol.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
)

LONGEST_MS: Final = 10_000
SET, DELETE, APPEND, SUBTRACT = range(4)


async def create_topics(context: RequestContext, request: CreateTopicsRequest) -> Message:
    """The controller's answer, when the topics that were made can be used here."""
    cache, deadline_ms = context.broker.metadata, _deadline_ms(context, request.timeout_ms)
    response = await context.broker.controller.forward(context, request)
    assert isinstance(response, CreateTopicsResponse)
    if not request.validate_only:
        names = [topic.name for topic in response.topics if topic.error_code == ErrorCode.NONE]
        await cache.until(lambda image: all(name in image.topics.ids for name in names), _left_ms(context, deadline_ms))
    return response


async def delete_topics(context: RequestContext, request: DeleteTopicsRequest) -> Message:
    """The controller's answer, when the topics that were deleted are gone here."""
    cache, deadline_ms = context.broker.metadata, _deadline_ms(context, request.timeout_ms)
    ids_before = cache.image.topics.ids
    response = await context.broker.controller.forward(context, request)
    assert isinstance(response, DeleteTopicsResponse)
    gone: set[Uuid] = set()
    for topic in response.responses:
        if topic.error_code == ErrorCode.NONE:
            # Versions up to 5 do not tell the id; a topic of the same name may be there again by now.
            known = ids_before.get(topic.name) if topic.name is not None else None
            gone.add(known if known is not None else topic.topic_id)
    await cache.until(
        lambda image: not any(topic_id in image.topics.by_id for topic_id in gone), _left_ms(context, deadline_ms)
    )
    return response


async def create_partitions(context: RequestContext, request: CreatePartitionsRequest) -> Message:
    """The controller's answer, when the new partitions are known here."""
    cache, deadline_ms = context.broker.metadata, _deadline_ms(context, request.timeout_ms)
    response = await context.broker.controller.forward(context, request)
    assert isinstance(response, CreatePartitionsResponse)
    done = {topic.name for topic in response.results if topic.error_code == ErrorCode.NONE}
    counts = {topic.name: topic.count for topic in request.topics if topic.name in done}

    def holds(image: MetadataImage) -> bool:
        topics = ((image.topics.named(name), count) for name, count in counts.items())
        return all(topic is None or len(topic.partitions) >= count for topic, count in topics)

    if not request.validate_only:
        await cache.until(holds, _left_ms(context, deadline_ms))
    return response


async def configs_reached(
    context: RequestContext, request: AlterConfigsRequest | IncrementalAlterConfigsRequest, failed: set[tuple[int, str]]
) -> None:
    """Wait until this broker goes by settings that were changed; `failed` are the resources that were not."""
    wanted: dict[tuple[int, str], dict[str, tuple[int, str | None]]] = {}
    for resource in request.resources:
        key = (resource.resource_type, resource.resource_name)
        if key not in failed:
            wanted[key] = {each.name: (getattr(each, "config_operation", SET), each.value) for each in resource.configs}

    def holds(image: MetadataImage) -> bool:
        return all(
            _is_in_force(image.configs.of(*key).get(name), operation, value)
            for key, changes in wanted.items()
            for name, (operation, value) in changes.items()
        )

    if wanted and not request.validate_only:
        await context.broker.metadata.until(holds, LONGEST_MS)


def _is_in_force(text: str | None, operation: int, value: str | None) -> bool:
    if operation == DELETE:
        return text is None
    if operation == SET or value is None:
        return text == value
    words = set() if text is None else set(text.split(","))
    given = {word.strip() for word in value.split(",")}
    return given <= words if operation == APPEND else not given & words


def _deadline_ms(context: RequestContext, timeout_ms: int) -> int:
    return context.broker.world.clock.monotonic_ms() + min(timeout_ms, LONGEST_MS)


def _left_ms(context: RequestContext, deadline_ms: int) -> int:
    return deadline_ms - context.broker.world.clock.monotonic_ms()
