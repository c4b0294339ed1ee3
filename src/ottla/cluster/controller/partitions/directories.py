"""Brokers tell in which log directories their replicas are (AssignReplicasToDirs, KIP-858).

The assignment of a directory is a change of the partition like any other. If the directory has failed in the meantime,
the replica is out of sync with the same decision.
"""

from collections.abc import Iterator, Sequence

from ottla.cluster.controller.brokers import Broker, Brokers
from ottla.cluster.controller.finalised import Finalised
from ottla.cluster.controller.partitions.elections import Draft, Elections
from ottla.cluster.controller.partitions.partition import TopicPartition
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequest_TopicData,
    AssignReplicasToDirsResponse,
    AssignReplicasToDirsResponse_PartitionData,
    AssignReplicasToDirsResponse_TopicData,
)
from ottla.replicated.decision import Decision

_Directory = AssignReplicasToDirsResponse.DirectoryData
_Row = AssignReplicasToDirsResponse_PartitionData


class Directories:
    """Requests to take down where replicas are."""

    def __init__(self, finalised: Finalised, table: PartitionTable, brokers: Brokers, elections: Elections) -> None:
        self._finalised, self._table, self._brokers, self._elections = finalised, table, brokers, elections

    def assign(
        self, request: AssignReplicasToDirsRequest, now_ms: int
    ) -> Decision[Message, AssignReplicasToDirsResponse]:
        """Assign directories; each partition for itself."""
        del now_ms
        if not self._finalised.has("directory assignment"):
            raise RequestRefused(
                ErrorCode.UNSUPPORTED_VERSION,
                f"{self._finalised.metadata_version.text} knows no assignment of directories.",
            )
        broker = self._brokers.of_epoch(request.broker_id, request.broker_epoch)
        draft = self._elections.draft()
        directories = [
            _Directory(each.id, [self._assign_topic(draft, broker, each.id, topic) for topic in each.topics])
            for each in request.directories
        ]
        failed = [key for each in request.directories if not broker.has_online(each.id) for key in _keys(each.topics)]
        self._elections.broker_goes(draft, broker.broker_id, [key for key in failed if self._has(draft, broker, key)])
        draft.check_size()
        return Decision(draft.records, AssignReplicasToDirsResponse(directories=directories))

    def _assign_topic(
        self, draft: Draft, broker: Broker, directory: Uuid, wanted: AssignReplicasToDirsRequest_TopicData
    ) -> AssignReplicasToDirsResponse_TopicData:
        rows = []
        for key in _keys([wanted]):
            code = ErrorCode.NONE
            partition = draft.partition(key)
            if wanted.topic_id not in self._table.topics:
                code = ErrorCode.UNKNOWN_TOPIC_ID
            elif partition is None:
                code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
            elif broker.broker_id not in partition.replicas:
                code = ErrorCode.NOT_LEADER_OR_FOLLOWER
            else:
                change = self._elections.change(draft, key)
                change.directories = {broker.broker_id: directory}
                record = change.record()
                if record is not None:
                    draft.add(key, record)
            rows.append(_Row(key.partition_id, code))
        return AssignReplicasToDirsResponse_TopicData(wanted.topic_id, rows)

    def _has(self, draft: Draft, broker: Broker, key: TopicPartition) -> bool:
        partition = draft.partition(key)
        return partition is not None and broker.broker_id in partition.replicas


def _keys(topics: Sequence[AssignReplicasToDirsRequest_TopicData]) -> Iterator[TopicPartition]:
    for topic in topics:
        for partition in topic.partitions:
            yield TopicPartition(topic.topic_id, partition.partition_index)
