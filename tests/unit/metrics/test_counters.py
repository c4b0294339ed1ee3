"""Counters and gauges: numbers in attributes."""

from ottla.metrics.counters import ComputedGauge, Counter, Gauge


def test_counter() -> None:
    """A counter begins at 0, grows by assignment, and JMX shows its Count."""
    counter = Counter()
    assert counter.attributes() == {"Count": 0}
    counter.value += 2
    counter.value += 40
    assert counter.attributes() == {"Count": 42}


def test_gauge() -> None:
    """A gauge begins at 0, is set by assignment, and JMX shows its Value."""
    gauge = Gauge()
    assert gauge.attributes() == {"Value": 0}
    gauge.value = 2.5
    assert gauge.attributes() == {"Value": 2.5}


def test_computed_gauge() -> None:
    """A computed gauge is asked whenever somebody looks."""
    queue: list[str] = []
    gauge = ComputedGauge(lambda: len(queue))
    assert gauge.value == 0
    queue += ["a", "b"]
    assert gauge.value == 2
    assert gauge.attributes() == {"Value": 2}
