"""The real network does what every network must do, on uvloop and on asyncio's own loop."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.conformance import Run
from tests.conformance.network import NetworkConformance
from tests.conformance.streams import StreamConformance
from tests.integration.world.loops import LOOPS, run_on

T = TypeVar("T")


@pytest.fixture(params=LOOPS)
def run(request: pytest.FixtureRequest) -> Run:
    """A world and a loop of its own for every run."""

    def run(main: Callable[[Any], Coroutine[Any, Any, T]]) -> T:
        return run_on(request.param, main)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """A path on the world's disk."""
    return str(tmp_path / "data")


class TestNetwork(NetworkConformance):
    """Connections come about."""


class TestStreams(StreamConformance):
    """Bytes go over them."""
