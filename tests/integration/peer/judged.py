"""Which broker tests judge: Ottla, or with `OTTLA_JUDGED=kafka` Apache Kafka, which tells whose fault a red test is."""

import os

from tests.integration.peer.kafka import Kafka
from tests.integration.peer.ottla import Ottla
from tests.integration.peer.server import Server


def judged() -> type[Server]:
    """Its class."""
    kinds: dict[str, type[Server]] = {"ottla": Ottla, "kafka": Kafka}
    return kinds[os.environ.get("OTTLA_JUDGED", "ottla")]
