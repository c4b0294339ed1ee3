"""What happened in a run, one line an event, and one hash of all of it.

A line is virtual time, node, kind, text: `12.000345  broker-2  crash  power lost, 3 files had unsynced bytes`. Two runs
are the same run if their hashes are equal: the hash takes in every line, and at the end of a run the state of every
source of chance, so that one draw more or less anywhere shows.

What is always true: a line holds nothing that differs between two processes (no object id, no address, no wall clock,
nothing in the order of a set). Only the newest lines are kept; the hash is of all.
"""

import hashlib
from collections import deque
from collections.abc import Callable

KEPT_LINES = 10_000
HASHED_AT_ONCE = 1_000  # hashing line by line costs three times as much


class Trace:
    """The lines of one run."""

    def __init__(self, show: Callable[[str], object] | None = None) -> None:
        self._show = show
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._unhashed: list[str] = []
        self._digest = hashlib.sha256()
        self.count = 0

    def add(self, time_ns: int, node: str, kind: str, text: str) -> None:
        """Note one event."""
        line = f"{time_ns // 1_000_000_000:>6}.{time_ns // 1_000 % 1_000_000:06}  {node:<12} {kind:<10} {text}".rstrip()
        self._lines.append(line)
        self._unhashed.append(line)
        self.count += 1
        if len(self._unhashed) >= HASHED_AT_ONCE:
            self._catch_up()
        if self._show is not None:
            self._show(line)

    def mix(self, text: str) -> None:
        """Take something into the hash that is no event."""
        self._unhashed.append(text)

    def lines(self, kind: str | None = None) -> list[str]:
        """The newest lines, or those of one kind."""
        return [line for line in self._lines if kind is None or line.split()[2] == kind]

    def hash(self) -> str:
        """One short word for everything that happened until now."""
        self._catch_up()
        return self._digest.hexdigest()[:16]

    def _catch_up(self) -> None:
        for line in self._unhashed:
            self._digest.update(line.encode())
            self._digest.update(b"\n")
        self._unhashed.clear()
