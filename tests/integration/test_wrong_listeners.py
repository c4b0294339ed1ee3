"""Requests on a listener that they are not for: nobody is served at the wrong door, and nobody else notices."""

from collections.abc import Iterator
from typing import Final

import pytest

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from tests.integration.nodes import NodeProcess, node_process
from tests.integration.raw_client import RawClient

OF_CONTROLLERS: Final = (
    ApiKey.VOTE,
    ApiKey.BEGIN_QUORUM_EPOCH,
    ApiKey.END_QUORUM_EPOCH,
    ApiKey.ALTER_PARTITION,
    ApiKey.ENVELOPE,
    ApiKey.FETCH_SNAPSHOT,
    ApiKey.BROKER_REGISTRATION,
    ApiKey.BROKER_HEARTBEAT,
    ApiKey.ALLOCATE_PRODUCER_IDS,
    ApiKey.CONTROLLER_REGISTRATION,
    ApiKey.ASSIGN_REPLICAS_TO_DIRS,
    ApiKey.UPDATE_RAFT_VOTER,
)
OF_BROKERS: Final = (
    ApiKey.PRODUCE,
    ApiKey.LIST_OFFSETS,
    ApiKey.METADATA,
    ApiKey.DELETE_RECORDS,
    ApiKey.INIT_PRODUCER_ID,
    ApiKey.OFFSET_FOR_LEADER_EPOCH,
    ApiKey.DESCRIBE_PRODUCERS,
    ApiKey.DESCRIBE_LOG_DIRS,
    ApiKey.DESCRIBE_TOPIC_PARTITIONS,
)


@pytest.fixture(scope="module")
def node() -> Iterator[NodeProcess]:
    """One node for all."""
    with node_process() as node:
        yield node


def advertised(node: NodeProcess, listener: str) -> set[int]:
    """What a listener says that it serves."""
    with RawClient(node.address(listener)) as client:
        answer = client.ask(ApiVersionsRequest("raw", "1"), ApiVersionsResponse, 4)
    return {each.api_key for each in answer.api_keys}


@pytest.mark.parametrize(("listener", "apis"), [("PLAINTEXT", OF_CONTROLLERS), ("CONTROLLER", OF_BROKERS)])
def test_what_is_not_for_a_listener_ends_the_connection(
    node: NodeProcess, listener: str, apis: tuple[ApiKey, ...]
) -> None:
    """A client cannot forward, vote, register or take producer ids on a broker's listener, nor produce on the
    controller's; it is not said to be served there, and who asks all the same is disconnected, as in Kafka.
    """
    assert not advertised(node, listener) & set(apis)
    for api in apis:
        with RawClient(node.address(listener)) as client:
            client.send_body(api, api.max_version, bytes(200))
            assert client.receive() is None, api.name
    assert advertised(node, listener)
