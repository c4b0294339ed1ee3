"""What a broker costs beside its work: memory, and the time until it serves again after kill -9."""

from collections.abc import Sequence
from time import perf_counter

from confluent_kafka import Producer

from bench.versus import java
from bench.versus.contestants import Contestant, Figure
from bench.versus.throughput import SETTINGS, Row

LOG_BYTES = 4_000_000_000
SIZE = 10_000
ACKNOWLEDGED_WITHIN_S = 120


def resident(contestants: Sequence[Contestant], when: str) -> Row:
    """What each holds now."""
    return f"resident {when}", "MB", [Figure(each.resident_bytes() / 1e6) for each in contestants], True


def restart(contestants: Sequence[Contestant]) -> list[Row]:
    """Seconds from the start after kill -9 to the first acknowledgement, with four gigabytes that nobody has flushed.

    A broker that was killed is still registered; both wait until its session is over, nine seconds by default.
    """
    figures = []
    for contestant in contestants:
        contestant.server.create_topics({"big": {}}, 4)
        java.producer_performance(contestant.address, "big", LOG_BYTES // SIZE, SIZE, acks="1", **SETTINGS)
        contestant.server.kill()
        began = perf_counter()
        contestant.server.launch()
        settings = {"reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 100, "log_level": 0}
        producer = Producer({"bootstrap.servers": contestant.address, **settings})
        producer.produce("big", b"again", partition=0)
        assert producer.flush(ACKNOWLEDGED_WITHIN_S) == 0, f"{contestant.server.name} does not come back"
        figures.append(Figure(perf_counter() - began))
    return [("restart after kill -9 with 4 GB of log", "s", figures, True)]
