"""What Metadata answers."""

import pytest

from ottla.broker.context import RequestContext
from ottla.broker.handlers import k03_metadata
from ottla.broker.parts import BrokerParts
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.cluster import MetadataRequest_MetadataRequestTopic as Asked
from ottla.protocol.messages.metadata_records import (
    BrokerRegistrationChangeRecord,
    FenceBrokerRecord,
    PartitionChangeRecord,
    RemoveTopicRecord,
    TopicRecord,
)
from ottla.protocol.messages.topics import CreateTopicsRequest, CreateTopicsResponse
from ottla.security.operations import NOT_ASKED
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import AWAY, CLUSTER, ORDERS, Controller, context, parts, replay
from tests.unit.network.ends import run

VERSIONS = MetadataRequest.VERSIONS


def metadata(context: RequestContext, request: MetadataRequest) -> MetadataResponse:
    """What a client reads."""
    return MetadataResponse.read(k03_metadata.metadata(context, request).to_bytes(context.version), context.version)


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
    request = MetadataRequest([Asked(name="orders"), Asked(name="nowhere"), Asked(name="or ders")])
    back = metadata(context(version), request)
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
    assert [(each.node_id, each.host, each.port) for each in secret.brokers] == [(1, "one.secret", 9092)]
    nobody = metadata(context(13, "NOBODY"), MetadataRequest())
    assert (list(nobody.brokers), nobody.controller_id) == ([], -1)


def test_the_controller_is_whoever_is_asked() -> None:
    """Clients send what changes the cluster to a live broker: this one, or the first if this one is fenced."""
    broker_parts = parts()
    assert metadata(context(13, broker=broker_parts), MetadataRequest()).controller_id == 1
    replay(broker_parts.metadata, FenceBrokerRecord(1, 101))
    answer = metadata(context(13, broker=broker_parts), MetadataRequest())
    assert (answer.controller_id, [each.node_id for each in answer.brokers]) == (2, [2])


def test_a_partition_without_a_leader_says_so() -> None:
    """A partition that nobody leads is LEADER_NOT_AVAILABLE; replicas on brokers that are away are offline."""
    (topic,) = metadata(context(13), MetadataRequest(topics=[Asked(name="orders")])).topics
    assert [(each.error_code, each.leader_id, each.leader_epoch) for each in topic.partitions] == [
        (ErrorCode.NONE, 1, 5),
        (ErrorCode.NONE, 2, 3),
        (ErrorCode.LEADER_NOT_AVAILABLE, -1, 7),
    ]
    assert [list(each.offline_replicas) for each in topic.partitions] == [[], [3], [3]]
    assert [list(each.isr_nodes) for each in topic.partitions] == [[1, 2], [2], []]


@pytest.mark.parametrize(("version", "code"), [(5, ErrorCode.LEADER_NOT_AVAILABLE), (6, ErrorCode.LISTENER_NOT_FOUND)])
def test_a_leader_without_the_listener_is_none(version: int, code: ErrorCode) -> None:
    """A leader that the client's listener does not lead to is no leader, and since version 6 the client is told why."""
    (topic,) = metadata(context(version, "SECRET"), MetadataRequest(topics=[Asked(name="orders")])).topics
    assert [(each.error_code, each.leader_id) for each in topic.partitions] == [
        (ErrorCode.NONE, 1),
        (code, -1),
        (ErrorCode.LEADER_NOT_AVAILABLE, -1),
    ]
    assert [list(each.offline_replicas) for each in topic.partitions] == [[2], [2, 3], [3]]


def test_version_0_leaves_out_replicas_that_cannot_be_reached() -> None:
    """The oldest clients get no replica that is not registered, and REPLICA_NOT_AVAILABLE instead."""
    (topic,) = metadata(context(0), MetadataRequest(topics=[Asked(name="orders")])).topics
    assert [(each.error_code, list(each.replica_nodes)) for each in topic.partitions] == [
        (ErrorCode.NONE, [1, 2]),
        (ErrorCode.REPLICA_NOT_AVAILABLE, [2]),
        (ErrorCode.LEADER_NOT_AVAILABLE, []),
    ]


def test_a_replica_in_a_directory_that_has_failed_is_offline() -> None:
    """A broker that lives and has lost the directory cannot serve the replica."""
    broker_parts = parts()
    replay(broker_parts.metadata, BrokerRegistrationChangeRecord(1, 101, log_dirs=[AWAY]))
    (topic,) = metadata(context(13, broker=broker_parts), MetadataRequest(topics=[Asked(name="orders")])).topics
    assert [list(each.offline_replicas) for each in topic.partitions] == [[1], [3], [3]]


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_kept_is_what_would_be_made(version: int) -> None:
    """An answer whose topics were encoded before has the same bytes, and follows every change of topics and brokers."""
    broker_parts = parts()
    asked = MetadataRequest(topics=None if version else [])

    def answer(broker: BrokerParts) -> bytes:
        return k03_metadata.metadata(context(version, broker=broker), asked).to_bytes(version)

    steps: list[Message] = [
        PartitionChangeRecord(0, ORDERS, leader=2),
        TopicRecord("new", AWAY),
        BrokerRegistrationChangeRecord(1, 101, fenced=1),
        RemoveTopicRecord(ORDERS),
    ]
    done = list(CLUSTER)
    for step in [None, *steps]:
        if step is not None:
            done.append(step)
            replay(broker_parts.metadata, step)
        fresh = parts(records=done)
        assert answer(broker_parts) == answer(broker_parts) == answer(fresh)
        response = MetadataResponse.read(answer(broker_parts), version)
        assert response.to_bytes(version) == answer(broker_parts)


def test_many_topics() -> None:
    """The count of an answer's topics may take more than a byte."""
    topics = [TopicRecord(f"t{number}", Uuid(number.to_bytes(16))) for number in range(1_000, 1_300)]
    broker_parts = parts(records=[*CLUSTER, *topics])
    for version in (8, 13):
        assert len(metadata(context(version, broker=broker_parts), MetadataRequest(topics=None)).topics) == 302


def test_asking_creates() -> None:
    """A topic that is not there is made if the broker and the client want that; this answer still says it is not."""

    async def main(world: SimulatedWorld) -> None:
        controller = Controller(CreateTopicsResponse())
        broker_parts = parts(
            world,
            controller=controller,
            auto_create_topics_enable="true",
            num_partitions="3",
            default_replication_factor="2",
        )
        request = MetadataRequest(topics=[Asked(name="new"), Asked(name="or ders"), Asked(name="orders")])
        for _ in range(2):
            answer = metadata(context(13, broker=broker_parts), request)
            assert [(each.name, each.error_code) for each in answer.topics] == [
                ("new", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
                ("or ders", ErrorCode.INVALID_TOPIC_EXCEPTION),
                ("orders", ErrorCode.NONE),
            ]
        await world.clock.sleep(1)
        (asked,) = controller.asked
        assert isinstance(asked, CreateTopicsRequest)
        assert [(each.name, each.num_partitions, each.replication_factor) for each in asked.topics] == [("new", 3, 2)]

    run(main)


@pytest.mark.parametrize(("by_broker", "by_client"), [("true", False), ("false", True)])
def test_asking_creates_nothing_unless_both_want_it(by_broker: str, by_client: bool) -> None:
    """Without auto.create.topics.enable, or if the client does not allow it, asking is only asking."""

    async def main(world: SimulatedWorld) -> None:
        controller = Controller()
        broker_parts = parts(world, controller=controller, auto_create_topics_enable=by_broker)
        request = MetadataRequest([Asked(name="new")], allow_auto_topic_creation=by_client)
        answer = metadata(context(13, broker=broker_parts), request)
        assert [each.error_code for each in answer.topics] == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        await world.clock.sleep(1)
        assert controller.asked == []

    run(main)


def test_topics_are_found_by_id() -> None:
    """Since version 12 a topic may be asked for by its id; one that is not there is UNKNOWN_TOPIC_ID."""
    other = Uuid(b"other".ljust(16, b"\1"))
    request = MetadataRequest(topics=[Asked(ORDERS, None), Asked(other, None), Asked(name="orders")])
    found = metadata(context(12), request).topics
    assert [(topic.error_code, topic.name, topic.topic_id) for topic in found] == [
        (ErrorCode.NONE, "orders", ORDERS),
        (ErrorCode.UNKNOWN_TOPIC_ID, None, other),
    ]


def test_before_version_12_nobody_asks_by_id() -> None:
    """An id in version 10 or 11 is INVALID_REQUEST for every topic of the request."""
    request = MetadataRequest(topics=[Asked(ORDERS, "orders"), Asked(name="nowhere")])
    found = metadata(context(11), request).topics
    assert [topic.error_code for topic in found] == [ErrorCode.INVALID_REQUEST] * 2


@pytest.mark.parametrize("version", [12, 13])
def test_a_topic_without_name_and_id(version: int) -> None:
    """Is an error of Kafka's own, and so it is here: for every topic, and since version 13 for the whole."""
    answer = metadata(context(version), MetadataRequest([Asked(name=None), Asked(name="orders")]))
    code = ErrorCode.UNKNOWN_SERVER_ERROR
    assert [(each.error_code, each.name) for each in answer.topics] == [(code, ""), (code, "orders")]
    assert (answer.error_code, list(answer.brokers)) == (code if version >= 13 else 0, [])
    by_id = metadata(context(version), MetadataRequest([Asked(name=None), Asked(AWAY, None)]))
    assert [(each.error_code, each.name) for each in by_id.topics] == [(ErrorCode.UNKNOWN_TOPIC_ID, None)]


def test_a_topic_is_answered_once() -> None:
    """A topic that is asked for twice is answered once."""
    request = MetadataRequest(topics=[Asked(name="orders"), Asked(name="x"), Asked(name="orders"), Asked(name="x")])
    assert names(metadata(context(13), request)) == ["orders", "x"]


def test_operations_are_told_when_asked_for() -> None:
    """What one may do is told on demand only: everything, as long as there is no authorizer."""
    silent = metadata(context(9), MetadataRequest(topics=[Asked(name="orders")]))
    assert (silent.topics[0].topic_authorized_operations, silent.cluster_authorized_operations) == (NOT_ASKED,) * 2
    request = MetadataRequest(
        topics=[Asked(name="orders"), Asked(name="nowhere")],
        include_topic_authorized_operations=True,
        include_cluster_authorized_operations=True,
    )
    told = metadata(context(9), request)
    assert [each.topic_authorized_operations for each in told.topics] == [0b1101_1111_1000] * 2
    assert told.cluster_authorized_operations == 0b1_1111_1010_0000


def test_internal_topics_are_marked() -> None:
    """A client can tell Kafka's own topics from its own."""
    found = metadata(context(13), MetadataRequest(topics=None)).topics
    assert {topic.name: topic.is_internal for topic in found} == {"__consumer_offsets": True, "orders": False}
