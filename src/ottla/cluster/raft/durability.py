"""How much of the log is on the disk, and what is being brought there.

At most one Sync is under way; when it is done, the next takes all that has come since. A truncation voids what is under
way, since the bytes that it was for may be others now.

Always true: what lies below `synced_offset` survives a crash. At a start that is nothing: what recovery found may have
been in the page cache of a process that died, and a machine that dies next would lose it.
"""

from ottla.cluster.raft.events import Sync, Synced


class Durability:
    """The disk's part of the log."""

    __slots__ = ("_is_void", "_under_way", "synced_offset")

    def __init__(self, start_offset: int) -> None:
        self.synced_offset = start_offset
        self._under_way: int | None = None
        self._is_void = False

    @property
    def is_busy(self) -> bool:
        """Whether a Sync is under way."""
        return self._under_way is not None

    def sync(self, end_offset: int) -> Sync | None:
        """Bring everything to the disk; None if all is there, or if something is under way."""
        if self._under_way is not None or end_offset <= self.synced_offset:
            return None
        self._under_way, self._is_void = end_offset, False
        return Sync(end_offset)

    def synced(self, event: Synced) -> None:
        """A Sync is done."""
        assert self._under_way == event.offset, f"{event}, while {self._under_way} is under way"
        if not self._is_void:
            self.synced_offset = max(self.synced_offset, event.offset)
        self._under_way = None

    def truncated(self, end_offset: int) -> None:
        """The log was cut."""
        self.synced_offset = min(self.synced_offset, end_offset)
        self._is_void = True

    def installed(self, end_offset: int) -> None:
        """A snapshot stands for everything up to here."""
        self.synced_offset = end_offset
        self._is_void = True
