"""A partition on one of its brokers: it leads, follows, or cannot do either.

    Starting   its log is being made, or the broker stops
    Leader     clients write and read here, followers fetch from here                (leader.py)
    Follower   it copies the leader; consumers may read here what is safe (KIP-392)     (follower.py)
    Offline    its disk has failed: KAFKA_STORAGE_ERROR
    Gone       it is deleted, or was given to others: whoever still waits for it is told so

Always true: the leader epoch and the partition epoch never go back; a state that the metadata says with an older
partition epoch than the controller has already answered with is passed over. Only the loop touches a partition.

A partition is a machine: what happens is a call that gets the time and answers effects; it neither waits nor knows
whom it is told by. The log moves by itself (`appended` is told afterwards), since appending is the hot path.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ottla.cluster.metadata.parts.partition import Partition as Registration
from ottla.cluster.replication.effects import NOTHING, Effects
from ottla.cluster.replication.follower import Follower
from ottla.cluster.replication.isr import PendingIsr
from ottla.cluster.replication.leader import Brokers, Leader
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.storage.names import TopicPartition

if TYPE_CHECKING:
    from ottla.storage.log import Log

ANY_EPOCH = -1  # of a request: it does not say which leader epoch it means
NO_LEADER = -1


class Starting:
    """There is no log yet."""

    __slots__ = ()


class Offline:
    """The log cannot be used."""

    __slots__ = ()


class Gone:
    """This broker has the partition no more."""

    __slots__ = ()


Role = Starting | Leader | Follower | Offline | Gone

STARTING, OFFLINE, GONE = Starting(), Offline(), Gone()


class EpochEnd(NamedTuple):
    """The answer to OffsetForLeaderEpoch."""

    code: int
    leader_epoch: int = -1
    end_offset: int = -1


class Settings(NamedTuple):
    """What all partitions of a broker share."""

    node_id: int
    brokers: Brokers
    lag_max_ms: Callable[[], int]
    min_isr_of: Callable[[str], int]


class Partition:
    """One replica, whatever it is at the moment."""

    __slots__ = (
        "_log", "_settings", "index", "leader_epoch", "leader_id", "partition_epoch", "role", "topic", "topic_id",
    )  # fmt: skip

    def __init__(self, settings: Settings, topic: str, index: int, topic_id: Uuid) -> None:
        self._settings = settings
        self.topic, self.index, self.topic_id = topic, index, topic_id
        self.role: Role = STARTING
        self.leader_id, self.leader_epoch, self.partition_epoch = NO_LEADER, -1, -1
        self._log: Log | None = None

    def __repr__(self) -> str:
        """What a log line needs."""
        role = type(self.role).__name__.lower()
        return f"Partition({self.topic}-{self.index}, {role}, leader {self.leader_id} in epoch {self.leader_epoch})"

    @property
    def topic_partition(self) -> TopicPartition:
        """Its name."""
        return TopicPartition(self.topic, self.index)

    @property
    def log(self) -> "Log":
        """Its log, which leaders and followers have."""
        assert self._log is not None, f"{self} has no log"
        return self._log

    @property
    def has_log(self) -> bool:
        """Whether its log was made."""
        return self._log is not None

    # What the metadata says

    def hosted(self, log: "Log") -> None:
        """The log is there."""
        self._log = log

    def assigned(self, registration: Registration, now_ms: int) -> Effects:
        """Lead or follow, as the controller says; the log is there."""
        assert self._log is not None, f"{self} is assigned without a log"
        if registration.partition_epoch < self.partition_epoch or isinstance(self.role, Offline | Gone):
            return NOTHING
        self.partition_epoch, self.leader_id = registration.partition_epoch, registration.leader_id
        self.leader_epoch = registration.leader_epoch
        if registration.leader_id != self._settings.node_id:
            if not isinstance(self.role, Follower):
                self.role = Follower(self._log)
            return NOTHING
        role, settings = self.role, self._settings
        is_new_leader = not isinstance(role, Leader)
        if not isinstance(role, Leader):
            min_isr = settings.min_isr_of(self.topic)
            role = Leader(settings.node_id, self._log, settings.brokers, min_isr, settings.lag_max_ms())
        effects = role.assigned(
            registration.replicas,
            registration.isr,
            registration.leader_epoch,
            registration.partition_epoch,
            now_ms,
            is_new_leader=is_new_leader,
        )
        self.role = role
        return effects

    def isr_altered(
        self, pending: PendingIsr, isr: tuple[int, ...], epoch: int, partition_epoch: int, now_ms: int
    ) -> Effects:
        """The controller has answered a proposal with the partition as it is now."""
        if not isinstance(self.role, Leader):
            return NOTHING
        effects = self.role.altered(pending, isr, epoch, partition_epoch, now_ms)
        self.partition_epoch = self.role.partition_epoch
        return effects

    def isr_refused(self, pending: PendingIsr, code: int) -> Effects:
        """The controller has refused a proposal."""
        return self.role.refused(pending, code) if isinstance(self.role, Leader) else NOTHING

    def failed(self) -> None:
        """The disk has refused: nothing of it can be read or written until the broker starts anew."""
        self.role, self._log = OFFLINE, None

    def stopped(self) -> None:
        """The broker stops: whoever asks is to look for another leader."""
        self.role, self._log = STARTING, None

    def removed(self) -> None:
        """This broker has it no more."""
        self.role, self._log = GONE, None

    # What requests ask

    def refusal(self, current_leader_epoch: int = ANY_EPOCH, *, from_leader: bool = True) -> int:
        """Why it cannot be read or written here; 0 if it can. `from_leader`: a follower's log will not do."""
        role = self.role
        if isinstance(role, Leader | Follower):
            if current_leader_epoch not in (ANY_EPOCH, self.leader_epoch):
                if current_leader_epoch < self.leader_epoch:
                    return ErrorCode.FENCED_LEADER_EPOCH
                return ErrorCode.UNKNOWN_LEADER_EPOCH
            if from_leader and isinstance(role, Follower):
                return ErrorCode.NOT_LEADER_OR_FOLLOWER
            return ErrorCode.NONE
        if isinstance(role, Offline):
            return ErrorCode.KAFKA_STORAGE_ERROR
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION if isinstance(role, Gone) else ErrorCode.NOT_LEADER_OR_FOLLOWER

    def end_offset_for_epoch(self, current_leader_epoch: int, epoch: int, *, from_leader: bool = True) -> EpochEnd:
        """Where an epoch ends in this log (KIP-320)."""
        code = self.refusal(current_leader_epoch, from_leader=from_leader)
        if code:
            return EpochEnd(code)
        found = self.log.end_offset_for_epoch(epoch)
        return EpochEnd(ErrorCode.NONE, found.epoch, found.offset)

    def check(self) -> None:
        """Assert what is always true."""
        if isinstance(self.role, Leader):
            assert self.leader_id == self._settings.node_id
            assert self.role.epoch == self.leader_epoch
            self.role.check()
