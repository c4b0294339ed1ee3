"""Telling the controller in which log directory each replica lies (AssignReplicasToDirs, KIP-858).

The controller knows it already where a broker has one directory; with several the broker chooses, and tells. Only with
that can it elect new leaders when a directory fails and its broker lives on.

Always true: one request is in flight; the newest word about a replica is what is told; what could not be told is told
again, after a pause that grows. A replica that is gone meanwhile is no fault.
"""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.replication.alter_partition import Ask
from ottla.cluster.replication.partition import Gone, Partition
from ottla.errors import OttlaError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import SINCE
from ottla.protocol.messages.controller import (
    AssignReplicasToDirsRequest,
    AssignReplicasToDirsRequest_DirectoryData,
    AssignReplicasToDirsRequest_PartitionData,
    AssignReplicasToDirsRequest_TopicData,
    AssignReplicasToDirsResponse,
)

if TYPE_CHECKING:
    from ottla.world.api import Task, World

PARTITIONS_MAX: Final = 2_250  # in one request, as in Kafka
RETRY_FIRST_MS, RETRY_MOST_MS = 100, 10_000

_TRY_AGAIN: Final = (ErrorCode.NOT_CONTROLLER, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.UNKNOWN_SERVER_ERROR)

Replica = tuple[Uuid, int]

logger = logging.getLogger(__name__)


class DirectoryAssignments:
    """What is to be told."""

    def __init__(self, world: "World", node_id: int, ask: Ask, broker_epoch: Callable[[], int]) -> None:
        self._world, self._node_id, self._ask, self._broker_epoch = world, node_id, ask, broker_epoch
        self._waiting: dict[Replica, tuple[Partition, Uuid]] = {}
        self._telling: Task[None] | None = None
        self._is_stopped = False

    def assign(self, image: MetadataImage, partition: Partition, directory_id: Uuid) -> None:
        """A replica lies in this directory."""
        version = image.features.metadata_version
        if version is None or version < SINCE["directory assignment"]:
            return
        self._waiting[partition.topic_id, partition.index] = partition, directory_id
        if self._telling is None and not self._is_stopped:
            self._telling = self._world.spawn(self._run(), "tell where replicas lie")

    async def stop(self) -> None:
        """Tell nothing more."""
        self._is_stopped = True
        if self._telling is not None:
            self._telling.cancel()

    async def _run(self) -> None:
        pause_ms = RETRY_FIRST_MS
        try:
            while self._waiting and not self._is_stopped:
                if await self._once():
                    pause_ms = RETRY_FIRST_MS
                else:
                    await self._world.clock.sleep(pause_ms)
                    pause_ms = min(pause_ms * 2, RETRY_MOST_MS)
        finally:
            self._telling = None

    async def _once(self) -> bool:
        sent = dict(list(self._waiting.items())[:PARTITIONS_MAX])
        for replica, (partition, _) in list(sent.items()):
            if isinstance(partition.role, Gone):
                del sent[replica], self._waiting[replica]
        if not sent:
            return True
        try:
            response: AssignReplicasToDirsResponse = await self._ask(self._request(sent))
        except OttlaError as error:
            logger.info("the controller could not be told where replicas lie: %s", error)
            return False
        if response.error_code:
            logger.warning("the controller does not take where replicas lie", extra={"error": response.error_code})
            return False
        for directory in response.directories:
            for topic in directory.topics:
                for answer in topic.partitions:
                    replica = topic.topic_id, answer.partition_index
                    told = sent.get(replica)
                    if answer.error_code in _TRY_AGAIN or told is None:
                        continue
                    if self._waiting.get(replica) is told:
                        del self._waiting[replica]
        return not any(self._waiting.get(replica) is told for replica, told in sent.items())

    def _request(self, sent: dict[Replica, tuple[Partition, Uuid]]) -> AssignReplicasToDirsRequest:
        directories: dict[Uuid, dict[Uuid, list[AssignReplicasToDirsRequest_PartitionData]]] = {}
        for (topic_id, index), (_, directory_id) in sent.items():
            topics = directories.setdefault(directory_id, {})
            topics.setdefault(topic_id, []).append(AssignReplicasToDirsRequest_PartitionData(index))
        return AssignReplicasToDirsRequest(
            self._node_id,
            self._broker_epoch(),
            [
                AssignReplicasToDirsRequest_DirectoryData(
                    directory_id,
                    [AssignReplicasToDirsRequest_TopicData(topic_id, each) for topic_id, each in topics.items()],
                )
                for directory_id, topics in directories.items()
            ],
        )
