"""Meters: counts and their rates.

The golden rates come from `com.yammer.metrics.stats.EWMA` of metrics-core 2.2.0, the library that Kafka 4.3 uses,
marked and ticked in the same way.
"""

import pytest

from ottla.metrics.meter import TICK_MS, Meter

MARKS = [3, 0, 0, 10, 0, 500, 1, 0, 0, 0, 0, 0, 7]
ONE_MINUTE = [
    0.6, 0.552026648777594, 0.5078890349343685, 0.6271916405841964, 0.577044165821692, 8.526464798826355,
    7.860717431767861, 7.232209168077379, 6.653953650520577, 6.121932891363853, 5.632450163434857, 5.18210431354626,
    4.879703949223707,
]  # fmt: skip
FIVE_MINUTES = [
    0.6, 0.5900828722929705, 0.5803296602892035, 0.6037947470571934, 0.5938148976981938, 2.2368546185784286,
    2.2031883729566033, 2.1667728721945148, 2.1309592667183814, 2.0957376080741748, 2.0610981122413476,
    2.0270311569149895, 2.0166672434826354,
]  # fmt: skip
FIFTEEN_MINUTES = [
    0.6, 0.5966759088029381, 0.5933702335763534, 0.6011631762831771, 0.5978326409127092, 1.1485357567247458,
    1.1432807244597005, 1.136946775473122, 1.1306479175266582, 1.1243839562106135, 1.1181546981923511,
    1.1119599512103266, 1.1135557368612985,
]  # fmt: skip


def rates(marks: list[int], start_ms: int = 77) -> list[tuple[float, float, float]]:
    """The three rates after each tick, ticking every five seconds."""
    meter = Meter(start_ms)
    seen = []
    for tick, mark in enumerate(marks, 1):
        meter.count += mark
        meter.tick(start_ms + tick * TICK_MS)
        seen.append((meter.one_minute_rate, meter.five_minute_rate, meter.fifteen_minute_rate))
    return seen


def test_rates_are_kafkas() -> None:
    """Ticked every five seconds, the three rates are those of Kafka's metrics library."""
    expected = list(zip(ONE_MINUTE, FIVE_MINUTES, FIFTEEN_MINUTES, strict=True))
    assert [pytest.approx(triple, rel=1e-12) for triple in expected] == rates(MARKS)


def test_rates_after_a_quiet_beginning() -> None:
    """A first interval without anything sets the rates to 0, and the next is weighed, as in Kafka's library."""
    assert rates([0, 5, 0, 100])[3] == pytest.approx((1.6667926492327434, 0.34655759954894205, 0.11628197537437031))


def test_a_tick_before_its_time_does_nothing() -> None:
    """Ticks closer than five seconds change nothing; what was counted is taken in by the next."""
    meter = Meter(0)
    meter.count += 10
    meter.tick(TICK_MS - 1)
    assert meter.one_minute_rate == 0.0
    meter.tick(TICK_MS)
    assert meter.one_minute_rate == 2.0
    meter.tick(0)
    assert meter.one_minute_rate == 2.0


def test_a_late_tick_weighs_what_the_missed_ones_would() -> None:
    """At a steady rate nothing changes however late a tick is, and in silence the rates fall just as far."""
    punctual, late = Meter(0), Meter(0)
    for meter in (punctual, late):
        meter.count += 500
        meter.tick(TICK_MS)
    late.count += 1_200
    late.tick(TICK_MS + 12_000)
    assert late.one_minute_rate == pytest.approx(100.0)
    for tick in range(2, 14):
        punctual.tick(tick * TICK_MS)
    late.tick(TICK_MS + 12_000 + 12 * TICK_MS)
    assert punctual.one_minute_rate == pytest.approx(late.one_minute_rate)
    assert punctual.one_minute_rate == pytest.approx(100 / 2.718281828459045)


def test_attributes() -> None:
    """JMX shows count, mean rate and the three rates, under these names."""
    meter = Meter(1_000)
    assert meter.attributes() == {
        "Count": 0,
        "MeanRate": 0.0,
        "OneMinuteRate": 0.0,
        "FiveMinuteRate": 0.0,
        "FifteenMinuteRate": 0.0,
    }
    meter.count += 30
    meter.tick(6_000)
    meter.count += 10
    meter.tick(11_000)
    assert meter.attributes()["Count"] == meter.value == 40
    assert meter.attributes()["MeanRate"] == 4.0
    meter.tick(21_000)
    assert meter.mean_rate == 2.0
