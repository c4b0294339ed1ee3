"""The set of replicas in sync, as the leader of a partition sees it (KIP-497).

A leader does not change the ISR, it asks the controller to. Until the answer is there nobody knows which of the two
sets is in force, so it goes by the larger one where that is safer:

    committed   what the controller has said last
    growing     one more has been asked for: it counts already where records must not be lost (the high watermark)
    shrinking   fewer have been asked for: nobody is left out before the controller has agreed

Always true: the leader is in every set; a set that was asked for differs from the committed one; while an answer is
missing nothing else is asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CommittedIsr:
    """Nothing has been asked for."""

    isr: frozenset[int]

    @property
    def maximal(self) -> frozenset[int]:
        """Every replica that may be in the ISR, as far as the leader can know."""
        return self.isr

    @property
    def is_in_flight(self) -> bool:
        """Whether an answer of the controller is missing."""
        return False

    def grown(self, replica_id: int) -> "GrowingIsr":
        """Ask for one more."""
        assert replica_id not in self.isr, f"replica {replica_id} is in sync already"
        return GrowingIsr(self, replica_id)

    def shrunk(self, replica_ids: Iterable[int]) -> "ShrinkingIsr":
        """Ask for fewer."""
        gone = frozenset(replica_ids)
        assert gone, "nobody is out of sync"
        assert gone < self.isr, f"of {sorted(self.isr)} nobody is left, or {sorted(gone)} were not in it"
        return ShrinkingIsr(self, gone)


@dataclass(frozen=True, slots=True)
class GrowingIsr:
    """One more has been asked for."""

    committed: CommittedIsr
    added: int

    @property
    def isr(self) -> frozenset[int]:
        """Those of which it is certain."""
        return self.committed.isr

    @property
    def maximal(self) -> frozenset[int]:
        """With the one that may be in it by now."""
        return self.committed.isr | {self.added}

    @property
    def wanted(self) -> frozenset[int]:
        """What was asked for."""
        return self.maximal

    @property
    def is_in_flight(self) -> bool:
        """It is."""
        return True


@dataclass(frozen=True, slots=True)
class ShrinkingIsr:
    """Fewer have been asked for."""

    committed: CommittedIsr
    removed: frozenset[int]

    @property
    def isr(self) -> frozenset[int]:
        """All of them, until the controller has agreed: who was told to leave may still be elected."""
        return self.committed.isr

    @property
    def maximal(self) -> frozenset[int]:
        """The same."""
        return self.committed.isr

    @property
    def wanted(self) -> frozenset[int]:
        """What was asked for."""
        return self.committed.isr - self.removed

    @property
    def is_in_flight(self) -> bool:
        """It is."""
        return True


PendingIsr = GrowingIsr | ShrinkingIsr
Isr = CommittedIsr | PendingIsr
