"""Chance, seeded by the operating system.

What is always true: secrets come from the system's own generator and never from ours, whose course can be guessed.
"""

import secrets
from random import Random


class RealRandomness:
    """A world's `Randomness`. Each has a generator of its own, so that a user's `random.seed` has no say."""

    __slots__ = ("randbytes", "random", "randrange")

    def __init__(self) -> None:
        generator = Random()  # noqa: S311 -- for jitter and choices; secrets are below
        self.random = generator.random
        self.randrange = generator.randrange
        self.randbytes = generator.randbytes

    def secret(self, count: int) -> bytes:
        """So many bytes that nobody can guess."""
        return secrets.token_bytes(count)
