"""What a controller tells of itself and the cluster."""

from ottla.cluster.controller.metrics import GROUP, tell
from ottla.metrics.names import metric_name
from ottla.metrics.registry import Metrics
from ottla.protocol.messages.metadata_records import PartitionRecord, RegisterBrokerRecord
from ottla.replicated.decision import Decision
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.controller.house import COMMIT_MS, House
from tests.unit.cluster.controller.test_office import QUIET, note


def test_a_controllers_counts_have_kafkas_names() -> None:
    """Topics, partitions, leaders that are missing or not the preferred ones, brokers, and who is active."""

    async def scenario(world: SimulatedWorld) -> None:
        house, metrics = House(world, static=QUIET), Metrics()
        tell(house.office, metrics)

        def value(name: str) -> float:
            metric = metrics.get(metric_name(GROUP, "KafkaController", name))
            assert metric is not None, name
            return metric.attributes()["Value"]

        assert value("ActiveControllerCount") == 0
        house.lead()
        await house.active()
        assert value("ActiveControllerCount") == 1
        assert value("NewActiveControllersCount") == 1
        await house.office.submit(note("orders"))
        topic_id = house.controller.table.topic_ids["orders"]

        def more(_: int) -> Decision[object, None]:  # a partition without leader, one led by another, two brokers
            brokers = [RegisterBrokerRecord(broker_id=each, fenced=each == 2, log_dirs=()) for each in (1, 2)]
            partitions = [
                PartitionRecord(index, topic_id, replicas=[2, 1], isr=[1], leader=leader)
                for index, leader in enumerate((-1, 1))
            ]
            return Decision([*brokers, *partitions], None)

        await house.office.submit(more)  # type: ignore[arg-type] # any record
        names = ("GlobalTopicCount", "GlobalPartitionCount", "OfflinePartitionsCount", "PreferredReplicaImbalanceCount")
        assert [value(name) for name in names] == [1, 2, 1, 2]
        assert [value(name) for name in ("ActiveBrokerCount", "FencedBrokerCount")] == [1, 1]
        await world.clock.sleep(COMMIT_MS)
        assert value("LastAppliedRecordOffset") == value("LastCommittedRecordOffset") == house.log.end_offset - 1
        assert value("EventQueueOperationsStartedCount") == 2
        assert value("MetadataErrorCount") == 0

    Simulation(1).run(scenario)
