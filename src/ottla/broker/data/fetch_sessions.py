"""Fetch sessions: a client that asks for many partitions again and again says and is told only what changes (KIP-227).

    epoch 0    a full fetch; it may begin a session, whose id stands in the answer
    epoch n    what the session has, with these changes; answered with the partitions that have news
    epoch -1   a full fetch without a session; whichever session it names is over

Always true: there are at most `max.incremental.fetch.session.cache.slots` sessions, and all of them together remember
at most `PARTITIONS_MAX` partitions: what would be more begins no session, or ends the one that grew. A new one takes
the place of one that was not used for two minutes; or of one that is worth less, and, unless a follower takes it from a
client, has been there for two minutes. A session's epoch goes up with each fetch, so that what was lost or doubled on
the way is noticed. Topics are named or have ids in a whole session; a partition whose topic was made anew under its
name keeps the id that it was asked by, and so is told apart.

A partition that had records goes behind all others in its session, so that busy ones do not starve the rest.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchRequest_FetchPartition, FetchResponse_PartitionData
from ottla.world.api import Randomness

NO_SESSION: Final = 0
INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
MAX_EPOCH: Final = 2**31 - 1
IDS_SINCE: Final = 13  # the version in which topics have ids in place of names
EVICTION_MS: Final = 120_000
PARTITIONS_MAX: Final = 500_000  # of all sessions; each costs about 250 bytes

Key = tuple[str | Uuid, int]  # the topic's name, or its id, and the partition


class FetchedPartition:
    """A partition that is asked for, and what was told of it last."""

    __slots__ = (
        "current_leader_epoch", "fetch_offset", "index", "last_fetched_epoch", "log_start_offset", "max_bytes",
        "told_high_watermark", "told_log_start_offset", "topic", "topic_id",
    )  # fmt: skip

    def __init__(self, topic: str, topic_id: Uuid, asked: FetchRequest_FetchPartition) -> None:
        self.topic, self.topic_id, self.index = topic, topic_id, asked.partition
        self.told_high_watermark = self.told_log_start_offset = -1
        self.ask(asked)

    def ask(self, asked: FetchRequest_FetchPartition) -> None:
        """What is asked now."""
        self.current_leader_epoch, self.fetch_offset = asked.current_leader_epoch, asked.fetch_offset
        self.last_fetched_epoch, self.log_start_offset = asked.last_fetched_epoch, asked.log_start_offset
        self.max_bytes = asked.partition_max_bytes

    @property
    def key(self) -> Key:
        """What it is found by in a session."""
        return (self.topic or self.topic_id), self.index

    def has_news(self, data: FetchResponse_PartitionData) -> bool:
        """Whether there is something to tell of it; it is told then."""
        news = bool(data.records) or data.preferred_read_replica >= 0 or data.diverging_epoch.epoch >= 0
        if data.high_watermark != self.told_high_watermark:
            self.told_high_watermark, news = data.high_watermark, True
        if data.log_start_offset != self.told_log_start_offset:
            self.told_log_start_offset, news = data.log_start_offset, True
        if data.error_code:
            self.told_high_watermark, news = -1, True  # so that it is told again when the error is over
        return news


class Session:
    """One client's."""

    __slots__ = ("created_ms", "epoch", "is_privileged", "last_used_ms", "partitions", "session_id", "uses_topic_ids")

    def __init__(
        self, session_id: int, partitions: dict[Key, FetchedPartition], now_ms: int, *, is_privileged: bool,
        uses_topic_ids: bool,
    ) -> None:  # fmt: skip
        self.session_id, self.partitions, self.epoch = session_id, partitions, INITIAL_EPOCH + 1
        self.created_ms = self.last_used_ms = now_ms
        self.is_privileged, self.uses_topic_ids = is_privileged, uses_topic_ids

    @property
    def worth(self) -> tuple[bool, int]:
        """A follower's is worth more than a client's, then a larger one more than a smaller one."""
        return self.is_privileged, len(self.partitions)

    def moved_behind(self, partition: FetchedPartition) -> None:
        """It had records: others come before it the next time."""
        key = partition.key
        if self.partitions.pop(key, None) is not None:
            self.partitions[key] = partition

    def change(self, request: FetchRequest) -> None:
        """Add, change and forget partitions."""
        partitions = self.partitions
        for topic_name, topic_id, asked in asked_for(request):
            key = (topic_name or topic_id), asked.partition
            known = partitions.get(key)
            if known is None:
                partitions[key] = FetchedPartition(topic_name, topic_id, asked)
            else:
                known.ask(asked)
        for topic in request.forgotten_topics_data:
            name = topic.topic or topic.topic_id
            for index in topic.partitions:
                partitions.pop((name, index), None)


def asked_for(request: FetchRequest) -> Iterator[tuple[str, Uuid, FetchRequest_FetchPartition]]:
    """What a request names, one partition after the other."""
    for topic in request.topics:
        for asked in topic.partitions:
            yield topic.topic, topic.topic_id, asked


class Fetching(NamedTuple):
    """A fetch: what is to be read, and how it is answered."""

    partitions: list[FetchedPartition]
    error_code: int = ErrorCode.NONE  # the whole request is refused
    session: Session | None = None  # an incremental fetch of this one
    epoch: int = 0  # of the session, behind this fetch
    may_begin: bool = False  # a session


class FetchSessions:
    """The sessions of a broker."""

    def __init__(self, rng: Randomness, slots: int) -> None:
        self._rng, self.slots = rng, slots
        self._sessions: dict[int, Session] = {}  # in the order of their last use
        self._partitions = 0

    def __len__(self) -> int:
        return len(self._sessions)

    @property
    def partitions(self) -> int:
        """How many partitions are remembered."""
        return self._partitions

    def begin(self, request: FetchRequest, version: int, now_ms: int) -> Fetching:
        """What a request asks, with what its session knows."""
        if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self._end(request.session_id)
            asked = _unique(request)
            return Fetching(asked, may_begin=request.session_epoch == INITIAL_EPOCH)
        session = self._sessions.get(request.session_id)
        if session is None:
            return Fetching([], ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != request.session_epoch:
            return Fetching([], ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != (version >= IDS_SINCE):
            return Fetching([], ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        before = len(session.partitions)
        session.change(request)
        self._partitions += len(session.partitions) - before
        if not session.partitions:
            self._end(session.session_id)
            return Fetching([])
        if self._partitions > PARTITIONS_MAX:
            self._end(session.session_id)
            return Fetching([], ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        session.epoch = 1 if session.epoch == MAX_EPOCH else session.epoch + 1
        session.last_used_ms = now_ms
        self._sessions[session.session_id] = self._sessions.pop(session.session_id)
        return Fetching(list(session.partitions.values()), session=session, epoch=session.epoch)

    def maybe_start(
        self,
        told: Iterable[tuple[FetchedPartition, FetchResponse_PartitionData]],
        version: int,
        now_ms: int,
        *,
        is_follower: bool,
    ) -> int:
        """A session for a full fetch that is being answered with this, if there is room; answers its id."""
        asked = {}
        for partition, data in told:
            partition.has_news(data)
            asked[partition.key] = partition
        if not asked or not self._make_room((is_follower, len(asked)), now_ms):
            return NO_SESSION
        session_id = self._new_id()
        self._partitions += len(asked)
        self._sessions[session_id] = Session(
            session_id, asked, now_ms, is_privileged=is_follower, uses_topic_ids=version >= IDS_SINCE
        )
        return session_id

    def _make_room(self, worth: tuple[bool, int], now_ms: int) -> bool:
        if len(self._sessions) < self.slots and self._partitions + worth[1] <= PARTITIONS_MAX:
            return True
        return bool(self._sessions) and self._evicts(worth, now_ms) and self._partitions + worth[1] <= PARTITIONS_MAX

    def _evicts(self, worth: tuple[bool, int], now_ms: int) -> bool:
        """Whether a session has been ended that is worth less."""
        oldest = next(iter(self._sessions.values()))
        if now_ms - oldest.last_used_ms > EVICTION_MS:
            self._end(oldest.session_id)
            return True
        is_follower = worth[0]
        least = min(
            (
                each
                for each in self._sessions.values()
                if now_ms - each.created_ms > EVICTION_MS or (is_follower and not each.is_privileged)
            ),
            key=lambda each: each.worth,
            default=None,
        )
        if least is None or worth <= least.worth:
            return False
        self._end(least.session_id)
        return True

    def _end(self, session_id: int) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            self._partitions -= len(session.partitions)

    def _new_id(self) -> int:
        while (session_id := self._rng.randrange(2**31 - 1) + 1) in self._sessions:
            pass
        return session_id


def _unique(request: FetchRequest) -> list[FetchedPartition]:
    """The partitions of a full fetch, each once: what is said last counts, in the place where it was said first."""
    asked: dict[Key, FetchedPartition] = {}
    for topic_name, topic_id, partition in asked_for(request):
        asked[(topic_name or topic_id), partition.partition] = FetchedPartition(topic_name, topic_id, partition)
    return list(asked.values())
