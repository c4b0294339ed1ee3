"""Requests that wait: for something to happen to what they watch, or for their time to be over. Kafka's purgatory.

An operation is looked at when one of its keys is `check`ed, and is done when it says so; else it expires. Keys are
opaque: whatever can be hashed. There is no clock and no callback of the wheel in here: `advance` is told the time.

Always true: an operation ends once, by being done or by expiring, and is in no list afterwards, so nothing has to be
purged; those of one key are looked at in the order in which they came. There are never more than `capacity`: what comes
beyond is not taken in, and whoever brought it goes on without waiting. `check` of a key that nobody watches is one
lookup: 60 ns.
"""

from collections.abc import Hashable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from ottla.timing_wheel import Entry, TimingWheel

CAPACITY: Final = 100_000

K_contra = TypeVar("K_contra", bound=Hashable, contravariant=True)
K = TypeVar("K", bound=Hashable)


class Operation(Protocol[K_contra]):
    """What waits."""

    def attempt(self, key: K_contra) -> bool:
        """Something has happened to this key: whether there is nothing more to wait for. It answers afterwards."""

    def complete(self) -> None:
        """There is nothing more to wait for."""

    def expire(self) -> None:
        """Its time is over."""


class Parked(Generic[K]):
    """An operation in the purgatory: what to hold on to in order to take it out."""

    __slots__ = ("keys", "operation", "timer")

    def __init__(self, operation: Operation[K], keys: Sequence[K]) -> None:
        self.operation, self.keys = operation, keys
        self.timer: Entry[Parked[K]]


class Purgatory(Generic[K]):
    """All operations of one kind."""

    def __init__(self, now_ms: int, capacity: int = CAPACITY) -> None:
        self._wheel: TimingWheel[Parked[K]] = TimingWheel(now_ms)
        self._watched: dict[K, dict[Parked[K], None]] = {}
        self._capacity = capacity

    def __len__(self) -> int:
        """How many operations wait."""
        return len(self._wheel)

    @property
    def watched(self) -> int:
        """How many keys are watched."""
        return len(self._watched)

    def park(self, operation: Operation[K], keys: Sequence[K], deadline_ms: int) -> Parked[K] | None:
        """Let an operation wait; None if there is no room. It has been found to have something to wait for."""
        if len(self._wheel) >= self._capacity:
            return None
        parked = Parked(operation, keys)
        parked.timer = self._wheel.add(deadline_ms, parked)
        watched = self._watched
        for key in keys:
            watching = watched.get(key)
            if watching is None:
                watched[key] = {parked: None}
            else:
                watching[parked] = None
        return parked

    def check(self, key: K) -> int:
        """Something has happened to a key: complete what needs to wait no longer; answers how many those were."""
        watching = self._watched.get(key)
        if watching is None:
            return 0
        done = [parked for parked in watching if parked.operation.attempt(key)]
        for parked in done:
            self.withdraw(parked)
        for parked in done:  # last, since whoever is answered may ask again at once
            parked.operation.complete()
        return len(done)

    def withdraw(self, parked: Parked[K]) -> bool:
        """Take an operation out, done or not; False if it is out already."""
        if not self._wheel.cancel(parked.timer):
            return False
        self._forget(parked)
        return True

    def advance(self, now_ms: int) -> int:
        """It is `now_ms`: what has waited long enough expires; answers how many those were."""
        due = self._wheel.advance(now_ms)
        for parked in due:
            self._forget(parked)
        for parked in due:
            parked.operation.expire()
        return len(due)

    def deadline(self) -> int | None:
        """When to call `advance` next."""
        return self._wheel.deadline()

    def _forget(self, parked: Parked[K]) -> None:
        watched = self._watched
        for key in parked.keys:
            watching = watched.get(key)
            if watching is not None and watching.pop(parked, self) is None and not watching:
                del watched[key]
