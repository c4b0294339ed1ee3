"""Produce, and InitProducerId: what is appended, and what is not."""

from typing import Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.batches import BATCHES, GOOD, PRODUCER, idempotent
from tests.integration.differential.templates.template import EMPTY, Look, Scene, Template
from tests.integration.differential.trees import Tree

LATEST = range(13, 14)
SOME = range(9, 14, 4)  # the first flexible version, and the one by id


def produce(scene: Scene, records: bytes | None, index: int = 0, acks: int = -1) -> Tree:
    """To one partition of the case's topic."""
    partition = {"index": index, "records": records}
    topic = {"name": scene.topic, "topic_id": scene.topic_id, "partition_data": [partition]}
    return {"acks": acks, "timeout_ms": 5_000, "topic_data": [topic]}


def end_offsets(scene: Scene) -> Tree:
    """Where the topic ends."""
    partition = {"partition_index": 0, "timestamp": -1}
    return {"replica_id": -1, "topics": [{"name": scene.topic, "partitions": [partition]}]}


def everything(scene: Scene) -> Tree:
    """All that is in the topic, byte by byte."""
    partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
    topic = {"topic": scene.topic, "topic_id": scene.topic_id, "partitions": [partition]}
    return {"max_wait_ms": 0, "min_bytes": 0, "topics": [topic]}


def producers(scene: Scene) -> Tree:
    """Who has written to it."""
    return {"topics": [{"name": scene.topic, "partition_indexes": [0]}]}


END: Final = Look(ApiKey.LIST_OFFSETS, 7, end_offsets)
CONTENT: Final = Look(ApiKey.FETCH, 12, everything)
PRODUCERS: Final = Look(ApiKey.DESCRIBE_PRODUCERS, 0, producers)


def of(name: str, records: bytes, versions: range = SOME, *, fresh: str = EMPTY, acks: int = -1) -> Template:
    """Producing these records."""
    return Template(
        ApiKey.PRODUCE,
        name,
        lambda _, scene: produce(scene, records, acks=acks),
        fresh,
        (END, CONTENT, PRODUCERS),
        versions,
    )


def elsewhere(name: str, topic: str, index: int, versions: range = range(3, 14)) -> Template:
    """Producing to what is not there, or may not be written."""
    return Template(
        ApiKey.PRODUCE, name, lambda _, scene: produce(Scene(scene.number, topic), GOOD, index), versions=versions
    )


def again(*sequences: bytes) -> tuple[Template, ...]:
    """Further batches to the same partition."""
    return tuple(of("next", records, LATEST) for records in sequences)


def idempotence(name: str, first: bytes, *rest: bytes) -> Template:
    """What a broker says to a sequence of batches."""
    return Template(ApiKey.PRODUCE, name, lambda _, scene: produce(scene, first), EMPTY, (), LATEST, then=again(*rest))


def init_producer_id(version: int, scene: Scene) -> Tree:
    """A new producer."""
    return {"transactional_id": None, "transaction_timeout_ms": 60_000}


TEMPLATES: Final[list[Template]] = [
    Template(ApiKey.PRODUCE, "valid", lambda _, scene: produce(scene, GOOD), EMPTY, (END, CONTENT), is_valid=True),
    *(of(name, records) for name, records in BATCHES.items()),
    of("acks 1", GOOD, acks=1),
    of("acks 0", GOOD, acks=0),
    of("acks 0, wrong checksum", BATCHES["wrong checksum"], acks=0),
    *(
        of(f"{name}, {topic}", BATCHES[name], LATEST, fresh=topic)
        for topic in ("compacted", "append-time", "small", "gzip", "strict")
        for name in (
            "codec none",
            "codec lz4",
            "null key",
            "null values",
            "50 kB",
            "far ahead",
            "sequence 0",
            "no time",
        )
    ),
    elsewhere("missing topic", "missing", 0),
    elsewhere("missing partition", "stable", 99),
    elsewhere("deleted topic", "gone", 0),
    elsewhere("internal topic", "__consumer_offsets", 0),
    elsewhere("metadata topic", "__cluster_metadata", 0),
    idempotence("in sequence", idempotent(0), idempotent(3), idempotent(6)),
    idempotence("duplicates", idempotent(0), idempotent(0), idempotent(3), idempotent(3), idempotent(0)),
    idempotence("a gap", idempotent(0), idempotent(4), idempotent(3)),
    idempotence("a new epoch", idempotent(0), idempotent(0, epoch=1), idempotent(3, epoch=0), idempotent(3, epoch=1)),
    idempotence("a new epoch in the middle", idempotent(0), idempotent(3, epoch=1)),
    idempotence("a long row", *(idempotent(3 * at) for at in range(7)), idempotent(0), idempotent(9), idempotent(18)),
    Template(
        ApiKey.PRODUCE,
        "twice the same topic",
        lambda _, scene: {**produce(scene, GOOD), "topic_data": produce(scene, GOOD)["topic_data"] * 2},
        EMPTY,
        (END,),
    ),
    Template(ApiKey.INIT_PRODUCER_ID, "valid", init_producer_id, is_valid=True),
    Template(
        ApiKey.INIT_PRODUCER_ID,
        "known producer",
        lambda _, scene: {**init_producer_id(0, scene), "producer_id": PRODUCER, "producer_epoch": 0},
        versions=range(3, 6),
    ),
]
