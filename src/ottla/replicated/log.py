"""What replicated state asks of the log that its records go to.

Raft implements it for the controller's metadata, a partition for a coordinator's topic. Both are shells: they carry out
what the runtime answers, and tell it what has become of it. Offsets are the log's, epochs are its leaderships'.

What is always true: records of one `append` are kept together or not at all; an append that expects another end of the
log than there is, or another epoch, is refused and has changed nothing; what is committed never changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")  # a record, as the state machine knows it
R_in = TypeVar("R_in")


@dataclass(frozen=True, slots=True)
class LogSlice(Generic[R]):
    """Some records of a log, one behind the other."""

    first_offset: int
    records: Sequence[R]
    next_offset: int  # where to read on; offsets of control batches have no record here


class ReplicatedLog(Protocol[R_in]):
    """A log that is led from here, for as long as it is."""

    @property
    def start_offset(self) -> int:
        """The first offset that can be read; what lies below is in a snapshot."""

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""

    @property
    def committed_offset(self) -> int:
        """Every record below this offset is kept for good."""

    @property
    def leadership_epoch(self) -> int | None:
        """The epoch in which this node leads the log; None while it does not."""

    def append(self, epoch: int, expected_offset: int, records: Sequence[R_in]) -> int:
        """Append them all, and return the offset behind them; an `OttlaError` says why not."""

    def read(self, offset: int, max_records: int) -> "LogSlice[R_in]":
        """At most so many records from an offset on; none at the end of the log."""
