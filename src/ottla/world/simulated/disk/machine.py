"""A machine's disk: what survives the lives of the node on it.

It holds the tree, the locks of the life that goes on, how much fits, and what is wrong. A life reaches it through its
own `SimulatedDisk`; scenarios and the nemesis reach it here: `node.disk.faults.begin(...)`, `node.disk.flip_bit(...)`.

What is always true: when a process ends its locks are free and all it wrote is seen; when the power goes, only what
`disk.crash` leaves is.
"""

from collections.abc import Callable
from random import Random

from ottla.world.simulated.disk.crash import lose_power
from ottla.world.simulated.disk.faults import DiskFaults, is_below
from ottla.world.simulated.disk.tree import FileNode, Tree

CAPACITY_BYTES = 1 << 40
COLD_RATES = (0.02, 0.2, 0.5)  # how often what is read is not in memory: of a machine with much, and with little


class MachineDisk:
    """One machine's disk."""

    def __init__(self, rng: Random, struck: Callable[[str, str], None] = lambda kind, text: None) -> None:
        self.rng = rng
        self.faults = DiskFaults(rng, struck)
        self.tree = Tree()
        self.capacity_bytes = CAPACITY_BYTES
        self.used_bytes = 0
        self.cold_rate = rng.choice(COLD_RATES)
        self.locks: dict[int, FileNode] = {}  # locked files by their identity
        self._struck = struck
        self._fuse: tuple[int, Callable[[], object]] | None = None

    def content(self, path: str) -> bytes:
        """What a program would read now, for a scenario that looks at a disk."""
        return bytes(self._file(path).content)

    def stable_content(self, path: str) -> bytes:
        """What was synced of it."""
        return bytes(self._file(path).stable)

    def flip_bit(self, folder: str = "/", may: Callable[[str], bool] = lambda path: True) -> str | None:
        """Damage one bit of a file at rest, on a path or below it; says of which, or None if there is none that may."""
        files = [
            (path, file) for path, file in self.tree.files() if file.stable and is_below(path, folder) and may(path)
        ]
        if not files:
            return None
        path, file = self.rng.choice(files)
        position, bit = self.rng.randrange(len(file.stable)), 1 << self.rng.randrange(8)
        if position < len(file.content) and file.content[position] == file.stable[position]:
            file.content[position] ^= bit
        file.stable[position] ^= bit
        self._struck("bit-flip", f"{path} at {position}")
        return path

    def light_fuse(self, calls: int, blow: Callable[[], object]) -> None:
        """Let something happen in the middle of a disk call: before the effect of the so-manieth from now."""
        self._fuse = (calls, blow)

    def put_out_fuse(self) -> None:
        """Nothing will happen."""
        self._fuse = None

    def burn_fuse(self) -> None:
        """A call begins."""
        if self._fuse is not None:
            calls, blow = self._fuse
            self._fuse = (calls - 1, blow) if calls > 1 else None
            if self._fuse is None:
                blow()

    def process_ended(self) -> None:
        """Whoever used the disk is dead: files stay as they are, locks are free."""
        self.put_out_fuse()
        self.locks.clear()

    def power_lost(self) -> str:
        """The machine went down: what was not synced is there, torn or gone. Says what became of it."""
        self.process_ended()
        what = lose_power(self.tree, self.rng)
        self.used_bytes = sum(len(file.content) for _, file in self.tree.files())
        return what

    def _file(self, path: str) -> FileNode:
        return dict(self.tree.files())["/" + path.strip("/")]
