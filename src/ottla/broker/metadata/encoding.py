"""Topics of Metadata answers as bytes, kept until they change: the one answer whose making costs more than its sending.

A topic reads the same for all who ask on one listener in one version, and clients with a thousand topics ask again and
again. So each topic is encoded once a listener and version, and an answer is a head, these pieces, and an end: 1,000
topics of ten partitions in 0.8 ms instead of 27 ms.

Always true: the bytes are those that `MetadataResponse.write` gives for the same content. What a change of a topic, or
of any broker, makes untrue is forgotten before somebody can ask for it. Kept are at most `MAX_KINDS` pairs of listener
and version, the newest ones.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from ottla.broker.metadata.spliced import Spliced, element
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.cluster import MetadataResponse
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseTopic as TopicAnswer

MAX_KINDS: Final = 8
Kind = tuple[str, int]  # listener, version

_CLUSTER_OPERATIONS: Final = range(8, 11)  # 4 bytes behind the topics
_ERROR_CODE_SINCE: Final = 13  # 2 bytes behind them
_NONE: Final = MetadataResponse()


class EncodedTopics:
    """The topics of one kind of answer: by id, what may be done to it (it is part of the bytes), and the bytes."""

    __slots__ = ("_pieces", "version")

    def __init__(self, version: int) -> None:
        self.version = version
        self._pieces: dict[Uuid, tuple[int, bytes]] = {}

    def get(self, topic_id: Uuid, operations: int) -> bytes | None:
        """A topic that was encoded for somebody who may do the same."""
        piece = self._pieces.get(topic_id)
        return piece[1] if piece is not None and piece[0] == operations else None

    def add(self, topic_id: Uuid, operations: int, answer: TopicAnswer) -> bytes:
        """Encode a topic, and keep it."""
        piece = encoded_topic(answer, self.version)
        self._pieces[topic_id] = (operations, piece)
        return piece

    def forget(self, topic_ids: Iterable[Uuid]) -> None:
        """These are not what they were."""
        for topic_id in topic_ids:
            self._pieces.pop(topic_id, None)


class MetadataEncodings:
    """All kinds."""

    __slots__ = ("_kinds",)

    def __init__(self) -> None:
        self._kinds: dict[Kind, EncodedTopics] = {}

    def of(self, listener: str, version: int) -> EncodedTopics:
        """The topics as they are told on this listener in this version."""
        kind = (listener, version)
        topics = self._kinds.pop(kind, None) or EncodedTopics(version)
        self._kinds[kind] = topics  # the newest comes last
        if len(self._kinds) > MAX_KINDS:
            del self._kinds[next(iter(self._kinds))]
        return topics

    def changed(self, delta: MetadataDelta) -> None:
        """A new image: brokers are part of every topic's answer, topics of their own alone."""
        if delta.cluster:
            self._kinds.clear()
        elif delta.topics:
            for topics in self._kinds.values():
                topics.forget(delta.topics.changed)
                topics.forget(delta.topics.deleted)


def metadata_answer(head: MetadataResponse, topics: Sequence[bytes], version: int) -> Spliced:
    """A MetadataResponse whose topics are bytes already; the head has none of its own."""
    return Spliced(head, topics, _size_behind_topics(version))


def encoded_topic(answer: TopicAnswer, version: int) -> bytes:
    """A topic as it stands in the array of an answer."""
    return element(MetadataResponse(topics=[answer]), _NONE, _size_behind_topics(version), version)


def _size_behind_topics(version: int) -> int:
    """How many bytes of a MetadataResponse come behind its topics."""
    return (4 if version in _CLUSTER_OPERATIONS else 0) + (2 if version >= _ERROR_CODE_SINCE else 0)
