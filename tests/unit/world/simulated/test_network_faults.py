"""The network's kinds of faults that a seed can draw."""

import pytest

from ottla.world.simulated import SimulatedWorld, Simulation
from ottla.world.simulated.faults import Target
from ottla.world.simulated.network_faults import LONGEST_CLOG_MS, NETWORK_FAULTS
from ottla.world.simulated.simulation import SCENARIO

NODES = ("a", "b", "c")

State = dict[tuple[str, str], tuple[bool, int, float]]


async def _idle(world: SimulatedWorld) -> None:
    await world.future()


def links(simulation: Simulation) -> State:
    """Everything that a fault may change about links, the scenario's own included."""
    names = (*NODES, SCENARIO)
    every = [simulation.network.link(a, b) for a in names for b in names if a != b]
    return {(link.source, link.target): (link.blocked, link.latency_ns, link.reset_chance) for link in every}


@pytest.mark.parametrize("kind", NETWORK_FAULTS)
def test_a_fault_strikes_links_of_its_node_and_heals(kind: str) -> None:
    """Only links between the node and others change, never the scenario's; healing, even twice, undoes all of it."""
    changes = 0

    async def scenario(world: SimulatedWorld) -> None:
        nonlocal changes
        for name in NODES:
            simulation.start(name, _idle)
        before = links(simulation)
        heal = NETWORK_FAULTS[kind].inflict(Target(simulation, "b", simulation.rng("fault"), ("/",), frozenset()))
        changed = [pair for pair, state in links(simulation).items() if state != before[pair]]
        assert all("b" in pair and SCENARIO not in pair for pair in changed)
        changes += len(changed)
        await world.clock.sleep(LONGEST_CLOG_MS)
        heal()
        heal()
        assert links(simulation) == before

    for seed in range(20):
        simulation = Simulation(seed)
        simulation.run(scenario)
    assert changes > 0
