"""Fetch sessions (KIP-227): what is remembered, what is told, who makes room for whom."""

from random import Random

import pytest

from ottla.broker.data import fetch_sessions
from ottla.broker.data.fetch_sessions import EVICTION_MS, MAX_EPOCH, Fetching, FetchSessions
from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchRequest_FetchTopic,
    FetchRequest_ForgottenTopic,
    FetchResponse_EpochEndOffset,
    FetchResponse_PartitionData,
)
from ottla.world.simulated.rng import SimulatedRandomness

ORDERS = Uuid(b"orders".ljust(16, b"\1"))
OTHERS = Uuid(b"others".ljust(16, b"\1"))


def sessions(slots: int = 2) -> FetchSessions:
    """A broker's."""
    return FetchSessions(SimulatedRandomness(Random(0)), slots)


def request(
    session_id: int = 0,
    epoch: int = 0,
    *,
    asks: dict[int, int] | None = None,
    forgets: tuple[int, ...] = (),
    topic_id: Uuid = ORDERS,
) -> FetchRequest:
    """A request for partitions from offsets."""
    partitions = [FetchRequest_FetchPartition(index, fetch_offset=offset) for index, offset in (asks or {}).items()]
    by_id = topic_id != ZERO_UUID
    name = "" if by_id else "orders"
    return FetchRequest(
        session_id=session_id,
        session_epoch=epoch,
        topics=[FetchRequest_FetchTopic(name, topic_id, partitions)] if partitions else (),
        forgotten_topics_data=[FetchRequest_ForgottenTopic(name, topic_id, forgets)] if forgets else (),
    )


def answer(
    into: FetchSessions, fetching: Fetching, now_ms: int = 0, *, is_follower: bool = False, version: int = 13
) -> int:
    """Answer a full fetch; the id of the session that begins."""
    told = [(each, FetchResponse_PartitionData(each.index)) for each in fetching.partitions]
    return into.maybe_start(told, version, now_ms, is_follower=is_follower)


def offsets(fetching: Fetching) -> dict[int, int]:
    """What is asked for."""
    assert fetching.error_code == ErrorCode.NONE
    return {each.index: each.fetch_offset for each in fetching.partitions}


def started(
    into: FetchSessions, asks: dict[int, int], now_ms: int = 0, *, is_follower: bool = False, version: int = 13
) -> int:
    """A new session's id."""
    topic_id = ORDERS if version >= 13 else ZERO_UUID
    fetching = into.begin(request(asks=asks, topic_id=topic_id), version, now_ms)
    assert fetching.may_begin
    return answer(into, fetching, now_ms, is_follower=is_follower, version=version)


def test_a_session_remembers_what_was_asked() -> None:
    """An incremental fetch says what is new, what changes and what goes; the rest is as before."""
    cache = sessions()
    session_id = started(cache, {0: 10, 1: 20})
    assert session_id > 0
    assert offsets(cache.begin(request(session_id, 1), 13, 0)) == {0: 10, 1: 20}
    assert offsets(cache.begin(request(session_id, 2, asks={1: 21, 2: 5}), 13, 0)) == {0: 10, 1: 21, 2: 5}
    assert offsets(cache.begin(request(session_id, 3, forgets=(0, 2, 9)), 13, 0)) == {1: 21}
    assert (len(cache), cache.partitions) == (1, 1)


def test_a_fetch_without_a_session_leaves_none() -> None:
    """Epoch -1 ends the session that it names, and begins none."""
    cache = sessions()
    session_id = started(cache, {0: 10})
    fetching = cache.begin(request(session_id, -1, asks={0: 11}), 13, 0)
    assert (offsets(fetching), fetching.may_begin, len(cache)) == ({0: 11}, False, 0)


def test_a_full_fetch_takes_the_place_of_a_session() -> None:
    """Epoch 0 with an id ends that session; the new one has another id."""
    cache = sessions()
    first = started(cache, {0: 10})
    second = answer(cache, cache.begin(request(first, 0, asks={0: 10}), 13, 0))
    assert second not in (0, first)
    assert cache.begin(request(first, 1), 13, 0).error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(cache) == 1


def test_a_session_without_partitions_is_over() -> None:
    """Who has forgotten all partitions is answered without a session."""
    cache = sessions()
    session_id = started(cache, {0: 10})
    fetching = cache.begin(request(session_id, 1, forgets=(0,)), 13, 0)
    assert (offsets(fetching), fetching.session, len(cache)) == ({}, None, 0)


def test_nothing_begins_for_nothing() -> None:
    """A full fetch of no partitions begins no session."""
    assert started(sessions(), {}) == 0


def test_unknown_sessions_and_wrong_epochs_are_told_apart() -> None:
    """FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH; neither harms the session."""
    cache = sessions()
    session_id = started(cache, {0: 10})
    assert cache.begin(request(session_id + 1, 1), 13, 0).error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert cache.begin(request(session_id, 2), 13, 0).error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert offsets(cache.begin(request(session_id, 1), 13, 0)) == {0: 10}
    assert cache.begin(request(session_id, 1), 13, 0).error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH


def test_names_and_ids_are_not_mixed() -> None:
    """A session that was begun by names goes on by names, and one by ids by ids: FETCH_SESSION_TOPIC_ID_ERROR."""
    cache = sessions()
    by_name, by_id = started(cache, {0: 10}, version=12), started(cache, {0: 10})
    error = ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert cache.begin(request(by_name, 1), 13, 0).error_code == error
    assert cache.begin(request(by_id, 1), 12, 0).error_code == error
    assert offsets(cache.begin(request(by_name, 1), 12, 0)) == {0: 10}


def test_the_epoch_goes_around() -> None:
    """Behind the largest epoch comes 1: 0 and -1 mean something else."""
    cache = sessions()
    session_id = started(cache, {0: 10})
    session = cache.begin(request(session_id, 1), 13, 0).session
    assert session is not None
    session.epoch = MAX_EPOCH
    assert cache.begin(request(session_id, MAX_EPOCH), 13, 0).epoch == 1


def test_a_new_session_takes_the_place_of_an_idle_one() -> None:
    """One that was not used for two minutes makes room, whatever it is worth; one that was used does not."""
    cache = sessions()
    idle = started(cache, {0: 0, 1: 0, 2: 0})
    busy = started(cache, {0: 0})
    cache.begin(request(busy, 1), 13, EVICTION_MS)
    assert started(cache, {0: 0}, EVICTION_MS) == 0
    assert started(cache, {0: 0}, EVICTION_MS + 1) > 0
    assert cache.begin(request(idle, 1), 13, 0).error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert cache.begin(request(busy, 2), 13, 0).error_code == ErrorCode.NONE


def test_a_larger_session_takes_the_place_of_a_smaller_one() -> None:
    """Once that has been there for two minutes; of equals the old one stays."""
    cache = sessions(slots=1)
    session_id = started(cache, {0: 0, 1: 0})
    assert started(cache, {0: 0, 1: 0, 2: 0}) == 0
    cache.begin(request(session_id, 1), 13, EVICTION_MS + 1)
    assert started(cache, {0: 0, 1: 0}, EVICTION_MS + 1) == 0
    assert started(cache, {0: 0, 1: 0, 2: 0}, EVICTION_MS + 1) > 0


def test_a_follower_takes_the_place_of_a_client() -> None:
    """At once, however small it is; never a client that of a follower."""
    cache = sessions(slots=1)
    started(cache, {0: 0, 1: 0})
    follower = started(cache, {0: 0}, is_follower=True)
    assert follower > 0
    cache.begin(request(follower, 1), 13, EVICTION_MS + 1)
    assert started(cache, {0: 0, 1: 0, 2: 0}, EVICTION_MS + 1) == 0


def test_without_slots_there_are_no_sessions() -> None:
    """`max.incremental.fetch.session.cache.slots` may be 0."""
    assert started(sessions(slots=0), {0: 0}) == 0


def test_what_has_news_is_told() -> None:
    """Records, another high watermark, another log start, an error, a divergence; each once, an error each time."""
    cache = sessions()
    (partition,) = cache.begin(request(asks={0: 0}), 13, 0).partitions

    def data(**values: object) -> FetchResponse_PartitionData:
        return FetchResponse_PartitionData(0, **{"high_watermark": 5, "log_start_offset": 1, "records": b"", **values})  # type: ignore[arg-type]

    assert partition.has_news(data())
    assert not partition.has_news(data())
    assert partition.has_news(data(records=b"x"))
    assert partition.has_news(data(high_watermark=6))
    assert partition.has_news(data(log_start_offset=2))
    assert partition.has_news(data(diverging_epoch=FetchResponse_EpochEndOffset(1, 1)))
    assert partition.has_news(data(error_code=6, high_watermark=-1, log_start_offset=-1))
    assert partition.has_news(data(error_code=6, high_watermark=-1, log_start_offset=-1))
    assert partition.has_news(data())
    assert not partition.has_news(data())


def test_a_partition_asked_for_twice_is_asked_for_once() -> None:
    """What is said last counts."""
    cache = sessions()
    twice = request()
    twice.topics = [
        FetchRequest_FetchTopic("", ORDERS, [FetchRequest_FetchPartition(0, fetch_offset=1)]),
        FetchRequest_FetchTopic("", OTHERS, [FetchRequest_FetchPartition(0, fetch_offset=2)]),
        FetchRequest_FetchTopic("", ORDERS, [FetchRequest_FetchPartition(0, fetch_offset=3)]),
    ]
    found = cache.begin(twice, 13, 0).partitions
    assert [(each.topic_id, each.fetch_offset) for each in found] == [(ORDERS, 3), (OTHERS, 2)]


def test_all_sessions_remember_so_many_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many sessions there may be, the partitions of all are bounded: a full fetch goes without a session then,
    and a session that grows too large is over, which its client takes for an eviction.
    """
    monkeypatch.setattr(fetch_sessions, "PARTITIONS_MAX", 5)
    cache = sessions(slots=10)
    first = started(cache, {0: 0, 1: 0})
    second = started(cache, {0: 0, 1: 0, 2: 0})
    assert first
    assert second
    assert started(cache, {0: 0}) == 0
    assert cache.partitions == 5
    grown = cache.begin(request(first, 1, asks={7: 0}), 13, 0)
    assert grown.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert (len(cache), cache.partitions) == (1, 3)
    cache.begin(request(second, 1, forgets=(0, 1)), 13, 0)
    assert cache.partitions == 1
    assert started(cache, {0: 0, 1: 0, 2: 0, 3: 0}) > 0
    cache.begin(request(second, 0), 13, 0)
    assert cache.partitions == 4
    assert started(cache, {0: 0, 1: 0, 2: 0, 3: 0, 4: 0}, EVICTION_MS + 1) > 0, "the first makes room"
    assert (len(cache), cache.partitions) == (1, 5)
