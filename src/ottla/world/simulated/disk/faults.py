"""What can be wrong with a disk, or with one directory of it, while its machine is up.

A `DiskFault` is a kind, a path and a rate: it strikes a call that the kind is about, on that path or below it, with
that probability. Scenarios and the nemesis switch faults on and off; the disk asks at every call.

What is always true: a fault that strikes is counted and told, so that a run can say what it went through; without
faults nothing is drawn.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from random import Random


class DiskFaultKind(StrEnum):
    """What happens to a call."""

    SLOW = "disk-slow"  # any call takes longer
    FULL = "disk-full"  # whatever needs room is ENOSPC, a write after a part of it
    READ_ERROR = "read-error"  # EIO
    WRITE_ERROR = "write-error"  # EIO, of writes and changes of names; of a write any prefix may be there
    SYNC_ERROR = "sync-error"  # EIO, and what should have been written may have been dropped
    READ_ONLY = "read-only"  # EROFS for whatever would change something


@dataclass(frozen=True, slots=True)
class DiskFault:
    """One thing that is wrong, as long as it is on."""

    kind: DiskFaultKind
    path: str = "/"
    rate: float = 1.0
    delay_ms: int = 100  # of SLOW: on average


def normal(path: str) -> str:
    """A path in the one form in which paths are compared; relative ones begin at the root."""
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


class DiskFaults:
    """The faults of one disk."""

    def __init__(self, rng: Random, struck: Callable[[str, str], None]) -> None:
        self._rng, self._struck = rng, struck
        self._on: list[DiskFault] = []

    def begin(self, fault: DiskFault) -> None:
        """From now on this is wrong."""
        self._on.append(fault)

    def end(self, fault: DiskFault) -> None:
        """This one is over; does nothing if it is not on."""
        if fault in self._on:
            self._on.remove(fault)

    def heal(self) -> None:
        """Nothing is wrong any more."""
        self._on.clear()

    def strikes(self, kind: DiskFaultKind, path: str, what: str) -> DiskFault | None:
        """The fault of this kind that a call runs into, if it does."""
        for fault in self._on:
            if fault.kind is kind and is_below(path, fault.path) and self._rng.random() < fault.rate:
                self._struck(kind.value, f"{what} {path}")
                return fault
        return None


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder's, or below it."""
    folder = normal(folder).rstrip("/")
    path = normal(path)
    return path == folder or path.startswith(f"{folder}/")
