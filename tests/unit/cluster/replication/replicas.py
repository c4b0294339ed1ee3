"""One partition on several brokers, and a controller, in memory: what scripts and properties drive.

The partitions are the real machines. What belongs to others is modelled here as simply as may be: the controller's
word about who leads, and the fetcher of a follower (ask from the log's end with the last epoch, cut where the leader
says that histories part, append, go on).
"""

from dataclasses import dataclass
from typing import cast

from ottla.cluster.metadata.parts.partition import MIGRATING
from ottla.cluster.metadata.parts.partition import Partition as Registration
from ottla.cluster.replication.effects import Effects, ProposeIsr
from ottla.cluster.replication.follower import Follower
from ottla.cluster.replication.leader import Leader
from ottla.cluster.replication.partition import Partition, Settings
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.storage.leader_epochs import UNDEFINED_EPOCH
from ottla.storage.log import Log
from tests.unit.cluster.replication.memory_log import MemoryLog

LAG_MAX_MS = 10_000
TOPIC_ID = Uuid(b"topic".ljust(16, b"\1"))


@dataclass
class Fetched:
    """A leader's answer on its way to a follower."""

    leader_epoch: int
    records: list[tuple[int, str]]
    offset: int
    high_watermark: int
    log_start_offset: int
    diverging: tuple[int, int] | None = None


class Controller:
    """What it has decided, and which brokers it thinks alive."""

    def __init__(self, ids: list[int]) -> None:
        self.registration = Registration(
            tuple(ids), (MIGRATING,) * len(ids), tuple(ids), leader_id=ids[0], leader_epoch=0, partition_epoch=0
        )
        self.epochs = {broker_id: 100 + broker_id for broker_id in ids}  # of brokers that are alive
        self.leaving: set[int] = set()

    def epoch_of(self, broker_id: int) -> int | None:
        """The epoch in which a broker is alive."""
        return self.epochs.get(broker_id)

    def may_join(self, broker_id: int) -> bool:
        """Whether a broker is neither fenced nor shutting down."""
        return broker_id in self.epochs and broker_id not in self.leaving

    def elect(self, leader_id: int, isr: tuple[int, ...] | None = None) -> None:
        """Somebody leads from now on, or nobody (-1)."""
        now = self.registration
        self.registration = now._replace(
            leader_id=leader_id,
            isr=now.isr if isr is None else isr,
            leader_epoch=now.leader_epoch + 1,
            partition_epoch=now.partition_epoch + 1,
        )

    def alter(self, proposal: ProposeIsr) -> int:
        """A leader's proposal: 0 if it is in force now."""
        now = self.registration
        if proposal.leader_epoch != now.leader_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if proposal.partition_epoch != now.partition_epoch:
            return ErrorCode.INVALID_UPDATE_VERSION
        for broker_id, epoch in proposal.members:
            if not self.may_join(broker_id) or epoch not in (-1, self.epochs[broker_id]):
                return ErrorCode.INELIGIBLE_REPLICA
        isr = tuple(sorted(broker_id for broker_id, _ in proposal.members))
        self.registration = now._replace(isr=isr, partition_epoch=now.partition_epoch + 1)
        return ErrorCode.NONE


class Replicas:
    """All of them."""

    def __init__(self, ids: list[int], *, min_isr: int = 1) -> None:
        self.now_ms = 1_000_000
        self.min_isr = min_isr
        self.controller = Controller(ids)
        self.logs = {broker_id: MemoryLog() for broker_id in ids}
        self.partitions = {broker_id: self._new(broker_id) for broker_id in ids}
        self.proposals: list[tuple[int, ProposeIsr]] = []  # on their way to the controller
        self.decided: list[tuple[int, ProposeIsr, int, Registration]] = []  # on their way back to leaders
        self.answers: dict[int, Fetched] = {}  # on their way to followers
        self.down: set[int] = set()
        for broker_id in ids:
            self.tell(broker_id)

    def _new(self, broker_id: int) -> Partition:
        settings = Settings(broker_id, self.controller, lambda: LAG_MAX_MS, lambda topic: self.min_isr)
        partition = Partition(settings, "topic", 0, TOPIC_ID)
        partition.hosted(cast("Log", self.logs[broker_id]))
        return partition

    @property
    def leader(self) -> Leader | None:
        """Whoever the controller says leads, if he knows it."""
        leader_id = self.controller.registration.leader_id
        if leader_id < 0 or leader_id in self.down:
            return None
        role = self.partitions[leader_id].role
        return role if isinstance(role, Leader) else None

    def tell(self, broker_id: int) -> None:
        """The metadata reaches a broker."""
        if broker_id not in self.down:
            effects = self.partitions[broker_id].assigned(self.controller.registration, self.now_ms)
            self._carry_out(broker_id, effects)

    def _carry_out(self, broker_id: int, effects: Effects) -> None:
        self.proposals += [(broker_id, effect) for effect in effects if isinstance(effect, ProposeIsr)]

    def elect(self, leader_id: int, isr: tuple[int, ...] | None = None) -> None:
        """The controller elects, and everybody who is up learns of it."""
        self.controller.elect(leader_id, isr)
        for broker_id in self.partitions:
            self.tell(broker_id)

    def append(self, value: str) -> int | None:
        """A client writes to the leader; answers the offset that is safe when the watermark has got there."""
        leader = self.leader
        if leader is None:
            return None
        log = self.logs[self.controller.registration.leader_id]
        log.append(leader.epoch, value)
        leader.appended(self.now_ms)
        return log.log_end_offset

    def fetch(self, follower_id: int, limit: int = 1_000) -> bool:
        """A follower's fetch reaches the leader; its answer is on its way."""
        partition, leader_id = self.partitions[follower_id], self.partitions[follower_id].leader_id
        if follower_id in self.down or not isinstance(partition.role, Follower) or leader_id in self.down:
            return False
        leading = self.partitions.get(leader_id)
        if leading is None or not isinstance(leading.role, Leader):
            return False
        leader, log, own = leading.role, self.logs[leader_id], self.logs[follower_id]
        if leading.refusal(partition.leader_epoch) or leader.is_fenced(follower_id, self._epoch_of(follower_id)):
            return False
        offset, last_epoch = own.log_end_offset, own.epochs.latest_epoch
        diverging = None
        if last_epoch is not None and offset:
            end = log.end_offset_for_epoch(last_epoch)
            if end.epoch == UNDEFINED_EPOCH or end.epoch < last_epoch or end.offset < offset:
                diverging = (end.epoch, end.offset)
        if diverging is None:
            effects = leader.fetched(
                follower_id, offset, own.log_start_offset, self._epoch_of(follower_id), self.now_ms
            )
            self._carry_out(leader_id, effects)
        records = [] if diverging else log.records[offset : offset + limit]
        self.answers[follower_id] = Fetched(
            leader.epoch, records, offset, log.high_watermark, log.log_start_offset, diverging
        )
        return True

    def _epoch_of(self, broker_id: int) -> int:
        return self.controller.epochs.get(broker_id, -1)

    def deliver(self, follower_id: int) -> bool:
        """A leader's answer reaches its follower."""
        answer = self.answers.pop(follower_id, None)
        partition, own = self.partitions[follower_id], self.logs[follower_id]
        if answer is None or follower_id in self.down or not isinstance(partition.role, Follower):
            return False
        if answer.leader_epoch != partition.leader_epoch or answer.offset != own.log_end_offset:
            return False  # of another leader, or of another life
        if answer.diverging is not None:
            own.truncate_to(partition.role.cut_for(*answer.diverging).offset)
            return True
        for epoch, value in answer.records:
            own.append(epoch, value)
        partition.role.copied(answer.high_watermark, answer.log_start_offset)
        return True

    def decide_proposals(self) -> None:
        """The controller decides what it was asked; its answers are on their way."""
        proposals, self.proposals = self.proposals, []
        for broker_id, proposal in proposals:
            if broker_id not in self.down:
                code = self.controller.alter(proposal)
                self.decided.append((broker_id, proposal, code, self.controller.registration))

    def answer_proposals(self) -> None:
        """The controller's answers reach the leaders, and its decisions everybody."""
        self.decide_proposals()
        decided, self.decided = self.decided, []
        for broker_id, proposal, code, then in decided:
            if broker_id in self.down:
                continue
            partition = self.partitions[broker_id]
            if code:
                effects = partition.isr_refused(proposal.pending, code)
            else:
                effects = partition.isr_altered(
                    proposal.pending, then.isr, then.leader_epoch, then.partition_epoch, self.now_ms
                )
            self._carry_out(broker_id, effects)
        for broker_id in self.partitions:
            self.tell(broker_id)

    def elapse(self, duration_ms: int) -> None:
        """Time passes, and leaders look at who is in sync."""
        self.now_ms += duration_ms
        for broker_id, partition in self.partitions.items():
            if broker_id not in self.down and isinstance(partition.role, Leader):
                self._carry_out(broker_id, partition.role.check_isr(self.now_ms))

    def crash(self, broker_id: int, *, kept: int | None = None, high_watermark: int | None = None) -> None:
        """A broker dies; of its log the first records are kept (all), of its watermark what was noted last."""
        self.down.add(broker_id)
        self.answers.pop(broker_id, None)
        self.controller.epochs.pop(broker_id, None)
        log = self.logs[broker_id]
        if kept is not None:
            log.truncate_to(kept)
        if high_watermark is not None:
            log.update_high_watermark(high_watermark)

    def start(self, broker_id: int) -> None:
        """It comes back, as another life of itself."""
        self.down.discard(broker_id)
        self.controller.epochs[broker_id] = max(self.controller.epochs.values(), default=200) + 100
        self.partitions[broker_id] = self._new(broker_id)
        self.tell(broker_id)

    def check(self) -> None:
        """Assert what is always true of each of them."""
        for broker_id, partition in self.partitions.items():
            if broker_id not in self.down:
                partition.check()
