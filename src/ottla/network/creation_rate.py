"""How fast connections may come (`max.connection.creation.rate`, KIP-612): those beyond wait in the backlog.

A bucket of one second: what was not used lately may come at once, and whoever came beyond (a listener accepts a few in
one go) is paid off before the next. Kafka counts over eleven seconds, so it lets longer bursts pass and waits longer
afterwards; over a minute both let the same number in.

Always true: `wait_ms` is 0 where there is no limit, and never more than what the last turn of accepts costs.
"""

from typing import Final

from ottla.network.limits import UNLIMITED

_MS: Final = 1_000


class CreationRate:
    """One limit: of a listener, or of all."""

    __slots__ = ("_credit_ms", "_per_second", "_seen_ms")

    def __init__(self, per_second: int, now_ms: int) -> None:
        self._per_second, self._seen_ms = per_second, now_ms
        self._credit_ms = float(_MS)  # how much of the last second has not been used

    def limit(self, per_second: int) -> None:
        """So many a second from now on."""
        self._per_second = per_second

    def created(self, now_ms: int) -> None:
        """A connection has come."""
        if self._per_second != UNLIMITED:
            self._refill(now_ms)
            self._credit_ms -= _MS / max(self._per_second, 1)

    def wait_ms(self, now_ms: int) -> int:
        """How long the next one has to wait. A rate of 0 counts as 1."""
        if self._per_second == UNLIMITED:
            return 0
        self._refill(now_ms)
        missing = _MS / max(self._per_second, 1) - self._credit_ms
        return 0 if missing <= 0 else int(missing) + 1

    def _refill(self, now_ms: int) -> None:
        self._credit_ms = min(float(_MS), self._credit_ms + now_ms - self._seen_ms)
        self._seen_ms = now_ms
