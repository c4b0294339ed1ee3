"""Which fault on which file a node must survive, and how.

A run in which something unsurvivable struck may lose what the damaged node alone had: it is marked so, and judged by
what the others hold. Everything else a node must come through in the way that this table says.

What is always true: a fault that touches no file harms none; files that are made again from others may be damaged at
will; whatever refuses to be read or written costs its log directory, and the node only where its metadata is.
"""

from enum import Enum
from posixpath import basename, dirname

from ottla.world.simulated.disk import DiskFaultKind


class Survival(Enum):
    """What a fault may cost at most."""

    UNHARMED = "the node goes on, and nothing is lost"
    DIRECTORY_OFFLINE = "the log directory goes offline, the node goes on with the others"
    NODE_STOPS = "the node stops, and nothing is lost when it comes back with its disk in order"
    COPY_LOST = "what this node alone had may be lost"


BIT_FLIP = "bit-flip"

# Made from the log, or checked by a sum of their own and then made from it: an index, a producer snapshot.
MADE_AGAIN = (".index", ".timeindex", ".txnindex", ".snapshot", ".kafka_cleanshutdown", ".lock")
METADATA_DIRECTORY = "__cluster_metadata-0"
METADATA_FILES = ("meta.properties", "bootstrap.checkpoint")

REFUSALS = (
    DiskFaultKind.FULL,
    DiskFaultKind.READ_ERROR,
    DiskFaultKind.WRITE_ERROR,
    DiskFaultKind.SYNC_ERROR,
    DiskFaultKind.READ_ONLY,
)


def survival(kind: str, path: str) -> Survival:
    """What a fault of this kind may cost at most when it strikes this file."""
    if kind == BIT_FLIP:
        return Survival.UNHARMED if path.endswith(MADE_AGAIN) else Survival.COPY_LOST
    if kind in REFUSALS:
        is_metadata = basename(path) in METADATA_FILES or basename(dirname(path)) == METADATA_DIRECTORY
        return Survival.NODE_STOPS if is_metadata else Survival.DIRECTORY_OFFLINE
    return Survival.UNHARMED
