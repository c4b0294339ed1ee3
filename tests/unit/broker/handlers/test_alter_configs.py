"""What a broker itself says to changes of settings: codes are those of Apache Kafka 4.3.1 in the same state."""

import logging
from typing import Any

import pytest

from ottla.broker.handlers.k33_forward_alter_configs import alter_configs
from ottla.broker.handlers.k44_forward_incremental_alter_configs import incremental_alter_configs
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from ottla.protocol.messages.configs import AlterConfigsRequest_AlterableConfig as LegacyConfig
from ottla.protocol.messages.configs import AlterConfigsRequest_AlterConfigsResource as LegacyResource
from ottla.protocol.messages.configs import IncrementalAlterConfigsRequest_AlterableConfig as Config
from ottla.protocol.messages.configs import IncrementalAlterConfigsRequest_AlterConfigsResource as Resource
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import Controller, context, parts
from tests.unit.network.ends import run

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)
Outcomes = list[tuple[int, int, str]]
INVALID, CONFIG = ErrorCode.INVALID_REQUEST, ErrorCode.INVALID_CONFIG


def answers(handle: Any, request: Message, *from_controller: Message) -> tuple[Outcomes, list[Message]]:
    """The codes that come back, and what the controller was asked."""

    async def main(world: SimulatedWorld) -> tuple[Outcomes, list[Message]]:
        controller = Controller(*from_controller)
        response = await handle(context(1, broker=parts(world, controller=controller)), request)
        found = [(each.error_code, each.resource_type, each.resource_name) for each in response.responses]
        return found, controller.asked

    return run(main)


@pytest.mark.parametrize(
    ("resource", "code"),
    [
        (Resource(BROKER, "1", [Config("node.id", SET, "7")]), INVALID),
        (Resource(BROKER, "1", [Config("log.cleaner.threads", SET, "many")]), INVALID),
        (Resource(BROKER, "", [Config("log.retention.ms", SET, "abc")]), INVALID),
        (Resource(BROKER, "", [Config("listener.name.x.ssl.keystore.location", SET, "x")]), INVALID),
        (Resource(BROKER, "1", [Config("num.io.threads", SET, "100")]), INVALID),
        (Resource(BROKER, "1", [Config("log.cleaner.threads", APPEND, "1")]), CONFIG),
        (Resource(BROKER, "1", [Config("log.retention.ms", 7, "1")]), INVALID),
        (Resource(BROKER, "7", []), INVALID),
        (Resource(BROKER, "x", []), INVALID),
        (Resource(BROKER_LOGGER, "7", []), INVALID),
        (Resource(BROKER_LOGGER, "1", [Config("nowhere", SET, "INFO")]), CONFIG),
        (Resource(3, "x", []), INVALID),
        (Resource(TOPIC, "orders", [Config("retention.ms", SET, None)]), INVALID),
        (Resource(TOPIC, "orders", [Config("retention.ms", SET, "1"), Config("retention.ms", DELETE, None)]), INVALID),
    ],
)
def test_what_a_broker_refuses(resource: Resource, code: ErrorCode) -> None:
    """What would be no sound node, other brokers, and what is ambiguous never gets to the controller."""
    found, asked = answers(incremental_alter_configs, IncrementalAlterConfigsRequest([resource]))
    assert found == [(code, resource.resource_type, resource.resource_name)]
    assert asked == []


def test_the_rest_is_the_controllers_matter() -> None:
    """What is left goes to the controller in one request, and its answers come back in the order of the question."""
    names = ["orders", "nowhere", "orders2"]
    resources = [Resource(TOPIC, name, [Config("no.such", DELETE, None)]) for name in names]
    resources[1:1] = [Resource(BROKER, "7", []), Resource(BROKER, "1", [Config("no.such.thing", SET, "x")])]
    outcome = IncrementalAlterConfigsResponse.AlterConfigsResourceResponse
    response = IncrementalAlterConfigsResponse(
        responses=[
            outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "", TOPIC, "nowhere"),
            outcome(ErrorCode.INVALID_CONFIG, "", TOPIC, "orders2"),
            outcome(ErrorCode.NONE, None, TOPIC, "orders"),
            outcome(ErrorCode.INVALID_REQUEST, "", BROKER, "1"),
        ]
    )
    found, (asked,) = answers(incremental_alter_configs, IncrementalAlterConfigsRequest(resources), response)
    assert found == [
        (ErrorCode.NONE, TOPIC, "orders"),
        (ErrorCode.INVALID_REQUEST, BROKER, "7"),
        (ErrorCode.INVALID_REQUEST, BROKER, "1"),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, TOPIC, "nowhere"),
        (ErrorCode.INVALID_CONFIG, TOPIC, "orders2"),
    ]
    assert isinstance(asked, IncrementalAlterConfigsRequest)
    assert [each.resource_name for each in asked.resources] == ["orders", "1", "nowhere", "orders2"]


def test_a_resource_is_named_once() -> None:
    """Of one that is named twice both are refused."""
    twice = [Resource(TOPIC, "orders", []), Resource(TOPIC, "orders", [])]
    found, asked = answers(incremental_alter_configs, IncrementalAlterConfigsRequest(twice))
    assert (found, asked) == ([(INVALID, TOPIC, "orders")] * 2, [])


def test_an_operation_that_there_is_not() -> None:
    """Is an error of Kafka's own for all that its controller is asked about together, and for nothing else."""
    resources = [
        Resource(TOPIC, "orders", [Config("retention.ms", 9, "1")]),
        Resource(BROKER, "7", []),
        Resource(GROUP, "g", []),
        Resource(BROKER_LOGGER, "1", [Config("root", 9, "INFO")]),
    ]
    found, asked = answers(incremental_alter_configs, IncrementalAlterConfigsRequest(resources))
    unknown = ErrorCode.UNKNOWN_SERVER_ERROR
    assert [code for code, _, _ in found] == [unknown, INVALID, unknown, unknown]
    assert asked == []


@pytest.mark.parametrize("validate_only", [True, False])
def test_levels_of_loggers_are_set_here(validate_only: bool) -> None:
    """A level is set at once and the controller is not asked; trying out sets nothing."""
    logger = logging.getLogger("ottla.tests.alter_configs")
    request = IncrementalAlterConfigsRequest(
        [Resource(BROKER_LOGGER, "1", [Config(logger.name, SET, "DEBUG")])], validate_only
    )
    try:
        assert answers(incremental_alter_configs, request) == ([(ErrorCode.NONE, BROKER_LOGGER, "1")], [])
        assert logger.level == (logging.NOTSET if validate_only else logging.DEBUG)
    finally:
        logger.setLevel(logging.NOTSET)


@pytest.mark.parametrize(
    ("resource", "code"),
    [
        (LegacyResource(BROKER, "1", [LegacyConfig("node.id", "7")]), INVALID),
        (LegacyResource(BROKER, "7", []), INVALID),
        (LegacyResource(BROKER_LOGGER, "1", [LegacyConfig("root", "INFO")]), INVALID),
        (LegacyResource(3, "x", []), INVALID),
        (LegacyResource(TOPIC, "orders", [LegacyConfig("retention.ms", None)]), INVALID),
        (LegacyResource(TOPIC, "orders", [LegacyConfig("a", "1"), LegacyConfig("a", "1")]), INVALID),
    ],
)
def test_what_is_refused_when_all_settings_are_replaced(resource: LegacyResource, code: ErrorCode) -> None:
    """The older request is checked in the same way; it has no loggers."""
    found, asked = answers(alter_configs, AlterConfigsRequest([resource]))
    assert (found, asked) == ([(code, resource.resource_type, resource.resource_name)], [])


def test_all_settings_are_replaced() -> None:
    """The controller is asked, and its answer comes back."""
    response = AlterConfigsResponse(
        responses=[AlterConfigsResponse.AlterConfigsResourceResponse(ErrorCode.INVALID_CONFIG, "", TOPIC, "orders")]
    )
    request = AlterConfigsRequest([LegacyResource(TOPIC, "orders", [LegacyConfig("no.such", "1")])])
    found, asked = answers(alter_configs, request, response)
    assert (found, asked) == ([(ErrorCode.INVALID_CONFIG, TOPIC, "orders")], [request])
