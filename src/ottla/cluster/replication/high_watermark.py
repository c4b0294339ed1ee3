"""Where the high watermark of a partition may go: pure.

What every replica that may be in the ISR has is safe: whichever of them leads next has it too. So the watermark is the
least log end of those, the leader's own included. A replica that has caught up without being in the ISR yet is waited
for as well: else the watermark would run away from it on a busy partition, and it could never join.

Nothing is safe while there are fewer replicas in sync than `min.insync.replicas` demands (KIP-966): then the watermark
stays where it is, whoever was asked for.
"""

from collections.abc import Iterable


def high_watermark(leader_end_offset: int, waited_for: Iterable[int]) -> int:
    """The offset below which everything is on all replicas; given are the log ends of those that are waited for.

    A follower that has not fetched yet has the end -1, and so holds everything up.
    """
    return min((leader_end_offset, *waited_for))


def effective_min_isr(min_in_sync_replicas: int, replica_count: int) -> int:
    """How many have to be in sync: a setting beyond the number of replicas asks for all of them."""
    return min(min_in_sync_replicas, replica_count)
