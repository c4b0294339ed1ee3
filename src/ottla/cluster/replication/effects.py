"""What a partition wants done when something has happened to it: values, carried out by the replica manager.

Most of what happens wants nothing, and that costs nothing: `NOTHING` and `MOVED` are made once.
"""

from dataclasses import dataclass

from ottla.cluster.replication.isr import PendingIsr


@dataclass(frozen=True, slots=True)
class Moved:
    """The high watermark or the low one is another than before: who waits for that may go on."""


@dataclass(frozen=True, slots=True)
class ProposeIsr:
    """The controller is to be asked for another ISR. `members`: brokers, and the epochs that the leader saw."""

    leader_epoch: int
    partition_epoch: int
    members: tuple[tuple[int, int], ...]
    pending: PendingIsr


Effect = Moved | ProposeIsr
Effects = tuple[Effect, ...]

NOTHING: Effects = ()
MOVED: Effects = (Moved(),)
