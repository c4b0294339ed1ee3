"""A deterministic world: virtual time, an in-memory network, disks that forget; a whole cluster out of one seed.

`Simulation` runs a scenario; docs/simulator.md says how one is written and replayed.
"""

from ottla.world.simulated.simulation import Outcome, Simulation
from ottla.world.simulated.world import SimulatedWorld

__all__ = ["Outcome", "SimulatedWorld", "Simulation"]
