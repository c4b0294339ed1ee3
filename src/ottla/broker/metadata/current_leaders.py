"""Who leads a partition that was asked for in the wrong place, and where that broker is found (KIP-951).

A producer or consumer that came to the wrong broker is told so with the answer, and needs no Metadata request in
between.
"""

from ottla.broker.context import RequestContext
from ottla.cluster.metadata.parts.registrations import BrokerRegistration, EndPoint
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.produce_fetch import (
    FetchResponse_LeaderIdAndEpoch,
    FetchResponse_NodeEndpoint,
    FetchResponse_PartitionData,
    ProduceResponse_LeaderIdAndEpoch,
    ProduceResponse_NodeEndpoint,
    ProduceResponse_PartitionProduceResponse,
)


class CurrentLeaders:
    """The leaders that an answer names."""

    def __init__(self, context: RequestContext) -> None:
        self._context = context
        self._found: dict[int, tuple[BrokerRegistration, EndPoint]] = {}

    def say(
        self,
        answer: ProduceResponse_PartitionProduceResponse | FetchResponse_PartitionData,
        topic: str,
        topic_id: Uuid,
        index: int,
    ) -> None:
        """Write into a row who leads its partition; nothing if nobody knows."""
        metadata = self._context.broker.metadata
        found = metadata.topic(topic) if topic else metadata.topic_by_id(topic_id)
        partition = None if found is None else found.partitions.get(index)
        if partition is None:
            return
        if isinstance(answer, ProduceResponse_PartitionProduceResponse):
            answer.current_leader = ProduceResponse_LeaderIdAndEpoch(partition.leader_id, partition.leader_epoch)
        else:
            answer.current_leader = FetchResponse_LeaderIdAndEpoch(partition.leader_id, partition.leader_epoch)
        place = metadata.end_point(partition.leader_id, self._context.listener)
        if place is not None and not place[0].fenced:
            self._found[partition.leader_id] = place

    def produce_end_points(self) -> list[ProduceResponse_NodeEndpoint]:
        """Where they are."""
        return [
            ProduceResponse_NodeEndpoint(broker.node_id, end_point.host, end_point.port, broker.rack)
            for broker, end_point in self._found.values()
        ]

    def fetch_end_points(self) -> list[FetchResponse_NodeEndpoint]:
        """The same for a Fetch response."""
        return [
            FetchResponse_NodeEndpoint(broker.node_id, end_point.host, end_point.port, broker.rack)
            for broker, end_point in self._found.values()
        ]
