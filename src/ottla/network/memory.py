"""What all connections together hold in parts of frames, and who waits when that is too much.

`queued.max.request.bytes` bounds it: above, whoever brings more is muted until there is room. Kafka takes the whole of
an announced frame from its pool, so announcing suffices to fill it; here only what has arrived counts. That alone would
let many senders wait for each other, each with a part in hand, so the one that has held longest is always let through.
If it brings nothing to an end for `PATIENCE_MS` while others wait, it is to be closed.

Always true: what holds no more than `FREE_BYTES` is never muted, so that small requests go on while large ones wait;
whoever is muted is let go as soon as there is room or it is the first in line.
"""

from typing import Final, Generic, Protocol, TypeVar

FREE_BYTES: Final = 64 * 1024
PATIENCE_MS: Final = 30_000


class Holder(Protocol):
    """A connection, as far as its memory goes."""

    def wait_for_memory(self) -> None:
        """Read nothing more."""

    def memory_is_there(self) -> None:
        """Go on; it has been waiting."""


H = TypeVar("H", bound=Holder)


class Memory(Generic[H]):
    """The sum, and the line of those who hold much."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self.held_bytes = 0
        self._held: dict[H, int] = {}
        self._line: dict[H, None] = {}  # those above FREE_BYTES, in the order in which they came there
        self._waiting: dict[H, None] = {}
        self._first: tuple[H, int] | None = None  # who was first in line when last looked at, and since when

    @property
    def limit_bytes(self) -> int:
        """How much they may hold."""
        return self._limit_bytes

    @property
    def waiting(self) -> int:
        """How many are muted."""
        return len(self._waiting)

    def limit(self, limit_bytes: int) -> None:
        """From now on this is the bound."""
        self._limit_bytes = limit_bytes
        self._let_go()

    def account(self, holder: H, holds_bytes: int) -> None:
        """A connection holds so much now."""
        before_bytes = self._held.pop(holder, 0)
        if holds_bytes:
            self._held[holder] = holds_bytes
        self.held_bytes += holds_bytes - before_bytes
        if holds_bytes <= FREE_BYTES:
            self._line.pop(holder, None)
            if holder in self._waiting:
                del self._waiting[holder]
                holder.memory_is_there()
        elif holder not in self._line:
            self._line[holder] = None
        if self._waiting:
            self._let_go()
        if self.held_bytes > self._limit_bytes and holds_bytes > max(before_bytes, FREE_BYTES):
            self._hold_up(holder)

    def stalled(self, now_ms: int) -> H | None:
        """Who has been first in line for too long while others wait; asked from time to time."""
        first = next(iter(self._line), None)
        if first is None or not self._waiting:
            self._first = None
        elif self._first is None or self._first[0] is not first:
            self._first = first, now_ms
        elif now_ms - self._first[1] >= PATIENCE_MS:
            return first
        return None

    def _hold_up(self, holder: H) -> None:
        if next(iter(self._line)) is not holder and holder not in self._waiting:
            self._waiting[holder] = None
            holder.wait_for_memory()

    def _let_go(self) -> None:
        """Everybody if there is room, else the first in line."""
        if self.held_bytes <= self._limit_bytes:
            waiting, self._waiting = self._waiting, {}
            for each in waiting:
                each.memory_is_there()
            return
        first = next(iter(self._line), None)
        if first is not None and first in self._waiting:
            del self._waiting[first]
            first.memory_is_there()
