"""Chance, out of the seed.

Every purpose (a node's life, a link, a disk) has a stream of its own, so that one draw more in one place does not
change what all others draw: a scenario that is edited stays the same run up to the edit.

What is always true: a stream depends on the seed and its purpose's name alone, and all states are part of a run's hash.
"""

from random import Random


class Chances:
    """All streams of one run."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._streams: dict[str, Random] = {}

    def of(self, purpose: str) -> Random:
        """The stream for a purpose, always the same object."""
        stream = self._streams.get(purpose)
        if stream is None:
            # Seeding with text hashes it by SHA-512, so PYTHONHASHSEED has no say.
            stream = self._streams[purpose] = Random(f"{self._seed}/{purpose}")  # noqa: S311
        return stream

    def state(self) -> str:
        """A text that differs when any stream was drawn from more or less often. Draws from each."""
        return " ".join(f"{purpose}={stream.random()}" for purpose, stream in self._streams.items())


class SimulatedRandomness:
    """A node's `Randomness`; its secrets are as seeded as all else."""

    def __init__(self, stream: Random) -> None:
        self.random = stream.random
        self.randrange = stream.randrange
        self.randbytes = stream.randbytes
        self.secret = stream.randbytes
