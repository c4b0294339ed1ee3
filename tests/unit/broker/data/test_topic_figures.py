"""What a broker counts of its topics, its partitions and those who wait for them."""

from dataclasses import replace

from ottla.broker.data.metrics import tell
from ottla.broker.data.topic_figures import GROUP, TYPE
from ottla.metrics.names import metric_name
from ottla.metrics.registry import Metrics
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord, RemoveTopicRecord
from ottla.world.api import World
from tests.unit.broker.handlers.data_broker import CLUSTER, ORDERS, DataBroker, partition, simulate
from tests.unit.broker.handlers.test_k00_produce import request as produce_request
from tests.unit.broker.handlers.test_k00_produce import row as produced_row
from tests.unit.broker.handlers.test_k01_fetch import request as fetch_request
from tests.unit.storage.home import LOGS, Home
from tests.unit.storage.logs import produced


def count(broker: DataBroker, name: str, topic: str = "") -> float:
    """What a meter of topics has counted; of all if no topic is said."""
    metric = broker.metrics.get(metric_name(GROUP, TYPE, name, topic=topic))
    assert metric is not None, name
    return metric.attributes()["Count"]


def value(metrics: Metrics, type_: str, name: str, group: str = "kafka.server", **tags: str) -> float:
    """What a gauge says."""
    metric = metrics.get(metric_name(group, type_, name, **tags))
    assert metric is not None, name
    return metric.attributes()["Value"]


def test_what_is_written_and_read_is_counted_for_each_topic_and_for_all() -> None:
    """Requests, messages and bytes as they lie in the log; what followers read is counted apart."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world), *CLUSTER[:-1], partition(0, replicas=(1, 2), isr=(1, 2)))
        batch = produced(3)
        for _ in range(2):
            broker.send(produce_request(batch, acks=1), 13)
        await broker.ask(fetch_request(0, replica_id=2, replica_epoch=-1), 18)
        await broker.ask(fetch_request(6, replica_id=2, replica_epoch=-1), 18)  # so all of it is safe
        await broker.ask(fetch_request(0), 18)
        for topic in ("", "orders"):
            assert count(broker, "TotalProduceRequestsPerSec", topic) == 2
            assert count(broker, "MessagesInPerSec", topic) == 6
            assert count(broker, "BytesInPerSec", topic) == 2 * len(batch)
            assert count(broker, "TotalFetchRequestsPerSec", topic) == 3
            assert count(broker, "BytesOutPerSec", topic) == 2 * len(batch)
            assert count(broker, "FailedProduceRequestsPerSec", topic) == 0
        assert count(broker, "ReplicationBytesOutPerSec") == 2 * len(batch)
        await broker.stop()

    simulate(main)


def test_batches_that_are_appended_in_their_turn_are_counted_too() -> None:
    """Where `flush.messages` makes an answer wait for the disk."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, flush_messages=1)))
        assert (await produced_row(broker, produce_request(produced(3)))).error_code == ErrorCode.NONE
        assert count(broker, "TotalProduceRequestsPerSec") == 1
        assert count(broker, "MessagesInPerSec") == 3
        assert count(broker, "BytesInPerSec") == len(produced(3))
        await broker.stop()

    simulate(main)


def test_a_refusal_counts_as_a_failure_only_if_nobody_expects_it() -> None:
    """A batch that is too large is counted by its bytes, one of others not at all; a bad record is a failure."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world, logs=replace(LOGS, max_message_bytes=200)))
        large = produced(50)
        answer = await produced_row(broker, produce_request(large))
        assert answer.error_code == ErrorCode.MESSAGE_TOO_LARGE
        assert count(broker, "BytesRejectedPerSec", "orders") == len(large)
        assert count(broker, "FailedProduceRequestsPerSec") == 0
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=2, replicas=[1, 2], isr=[1, 2]))
        answer = await produced_row(broker, produce_request())
        assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert count(broker, "FailedProduceRequestsPerSec") == 0
        broker.replay(PartitionChangeRecord(0, ORDERS, leader=1))
        answer = await produced_row(broker, produce_request(b""))
        assert answer.error_code == ErrorCode.INVALID_RECORD
        assert count(broker, "FailedProduceRequestsPerSec", "orders") == 1
        assert count(broker, "MessagesInPerSec") == 0
        await broker.stop()

    simulate(main)


def test_a_deleted_topic_has_no_figures() -> None:
    """They go with the topic; those of all stay."""

    async def main(world: World) -> None:
        broker = await DataBroker.start(Home(world))
        broker.publisher.add(broker.path.figures)
        await produced_row(broker, produce_request(produced(3)))
        series = len(broker.metrics)
        broker.replay(RemoveTopicRecord(ORDERS))
        assert len(broker.metrics) < series
        assert broker.metrics.get(metric_name(GROUP, TYPE, "MessagesInPerSec", topic="orders")) is None
        assert count(broker, "MessagesInPerSec") == 3
        await broker.stop()

    simulate(main)


def test_partitions_and_who_waits_for_them_are_told_under_kafkas_names() -> None:
    """How many are here, led here, short of replicas, offline; how many requests wait; how long flushes take."""

    async def main(world: World) -> None:
        records = (*CLUSTER, partition(1, replicas=(1, 2), isr=(1,)), partition(2, leader=2, replicas=(1, 2)))
        broker = await DataBroker.start(Home(world), *records)
        metrics = broker.metrics
        tell(broker.path, broker.logs, metrics)
        names = ("PartitionCount", "LeaderCount", "UnderReplicatedPartitions", "AtMinIsrPartitionCount")
        assert [value(metrics, "ReplicaManager", name) for name in names] == [3, 2, 1, 2]
        assert value(metrics, "ReplicaManager", "UnderMinIsrPartitionCount") == 0
        broker.partition(2).failed()
        assert value(metrics, "ReplicaManager", "OfflineReplicaCount") == 1
        broker.send(fetch_request(0, wait_ms=1_000), 18)
        waiting = {"type_": "DelayedOperationPurgatory", "name": "PurgatorySize"}
        assert value(metrics, **waiting, delayedOperation="Fetch") == 1
        assert value(metrics, **waiting, delayedOperation="Produce") == 0
        await produced_row(broker, produce_request(produced(3)))
        assert value(metrics, **waiting, delayedOperation="Fetch") == 0
        await broker.partition(0).log.flush()
        flushes = metrics.get(metric_name("kafka.log", "LogFlushStats", "LogFlushRateAndTimeMs"))
        assert flushes is not None
        assert flushes.attributes()["Count"] == 1
        await broker.stop()

    simulate(main)
