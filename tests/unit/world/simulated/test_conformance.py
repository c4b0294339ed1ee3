"""The simulated world does what every world must do, whatever the seed, and however much of the disk is not cached."""

from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import pytest

from ottla.world.simulated import SimulatedWorld, Simulation
from tests.conformance import Run
from tests.conformance.clock import ClockConformance, RandomnessConformance
from tests.conformance.disk import DirectoryConformance, FileConformance
from tests.conformance.jobs import JobsConformance
from tests.conformance.tasks import TasksConformance
from tests.conformance.threads import ThreadsConformance

T = TypeVar("T")

SEEDS = 3


@pytest.fixture(params=range(SEEDS), ids=lambda seed: f"seed {seed}")
def run(request: pytest.FixtureRequest) -> Run:
    """A new world for every run."""

    def run(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        async def scenario(world: SimulatedWorld) -> T:
            return await main(world)

        return Simulation(request.param).run(scenario).value

    return run


@pytest.fixture
def folder() -> str:
    """A path on the world's disk."""
    return "/data"


class TestClock(ClockConformance):
    """Clocks."""


class TestRandomness(RandomnessConformance):
    """Chance."""


class TestFiles(FileConformance):
    """Files."""


class TestDirectories(DirectoryConformance):
    """Names, directories and locks."""


class TestThreads(ThreadsConformance):
    """Threads."""


class TestJobs(JobsConformance):
    """Helper processes."""


class TestTasks(TasksConformance):
    """Tasks."""
