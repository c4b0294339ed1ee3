"""How quickly a log directory's disk takes writes: while it does not, they are made in threads.

A write goes into the page cache and takes microseconds, so the loop makes it. A sick disk holds it up for seconds, and
on the loop with it everything else: the quorum, the other directories. So whoever writes looks at the clock, and a
directory in which one write took over `SLOW_WRITE_NS` is slow: its logs are written in a thread, each in its own order
(see `appending`), until `QUICK_WRITES` in a row were not slow, and `RECOVERY_NS` have passed.

Always true: a slow directory has at most two of the node's threads for what its logs write and sync, so it cannot take
all of them; its writes are made one after the other, and so are its syncs. A disk that is slow again and again stops
the loop for one write in `QUICK_WRITES`, and not more often than once in `RECOVERY_NS`.

What it does not do: reads go their own way (`reading`: what is not cached is read in a thread anyway), and a slow sync
says nothing, since it waits for a disk that may be in the best of health. Nor can it tell a disk from a machine that
let this process wait: then the directory is written from threads for a moment, which costs 0.1 ms an append.
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

from ottla.world.api import Clock, World
from ottla.world.tasks import Lock

SLOW_WRITE_NS: Final = 50_000_000
RECOVERY_NS: Final = 1_000_000_000
QUICK_WRITES: Final = 100  # a directory that is hardly written to has proved nothing by waiting

T = TypeVar("T")


class DiskPace:
    """Whether one log directory is slow."""

    __slots__ = ("_quick_writes", "_slow_at_ns", "_syncing", "_writing", "is_slow")

    def __init__(self) -> None:
        """A disk is quick until it was not."""
        self.is_slow = False
        self._slow_at_ns = self._quick_writes = 0
        self._writing, self._syncing = Lock(), Lock()

    def was_slow(self, now_ns: int) -> None:
        """A write took too long."""
        self.is_slow, self._slow_at_ns, self._quick_writes = True, now_ns, 0

    async def write(self, world: World, call: Callable[..., T], *arguments: Any) -> T:
        """Make a call that writes, in a thread, behind those that came before it, and learn from how long it takes."""
        async with self._writing:
            timed: tuple[T, int] = await world.threads.run(_timed, world.clock, call, arguments)
            value, took_ns = timed
            now_ns = world.clock.monotonic_ns()
            if took_ns > SLOW_WRITE_NS:
                self.was_slow(now_ns)
            else:
                self._quick_writes += 1
                if self._quick_writes >= QUICK_WRITES and now_ns - self._slow_at_ns >= RECOVERY_NS:
                    self.is_slow = False
            return value

    async def sync(self, world: World, call: Callable[..., T], *arguments: Any) -> T:
        """Make a call that syncs, in a thread: as they come, or one after the other while the directory is slow."""
        if not self.is_slow:
            return await world.threads.run(call, *arguments)
        async with self._syncing:
            return await world.threads.run(call, *arguments)


def _timed(clock: Clock, call: Callable[..., T], arguments: tuple[Any, ...]) -> tuple[T, int]:
    """What a call answers, and how long it took, without the wait for a thread."""
    begin_ns = clock.monotonic_ns()
    value = call(*arguments)
    return value, clock.monotonic_ns() - begin_ns
