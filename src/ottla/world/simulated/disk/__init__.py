"""A simulated machine's disk: what is written is seen at once, what is not synced may be gone after a loss of power.

`MachineDisk` survives the lives of a node; each life is handed a `SimulatedDisk`, the `Disk` of its world.
"""

from ottla.world.simulated.disk.disk import SimulatedDisk
from ottla.world.simulated.disk.faults import DiskFault, DiskFaultKind
from ottla.world.simulated.disk.machine import MachineDisk

__all__ = ["DiskFault", "DiskFaultKind", "MachineDisk", "SimulatedDisk"]
