"""A leader asks for another ISR (AlterPartition, KIP-497): the one change of partitions that comes from outside.

A request is checked against both epochs: a leader that is behind learns FENCED_LEADER_EPOCH or INVALID_UPDATE_VERSION
and fetches metadata first; one that is ahead of this controller learns NOT_CONTROLLER, since then somebody else is it.
Who comes into an ISR is active, and in the life (broker epoch) in which its leader saw it catch up (KIP-903).

Always true: the leader is in the ISR that it asks for. The change may complete a reassignment, and that may give the
partition another leader; whoever asked is then told NEW_LEADER_ELECTED, although its change was made.
"""

from collections.abc import Sequence

from ottla.cluster.controller.brokers import Brokers
from ottla.cluster.controller.partitions.elections import Draft, Elections
from ottla.cluster.controller.partitions.partition import (
    LEADER_UNCHANGED,
    RECOVERED,
    RECOVERING,
    Partition,
    TopicPartition,
)
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    AlterPartitionRequest,
    AlterPartitionRequest_PartitionData,
    AlterPartitionResponse,
    AlterPartitionResponse_PartitionData,
)
from ottla.replicated.decision import Decision

EPOCH_UNCHECKED = -1

Member = tuple[int, int]  # a broker, and the epoch in which its leader knows it


class Isr:
    """Requests of leaders."""

    def __init__(self, table: PartitionTable, brokers: Brokers, elections: Elections) -> None:
        self._table, self._brokers, self._elections = table, brokers, elections

    def alter(self, request: AlterPartitionRequest, now_ms: int) -> Decision[Message, AlterPartitionResponse]:
        """Change ISRs; each partition for itself."""
        del now_ms
        self._brokers.of_epoch(request.broker_id, request.broker_epoch)
        draft = self._elections.draft()
        topics = []
        for topic in request.topics:
            rows = [
                self._alter_one(
                    draft, request.broker_id, TopicPartition(topic.topic_id, wanted.partition_index), wanted
                )
                for wanted in topic.partitions
            ]
            topics.append(AlterPartitionResponse.TopicData(topic.topic_id, rows))
        draft.check_size()
        return Decision(draft.records, AlterPartitionResponse(topics=topics))

    def _alter_one(
        self, draft: Draft, broker_id: int, key: TopicPartition, wanted: AlterPartitionRequest_PartitionData
    ) -> AlterPartitionResponse_PartitionData:
        if key.topic_id not in self._table.topics:
            return _refused(key, ErrorCode.UNKNOWN_TOPIC_ID)
        partition = draft.partition(key)
        if partition is None:
            return _refused(key, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        members = _members(wanted)
        code = _stale(partition, broker_id, wanted) or self._unfit(partition, members, wanted.leader_recovery_state)
        if code:
            return _refused(key, code)
        change = self._elections.change(draft, key)
        change.isr = tuple(member for member, _ in members)
        change.recovery = wanted.leader_recovery_state
        record = change.record()
        if record is not None:
            partition = draft.add(key, record)
            if record.leader not in (broker_id, LEADER_UNCHANGED):
                return _refused(key, ErrorCode.NEW_LEADER_ELECTED)
        return AlterPartitionResponse_PartitionData(
            key.partition_id,
            ErrorCode.NONE,
            partition.leader,
            partition.leader_epoch,
            partition.isr,
            partition.recovery,
            partition.partition_epoch,
        )

    def _unfit(self, partition: Partition, members: Sequence[Member], recovery: int) -> ErrorCode | None:
        """Why this cannot be the ISR."""
        isr = [broker_id for broker_id, _ in members]
        if len(set(isr)) < len(isr) or not set(isr).issubset(partition.replicas) or partition.leader not in isr:
            return ErrorCode.INVALID_REQUEST
        if recovery not in (RECOVERED, RECOVERING) or (
            recovery == RECOVERING and (len(isr) > 1 or partition.recovery == RECOVERED)
        ):
            return ErrorCode.INVALID_REQUEST
        for broker_id, epoch in members:
            broker = self._brokers.get(broker_id)
            if broker is None or not broker.is_active or epoch not in (EPOCH_UNCHECKED, broker.epoch):
                return ErrorCode.INELIGIBLE_REPLICA
        return None


def _members(wanted: AlterPartitionRequest_PartitionData) -> list[Member]:
    """The ISR that is asked for; version 2 has no broker epochs."""
    members = [(member.broker_id, member.broker_epoch) for member in wanted.new_isr_with_epochs]
    return members or [(broker_id, EPOCH_UNCHECKED) for broker_id in wanted.new_isr]


def _stale(partition: Partition, broker_id: int, wanted: AlterPartitionRequest_PartitionData) -> ErrorCode | None:
    """Whether the leader, or this controller, goes by an older state of the partition."""
    if wanted.leader_epoch > partition.leader_epoch or wanted.partition_epoch > partition.partition_epoch:
        return ErrorCode.NOT_CONTROLLER
    if wanted.leader_epoch < partition.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if broker_id != partition.leader:
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.INVALID_UPDATE_VERSION if wanted.partition_epoch < partition.partition_epoch else None


def _refused(key: TopicPartition, code: int) -> AlterPartitionResponse_PartitionData:
    return AlterPartitionResponse_PartitionData(partition_index=key.partition_id, error_code=code)
