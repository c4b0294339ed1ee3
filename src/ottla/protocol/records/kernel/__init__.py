"""The per-record loops, compiled where a compiler was at hand, and their pure-Python twin.

Whatever must look at every record of a batch is here: validate, index, build, retain, and compaction's offset map; and
what a start does a million times: the walk over a segment's batches, and one loop over the entries of its index.
`compiled` and `pure` are twins: the same signatures, bytes and errors. Importing this package picks one, for the whole
process, and `KERNEL` says which; there is no other switch.
"""

from typing import Final

from ottla.protocol.records.kernel.faults import Reason, Rejected, Retained, Validated

try:
    from ottla.protocol.records.kernel.compiled import BatchWalk, OffsetMap, build, index, retain, rises, validate
except ImportError:
    from ottla.protocol.records.kernel.pure import BatchWalk, OffsetMap, build, index, retain, rises, validate

    _picked = "pure"
else:
    _picked = "compiled"

KERNEL: Final = _picked

__all__ = [
    "KERNEL",
    "BatchWalk",
    "OffsetMap",
    "Reason",
    "Rejected",
    "Retained",
    "Validated",
    "build",
    "index",
    "retain",
    "rises",
    "validate",
]
