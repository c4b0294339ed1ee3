"""A simulated machine whose power fails in the middle of a disk call, for tests of what is on disk then."""

from collections.abc import Callable
from random import Random

from ottla.world.simulated.clock import MachineClock
from ottla.world.simulated.disk.disk import SimulatedDisk
from ottla.world.simulated.disk.machine import MachineDisk
from ottla.world.simulated.loop import NodeDied, NodeLoop
from ottla.world.simulated.timeline import Timeline


class Machine:
    """A machine's disk, out of a seed."""

    def __init__(self, seed: int) -> None:
        self._rng = Random(seed)
        self.disk = MachineDisk(self._rng)
        self._timeline, self._clock = Timeline(self._rng), MachineClock(self._rng)

    def boot(self) -> SimulatedDisk:
        """What the next life sees of the disk."""
        return SimulatedDisk(self.disk, self._new_loop())

    def crash_in(self, calls: int, run: Callable[[SimulatedDisk], object]) -> bool:
        """Run with a disk, lose the power before the effect of the so-manieth call; False if there were not so many."""
        loop = self._new_loop()
        self.disk.light_fuse(calls, loop.stop)
        try:
            run(SimulatedDisk(self.disk, loop))
        except NodeDied:
            self.disk.power_lost()
            return True
        self.disk.put_out_fuse()
        return False

    def _new_loop(self) -> NodeLoop:
        return NodeLoop(  # type: ignore[abstract]  # of asyncio's 80 methods, those that have a meaning there
            "node", timeline=self._timeline, clock=self._clock, rng=self._rng, failed=_failed
        )


def _failed(error: BaseException, what: str) -> None:
    raise AssertionError(what) from error
