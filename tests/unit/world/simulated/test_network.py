"""The simulated network does what every network must do, whatever the seed."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from ottla.world.simulated import SimulatedWorld, Simulation
from tests.conformance import Run
from tests.conformance.network import NetworkConformance
from tests.conformance.streams import StreamConformance

T = TypeVar("T")

SEEDS = 5


@pytest.fixture(params=range(SEEDS), ids=lambda seed: f"seed {seed}")
def run(request: pytest.FixtureRequest) -> Run:
    """A new world for every run."""

    def run(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        async def scenario(world: SimulatedWorld) -> T:
            world.disk.make_directory("/data")
            return await main(world)

        return Simulation(request.param).run(scenario).value

    return run


@pytest.fixture
def folder() -> str:
    """A path on the world's disk."""
    return "/data"


class TestNetwork(NetworkConformance):
    """Listening and connecting."""


class TestStreams(StreamConformance):
    """What goes over a connection, and how it ends."""
