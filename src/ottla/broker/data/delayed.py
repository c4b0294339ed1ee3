"""The requests of a broker that wait for its partitions: produces, fetches, deletions of records.

    a log has more            -> fetches
    the high watermark moved  -> all three
    a partition changed hands -> all three: whoever waits is told so at once
    a client has gone         -> what it asked is forgotten, however long it was willing to wait

A shell around three purgatories: one timer, armed for whatever expires next.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

from ottla.broker.data.purgatory import Operation, Purgatory
from ottla.cluster.replication.partition import Partition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ottla.broker.context import Reply
    from ottla.world.api import Timer, World


# No client waits so long. Whoever goes behind a pipeline that is not read any further goes unnoticed until it is.
LONGEST_MS: Final = 300_000


class DelayedRequests:
    """All of them; the replica manager's watcher."""

    def __init__(self, world: "World") -> None:
        self._clock = world.clock
        now_ms = self._clock.monotonic_ms()
        self.produces: Purgatory[Partition] = Purgatory(now_ms)
        self.fetches: Purgatory[Partition] = Purgatory(now_ms)
        self.deletions: Purgatory[Partition] = Purgatory(now_ms)
        self._all = (self.produces, self.fetches, self.deletions)
        self._timer: Timer | None = None
        self._armed_ms = 0

    def park(
        self,
        purgatory: Purgatory[Partition],
        operation: Operation[Partition],
        partitions: "Sequence[Partition]",
        wait_ms: int,
        reply: "Reply",
    ) -> None:
        """Let a request wait so long, or until whoever asks has gone; where there is no room, its time is over at
        once.
        """
        if not reply.is_wanted:
            return
        deadline_ms = self._clock.monotonic_ms() + min(wait_ms, LONGEST_MS)
        parked = purgatory.park(operation, partitions, deadline_ms)
        if parked is None:
            operation.expire()
            return
        reply.if_gone(partial(purgatory.withdraw, parked))
        if self._timer is None or deadline_ms < self._armed_ms:
            self._arm()

    # What happens to partitions

    def end_moved(self, partition: Partition) -> None:
        """There is more in a log."""
        self.fetches.check(partition)

    def watermark_moved(self, partition: Partition) -> None:
        """More of it is safe."""
        self.fetches.check(partition)
        self.produces.check(partition)
        self.deletions.check(partition)

    def role_changed(self, partition: Partition) -> None:
        """Somebody else leads, or it is gone."""
        self.watermark_moved(partition)

    # Time

    def _arm(self) -> None:
        deadlines = [deadline for each in self._all if (deadline := each.deadline()) is not None]
        if not deadlines:
            return
        deadline_ms = min(deadlines)
        if self._timer is not None:
            if self._armed_ms <= deadline_ms:
                return
            self._timer.cancel()
        self._armed_ms = deadline_ms
        self._timer = self._clock.call_at(deadline_ms, self._expire)

    def _expire(self) -> None:
        self._timer = None
        now_ms = self._clock.monotonic_ms()
        for purgatory in self._all:
            purgatory.advance(now_ms)
        self._arm()

    def stop(self) -> None:
        """Nobody waits any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
