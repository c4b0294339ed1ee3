"""What a controller tells of itself and of the cluster, under Kafka's names (`kafka.controller:type=KafkaController`).

Counts of the cluster are read from the state when somebody looks, on every controller, active or not, as in Kafka.
`ActiveControllerCount` is 1 on one node of the cluster. `EventQueueProcessingTimeMs` is how long the loop was held by a
decision; Kafka's `EventQueueTimeMs` has no counterpart, since a decision does not queue here.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ottla.cluster.controller.office import Office
from ottla.metrics.names import MetricName, metric_name
from ottla.metrics.registry import Metrics

GROUP: Final = "kafka.controller"


def _of_controller(name: str) -> MetricName:
    return metric_name(GROUP, "KafkaController", name)


def tell(office: Office, metrics: Metrics) -> None:
    """Add the metrics of a controller to its node's."""
    for name, read in _gauges(office).items():
        metrics.computed_gauge(_of_controller(name), read)
    processing_time = metrics.histogram(metric_name(GROUP, "ControllerEventManager", "EventQueueProcessingTimeMs"))
    office.observe = processing_time.update


def _gauges(office: Office) -> Mapping[str, Callable[[], float]]:
    controller, counts = office.controller, office.counts
    return {
        "ActiveControllerCount": lambda: float(office.is_active),
        "GlobalTopicCount": lambda: len(controller.table.topics),
        "GlobalPartitionCount": lambda: sum(len(topic.partitions) for topic in controller.table.topics.values()),
        "OfflinePartitionsCount": lambda: len(controller.table.leaderless),
        "PreferredReplicaImbalanceCount": lambda: len(controller.table.imbalanced),
        "ActiveBrokerCount": lambda: sum(not broker.fenced for broker in controller.brokers),
        "FencedBrokerCount": lambda: sum(broker.fenced for broker in controller.brokers),
        "ControlledShutdownBrokerCount": lambda: sum(broker.in_controlled_shutdown for broker in controller.brokers),
        "LastAppliedRecordOffset": lambda: office.replayed_offset,
        "LastCommittedRecordOffset": lambda: office.committed_offset - 1,
        "MetadataErrorCount": lambda: counts.errors,
        "NewActiveControllersCount": lambda: counts.new_leaders,
        "EventQueueOperationsStartedCount": lambda: counts.submitted,
        "EventQueueOperationsTimedOutCount": lambda: counts.timed_out,
        "TimedOutBrokerHeartbeatCount": lambda: counts.timed_out_heartbeats,
    }
