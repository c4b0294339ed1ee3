"""What DescribeConfigs answers: codes and values are those of Apache Kafka 4.3.1 in the same state."""

import pytest

from ottla.broker.handlers.k32_describe_configs import describe_configs, failed
from ottla.broker.parts import BrokerParts
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.configs import DescribeConfigsRequest, DescribeConfigsResponse
from ottla.protocol.messages.configs import DescribeConfigsRequest_DescribeConfigsResource as Asked
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResourceResult as Entry
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResult as Result
from ottla.protocol.messages.metadata_records import ConfigRecord, TopicRecord
from ottla.world.api import World
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import CLUSTER, context, parts
from tests.unit.cluster.controller.house import House
from tests.unit.network.ends import run

TOPIC_SETTINGS = 33  # as many as Kafka 4.3.1 tells
TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET: list[Message] = [
    ConfigRecord(TOPIC, "orders", "retention.ms", "1000"),
    ConfigRecord(BROKER, "", "log.retention.bytes", "5"),
    ConfigRecord(BROKER, "1", "log.retention.bytes", "6"),
    ConfigRecord(BROKER, "1", "listener.name.plaintext.ssl.keystore.password", "secret"),
    ConfigRecord(GROUP, "g", "consumer.session.timeout.ms", "50000"),
    ConfigRecord(CLIENT_METRICS, "sub", "interval.ms", "1000"),
]


def broker(world: World) -> BrokerParts:
    """A broker where some things are set."""
    made = parts(world, records=[*CLUSTER, *SET])
    image = made.metadata.image
    made.layers.set_cluster(image.configs.of(BROKER, ""))
    made.layers.set_broker(image.configs.of(BROKER, "1"))
    return made


def described(kind: int, name: str, *keys: str, version: int = 4, synonyms: bool = False, doc: bool = False) -> Result:
    """The answer about one resource, as a client reads it."""
    (result,) = answer(DescribeConfigsRequest([Asked(kind, name, list(keys) or None)], synonyms, doc), version).results
    return result


def answer(request: DescribeConfigsRequest, version: int = 4) -> DescribeConfigsResponse:
    """A whole answer, as a client reads it."""

    async def main(world: SimulatedWorld) -> DescribeConfigsResponse:
        made = await describe_configs(context(version, broker=broker(world)), request)
        return DescribeConfigsResponse.read(made.to_bytes(version), version)

    return run(main)


def entries(result: Result) -> dict[str, Entry]:
    """By name."""
    assert result.error_code == ErrorCode.NONE
    return {entry.name: entry for entry in result.configs}


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [
        (TOPIC, "", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "or ders", ErrorCode.INVALID_TOPIC_EXCEPTION),
        (TOPIC, "nowhere", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (BROKER, "7", ErrorCode.INVALID_REQUEST),
        (BROKER, "x", ErrorCode.INVALID_REQUEST),
        (BROKER_LOGGER, "", ErrorCode.INVALID_REQUEST),
        (BROKER_LOGGER, "7", ErrorCode.INVALID_REQUEST),
        (CLIENT_METRICS, "", ErrorCode.INVALID_REQUEST),
        (GROUP, "", ErrorCode.INVALID_REQUEST),
    ],
)
def test_what_is_not_there(kind: int, name: str, code: ErrorCode) -> None:
    """A topic that is not there, another broker, and what has no name are refused, each resource for itself."""
    result = described(kind, name)
    assert (result.error_code, list(result.configs), result.resource_name) == (code, [], name)


def test_an_unknown_kind_refuses_all() -> None:
    """A type of resource that there is not is INVALID_REQUEST for the whole request."""
    request = DescribeConfigsRequest([Asked(TOPIC, "orders", None), Asked(3, "x", None)])
    with pytest.raises(RequestRefused) as refused:
        answer(request)
    whole = failed(request, refused.value.code, str(refused.value))
    assert [each.error_code for each in whole.results] == [ErrorCode.INVALID_REQUEST] * 2


def test_a_topics_settings() -> None:
    """All of them, with the source of each; what the broker is set to speaks for the topic."""
    found = entries(described(TOPIC, "orders", synonyms=True))
    assert len(found) == TOPIC_SETTINGS
    own = found["retention.ms"]
    assert (own.value, own.config_source, own.read_only, own.is_sensitive, own.config_type) == (
        "1000",
        1,
        False,
        False,
        5,
    )
    assert [(each.name, each.value, each.source) for each in own.synonyms] == [("retention.ms", "1000", 1)]
    spoken_for = found["retention.bytes"]
    assert (spoken_for.value, spoken_for.config_source) == ("6", 2)
    assert [(each.name, each.value, each.source) for each in spoken_for.synonyms] == [
        ("log.retention.bytes", "6", 2),
        ("log.retention.bytes", "5", 3),
        ("log.retention.bytes", "-1", 5),
    ]


def test_a_brokers_settings() -> None:
    """All of this broker; what is only for reading says so, and secrets are null."""
    found = entries(described(BROKER, "1"))
    assert found["node.id"].read_only
    assert (found["node.id"].config_source, found["node.id"].value) == (4, "1")
    assert not found["log.retention.bytes"].read_only
    secret = found["listener.name.plaintext.ssl.keystore.password"]
    assert (secret.value, secret.is_sensitive, secret.config_type) == (None, True, 9)
    assert (found["sasl.jaas.config"].value, found["sasl.jaas.config"].is_sensitive) == (None, True)


def test_the_settings_of_all_brokers() -> None:
    """The empty name stands for what is set for the whole cluster, and nothing else is told."""
    found = entries(described(BROKER, "", synonyms=True))
    assert list(found) == ["log.retention.bytes"]
    assert (found["log.retention.bytes"].value, found["log.retention.bytes"].config_source) == ("5", 3)


def test_groups_subscriptions_and_loggers() -> None:
    """Groups and subscriptions need not exist; what is set is told with its source."""
    group = entries(described(GROUP, "g"))
    assert (group["consumer.session.timeout.ms"].value, group["consumer.session.timeout.ms"].config_source) == (
        "50000",
        8,
    )
    assert entries(described(GROUP, "other"))["consumer.session.timeout.ms"].config_source == 5
    subscription = entries(described(CLIENT_METRICS, "sub"))
    assert (subscription["interval.ms"].value, subscription["interval.ms"].config_source) == ("1000", 7)
    assert entries(described(CLIENT_METRICS, "other"))["interval.ms"].config_source == 5
    loggers = entries(described(BROKER_LOGGER, "1"))
    assert loggers["root"].config_source == 6


def test_some_keys() -> None:
    """Only what is asked for; a key that is not there is left out; no keys at all are all of them."""
    assert list(entries(described(TOPIC, "orders", "retention.ms", "no.such"))) == ["retention.ms"]
    request = DescribeConfigsRequest([Asked(TOPIC, "orders", [])])
    (result,) = answer(request).results
    assert len(result.configs) == TOPIC_SETTINGS


@pytest.mark.parametrize("version", DescribeConfigsRequest.VERSIONS)
def test_documentation_and_synonyms_are_told_on_demand(version: int) -> None:
    """Documentation and types since version 3; synonyms only if they are asked for."""
    silent = entries(described(TOPIC, "orders", version=version))["retention.ms"]
    assert (silent.documentation, list(silent.synonyms)) == ("" if version < 3 else None, [])
    if version >= 3:
        told = entries(described(TOPIC, "orders", version=version, doc=True))["retention.ms"]
        assert told.documentation


def test_many_resources_let_others_run() -> None:
    """The settings of hundreds of topics are told in one answer, and the loop is free in between."""
    topics = [TopicRecord(f"t{number}", Uuid(number.to_bytes(16))) for number in range(1_000, 1_300)]

    async def main(world: SimulatedWorld) -> None:
        made = parts(world, records=[*CLUSTER, *topics])
        request = DescribeConfigsRequest([Asked(TOPIC, topic.name, None) for topic in topics])
        turns = 0

        async def describe() -> None:
            whole = await describe_configs(context(4, broker=made), request)
            back = DescribeConfigsResponse.read(whole.to_bytes(4), 4)
            assert [each.resource_name for each in back.results] == [topic.name for topic in topics]
            assert {len(each.configs) for each in back.results} == {TOPIC_SETTINGS}

        describing = world.spawn(describe(), "describe")
        while not describing.done():
            turns += 1
            await world.clock.sleep(0)
        await describing
        assert turns > 30

    run(main)


def test_a_controller_tells_its_own_settings() -> None:
    """Asked on its own listener, a controller answers about itself, and about everything that is in the metadata."""

    async def main(world: SimulatedWorld) -> None:
        house, made = House(world), broker(world)
        node_id = house.controller.configs.node_id
        circumstances = context(4, is_controller_listener=True, broker=made)
        circumstances.controller.its_office, circumstances.controller.node_id = house.office, node_id
        asked = [
            Asked(BROKER, str(node_id), ["node.id"]),
            Asked(TOPIC, "orders", ["retention.ms"]),
            Asked(BROKER, "1", None),
        ]
        whole = await describe_configs(circumstances, DescribeConfigsRequest(asked))
        found = DescribeConfigsResponse.read(whole.to_bytes(4), 4).results
        assert [[(each.name, each.value) for each in result.configs] for result in found] == [
            [("node.id", str(node_id))],
            [("retention.ms", "1000")],
            [],
        ]
        assert [each.error_code for each in found] == [ErrorCode.NONE, ErrorCode.NONE, ErrorCode.INVALID_REQUEST]

    run(main)
