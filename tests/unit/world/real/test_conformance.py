"""The real world does what every world must do, on uvloop and on asyncio's own loop."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
import uvloop

from ottla.world.real.run import run as run_world
from tests.conformance import Run
from tests.conformance.clock import ClockConformance, RandomnessConformance
from tests.conformance.disk import DirectoryConformance, FileConformance
from tests.conformance.jobs import JobsConformance
from tests.conformance.tasks import TasksConformance
from tests.conformance.threads import ThreadsConformance

T = TypeVar("T")

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "uvloop": uvloop.new_event_loop,
    "asyncio": asyncio.new_event_loop,
}


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Run:
    """A world and a loop of its own for every run."""

    def run(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        return run_world(main, helpers=2, loop_factory=LOOPS[request.param])

    return run


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A path on the world's disk."""
    return str(tmp_path / "data")


class TestClock(ClockConformance):
    """Clocks."""


class TestRandomness(RandomnessConformance):
    """Chance."""


class TestFiles(FileConformance):
    """Files."""


class TestDirectories(DirectoryConformance):
    """Names, directories and locks."""


class TestTasks(TasksConformance):
    """Tasks."""


class TestThreads(ThreadsConformance):
    """Threads."""


class TestJobs(JobsConformance):
    """Helper processes."""
