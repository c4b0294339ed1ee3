"""What every call to a simulated disk goes through: what it costs, what strikes it, and how it is refused.

A call keeps its node busy for some virtual time, or, when it runs in a thread, only that thread. Costs are those of a
fair SSD; they need not be right, only there: a call that took no time would hide every race with it.

What is always true: the dead reach no disk; what a call runs into is drawn from the disk's own stream.
"""

import errno
import os
from random import Random

from ottla.errors import DiskError, DiskFull, NoSuchFile
from ottla.world.simulated.clock import MILLION
from ottla.world.simulated.disk.faults import DiskFaultKind, normal
from ottla.world.simulated.disk.machine import MachineDisk
from ottla.world.simulated.disk.tree import FileNode
from ottla.world.simulated.loop import NodeDied, NodeLoop


class Nanoseconds:
    """What calls cost."""

    call = 1_500
    name = 15_000  # anything that changes or looks up names
    cold = 120_000

    def read(self, size: int, *, is_cold: bool) -> int:
        """Memory gives 4 GB a second, a drive 1."""
        return self.cold + size if is_cold else self.call + (size >> 2)

    def write(self, size: int) -> int:
        """Into memory."""
        return self.call + (size >> 2)

    def sync(self, waiting_bytes: int, rng: Random) -> int:
        """From a quarter of a millisecond on, now and then much more, and 2 ns a byte."""
        return round(250_000 + 500_000 * rng.expovariate(1.0)) + 2 * waiting_bytes


NANOSECONDS = Nanoseconds()


def refusal(path: str, number: int) -> DiskError:
    """The error for a path and the system's number."""
    kind = {errno.ENOENT: NoSuchFile, errno.ENOSPC: DiskFull}.get(number, DiskError)
    return kind(f"{path}: {os.strerror(number)}", path=path, errno=number)


class Calls:
    """One life's calls to its machine's disk."""

    def __init__(self, machine: MachineDisk, loop: NodeLoop) -> None:
        self.machine, self.rng = machine, machine.rng
        self._loop = loop

    def is_dead(self) -> bool:
        """Whether this life is over."""
        return self._loop.stopped

    def is_cold(self) -> bool:
        """Whether what is asked for has to come from the drive."""
        return self.rng.random() < self.machine.cold_rate

    def begin(self, path: str, what: str, cost_ns: int) -> None:
        """A call begins; the machine may die in it."""
        if not self._loop.stopped:
            self.machine.burn_fuse()
        if self._loop.stopped:
            raise NodeDied
        slow = self.machine.faults.strikes(DiskFaultKind.SLOW, path, what)
        if slow is not None:
            cost_ns += round(slow.delay_ms * MILLION * (0.5 + self.rng.random()))
        self._loop.charge(cost_ns)

    def strikes(self, kind: DiskFaultKind, path: str, what: str) -> bool:
        """Whether a call runs into a fault."""
        return self.machine.faults.strikes(kind, path, what) is not None

    def may_fail(self, kind: DiskFaultKind, path: str, what: str) -> None:
        """Refuse the call if it runs into a fault."""
        if self.strikes(kind, path, what):
            raise refusal(path, errno.EROFS if kind is DiskFaultKind.READ_ONLY else errno.EIO)

    def room(self, path: str, growth: int) -> int:
        """How much of what a write wants to add fits."""
        if growth == 0:
            return 0
        if self.strikes(DiskFaultKind.FULL, path, "write"):
            return self.rng.randrange(growth)
        return min(growth, self.free_bytes())

    def free_bytes(self) -> int:
        """How much fits on the disk still."""
        return max(0, self.machine.capacity_bytes - self.machine.used_bytes)

    def resized(self, node: FileNode, growth: int) -> None:
        """Keep account of the room; a file without a name is not counted any more."""
        if node.is_linked:
            self.machine.used_bytes += growth

    @staticmethod
    def parts(path: str) -> list[str]:
        """The names on the way to a path."""
        return [part for part in normal(path).split("/") if part]
