"""Whoever waits for something to happen to partitions: the broker's delayed requests.

Replication lies below the broker and does not know it; it tells whoever it was given, in the step in which something
happens, so that nobody waits for an image that is old.
"""

from typing import Protocol

from ottla.cluster.replication.partition import Partition


class Watcher(Protocol):
    """Told of partitions, in the step in which it happens."""

    def end_moved(self, partition: Partition) -> None:
        """There is more in the log, and no more of it is safe than before."""

    def watermark_moved(self, partition: Partition) -> None:
        """The high watermark moved, or the least log start of all replicas."""

    def role_changed(self, partition: Partition) -> None:
        """It has another leader epoch, or is here no more: whoever waits is to look again."""


class Nobody:
    """Nobody waits."""

    def end_moved(self, partition: Partition) -> None:
        """Nothing."""

    def watermark_moved(self, partition: Partition) -> None:
        """Nothing."""

    def role_changed(self, partition: Partition) -> None:
        """Nothing."""
