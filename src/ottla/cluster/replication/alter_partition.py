"""Asking the controller for other ISRs (AlterPartition, KIP-497): one request in flight, what comes meanwhile waits.

Always true: of a partition at most one proposal waits or is in flight (the partition sees to that); a proposal is
dropped when it is answered, or when the whole request is answered with an error that time does not mend. What could not
be asked is asked again, after a pause.
"""

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Final

from ottla.cluster.replication.effects import Effects, ProposeIsr
from ottla.cluster.replication.isr import GrowingIsr
from ottla.cluster.replication.partition import Partition
from ottla.errors import OttlaError
from ottla.metrics.meter import Meter
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    AlterPartitionRequest,
    AlterPartitionRequest_BrokerState,
    AlterPartitionRequest_PartitionData,
    AlterPartitionRequest_TopicData,
    AlterPartitionResponse,
    AlterPartitionResponse_PartitionData,
)

if TYPE_CHECKING:
    from ottla.world.api import Task, World

Ask = Callable[[Message], Awaitable[Any]]

RETRY_MS: Final = 50
PARTITIONS_MAX: Final = 10_000  # in one request

logger = logging.getLogger(__name__)


class AlterPartitions:
    """The proposals of a broker's leaders."""

    def __init__(
        self,
        world: "World",
        node_id: int,
        ask: Ask,
        broker_epoch: Callable[[], int],
        carry_out: Callable[[Partition, Effects], None],
    ) -> None:
        self._world, self._node_id, self._ask, self._broker_epoch = world, node_id, ask, broker_epoch
        self._carry_out = carry_out
        self._waiting: dict[tuple[Uuid, int], tuple[Partition, ProposeIsr]] = {}
        self._asking: Task[None] | None = None
        self._is_stopped = False
        now_ms = world.clock.monotonic_ms()
        self.shrinks, self.expands, self.failures = Meter(now_ms), Meter(now_ms), Meter(now_ms)

    def submit(self, partition: Partition, proposal: ProposeIsr) -> None:
        """Ask for this as soon as may be."""
        self._waiting[partition.topic_id, partition.index] = partition, proposal
        if self._asking is None and not self._is_stopped:
            self._asking = self._world.spawn(self._run(), "ask for other ISRs")

    async def stop(self) -> None:
        """Ask for nothing more."""
        self._is_stopped = True
        if self._asking is not None:
            self._asking.cancel()

    async def _run(self) -> None:
        try:
            while self._waiting and not self._is_stopped:
                if not await self._once():
                    await self._world.clock.sleep(RETRY_MS)
        finally:
            self._asking = None

    async def _once(self) -> bool:
        """One request; False if what it asked is to be asked again later."""
        sent = dict(list(self._waiting.items())[:PARTITIONS_MAX])
        try:
            response: AlterPartitionResponse = await self._ask(self._request(sent))
        except OttlaError as error:
            logger.info("the controller could not be asked for other ISRs: %s", error)
            return False
        if response.error_code:
            logger.warning("the controller refuses to change ISRs", extra={"error_code": response.error_code})
            return False
        for topic in response.topics:
            for answer in topic.partitions:
                found = sent.get((topic.topic_id, answer.partition_index))
                if found is not None:
                    self._answered(*found, answer)
        return all(self._waiting.get(key) is not each for key, each in sent.items())

    def _answered(
        self, partition: Partition, proposal: ProposeIsr, answer: AlterPartitionResponse_PartitionData
    ) -> None:
        key = (partition.topic_id, partition.index)
        waiting = self._waiting.get(key)
        if waiting is not None and waiting[1] is proposal:
            del self._waiting[key]
        if answer.error_code == ErrorCode.NONE:
            (self.expands if isinstance(proposal.pending, GrowingIsr) else self.shrinks).count += 1
            effects = partition.isr_altered(
                proposal.pending,
                tuple(answer.isr),
                answer.leader_epoch,
                answer.partition_epoch,
                self._world.clock.monotonic_ms(),
            )
        else:
            self.failures.count += 1
            logger.info(
                "the controller refuses an ISR", extra={"partition": str(partition), "error_code": answer.error_code}
            )
            effects = partition.isr_refused(proposal.pending, answer.error_code)
        self._carry_out(partition, effects)

    def _request(self, sent: dict[tuple[Uuid, int], tuple[Partition, ProposeIsr]]) -> AlterPartitionRequest:
        topics: dict[Uuid, list[AlterPartitionRequest_PartitionData]] = {}
        for (topic_id, index), (_, proposal) in sent.items():
            topics.setdefault(topic_id, []).append(
                AlterPartitionRequest_PartitionData(
                    partition_index=index,
                    leader_epoch=proposal.leader_epoch,
                    new_isr_with_epochs=[AlterPartitionRequest_BrokerState(*member) for member in proposal.members],
                    partition_epoch=proposal.partition_epoch,
                )
            )
        return AlterPartitionRequest(
            self._node_id,
            self._broker_epoch(),
            [AlterPartitionRequest_TopicData(topic_id, partitions) for topic_id, partitions in topics.items()],
        )
