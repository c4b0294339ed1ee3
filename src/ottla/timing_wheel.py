"""Hierarchical timing wheels: many timers, most of which are cancelled before they are due.

A wheel is a ring of buckets, one a tick, each a doubly linked list of entries, so that adding and cancelling cost the
same however many timers there are. What lies beyond a wheel goes into the next one, whose tick is the whole span of the
wheel below, and moves down when its bucket comes up; wheels are made when they are first needed. The buckets that hold
something stand in a queue by time, so that empty ticks cost nothing: one timer of the shell, armed for `deadline()`, is
enough, and `advance` may jump as far as it likes. Apache Kafka keeps its purgatory and its groups' timers in this way.

Always true: a bucket begins no later than the deadlines in it, and they lie within its tick; every bucket that holds
something is in the queue once; no bucket's time has passed.

A tick is the resolution: an entry is due when the tick that its deadline lies in begins, neither earlier nor later.
With ticks of 1 ms that is its deadline. There is no clock in here and no callback: `advance` is told the time and
answers what is due. Rejected: `heapq`, which keeps what was cancelled until its time comes (`python -m bench
timing_wheel` shows both).
"""

import heapq
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Final, Generic, NamedTuple, TypeVar

TICK_MS: Final = 1

# Kafka's wheels have 20 buckets. In the third such wheel a bucket spans 400 ms, in the fourth 8 s, and moving down what
# a million timers leave in it stopped the loop for 55 ms. With 256 it was 3 ms, and adding took 335 instead of 557 ns.
WHEEL_SIZE: Final = 256

Item = TypeVar("Item")


class Entry(Generic[Item]):
    """A timer: what to hold on to in order to cancel it."""

    __slots__ = ("deadline_ms", "following", "item", "preceding")

    following: "Entry[Any]"  # the links are the wheel's own
    preceding: "Entry[Any]"

    def __init__(self, deadline_ms: int, item: Item) -> None:
        self.deadline_ms = deadline_ms
        self.item = item

    @property
    def is_pending(self) -> bool:
        """Whether it was neither handed out nor cancelled."""
        return self.following is not _NOWHERE


class Place(NamedTuple):
    """Where an entry waits: the wheel, counted from 1, the bucket in it, and when that bucket comes up."""

    level: int
    slot: int
    bucket_ms: int


class _Bucket(Entry[None]):
    """The anchor of a ring of entries, so that linking has no special cases; its deadline is when it comes up."""

    __slots__ = ("is_queued", "level", "slot")

    def __init__(self, level: int, slot: int) -> None:
        super().__init__(0, None)
        self.following = self.preceding = self
        self.is_queued = False
        self.level = level
        self.slot = slot

    def entries(self) -> Iterator[Entry[Any]]:
        entry = self.following
        while entry is not self:
            yield entry
            entry = entry.following

    def take(self) -> list[Entry[Any]]:
        """All its entries, in the order in which they came; the bucket is empty afterwards."""
        taken = list(self.entries())
        self.following = self.preceding = self
        return taken


class _Wheel:
    """One ring of buckets; it reaches up to `end_ms`, which moves with the time."""

    __slots__ = ("buckets", "end_ms", "tick_ms")

    def __init__(self, level: int, tick_ms: int, size: int) -> None:
        self.tick_ms = tick_ms
        self.buckets = [_Bucket(level, slot) for slot in range(size)]
        self.end_ms = 0

    def turn_to(self, now_ms: int) -> None:
        self.end_ms = (now_ms // self.tick_ms + len(self.buckets)) * self.tick_ms


# What stands in the links of an entry that is in no bucket: without references, so that it is freed at once, and not
# None, so that the links have one type.
_NOWHERE: Final[Entry[Any]] = Entry(0, None)
_DEADLINE = attrgetter("deadline_ms")


class TimingWheel(Generic[Item]):
    """Timers that carry items. See the module's docstring."""

    def __init__(self, now_ms: int = 0, *, tick_ms: int = TICK_MS, wheel_size: int = WHEEL_SIZE) -> None:
        assert tick_ms > 0, f"a tick of {tick_ms} ms"
        assert wheel_size > 1, f"a wheel of {wheel_size} buckets"
        self._tick_ms = tick_ms
        self._size = wheel_size
        self._now_ms = now_ms // tick_ms * tick_ms
        self._wheels: list[_Wheel] = []
        # Never two of one time and level, so that buckets are not compared; of one time, the coarser first.
        self._queue: list[tuple[int, int, _Bucket]] = []
        self._due = _Bucket(0, 0)
        self._count = 0
        self._add_wheel()

    def __len__(self) -> int:
        """How many entries are pending."""
        return self._count

    def add(self, deadline_ms: int, item: Item) -> Entry[Item]:
        """A new timer. One whose tick has begun is handed out by the next `advance`."""
        entry = Entry(deadline_ms, item)
        self._place(entry)
        self._count += 1
        return entry

    def cancel(self, entry: Entry[Item]) -> bool:
        """Take a timer out, and say whether it was still pending."""
        following, previous = entry.following, entry.preceding
        if following is _NOWHERE:
            return False
        previous.following = following
        following.preceding = previous
        entry.following = entry.preceding = _NOWHERE
        self._count -= 1
        return True

    def deadline(self) -> int | None:
        """When to call `advance` next: nothing is due before. At that time something is due or moves a wheel down."""
        if self._due.following is not self._due:
            return self._now_ms
        queue = self._queue
        while queue:
            time_ms, _, bucket = queue[0]
            if bucket.following is not bucket:
                return time_ms
            bucket.is_queued = False  # everything in it was cancelled
            heapq.heappop(queue)
        return None

    def advance(self, now_ms: int) -> list[Item]:
        """It is `now_ms`: the items that are due, by deadline. A time that has passed already changes nothing."""
        self._turn_to(now_ms)
        due = self._due.take()
        queue = self._queue
        end_ms = self._now_ms + self._tick_ms
        while queue and queue[0][0] <= self._now_ms:
            bucket = heapq.heappop(queue)[2]
            bucket.is_queued = False
            for entry in bucket.take():
                if entry.deadline_ms < end_ms:
                    due.append(entry)
                else:
                    self._place(entry)
        for entry in due:
            entry.following = entry.preceding = _NOWHERE
        self._count -= len(due)
        # After a jump the buckets of a coarse wheel come up whole, before finer ones of the same span.
        due.sort(key=_DEADLINE)
        return [entry.item for entry in due]

    def where(self, entry: Entry[Item]) -> Place | None:
        """Where an entry waits; None if it is due at once or no longer pending. Walks its bucket: for inspection."""
        anchor: Entry[Any] = entry
        while not isinstance(anchor, _Bucket) and anchor is not _NOWHERE:
            anchor = anchor.following
        if not isinstance(anchor, _Bucket) or anchor is self._due:
            return None
        return Place(anchor.level, anchor.slot, anchor.deadline_ms)

    def check(self) -> None:
        """Assert what is always true."""
        count = 0
        queued = {id(bucket): time_ms for time_ms, _, bucket in self._queue}
        assert len(queued) == len(self._queue), "a bucket is queued twice"
        for entry in self._due.entries():
            assert entry.deadline_ms < self._now_ms + self._tick_ms, f"{entry.deadline_ms} is not due"
            count += 1
        for level, wheel in enumerate(self._wheels, 1):
            for slot, bucket in enumerate(wheel.buckets):
                assert (bucket.level, bucket.slot) == (level, slot)
                assert bucket.is_queued == (id(bucket) in queued)
                if bucket.is_queued:
                    assert queued[id(bucket)] == bucket.deadline_ms > self._now_ms, "a bucket's time has passed"
                count += self._check_bucket(bucket, wheel)
        assert count == self._count, f"{count} entries are in buckets, {self._count} are counted"

    def _check_bucket(self, bucket: _Bucket, wheel: _Wheel) -> int:
        count = 0
        for entry in bucket.entries():
            assert entry.following.preceding is entry
            assert bucket.is_queued, "entries in a bucket that will not come up"
            assert entry.deadline_ms // wheel.tick_ms * wheel.tick_ms == bucket.deadline_ms
            assert bucket.deadline_ms // wheel.tick_ms % self._size == bucket.slot
            assert entry.deadline_ms < wheel.end_ms
            count += 1
        return count

    def _place(self, entry: Entry[Any]) -> None:
        """Link an entry into the bucket that it belongs to."""
        deadline_ms = entry.deadline_ms
        if deadline_ms < self._now_ms + self._tick_ms:
            bucket = self._due
        else:
            for wheel in self._wheels:
                if deadline_ms < wheel.end_ms:
                    break
            else:
                wheel = self._reaching(deadline_ms)
            number = deadline_ms // wheel.tick_ms
            bucket = wheel.buckets[number % self._size]
            if not bucket.is_queued:
                bucket.is_queued = True
                bucket.deadline_ms = number * wheel.tick_ms
                heapq.heappush(self._queue, (bucket.deadline_ms, -bucket.level, bucket))
        last = bucket.preceding
        entry.following = bucket
        entry.preceding = last
        last.following = entry
        bucket.preceding = entry

    def _reaching(self, deadline_ms: int) -> _Wheel:
        """The wheel that reaches a time which none has reached yet, made with all below it."""
        while deadline_ms >= self._wheels[-1].end_ms:
            self._add_wheel()
        return self._wheels[-1]

    def _add_wheel(self) -> None:
        level = len(self._wheels)
        wheel = _Wheel(level + 1, self._tick_ms * self._size**level, self._size)
        wheel.turn_to(self._now_ms)
        self._wheels.append(wheel)

    def _turn_to(self, now_ms: int) -> None:
        now_ms = now_ms // self._tick_ms * self._tick_ms
        if now_ms > self._now_ms:
            self._now_ms = now_ms
            for wheel in self._wheels:
                wheel.turn_to(now_ms)
