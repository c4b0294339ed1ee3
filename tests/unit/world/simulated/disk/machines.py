"""A disk without a simulation around it, for tests that need nothing else."""

from collections import Counter
from random import Random

from ottla.world.simulated.clock import MachineClock
from ottla.world.simulated.disk import MachineDisk, SimulatedDisk
from ottla.world.simulated.loop import NodeLoop
from ottla.world.simulated.timeline import Timeline


class Machine:
    """A disk, the life that uses it, and what has struck it."""

    def __init__(self, seed: int = 0) -> None:
        self.struck: Counter[str] = Counter()
        self.hardware = MachineDisk(Random(seed), lambda kind, text: self.struck.update([kind]))
        self.loop = self._loop()
        self.disk = SimulatedDisk(self.hardware, self.loop)

    def kill(self) -> None:
        """The process dies, and the next begins."""
        self._begin_again()
        self.hardware.process_ended()

    def crash(self) -> str:
        """The power goes, and the machine comes back; what became of the disk."""
        self._begin_again()
        return self.hardware.power_lost()

    def _begin_again(self) -> None:
        self.loop.stop()
        self.loop = self._loop()
        self.disk = SimulatedDisk(self.hardware, self.loop)

    @staticmethod
    def _loop() -> NodeLoop:
        return NodeLoop(  # type: ignore[abstract]
            "machine", timeline=Timeline(Random(0)), clock=MachineClock(Random(0)), rng=Random(0), failed=print
        )


def write(disk: SimulatedDisk, path: str, content: bytes, *, synced: bool = False) -> None:
    """Make a file hold this, in place of what it may hold."""
    file = disk.open(path, create=True)
    file.truncate(0)
    file.write(0, [content])
    if synced:
        file.sync()
    file.close()


def read(disk: SimulatedDisk, path: str) -> bytes:
    """All of a file."""
    file = disk.open(path)
    content = file.read(0, file.size())
    file.close()
    return content


def names(disk: SimulatedDisk, path: str = "/") -> list[str]:
    """What is in a directory."""
    return [entry.name for entry in disk.list(path)]
