"""How fast connections may come."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.network.creation_rate import CreationRate
from ottla.network.limits import UNLIMITED


def test_without_a_limit_nobody_waits() -> None:
    """As many as like may come at once."""
    rate = CreationRate(UNLIMITED, 0)
    for _ in range(1_000):
        rate.created(0)
    assert rate.wait_ms(0) == 0


@given(st.integers(1, 500), st.lists(st.integers(0, 300), max_size=200))
def test_no_second_has_more_than_twice_the_rate(per_second: int, pauses: list[int]) -> None:
    """Whoever waits as told gets in at the rate, with at most one second's worth at once, and never waits in vain."""
    rate, now_ms, times = CreationRate(per_second, 0), 0, []
    for pause_ms in pauses:
        now_ms += pause_ms
        wait_ms = rate.wait_ms(now_ms)
        assert wait_ms <= 1_001
        now_ms += wait_ms
        assert rate.wait_ms(now_ms) == 0
        rate.created(now_ms)
        times.append(now_ms)
    for number, begin_ms in enumerate(times):
        within = [each for each in times[number:] if each - begin_ms < 1_000]
        assert len(within) <= 2 * per_second + 1


def test_a_debt_is_paid_off() -> None:
    """Those who were accepted beyond the rate are waited for before the next."""
    rate = CreationRate(10, 0)
    for _ in range(14):
        rate.created(0)
    assert rate.wait_ms(0) == 501
    rate.limit(UNLIMITED)
    assert rate.wait_ms(0) == 0
