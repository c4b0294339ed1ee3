"""The kinds of faults of the network that a seed can draw, beside those of nodes and disks.

Each strikes the links between one node and some of the others; the scenario's own node, which none of this should
happen to, is never among them.
"""

from ottla.world.simulated.faults import FaultKind, Heal, Target
from ottla.world.simulated.network import Fabric
from ottla.world.simulated.simulation import SCENARIO

LONGEST_CLOG_MS = 4_000


def _others(target: Target) -> tuple[Fabric, list[str]]:
    """All other nodes, or some of them."""
    others = [name for name in target.simulation.nodes if name not in (target.name, SCENARIO)]
    if others and target.rng.random() < 0.5:
        others = sorted(target.rng.sample(others, target.rng.randint(1, len(others))))
    return target.simulation.network, others


def _partition(target: Target) -> Heal:
    network, others = _others(target)
    sides = [[target.name], others]
    target.rng.shuffle(sides)
    network.partition(*sides, one_way=target.rng.random() < 0.4)
    return lambda: network.heal(*sides)


def _clog(target: Target) -> Heal:
    network, others = _others(target)
    network.clog(target.name, others, target.rng.randrange(10, LONGEST_CLOG_MS), one_way=target.rng.random() < 0.4)
    return lambda: None  # it ends by itself


def _reset(target: Target) -> Heal:
    network, others = _others(target)
    if target.rng.random() < 0.5:
        network.reset_connections(target.name, others)
    else:
        network.set_reset_chance(target.name, others, target.rng.choice((0.001, 0.01, 0.1)))
    return lambda: network.set_reset_chance(target.name, others, 0.0)


def _slow_network(target: Target) -> Heal:
    network, others = _others(target)
    return network.slow_down(target.name, others, target.rng.choice((5, 50, 400)))


NETWORK_FAULTS: dict[str, FaultKind] = {
    "partition": FaultKind("it and others cannot reach each other, or one way only", _partition),
    "clog": FaultKind("what it sends or is sent is held up for a while", _clog),
    "reset": FaultKind("connections of it are broken, now or one by one", _reset),
    "slow-network": FaultKind("what it sends or is sent takes longer", _slow_network),
}
