"""Topics are created and deleted, and get more partitions."""

import random
from collections import Counter

import pytest

from ottla.cluster.controller.partitions.placement import Placement, Usable
from ottla.errors import RequestRefused
from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import (
    CreatePartitionsRequest,
    CreatePartitionsRequest_CreatePartitionsAssignment,
    CreatePartitionsRequest_CreatePartitionsTopic,
    CreatePartitionsResponse_CreatePartitionsTopicResult,
    CreateTopicsRequest,
    CreateTopicsRequest_CreatableTopic,
    CreateTopicsRequest_CreatableTopicConfig,
    CreateTopicsResponse_CreatableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsRequest_DeleteTopicState,
    DeleteTopicsResponse_DeletableTopicResult,
)
from tests.unit.cluster.controller.office import Office, refused, topic_request, uuid


def create(office: Office, request: CreateTopicsRequest) -> CreateTopicsResponse_CreatableTopicResult:
    """What becomes of the first topic."""
    return office.ask(lambda now_ms: office.controller.topics.create(request, now_ms)).topics[0]


def counted(name: str, partitions: int = -1, replication_factor: int = -1) -> CreateTopicsRequest:
    """A request for so many partitions."""
    return CreateTopicsRequest([CreateTopicsRequest_CreatableTopic(name, partitions, replication_factor)])


# Creating


def test_counts() -> None:
    """A topic gets as many partitions and replicas as asked for, all in sync, led by the first, with epochs 0."""
    office = Office(brokers=[1, 2, 3])
    result = create(office, counted("t", 3, 2))
    assert (result.error_code, result.num_partitions, result.replication_factor) == (ErrorCode.NONE, 3, 2)
    assert result.topic_id == office.controller.table.topic_ids["t"]
    for partition_id in range(3):
        partition = office.partition("t", partition_id)
        assert partition.isr == partition.replicas
        assert (partition.leader, partition.leader_epoch, partition.partition_epoch) == (partition.replicas[0], 0, 0)
    office.check_replayed()


def test_defaults() -> None:
    """-1 stands for num.partitions and default.replication.factor."""
    office = Office(brokers=[1, 2], static={"num.partitions": "4", "default.replication.factor": "2"})
    result = create(office, counted("t"))
    assert (result.num_partitions, result.replication_factor) == (4, 2)


def test_settings_are_kept_and_told() -> None:
    """Settings of a new topic are written behind it and told with all others; to whoever may not see them, an error."""
    office = Office(brokers=[1])
    request = topic_request("t", [1], retention_ms="5")
    hidden = office.ask(lambda now_ms: office.controller.topics.create(request, now_ms, describable=[])).topics[0]
    assert (hidden.topic_config_error_code, hidden.num_partitions) == (ErrorCode.TOPIC_AUTHORIZATION_FAILED, -1)
    assert office.controller.configs.of((2, "t")) == {"retention.ms": "5"}
    told = create(office, topic_request("u", [1], retention_ms="6"))
    assert told.configs is not None
    rows = {each.name: (each.value, each.config_source) for each in told.configs}
    assert rows["retention.ms"] == ("6", 1)
    assert rows["cleanup.policy"] == ("delete", 5)


def test_validate_only() -> None:
    """With validate_only the answer is that of a creation, and nothing is created."""
    office = Office(brokers=[1])
    request = counted("t", 2, 1)
    request.validate_only = True
    assert create(office, request).num_partitions == 2
    assert not office.controller.table.topics


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (counted("t", 1, 3), ErrorCode.INVALID_REPLICATION_FACTOR),
        (counted("t", 1, 0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (counted("t", 0, 1), ErrorCode.INVALID_PARTITIONS),
        (counted("t", -2, 1), ErrorCode.INVALID_PARTITIONS),
        (counted("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (counted(""), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (counted("is_there"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (counted("is.there"), ErrorCode.TOPIC_ALREADY_EXISTS),
        (counted("__cluster_metadata"), ErrorCode.INVALID_REQUEST),
        (topic_request("t", [1], [1, 2]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request("t", [1, 1]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request("t", [7]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request("t", []), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request("t", [1], retention_ms="long"), ErrorCode.INVALID_CONFIG),
        (topic_request("t", [1], no_such_setting="1"), ErrorCode.INVALID_CONFIG),
    ],
)
def test_refused(request_: CreateTopicsRequest, code: int) -> None:
    """What cannot be is refused with Kafka's code, and a message."""
    office = Office(brokers=[1, 2])
    office.create("is.there", [1])
    result = create(office, request_)
    assert (result.error_code, bool(result.error_message)) == (code, True)
    assert len(office.controller.table.topics) == 1


def test_refused_assignments() -> None:
    """Assignments go without counts, are numbered from 0 without a gap, each once, and somebody of each is active."""
    office = Office(brokers=[1, 2])
    office.kill(2)
    for field in ("num_partitions", "replication_factor"):
        both = topic_request("t", [1])
        setattr(both.topics[0], field, 1)
        assert create(office, both).error_code == ErrorCode.INVALID_REQUEST
    for indexes in ((0, 2), (0, 0)):
        gap = topic_request("t", [1], [1])
        for assignment, index in zip(gap.topics[0].assignments, indexes, strict=True):
            assignment.partition_index = index
        assert create(office, gap).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert create(office, topic_request("t", [2])).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    null = topic_request("t", [1])
    null.topics[0].configs = [CreateTopicsRequest_CreatableTopicConfig("retention.ms", None)]
    assert create(office, null).error_code == ErrorCode.INVALID_CONFIG
    assert create(office, topic_request("t", [2, 1])).error_code == ErrorCode.NONE
    assert (office.partition("t").isr, office.partition("t").leader) == ((1,), 1)


def test_all_brokers_fenced() -> None:
    """Where nobody could lead, INVALID_REPLICATION_FACTOR (W16: also with more replicas than brokers)."""
    office = Office(brokers=[1])
    office.kill(1)
    assert create(office, counted("t", 1, 1)).error_code == ErrorCode.INVALID_REPLICATION_FACTOR


def test_topics_fail_for_themselves() -> None:
    """Of several topics those that can be made are; one that is named twice is not."""
    office = Office(brokers=[1])
    names = ["good", "bad name", "twice", "twice"]
    request = CreateTopicsRequest([CreateTopicsRequest_CreatableTopic(name, 1, 1) for name in names])
    response = office.ask(lambda now_ms: office.controller.topics.create(request, now_ms))
    assert [each.error_code for each in response.topics] == [
        ErrorCode.NONE,
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.INVALID_REQUEST,
    ]
    assert set(office.controller.table.topic_ids) == {"good"}


def test_too_large() -> None:
    """More than 10,000 records at once are a POLICY_VIOLATION, and whoever asks for billions waits for nothing."""
    office = Office(brokers=[1])
    for count in (10_000, 2**31 - 1):
        code, _ = refused(lambda: create(office, counted("t", count, 1)))  # noqa: B023 - called at once
        assert code == ErrorCode.POLICY_VIOLATION
    assert create(office, counted("t", 9_999, 1)).error_code == ErrorCode.NONE


# Placement


def placed(brokers: list[Usable], partitions: int, factor: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Replicas that placement chooses."""
    return Placement(brokers, random.Random(seed).randrange).place(partitions, factor)


@pytest.mark.parametrize("seed", range(20))
def test_three_rules(seed: int) -> None:
    """W15, W16: no more replicas than brokers, leaders go round from a random start, followers shift after a round."""
    three = [Usable(broker, None, fenced=False) for broker in range(3)]
    rows = placed(three, 4, 2, seed)
    assert [row[0] for row in rows[:3]] == [(rows[0][0] + at) % 3 for at in range(3)]
    assert all(len(set(row)) == 2 for row in rows)
    four = [Usable(broker, None, fenced=False) for broker in range(4)]
    leaders = Counter(row[0] for row in placed(four, 3, 3, seed))
    assert set(leaders.values()) == {1}
    assert Counter(each for row in placed(four, 3, 3, seed) for each in row[1:]).total() == 6
    with pytest.raises(RequestRefused) as caught:
        placed(three, 1, 4)
    assert caught.value.code == ErrorCode.INVALID_REPLICATION_FACTOR


def test_starts_and_followers_vary() -> None:
    """The first leader is drawn, and who follows whom is drawn anew with each round."""
    three = [Usable(broker, None, fenced=False) for broker in range(3)]
    assert {placed(three, 1, 2, seed)[0][0] for seed in range(30)} == {0, 1, 2}
    assert len({frozenset(zip(*[iter(placed(three, 6, 2, seed)[3:])], strict=True)) for seed in range(30)}) > 1


@pytest.mark.parametrize("seed", range(20))
def test_racks(seed: int) -> None:
    """Replicas of a partition are on different racks as long as there are any, and leaders on all of them."""
    brokers = [Usable(broker, f"r{broker % 3}", fenced=False) for broker in range(9)]
    rows = placed(brokers, 9, 3, seed)
    assert all({broker % 3 for broker in row} == {0, 1, 2} for row in rows)
    assert set(Counter(row[0] for row in rows).values()) == {1}
    assert set(Counter(each for row in rows for each in row).values()) == {3}
    wide = placed(brokers, 9, 5, seed)
    assert all(max(Counter(broker % 3 for broker in row).values()) == 2 for row in wide)


@pytest.mark.parametrize("seed", range(20))
def test_fenced_brokers_do_not_lead(seed: int) -> None:
    """A fenced broker gets a replica only when the others do not suffice, and never leads."""
    brokers = [Usable(broker, "ab"[broker % 2], fenced=broker in (0, 2)) for broker in range(6)]
    rows = placed(brokers, 12, 6, seed)
    assert all(row[0] not in (0, 2) and len(set(row)) == 6 for row in rows)
    one_rack = [Usable(broker, None, fenced=broker == 0) for broker in range(4)]
    assert all(0 not in row for row in placed(one_rack, 12, 3, seed))


# Partitions


def grow(
    office: Office, name: str, count: int, *assignments: list[int]
) -> CreatePartitionsResponse_CreatePartitionsTopicResult:
    """Ask for more partitions."""
    rows = [CreatePartitionsRequest_CreatePartitionsAssignment(each) for each in assignments] or None
    request = CreatePartitionsRequest([CreatePartitionsRequest_CreatePartitionsTopic(name, count, rows)])
    return office.ask(lambda now_ms: office.controller.topics.create_partitions(request, now_ms)).results[0]


def test_more_partitions() -> None:
    """New partitions are numbered on, and have as many replicas as the others."""
    office = Office(brokers=[1, 2, 3])
    office.create("t", [1, 2])
    assert grow(office, "t", 3).error_code == ErrorCode.NONE
    assert grow(office, "t", 4, [3, 1]).error_code == ErrorCode.NONE
    assert [len(office.partition("t", each).replicas) for each in range(4)] == [2] * 4
    assert office.partition("t", 3).replicas == (3, 1)


def test_refused_partitions() -> None:
    """Fewer partitions, as many, assignments that do not fit, and unknown topics are refused."""
    office = Office(brokers=[1, 2])
    office.create("t", [1, 2], [2, 1])
    unknown = grow(office, "u", 2)
    assert (unknown.error_code, unknown.error_message) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None)  # as in Kafka
    assert grow(office, "t", 2).error_code == ErrorCode.INVALID_PARTITIONS
    assert grow(office, "t", 1).error_code == ErrorCode.INVALID_PARTITIONS
    assert grow(office, "t", 4, [1, 2]).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert grow(office, "t", 3, [1]).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert grow(office, "t", 20_000).error_code == ErrorCode.UNKNOWN_SERVER_ERROR  # as Kafka answers it
    assert grow(office, "t", 20_000, [1, 2]).error_code == ErrorCode.INVALID_REPLICA_ASSIGNMENT


# Deleting


def delete(office: Office, *wanted: DeleteTopicsRequest_DeleteTopicState) -> list[tuple[str | None, int]]:
    """Name and code of each."""

    def row(each: DeleteTopicsResponse_DeletableTopicResult) -> tuple[str | None, int]:
        return each.name, each.error_code

    request = DeleteTopicsRequest(list(wanted))
    return [*map(row, office.ask(lambda now_ms: office.controller.deletion.delete(request, now_ms)).responses)]


def test_delete() -> None:
    """A topic is deleted by name or by id, with its partitions and settings; its name is free again."""
    office = Office(brokers=[1])
    office.create("t.x", [1], retention_ms="5")
    topic_id = office.create("u", [1])
    by_name, by_id = (
        DeleteTopicsRequest_DeleteTopicState("t.x"),
        DeleteTopicsRequest_DeleteTopicState(None, topic_id),
    )
    assert delete(office, by_name, by_id) == [("t.x", ErrorCode.NONE), ("u", ErrorCode.NONE)]
    assert not office.controller.table.topics
    assert not office.controller.configs.of((2, "t.x"))
    office.create("t_x", [1])
    office.check_replayed()


def test_refused_deletions() -> None:
    """Unknown topics, topics without or with two names, and topics that are named twice are refused."""
    office = Office(brokers=[1])
    topic_id = office.create("t", [1])
    state = DeleteTopicsRequest_DeleteTopicState
    for wanted, code in (
        (state("u"), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (state(None, uuid(9)), ErrorCode.UNKNOWN_TOPIC_ID),
        (state(None, ZERO_UUID), ErrorCode.INVALID_REQUEST),
        (state("t", topic_id), ErrorCode.INVALID_REQUEST),
    ):
        assert delete(office, wanted)[0][1] == code
    assert {code for _, code in delete(office, state("t"), state("t"))} == {ErrorCode.INVALID_REQUEST}
    assert len(office.controller.table.topics) == 1


def test_deletion_can_be_disabled() -> None:
    """With delete.topic.enable=false nothing is deleted."""
    office = Office(brokers=[1], static={"delete.topic.enable": "false"})
    code, _ = refused(lambda: delete(office, DeleteTopicsRequest_DeleteTopicState("t")))
    assert code == ErrorCode.TOPIC_DELETION_DISABLED
