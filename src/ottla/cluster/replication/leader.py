"""A partition on the broker that leads it: who follows how far, who is in sync, and what is safe.

    appended, a follower fetches, a follower falls behind, the controller answers
      -> the high watermark moves (`Moved`), the controller is asked for another ISR (`ProposeIsr`)

Always true: the high watermark never goes back, and is never moved above the log end of a replica that may be in the
ISR; the leader is in its ISR; nobody joins who lacks anything below the high watermark, or of the records before the
leader's epoch, or whom the controller would refuse (fenced, shutting down, another life than the one that fetched:
KIP-903). The rules are those of Kafka's Partition.

`appended` is on the hot path: alone it is one comparison and the log's own call.
"""

from typing import Final, Protocol

from ottla.cluster.replication.effects import MOVED, NOTHING, Effects, ProposeIsr
from ottla.cluster.replication.high_watermark import effective_min_isr, high_watermark
from ottla.cluster.replication.isr import CommittedIsr, Isr, PendingIsr
from ottla.cluster.replication.progress import UNKNOWN_EPOCH, FollowerProgress
from ottla.protocol.error_codes import ErrorCode
from ottla.storage.leader_epochs import EpochEntry

# What a leader does when the controller refuses: go back, since it was certainly not done; or wait for the metadata
# to tell, since somebody else may have changed the partition. Everything else is asked again.
_NOT_DONE: Final = frozenset({ErrorCode.OPERATION_NOT_ATTEMPTED, ErrorCode.INELIGIBLE_REPLICA})
_WILL_BE_TOLD: Final = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    }
)


class ReplicaLog(Protocol):
    """What a partition needs of its log."""

    log_start_offset: int
    log_end_offset: int
    high_watermark: int

    def maybe_increment_high_watermark(self, offset: int) -> bool:
        """Move the high watermark forward; False if it is there already."""

    def update_high_watermark(self, offset: int) -> int:
        """Set the high watermark, within the log."""

    def maybe_increment_log_start_offset(self, offset: int) -> bool:
        """Let the log begin later."""

    def assign_epoch_start(self, leader_epoch: int) -> None:
        """An epoch begins at the log's end."""

    def end_offset_for_epoch(self, leader_epoch: int) -> EpochEntry:
        """The largest epoch up to this one, and where it ends."""


class Brokers(Protocol):
    """What the metadata says of other brokers."""

    def epoch_of(self, broker_id: int) -> int | None:
        """The epoch in which a broker is alive; None if it is not."""

    def may_join(self, broker_id: int) -> bool:
        """Whether a broker is neither fenced nor shutting down."""


class Leader:
    """This broker leads the partition."""

    __slots__ = (
        "_brokers", "_lag_max_ms", "epoch", "epoch_start_offset", "followers", "isr", "log", "min_isr", "node_id",
        "partition_epoch", "replicas",
    )  # fmt: skip

    def __init__(self, node_id: int, log: ReplicaLog, brokers: Brokers, min_isr: int, lag_max_ms: int) -> None:
        """Nothing is led yet: `begin` says what."""
        self.node_id, self.log, self.min_isr = node_id, log, min_isr
        self._brokers, self._lag_max_ms = brokers, lag_max_ms
        self.epoch = self.partition_epoch = -1
        self.epoch_start_offset = 0
        self.replicas: tuple[int, ...] = (node_id,)
        self.followers: dict[int, FollowerProgress] = {}
        self.isr: Isr = CommittedIsr(frozenset((node_id,)))

    # What the metadata says

    def assigned(
        self,
        replicas: tuple[int, ...],
        isr: tuple[int, ...],
        epoch: int,
        partition_epoch: int,
        now_ms: int,
        *,
        is_new_leader: bool,
    ) -> Effects:
        """The partition is as the controller says. A new leader epoch begins at the log's end."""
        self.replicas, self.isr = replicas, CommittedIsr(frozenset(isr))
        self.partition_epoch = partition_epoch
        known = self.followers
        self.followers = {
            replica: known.get(replica) or FollowerProgress() for replica in replicas if replica != self.node_id
        }
        if epoch > self.epoch:
            self.epoch, self.epoch_start_offset = epoch, self.log.log_end_offset
            self.log.assign_epoch_start(epoch)
            for replica, progress in self.followers.items():
                self.followers[replica] = progress.reset(
                    now_ms,
                    self.epoch_start_offset,
                    is_new_leader=is_new_leader,
                    is_in_sync=replica in self.isr.isr,
                )
        return MOVED if self._advance(now_ms) else NOTHING

    # Appending

    @property
    def has_enough_in_sync(self) -> bool:
        """Whether `acks=all` may append."""
        return len(self.isr.isr) >= effective_min_isr(self.min_isr, len(self.replicas))

    @property
    def is_at_min_isr(self) -> bool:
        """Whether it could not if one more fell out of sync."""
        return len(self.isr.isr) == effective_min_isr(self.min_isr, len(self.replicas))

    @property
    def is_under_replicated(self) -> bool:
        """Whether some replica is not in sync."""
        return len(self.isr.isr) < len(self.replicas)

    def appended(self, now_ms: int) -> bool:
        """The log's end has moved; whether the high watermark has too."""
        if not self.followers:
            return self.log.maybe_increment_high_watermark(self.log.log_end_offset)
        return self._advance(now_ms)

    def acknowledged(self, required_offset: int) -> ErrorCode | None:
        """What a producer that waits for all replicas is told; None: nothing yet."""
        if self.log.high_watermark < required_offset:
            return None
        if effective_min_isr(self.min_isr, len(self.replicas)) <= len(self.isr.maximal):
            return ErrorCode.NONE
        return ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND

    # Followers

    def fetched(self, replica_id: int, offset: int, log_start_offset: int, broker_epoch: int, now_ms: int) -> Effects:
        """A follower has been given what lies from an offset on, so it has all below."""
        before = self.followers[replica_id]
        log = self.log
        low_before = self.low_watermark
        progress = before.fetched(offset, log_start_offset, log.log_end_offset, broker_epoch, now_ms)
        self.followers[replica_id] = progress
        effects = self._maybe_grow(replica_id, progress)
        has_moved = before.log_end_offset != offset and self._advance(now_ms)
        if has_moved or self.low_watermark > low_before:
            return MOVED + effects
        return effects

    def is_fenced(self, replica_id: int, broker_epoch: int) -> bool:
        """Whether a fetch comes from an earlier life of a broker than the metadata knows (KIP-903)."""
        known = self._brokers.epoch_of(replica_id)
        return broker_epoch != UNKNOWN_EPOCH and known is not None and known > broker_epoch

    @property
    def low_watermark(self) -> int:
        """The offset before which no living replica has anything any more: where DeleteRecords has got to."""
        offset = self.log.log_start_offset
        for replica_id, progress in self.followers.items():
            if self._brokers.epoch_of(replica_id) is not None:
                offset = min(offset, progress.log_start_offset)
        return offset

    # Who is in sync

    def check_isr(self, now_ms: int) -> Effects:
        """Now and then: ask the controller to leave out who has fallen behind."""
        if self.isr.is_in_flight or not self.followers:
            return NOTHING
        end_offset = self.log.log_end_offset
        behind = frozenset(
            replica_id
            for replica_id in self.isr.isr
            if replica_id != self.node_id
            and not (
                replica_id in self.followers
                and self.followers[replica_id].is_caught_up(end_offset, now_ms, self._lag_max_ms)
            )
        )
        if not behind:
            return NOTHING
        assert isinstance(self.isr, CommittedIsr)
        return self._propose(self.isr.shrunk(behind))

    def _maybe_grow(self, replica_id: int, progress: FollowerProgress) -> Effects:
        isr = self.isr
        if (
            not isinstance(isr, CommittedIsr)
            or replica_id in isr.isr
            or progress.log_end_offset < max(self.log.high_watermark, self.epoch_start_offset)
            or not self._is_eligible(replica_id, progress)
        ):
            return NOTHING
        return self._propose(isr.grown(replica_id))

    def _is_eligible(self, replica_id: int, progress: FollowerProgress) -> bool:
        """Whether the controller would take it in."""
        epoch = self._brokers.epoch_of(replica_id)
        return (
            self._brokers.may_join(replica_id)
            and epoch is not None
            and progress.broker_epoch is not None
            and progress.broker_epoch in (UNKNOWN_EPOCH, epoch)
        )

    def _propose(self, pending: PendingIsr) -> Effects:
        self.isr = pending
        return (self.proposal(pending),)

    def proposal(self, pending: PendingIsr) -> ProposeIsr:
        """What the controller is asked for."""
        members = tuple((replica_id, self._epoch_seen(replica_id)) for replica_id in sorted(pending.wanted))
        return ProposeIsr(self.epoch, self.partition_epoch, members, pending)

    def _epoch_seen(self, replica_id: int) -> int:
        """The broker epoch in which a member was seen. (The leader's own is its registration's.)"""
        if replica_id == self.node_id:
            epoch = self._brokers.epoch_of(replica_id)
        else:
            progress = self.followers.get(replica_id)
            epoch = None if progress is None else progress.broker_epoch
        return UNKNOWN_EPOCH if epoch is None else epoch

    def altered(
        self, pending: PendingIsr, isr: tuple[int, ...], epoch: int, partition_epoch: int, now_ms: int
    ) -> Effects:
        """The controller has answered with the partition as it is now."""
        if self.isr is not pending or epoch != self.epoch or partition_epoch < self.partition_epoch:
            return NOTHING  # the metadata was faster
        self.isr, self.partition_epoch = CommittedIsr(frozenset(isr)), partition_epoch
        return MOVED if self._advance(now_ms) else NOTHING

    def refused(self, pending: PendingIsr, code: int) -> Effects:
        """The controller has refused. What may have been done all the same is not taken back."""
        if self.isr is not pending or code in _WILL_BE_TOLD:
            return NOTHING
        if code in _NOT_DONE:
            self.isr = pending.committed
            return NOTHING
        return (self.proposal(pending),)

    # What is safe

    def settings_changed(self, min_isr: int, now_ms: int) -> Effects:
        """`min.insync.replicas` is another."""
        self.min_isr = min_isr
        return MOVED if self._advance(now_ms) else NOTHING

    def _advance(self, now_ms: int) -> bool:
        """Move the high watermark as far as all go that are waited for."""
        if not self.has_enough_in_sync:
            return False
        log, maximal = self.log, self.isr.maximal
        end_offset = log.log_end_offset
        offset = high_watermark(
            end_offset,
            [
                progress.log_end_offset
                for replica_id, progress in self.followers.items()
                if replica_id in maximal
                or (
                    progress.is_caught_up(end_offset, now_ms, self._lag_max_ms)
                    and self._is_eligible(replica_id, progress)
                )
            ],
        )
        return log.maybe_increment_high_watermark(offset)

    def check(self) -> None:
        """Assert what is always true."""
        log = self.log
        assert log.log_start_offset <= log.high_watermark <= log.log_end_offset, f"watermark {log.high_watermark}"
        assert self.node_id in self.isr.isr, f"leader {self.node_id} is not in its ISR {sorted(self.isr.isr)}"
        assert self.isr.maximal <= frozenset(self.replicas), f"{sorted(self.isr.maximal)} are not all replicas"
