"""The cluster's metadata: what one changed partition costs, what an image of 100,000 partitions weighs, how it loads.

The change comes as a batch of one PartitionChangeRecord, as a broker gets it, and ends at a subscriber. Clusters are
of topics with 100 partitions and three replicas on 30 brokers; one topic with everything, and topics of one partition,
are the other two shapes. Memory is what `tracemalloc` counts for the image alone.
"""

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterator

from bench.measure import best_of_turns, microseconds, table
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.cluster.metadata.loader import Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import VersionedRecord, versioned
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotReader, write_snapshot
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import LATEST
from ottla.protocol.messages.metadata_records import (
    FeatureLevelRecord,
    PartitionChangeRecord,
    PartitionRecord,
    TopicRecord,
)
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields

BROKERS = 30
REPLICAS = 3
LARGE = 100_000
NOW_MS = 1_700_000_000_000


def topic_id(number: int) -> Uuid:
    """The id of a topic: spread as real ones are."""
    return Uuid((number * 0x9E3779B97F4A7C15F39CC0605CEDC835 & (1 << 128) - 1).to_bytes(16))


def cluster(partitions: int, partitions_per_topic: int) -> Iterator[Message]:
    """The records of a cluster."""
    yield FeatureLevelRecord("metadata.version", LATEST)
    directories = [Uuid((1 << 100 | number).to_bytes(16)) for number in range(BROKERS)]
    for number in range(partitions // partitions_per_topic):
        yield TopicRecord(f"topic-{number:06d}", topic_id(number))
        for index in range(partitions_per_topic):
            nodes = [(number + index * (1 + step)) % BROKERS for step in range(REPLICAS)]
            where = [directories[node_id] for node_id in nodes]
            yield PartitionRecord(index, topic_id(number), nodes, nodes, [], [], nodes[0], 0, 3, 5, where)


def image(partitions: int, partitions_per_topic: int = 100) -> MetadataImage:
    """The image of a cluster."""
    delta = MetadataDelta(EMPTY)
    for record in cluster(partitions, partitions_per_topic):
        delta.replay(record)
    return delta.apply(Provenance(0, 1, NOW_MS, is_batch_aligned=True))


def publishing_one(partitions: int, partitions_per_topic: int) -> Callable[[], None]:
    """A call that publishes one changed partition."""
    publisher = Publisher()
    publisher.image = image(partitions, partitions_per_topic)
    loader = Loader(publisher)
    publisher.catch_up()
    publisher.add(lambda delta, image: None)
    change = PartitionChangeRecord(partitions_per_topic // 2, topic_id(partitions // partitions_per_topic // 2), [1, 2])
    building = BatchBuilder(BatchFields(1, 1))
    building.append(NOW_MS, None, versioned(change, LATEST).to_bytes())
    batch = RecordBatch(memoryview(building.build()))

    def publish() -> None:
        loader.load_batch(batch)
        loader.publish()

    return publish


def publishing() -> None:
    """The cost of one changed partition, by the size of the cluster."""
    rows = []
    for shape, per_topic in (("100 a topic", (100, 100)), ("1 a topic", (1, 1)), ("all in one topic", (1_000, LARGE))):
        small, large = best_of_turns(publishing_one(1_000, per_topic[0]), publishing_one(LARGE, per_topic[1]))
        rows.append([shape, microseconds(small), microseconds(large), f"{large / small:.2f}"])
    table("One changed partition published: microseconds", ["partitions", "of 1,000", "of 100,000", "ratio"], rows)


def weight() -> None:
    """What an image of 100,000 partitions takes, read from a snapshot as a broker reads it."""
    rows = []
    for partitions_per_topic in (100, 1, LARGE):
        file = snapshot(partitions_per_topic)
        load(file)  # so that what is made once is not counted
        gc.collect()
        tracemalloc.start()
        loaded = load(file)
        gc.collect()
        size_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert sum(len(topic.partitions) for topic in loaded.topics.by_id.values()) == LARGE
        rows.append([str(partitions_per_topic), f"{size_bytes / 1e6:.0f}"])
    table("An image of 100,000 partitions: memory", ["partitions a topic", "MB"], rows)


def snapshot(partitions_per_topic: int) -> memoryview:
    """A snapshot of a cluster of 100,000 partitions."""
    records = (versioned(record, LATEST) for record in cluster(LARGE, partitions_per_topic))
    return memoryview(b"".join(write_snapshot(1, SnapshotHead(), records, NOW_MS)))


def load(file: memoryview) -> MetadataImage:
    """The image that a snapshot holds, as a node gets it that knows nothing yet."""
    loader = Loader(Publisher())
    loader.load_snapshot(SnapshotReader(file).records(), Provenance(0, 1, NOW_MS, is_batch_aligned=True))
    return loader.image


def loading() -> None:
    """How long a snapshot of 100,000 partitions takes to load, and to be written."""
    rows = []
    for partitions_per_topic in (100, 1, LARGE):
        file = snapshot(partitions_per_topic)
        start = time.perf_counter()
        loaded = load(file)
        read_s = time.perf_counter() - start
        start = time.perf_counter()
        written: list[VersionedRecord] = list(loaded.records())
        records_s = time.perf_counter() - start
        size_bytes = sum(map(len, write_snapshot(1, SnapshotHead(), written, NOW_MS)))
        written_s = time.perf_counter() - start
        figures = (f"{size_bytes / 1e6:.1f}", *(f"{seconds:.2f}" for seconds in (read_s, records_s, written_s)))
        rows.append([str(partitions_per_topic), *figures])
    heads = ["partitions a topic", "MB", "loaded s", "made into records s", "and written s"]
    table("A snapshot of 100,000 partitions", heads, rows)


def run() -> None:
    """Print all tables."""
    publishing()
    weight()
    loading()


if __name__ == "__main__":
    run()
