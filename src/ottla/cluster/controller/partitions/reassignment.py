"""Partitions are moved to other brokers, or no longer moved (KIP-455).

    1. the new replicas join those that are there; `adding` and `removing` say who is who
    2. the new ones catch up, and their leader asks for an ISR with them
    3. with that ISR, or any later change in which all who stay are in sync, those who leave are gone

The third step is in `change`. One that needs nobody to catch up (another order, fewer replicas) is done at
once. While a partition is moved, `adding` is whoever was not among its original replicas, so that going back, also from
a move that another has replaced, always ends at these.
"""

from collections.abc import Sequence

from ottla.cluster.controller.configs import Configs
from ottla.cluster.controller.partitions.assignment import Assignment, invalid
from ottla.cluster.controller.partitions.elections import Draft, Elections
from ottla.cluster.controller.partitions.partition import Partition, TopicPartition
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    AlterPartitionReassignmentsResponse_ReassignablePartitionResponse,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsResponse_OngoingPartitionReassignment,
)
from ottla.replicated.decision import Decision

_Row = AlterPartitionReassignmentsResponse_ReassignablePartitionResponse
_Topic = AlterPartitionReassignmentsResponse.ReassignableTopicResponse
_Ongoing = ListPartitionReassignmentsResponse.OngoingTopicReassignment


class Reassignment:
    """Requests to move partitions."""

    def __init__(self, table: PartitionTable, configs: Configs, assignment: Assignment, elections: Elections) -> None:
        self._table, self._configs, self._assignment, self._elections = table, configs, assignment, elections

    def alter(
        self, request: AlterPartitionReassignmentsRequest, now_ms: int
    ) -> Decision[Message, AlterPartitionReassignmentsResponse]:
        """Begin moves, or go back; each partition for itself."""
        del now_ms
        if not request.topics:
            return Decision([], AlterPartitionReassignmentsResponse())
        draft = self._elections.draft()
        responses = []
        for topic in request.topics:
            rows = []
            for wanted in topic.partitions:
                row = _Row(partition_index=wanted.partition_index, error_message=None)
                try:
                    self._alter_one(
                        draft,
                        topic.name,
                        wanted.partition_index,
                        wanted.replicas,
                        may_change_factor=request.allow_replication_factor_change,
                    )
                except RequestRefused as refusal:
                    row.error_code, row.error_message = refusal.code, str(refusal) or None
                rows.append(row)
            responses.append(_Topic(topic.name, rows))
        draft.check_size()
        return Decision(
            draft.records,
            AlterPartitionReassignmentsResponse(
                allow_replication_factor_change=request.allow_replication_factor_change,
                error_message=None,
                responses=responses,
            ),
        )

    def _alter_one(
        self,
        draft: Draft,
        name: str,
        partition_id: int,
        target: Sequence[int] | None,
        *,
        may_change_factor: bool,
    ) -> None:
        topic = self._table.topic(name)
        if topic is None:
            raise RequestRefused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no topic {name}.")
        key = TopicPartition(topic.topic_id, partition_id)
        partition = draft.partition(key)
        if partition is None:
            raise RequestRefused(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no partition {name}-{partition_id}.")
        change = self._elections.change(draft, key)
        if target is None:
            change.replicas, change.isr = self._originals(name, partition_id, partition)
            change.removing = change.adding = ()
            if not change.isr and not change.rules.keeps_elr and not any(map(change.rules.may_lead, change.replicas)):
                change.isr = change.replicas[:1]  # nobody is there to lead, and an ISR has a last member
        else:
            self._assignment.check(target)
            originals = original_replicas(partition)
            if not may_change_factor and len(target) != len(originals):
                raise RequestRefused(
                    ErrorCode.INVALID_REPLICATION_FACTOR,
                    f"The replication factor of {name}-{partition_id} would change from {len(originals)} to "
                    f"{len(target)}, which the request does not allow.",
                )
            leaving = tuple(sorted(set(partition.replicas).difference(target)))
            change.replicas, change.removing = (*target, *leaving), leaving
            change.adding = tuple(sorted(set(change.replicas).difference(originals)))
        record = change.record()
        if record is not None:
            draft.add(key, record)

    def _originals(self, name: str, partition_id: int, partition: Partition) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Replicas and ISR when a move is called off."""
        if not partition.is_reassigning:
            raise RequestRefused(ErrorCode.NO_REASSIGNMENT_IN_PROGRESS, "")  # Kafka has no message here
        replicas = original_replicas(partition)
        if not replicas:
            raise invalid(f"{name}-{partition_id} had no replicas before.")
        isr = tuple(replica for replica in partition.isr if replica in replicas)
        if not isr and not self._configs.elects_uncleanly(name):
            raise invalid(
                f"Going back with {name}-{partition_id} would need an unclean leader election: none of "
                f"{list(replicas)} is in sync."
            )
        return replicas, isr

    def list(
        self, request: ListPartitionReassignmentsRequest, now_ms: int
    ) -> Decision[Message, ListPartitionReassignmentsResponse]:
        """The partitions that are being moved."""
        del now_ms
        moving: dict[str, dict[int, Partition]] = {}
        for key in self._table.reassigning:
            topic = self._table.topics[key.topic_id]
            moving.setdefault(topic.name, {})[key.partition_id] = topic.partitions[key.partition_id]
        if request.topics is not None:
            asked = {each.name: set(each.partition_indexes) for each in request.topics}
            moving = {
                name: {each: row for each, row in rows.items() if each in asked[name]}
                for name, rows in moving.items()
                if name in asked
            }
        topics = [
            _Ongoing(name, [_ongoing(partition_id, row) for partition_id, row in sorted(rows.items())])
            for name, rows in moving.items()
            if rows
        ]
        return Decision([], ListPartitionReassignmentsResponse(error_message=None, topics=topics))


def original_replicas(partition: Partition) -> tuple[int, ...]:
    """The replicas that a partition had before it was moved."""
    return tuple(replica for replica in partition.replicas if replica not in partition.adding)


def _ongoing(partition_id: int, row: Partition) -> ListPartitionReassignmentsResponse_OngoingPartitionReassignment:
    return ListPartitionReassignmentsResponse_OngoingPartitionReassignment(
        partition_id, row.replicas, row.adding, row.removing
    )
