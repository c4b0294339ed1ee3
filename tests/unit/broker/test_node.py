"""A whole node in a simulated world."""

from ottla.broker.node import Node
from ottla.metrics.meter import TICK_MS
from ottla.metrics.names import metric_name
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.simulation.first_node import SETTINGS
from tests.simulation.formatting import format_if_new

ALONE = {"advertised.listeners": "", "controller.quorum.voters": "7@127.0.0.1:9093"}
LISTENERS = {"listeners": "PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093"}


def test_rates_follow_their_counts() -> None:
    """A node ticks its metrics from its start to its stop, and tells of its partitions."""

    async def main(world: SimulatedWorld) -> None:
        settings = {name: text for name, text in (SETTINGS | ALONE | LISTENERS).items() if text}
        format_if_new(world, settings)
        faults: list[BaseException] = []
        node = Node(world, settings, lambda what, error: faults.append(error))
        meter = node.metrics.meter(metric_name("kafka.server", "Test", "ThingsPerSec"))
        await node.start()
        meter.count += 100
        await world.clock.sleep(2 * TICK_MS)
        assert meter.one_minute_rate > 0
        assert node.metrics.get(metric_name("kafka.server", "ReplicaManager", "PartitionCount")) is not None
        await node.stop()
        assert faults == []

    Simulation(1).run(main)
