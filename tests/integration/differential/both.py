"""Both brokers, started on the same settings."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.sides import Side
from tests.integration.differential.templates.template import BROKER, CONTROLLER
from tests.integration.peer.kafka import Kafka
from tests.integration.peer.ottla import Ottla

# Nothing goes away by itself while questions are asked about it, and a thousand logs take little.
SETTINGS: Final = {
    "log_retention_ms": "-1",
    "log_index_size_max_bytes": "65536",
    "log_cleaner_enable": "true",
    "log_cleaner_backoff_ms": "86400000",
    "message_max_bytes": "1048588",
}


@dataclass(frozen=True, slots=True)
class Both:
    """Two brokers."""

    left: Side
    right: Side

    def served(self) -> dict[str, dict[ApiKey, range]]:
        """What both serve at each listener."""
        return {listener: self._served(listener) for listener in (BROKER, CONTROLLER)}

    def _served(self, listener: str) -> dict[ApiKey, range]:
        left, right = self.left.versions(listener), self.right.versions(listener)
        return {
            api: range(max(versions.start, right[api].start), min(versions.stop, right[api].stop))
            for api, versions in left.items()
            if api in right
        }


@contextlib.contextmanager
def both(folder: Path, *, with_itself: bool = False) -> Iterator[Both]:
    """Ottla, or a second Kafka, and Kafka."""
    other = Kafka if with_itself else Ottla
    with contextlib.ExitStack() as stack:
        sides = []
        for name, kind in (("left", other), ("right", Kafka)):
            home = folder / name
            home.mkdir()
            server = kind(home, **SETTINGS)
            side = Side(f"{name} ({server.name})", stack.enter_context(server.start()))
            stack.callback(side.close)
            sides.append(side)
        yield Both(*sides)
