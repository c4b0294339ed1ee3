"""The cleaner's I/O budget: `log.cleaner.io.max.bytes.per.second`, reads and writes of all logs together.

Bytes that were moved are paid for afterwards: whoever moved them waits as long as they take at that rate, and whoever
comes meanwhile waits behind. Time that nobody used is not saved up, so that there are no bursts.
"""


class Throttle:
    """What has been used of the budget, in the time that it is paid with."""

    __slots__ = ("_paid_until_ns", "bytes_per_second")

    def __init__(self, bytes_per_second: float) -> None:
        """A budget; it may be changed at any time."""
        assert bytes_per_second > 0, f"{bytes_per_second} bytes a second are none"
        self.bytes_per_second = bytes_per_second
        self._paid_until_ns = 0

    def wait_ms(self, size_bytes: int, now_ns: int) -> int:
        """How long whoever has moved so many bytes is to wait now."""
        duration_ns = int(size_bytes * 1_000_000_000 / self.bytes_per_second)
        self._paid_until_ns = max(self._paid_until_ns, now_ns) + duration_ns
        return (self._paid_until_ns - now_ns) // 1_000_000
