"""Which transactional producers have been vouched for by their coordinator (KIP-890).

A batch that would open a transaction in a partition is appended only if the coordinator has confirmed that the
partition belongs to the producer's transaction. Asking takes time, in which that transaction may end; so who asks is
given a guard first, and the append must show it. Whatever ends or opens a transaction here takes the guard away, and an
answer that comes too late opens nothing: no transaction is left that nobody would ever end.

A guard is good because it is that very object; `NO_GUARD` is good for nothing.
"""

from typing import Final


class VerificationGuard:
    """A permission to open one transaction in one partition."""

    __slots__ = ()


NO_GUARD: Final = VerificationGuard()


class VerificationEntry:
    """One producer that waits for its coordinator's answer.

    The lowest sequence that waits is kept, because a later batch whose answer came first must not be appended before
    it. `supports_epoch_bump`: the producer begins each transaction under a new epoch (`transaction.version` 2).
    """

    __slots__ = ("created_ms", "guard", "lowest_sequence", "producer_epoch", "supports_epoch_bump")

    def __init__(self, now_ms: int, sequence: int, producer_epoch: int, *, supports_epoch_bump: bool) -> None:
        self.created_ms = now_ms
        self.guard = VerificationGuard()
        self.lowest_sequence = sequence
        self.producer_epoch = producer_epoch
        self.supports_epoch_bump = supports_epoch_bump

    def note(self, sequence: int, producer_epoch: int) -> None:
        """Another batch waits."""
        if producer_epoch > self.producer_epoch:
            self.producer_epoch, self.lowest_sequence = producer_epoch, sequence
        elif producer_epoch == self.producer_epoch:
            self.lowest_sequence = min(self.lowest_sequence, sequence)
