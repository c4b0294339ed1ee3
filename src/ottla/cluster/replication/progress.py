"""How far a follower is, as its leader knows it from the follower's fetches.

A fetch from an offset says that everything below is in the follower's log. A follower is *caught up* at a time if it
had then all that its leader had; one that has not been for `replica.lag.time.max.ms` is out of sync (KIP-16), however
few records it lacks, and one that is one fetch behind a busy leader is not: having at one fetch what the leader had at
the fetch before counts as having been caught up at that earlier fetch.

Always true: the time at which it was last caught up never goes back within one leader epoch.
"""

from dataclasses import dataclass, replace

UNKNOWN_OFFSET = -1
UNKNOWN_EPOCH = -1  # of a broker: it has not said one


@dataclass(frozen=True, slots=True)
class FollowerProgress:
    """One follower's."""

    log_start_offset: int = UNKNOWN_OFFSET
    log_end_offset: int = UNKNOWN_OFFSET
    leader_end_offset: int = 0  # the leader's end at the last fetch
    last_fetch_ms: int = 0
    last_caught_up_ms: int = 0
    broker_epoch: int | None = None  # None: it has not fetched

    def fetched(
        self, offset: int, log_start_offset: int, leader_end_offset: int, broker_epoch: int, now_ms: int
    ) -> "FollowerProgress":
        """It fetches from this offset."""
        caught_up_ms = self.last_caught_up_ms
        if offset >= leader_end_offset:
            caught_up_ms = max(caught_up_ms, now_ms)
        elif offset >= self.leader_end_offset:
            caught_up_ms = max(caught_up_ms, self.last_fetch_ms)
        return FollowerProgress(
            log_start_offset,
            offset,
            max(leader_end_offset, self.leader_end_offset),
            now_ms,
            caught_up_ms,
            broker_epoch,
        )

    def reset(
        self, now_ms: int, leader_end_offset: int, *, is_new_leader: bool, is_in_sync: bool
    ) -> "FollowerProgress":
        """A leader epoch begins: who is in sync has until a lag from now to prove it."""
        caught_up_ms = now_ms if is_in_sync else 0
        if is_new_leader:
            return FollowerProgress(last_caught_up_ms=caught_up_ms, broker_epoch=self.broker_epoch)
        return replace(
            self,
            leader_end_offset=leader_end_offset if is_in_sync else UNKNOWN_OFFSET,
            last_fetch_ms=caught_up_ms,
            last_caught_up_ms=caught_up_ms,
        )

    def is_caught_up(self, leader_end_offset: int, now_ms: int, lag_max_ms: int) -> bool:
        """Whether it is in sync: it has everything, or had within the time that is allowed."""
        return self.log_end_offset == leader_end_offset or now_ms - self.last_caught_up_ms <= lag_max_ms
