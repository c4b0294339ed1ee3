"""A partition on a broker that copies it from its leader: what it may show, and what of it has to go.

A follower that comes back, or has another leader than before, may have records that the new leader has not. It asks
where the last epoch that it knows ended there, and cuts what lies behind (KIP-101, KIP-279): nothing that both have is
lost, and nothing that it alone has is kept.

Always true: its high watermark is not above its leader's, nor above its own log end; it goes back only where the log is
cut below it.
"""

from typing import NamedTuple

from ottla.cluster.replication.effects import MOVED, NOTHING, Effects
from ottla.cluster.replication.leader import ReplicaLog

UNDEFINED = -1


class Cut(NamedTuple):
    """Where a log is cut. Not the last word: the leader has to be asked again, about the epoch that is last then."""

    offset: int
    is_final: bool


class Follower:
    """Another broker leads, or nobody."""

    __slots__ = ("_log",)

    def __init__(self, log: ReplicaLog) -> None:
        self._log = log

    def copied(self, leader_high_watermark: int, leader_log_start_offset: int) -> Effects:
        """What the leader sent is in the log, with where the leader's watermark and log start are."""
        log = self._log
        before = log.high_watermark
        after = log.update_high_watermark(max(min(leader_high_watermark, log.log_end_offset), before))
        begins_later = leader_log_start_offset <= after and log.maybe_increment_log_start_offset(
            leader_log_start_offset
        )
        return MOVED if after > before or begins_later else NOTHING

    def cut_for(self, leader_epoch: int, end_offset: int) -> Cut:
        """Where to cut, if this is where the leader says that an epoch ended there (the largest up to our last one)."""
        log = self._log
        if end_offset == UNDEFINED:  # the leader knows no epoch as old as that
            return Cut(min(log.high_watermark, log.log_end_offset), is_final=True)
        own = log.end_offset_for_epoch(leader_epoch)
        if own.offset == UNDEFINED:  # nor do we
            return Cut(min(end_offset, log.log_end_offset), is_final=True)
        if own.epoch != leader_epoch:  # the leader has one that we lack: what is ours alone begins before it
            return Cut(min(own.offset, log.log_end_offset), is_final=False)
        return Cut(min(own.offset, end_offset, log.log_end_offset), is_final=True)
