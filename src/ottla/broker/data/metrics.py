"""What a broker tells of its partitions and of those who wait for them, under Kafka's names.

Counts are read from the partitions when somebody looks. The ISR's meters count what the controller has agreed to, or
refused, as in Kafka. `LogFlushRateAndTimeMs` is a pass of a log's flusher: everything that was not on the disk yet.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from ottla.broker.data.path import DataPath
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Offline
from ottla.cluster.replication.replica_manager import ReplicaManager
from ottla.metrics.names import metric_name
from ottla.metrics.registry import Metrics

if TYPE_CHECKING:
    from ottla.storage.manager.manager import LogManager

SERVER: Final = "kafka.server"
PURGATORY: Final = "DelayedOperationPurgatory"


def tell(path: DataPath, logs: "LogManager", metrics: Metrics) -> None:
    """Add the metrics of a broker to its node's."""
    replicas = path.replicas
    for name, read in _of_partitions(replicas).items():
        metrics.computed_gauge(metric_name(SERVER, "ReplicaManager", name), read)
    replicas.alter_partitions.shrinks = metrics.meter(metric_name(SERVER, "ReplicaManager", "IsrShrinksPerSec"))
    replicas.alter_partitions.expands = metrics.meter(metric_name(SERVER, "ReplicaManager", "IsrExpandsPerSec"))
    replicas.alter_partitions.failures = metrics.meter(metric_name(SERVER, "ReplicaManager", "FailedIsrUpdatesPerSec"))
    delayed = path.delayed
    for operation, purgatory in (
        ("Produce", delayed.produces),
        ("Fetch", delayed.fetches),
        ("DeleteRecords", delayed.deletions),
    ):
        size = metric_name(SERVER, PURGATORY, "PurgatorySize", delayedOperation=operation)
        waiting = metric_name(SERVER, PURGATORY, "NumDelayedOperations", delayedOperation=operation)
        metrics.computed_gauge(size, purgatory.__len__)  # what is done is in no list: there is nothing else to purge
        metrics.computed_gauge(waiting, purgatory.__len__)
    sessions = metric_name(SERVER, "FetchSessionCache", "NumIncrementalFetchSessions")
    metrics.computed_gauge(sessions, path.fetch_sessions.__len__)
    offline = metric_name("kafka.log", "LogManager", "OfflineLogDirectoryCount")
    metrics.computed_gauge(offline, lambda: len(logs.directories) - len(logs.online))
    logs.flush_took = metrics.timer(metric_name("kafka.log", "LogFlushStats", "LogFlushRateAndTimeMs")).update


def _of_partitions(replicas: ReplicaManager) -> Mapping[str, Callable[[], float]]:
    def leaders() -> list[Leader]:
        return [partition.role for partition in replicas.table if isinstance(partition.role, Leader)]

    return {
        "PartitionCount": lambda: len(replicas.table),
        "LeaderCount": lambda: len(leaders()),
        "OfflineReplicaCount": lambda: sum(isinstance(partition.role, Offline) for partition in replicas.table),
        "UnderReplicatedPartitions": lambda: sum(leader.is_under_replicated for leader in leaders()),
        "UnderMinIsrPartitionCount": lambda: sum(not leader.has_enough_in_sync for leader in leaders()),
        "AtMinIsrPartitionCount": lambda: sum(leader.is_at_min_isr for leader in leaders()),
        "ProducerIdCount": lambda: sum(
            len(partition.log.producer_state.producers) for partition in replicas.table if partition.has_log
        ),
    }
