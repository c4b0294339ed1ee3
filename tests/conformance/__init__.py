"""What every world must do, written once: a suite for each Protocol of `ottla.world.api`.

A suite is a class whose tests take the fixture `run`: it makes a world, runs a coroutine in it, gives back its value.
Whoever has a world makes the fixture, derives its test classes from these, and so has every case:

    class TestDisk(DiskConformance): ...

Suites assume nothing but the contract: no real files, ports or durations, and nothing that blocks outside of the world.
"""

from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

from ottla.world.api import World

T = TypeVar("T")


class Run(Protocol):
    """Make a world, run a coroutine in it, close the world, and give back the coroutine's value."""

    def __call__(self, main: Callable[[World], Coroutine[Any, Any, T]]) -> T: ...
