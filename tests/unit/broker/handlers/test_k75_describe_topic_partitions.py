"""What DescribeTopicPartitions answers: pages as Apache Kafka 4.3.1 makes them."""

import pytest

from ottla.broker.handlers.k75_describe_topic_partitions import describe_topic_partitions, failed
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.cluster import DescribeTopicPartitionsRequest, DescribeTopicPartitionsResponse
from ottla.protocol.messages.cluster import DescribeTopicPartitionsRequest_Cursor as Cursor
from ottla.protocol.messages.cluster import DescribeTopicPartitionsRequest_TopicRequest as Topic
from ottla.protocol.messages.metadata_records import PartitionRecord, TopicRecord
from tests.unit.broker.handlers.circumstances import AWAY, CLUSTER, ORDERS, context, parts

OTHER = [TopicRecord("pay", AWAY), PartitionRecord(0, AWAY, [1], [1], leader=1, eligible_leader_replicas=[2])]
Page = tuple[list[tuple[int, str | None, list[int]]], tuple[str, int] | None]


def page(
    names: list[str], limit: int = 2_000, cursor: tuple[str, int] | None = None, *, of_broker: int = 2_000
) -> Page:
    """One page as a client reads it: topics with their error and partitions, and where the next one begins."""
    start = Cursor(*cursor) if cursor else None
    request = DescribeTopicPartitionsRequest([Topic(name) for name in names], limit, start)
    broker = parts(records=[*CLUSTER, *OTHER], max_request_partition_size_limit=str(of_broker))
    answer = describe_topic_partitions(context(0, broker=broker), request)
    back = DescribeTopicPartitionsResponse.read(answer.to_bytes(0), 0)
    topics = [(each.error_code, each.name, [part.partition_index for part in each.partitions]) for each in back.topics]
    return topics, (back.next_cursor.topic_name, back.next_cursor.partition_index) if back.next_cursor else None


def test_all_topics_page_by_page() -> None:
    """In the order of names, a cursor leads from page to page, and topics without partitions are told as well."""
    assert page([]) == ([(0, "__consumer_offsets", []), (0, "orders", [0, 1, 2]), (0, "pay", [0])], None)
    assert page([], 2) == ([(0, "__consumer_offsets", []), (0, "orders", [0, 1])], ("orders", 2))
    assert page([], 2, ("orders", 2)) == ([(0, "orders", [2]), (0, "pay", [0])], None)
    assert page([], 3) == ([(0, "__consumer_offsets", []), (0, "orders", [0, 1, 2])], ("pay", 0))
    assert page([], 1, ("nowhere", 0)) == ([(0, "orders", [0])], ("orders", 1))


@pytest.mark.parametrize("limit", [0, -1, 1])
def test_a_page_has_a_partition(limit: int) -> None:
    """Whatever the limit, a page makes progress."""
    assert page(["orders"], limit) == ([(0, "orders", [0])], ("orders", 1))


def test_the_broker_has_a_limit_too() -> None:
    """max.request.partition.size.limit bounds a page."""
    assert page(["orders"], 3, of_broker=2) == ([(0, "orders", [0, 1])], ("orders", 2))


def test_some_topics() -> None:
    """Each once, in order; one that is not there has its error, and may be what the cursor points to."""
    unknown, illegal = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.INVALID_TOPIC_EXCEPTION
    topics, cursor = page(["pay", "nowhere", "or ders", "pay"])
    assert topics == [(unknown, "nowhere", []), (illegal, "or ders", []), (0, "pay", [0])]
    assert cursor is None
    assert page(["pay", "zz"], 1) == ([(0, "pay", [0])], ("zz", 0))
    assert page(["pay", "zz"], 1, ("zz", 0)) == ([(unknown, "zz", [])], None)
    assert page(["pay"], 1, ("pay", 5)) == ([(0, "pay", [])], None)


@pytest.mark.parametrize("cursor", [("pay", -1), ("nowhere", 0), ("zz", 0)])
def test_a_cursor_outside_of_what_is_asked_for(cursor: tuple[str, int]) -> None:
    """Is INVALID_REQUEST for every topic."""
    with pytest.raises(RequestRefused) as refused:
        page(["pay"], 10, cursor)
    request = DescribeTopicPartitionsRequest([Topic("pay")])
    answer = failed(request, refused.value.code, "")
    assert [(each.error_code, each.name) for each in answer.topics] == [(ErrorCode.INVALID_REQUEST, "pay")]


@pytest.mark.parametrize("names", [["", "orders"], ["orders", ""]])
def test_a_topic_without_a_name(names: list[str]) -> None:
    """Is an error of Kafka's own, and so it is here, for every topic."""
    with pytest.raises(RequestRefused) as refused:
        page(names)
    assert refused.value.code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_partition() -> None:
    """Leader, replicas and who is eligible to lead; a partition without a leader says so."""
    request = DescribeTopicPartitionsRequest([Topic("orders"), Topic("pay")])
    answer = describe_topic_partitions(context(0, broker=parts(records=[*CLUSTER, *OTHER])), request)
    orders, pay = answer.topics
    assert (orders.topic_id, orders.is_internal, orders.topic_authorized_operations) == (
        ORDERS,
        False,
        0b1101_1111_1000,
    )
    assert [(each.error_code, each.leader_id, each.leader_epoch) for each in orders.partitions] == [
        (ErrorCode.NONE, 1, 5),
        (ErrorCode.NONE, 2, 3),
        (ErrorCode.LEADER_NOT_AVAILABLE, -1, 7),
    ]
    (partition,) = pay.partitions
    assert (partition.eligible_leader_replicas, partition.last_known_elr) == ((2,), ())
