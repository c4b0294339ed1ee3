"""The cleaner's I/O budget."""

from ottla.storage.cleaner.throttle import Throttle


def test_bytes_take_their_time() -> None:
    """At 1000 bytes a second, 500 bytes take half a second; who comes meanwhile waits behind."""
    throttle = Throttle(1_000)
    assert throttle.wait_ms(500, 0) == 500
    assert throttle.wait_ms(500, 0) == 1_000
    assert throttle.wait_ms(0, 400_000_000) == 600


def test_unused_time_is_not_saved() -> None:
    """An idle hour does not allow a burst."""
    throttle = Throttle(1_000)
    throttle.wait_ms(100, 0)
    hour_ns = 3_600 * 10**9
    assert throttle.wait_ms(2_000, hour_ns) == 2_000


def test_no_budget_at_all() -> None:
    """The default is the largest double: nobody ever waits."""
    assert Throttle(1.7976931348623157e308).wait_ms(1 << 40, 5) == 0
