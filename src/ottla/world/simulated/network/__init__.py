"""The simulated network: hosts that share a fabric of links, and TCP as far as a program can tell it from the real one.

`Fabric` is the whole of it, and what a scenario does to it; `SimulatedNetwork` is the `Network` of one life of a node.
"""

from ottla.world.simulated.network.fabric import Fabric, Figures
from ottla.world.simulated.network.network import SimulatedNetwork

__all__ = ["Fabric", "Figures", "SimulatedNetwork"]
