"""What Metadata answers."""

import pytest

from ottla.broker.handlers.k03_metadata import metadata
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataRequest_MetadataRequestTopic as Asked
from ottla.security.operations import NOT_ASKED
from tests.unit.broker.handlers.circumstances import ORDERS, context

VERSIONS = MetadataRequest.VERSIONS


def names(response: MetadataResponse) -> list[str | None]:
    """The names of the topics in an answer."""
    return [topic.name for topic in response.topics]


@pytest.mark.parametrize("version", VERSIONS)
def test_all_topics(version: int) -> None:
    """Null asks for all topics, in version 0 an empty list; an empty list asks for none since version 1."""
    assert names(metadata(context(version), MetadataRequest(topics=None))) == ["__consumer_offsets", "orders"]
    found = names(metadata(context(version), MetadataRequest(topics=[])))
    assert found == (["__consumer_offsets", "orders"] if version == 0 else [])


@pytest.mark.parametrize("version", VERSIONS)
def test_an_answer_can_be_written_in_the_version_of_its_request(version: int) -> None:
    """Whatever is answered can be said in every version, and reads back the same where the version has it."""
    request = MetadataRequest(topics=[Asked(name="orders"), Asked(name="nowhere"), Asked(name="or ders")])
    response = metadata(context(version), request)
    back = MetadataResponse.read(response.to_bytes(version), version)
    assert names(back) == ["orders", "nowhere", "or ders"]
    assert [topic.error_code for topic in back.topics] == [
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
    ]


def test_brokers_are_those_of_the_listener() -> None:
    """A client learns of the brokers that have its listener, in the order of ids, with that listener's end points."""
    plain = metadata(context(13), MetadataRequest())
    assert [(each.node_id, each.host, each.port, each.rack) for each in plain.brokers] == [
        (1, "one", 9092, None),
        (2, "two", 9092, "r2"),
    ]
    assert (plain.cluster_id, plain.controller_id) == ("a-cluster", 1)
    secret = metadata(context(13, "SECRET"), MetadataRequest())
    assert [(each.node_id, each.host, each.port) for each in secret.brokers] == [(1, "one.secret", 9093)]
    nobody = metadata(context(13, "NOBODY"), MetadataRequest())
    assert (list(nobody.brokers), nobody.controller_id) == ([], -1)


def test_a_partition_without_a_living_leader_says_so() -> None:
    """A leader that is not alive is no leader; replicas on dead brokers are offline."""
    (topic,) = metadata(context(13), MetadataRequest(topics=[Asked(name="orders")])).topics
    assert [(each.error_code, each.leader_id, each.leader_epoch) for each in topic.partitions] == [
        (ErrorCode.NONE, 1, 5),
        (ErrorCode.NONE, 2, 3),
        (ErrorCode.LEADER_NOT_AVAILABLE, -1, 7),
    ]
    assert [list(each.offline_replicas) for each in topic.partitions] == [[], [3], [3]]
    assert [list(each.isr_nodes) for each in topic.partitions] == [[1, 2], [2], []]


def test_topics_are_found_by_id() -> None:
    """Since version 12 a topic may be asked for by its id; one that is not there is UNKNOWN_TOPIC_ID."""
    other = Uuid(b"other".ljust(16, b"\1"))
    request = MetadataRequest(topics=[Asked(ORDERS.topic_id, None), Asked(other, None), Asked(name="orders")])
    found = metadata(context(12), request).topics
    assert [(topic.error_code, topic.name, topic.topic_id) for topic in found] == [
        (ErrorCode.NONE, "orders", ORDERS.topic_id),
        (ErrorCode.UNKNOWN_TOPIC_ID, None, other),
    ]


def test_before_version_12_nobody_asks_by_id() -> None:
    """An id in version 10 or 11 is INVALID_REQUEST for every topic of the request."""
    request = MetadataRequest(topics=[Asked(ORDERS.topic_id, "orders"), Asked(name="nowhere")])
    found = metadata(context(11), request).topics
    assert [topic.error_code for topic in found] == [ErrorCode.INVALID_REQUEST] * 2


def test_a_topic_is_answered_once() -> None:
    """A topic that is asked for twice is answered once."""
    request = MetadataRequest(topics=[Asked(name="orders"), Asked(name="x"), Asked(name="orders"), Asked(name="x")])
    assert names(metadata(context(13), request)) == ["orders", "x"]


def test_operations_are_told_when_asked_for() -> None:
    """What one may do is told on demand only: everything, as long as there is no authorizer."""
    silent = metadata(context(9), MetadataRequest(topics=[Asked(name="orders")]))
    assert (silent.topics[0].topic_authorized_operations, silent.cluster_authorized_operations) == (NOT_ASKED,) * 2
    request = MetadataRequest(
        topics=[Asked(name="orders")],
        include_topic_authorized_operations=True,
        include_cluster_authorized_operations=True,
    )
    told = metadata(context(9), request)
    assert told.topics[0].topic_authorized_operations == 0b1101_1111_1000
    assert told.cluster_authorized_operations == 0b1_1111_1010_0000


def test_internal_topics_are_marked() -> None:
    """A client can tell Kafka's own topics from its own."""
    found = metadata(context(13), MetadataRequest(topics=None)).topics
    assert {topic.name: topic.is_internal for topic in found} == {"__consumer_offsets": True, "orders": False}
