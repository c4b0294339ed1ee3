"""When the node's process collects garbage: seldom, and when it was meant to.

A full collection looks at every container that is left, 90 ms for a million of them, and would come in the middle of
whatever is going on. So what was loaded at the start is put aside for good, and the oldest generation is collected by a
timer. The young generations stay as they are: they are cheap.

Only the command does this. A node in somebody's program leaves the collector alone.
"""

import gc
import logging
from typing import Final

from ottla.world.api import World

EVERY_MS: Final = 60_000
NEVER: Final = 1_000_000_000  # so many collections of the generation below

logger = logging.getLogger(__name__)


def put_aside_and_collect_by_timer(world: World) -> None:
    """To be called when everything is loaded."""
    gc.collect()
    gc.freeze()
    youngest, middle, _ = gc.get_threshold()
    gc.set_threshold(youngest, middle, NEVER)
    _arrange(world)


def _arrange(world: World) -> None:
    clock = world.clock

    def collect() -> None:
        began_ns = clock.monotonic_ns()
        found = gc.collect()
        took_ms = (clock.monotonic_ns() - began_ns) // 1_000_000
        logger.debug("garbage collected", extra={"found": found, "took_ms": took_ms})
        _arrange(world)

    clock.call_at(clock.monotonic_ms() + EVERY_MS, collect)
