"""The real world: asyncio on uvloop, positional I/O, a thread pool, helper processes, sockets.

The only place that may touch clocks, files, sockets, threads and processes. A program begins with `run`; a node inside
of somebody else's program makes a `RealWorld` on the loop that runs there.
"""

from ottla.world.real.run import run
from ottla.world.real.world import RealWorld

__all__ = ["RealWorld", "run"]
