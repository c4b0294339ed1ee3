"""The broker that is judged, one for all of these tests, and a JVM for Kafka's tools and Java clients."""

import warnings
from collections.abc import Callable, Iterator
from itertools import count

import pytest

from tests.integration.peer.agent import Agent
from tests.integration.peer.judged import judged
from tests.integration.peer.server import Server

with warnings.catch_warnings():  # kafka-python's first import uses what newer Pythons will not have
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka  # type: ignore[import-untyped]  # noqa: F401


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A broker that serves; it has to stop cleanly in the end."""
    with judged()(tmp_path_factory.mktemp("broker")).start() as broker:
        yield broker
        broker.stop()


@pytest.fixture(scope="session")
def agent() -> Iterator[Agent]:
    """The JVM."""
    with Agent() as agent:
        yield agent


@pytest.fixture(scope="session")
def new_topic(broker: Server) -> Callable[..., str]:
    """Makes a topic of a name that nobody else has; settings are named with underscores."""
    numbers = count()

    def make(partitions: int = 1, **settings: str) -> str:
        name = f"topic-{next(numbers)}"
        broker.create_topics({name: {key.replace("_", "."): value for key, value in settings.items()}}, partitions)
        return name

    return make
