"""When garbage is collected."""

import gc
from collections.abc import Iterator

import pytest

from ottla.cli.garbage import EVERY_MS, put_aside_and_collect_by_timer
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld


@pytest.fixture(autouse=True)
def full_collections() -> Iterator[list[int]]:
    """What each full collection found; afterwards the collector is as it was before."""
    threshold = gc.get_threshold()
    found: list[int] = []

    def ended(phase: str, info: dict[str, int]) -> None:
        if phase == "stop" and info["generation"] == 2:
            found.append(info["collected"])

    gc.callbacks.append(ended)
    yield found
    gc.callbacks.remove(ended)
    gc.unfreeze()
    gc.set_threshold(*threshold)


class Cycle:
    """What the collector alone finds."""

    def __init__(self) -> None:
        self.me = self


def test_the_oldest_generation_is_collected_by_a_timer(full_collections: list[int]) -> None:
    """What is there at the start is put aside for good; full collections come each minute, and never in between."""

    async def scenario(world: SimulatedWorld) -> None:
        Cycle()
        put_aside_and_collect_by_timer(world)
        assert gc.get_freeze_count() > 10_000
        full_collections.clear()
        for _ in range(200_000):
            Cycle()
        assert full_collections == []
        await world.clock.sleep(EVERY_MS * 3 + 100)

    Simulation(1).run(scenario)
    assert len(full_collections) == 3
