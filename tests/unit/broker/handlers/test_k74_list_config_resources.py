"""What ListConfigResources answers."""

import pytest

from ottla.broker.handlers.k74_list_config_resources import list_config_resources
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import ListConfigResourcesRequest
from ottla.protocol.messages.metadata_records import ConfigRecord
from tests.unit.broker.handlers.circumstances import CLUSTER, context, parts

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET = [ConfigRecord(GROUP, "g", "share.session.timeout.ms", "1"), ConfigRecord(CLIENT_METRICS, "s", "interval.ms", "1")]
ALL = [
    (GROUP, "g"),
    (CLIENT_METRICS, "s"),
    *((BROKER_LOGGER, name) for name in "124"),
    *((BROKER, name) for name in "124"),
    (TOPIC, "__consumer_offsets"),
    (TOPIC, "orders"),
]


@pytest.mark.parametrize(
    ("version", "asked", "found"),
    [
        (0, [], [(CLIENT_METRICS, "s")]),
        (1, [], ALL),
        (1, [TOPIC, GROUP], [(GROUP, "g"), (TOPIC, "__consumer_offsets"), (TOPIC, "orders")]),
    ],
)
def test_resources(version: int, asked: list[int], found: list[tuple[int, str]]) -> None:
    """Version 0 knows subscriptions alone; later ones any kind, or all; a fenced broker is one too."""
    broker = parts(records=[*CLUSTER, *SET])
    answer = list_config_resources(context(version, broker=broker), ListConfigResourcesRequest(asked))
    assert [(each.resource_type, each.resource_name) for each in answer.config_resources] == found


def test_a_kind_that_there_is_not() -> None:
    """Is UNSUPPORTED_VERSION, and nothing is told."""
    answer = list_config_resources(context(1), ListConfigResourcesRequest([TOPIC, 3]))
    assert (answer.error_code, list(answer.config_resources)) == (ErrorCode.UNSUPPORTED_VERSION, [])
