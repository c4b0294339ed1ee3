"""DescribeQuorum: who leads, who votes, who watches, and how far each of them is (KIP-595, 836, 853).

Only the leader knows; others answer NOT_LEADER_OR_FOLLOWER with whom they hold for it. Its own times are now: it is
always caught up with itself. Where nothing is wrong the error messages are empty, and not null, as in Kafka. Whoever
asks for anything but the one partition that there is gets each of those back with the error, and no nodes.
"""

from collections.abc import Iterable
from typing import Final

from ottla.cluster.raft import messages
from ottla.cluster.raft.messages import PARTITION, TOPIC
from ottla.cluster.raft.progress import ReplicaState
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import Leader
from ottla.cluster.raft.voters import NO_NODE
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.quorum import (
    DescribeQuorumRequest,
    DescribeQuorumResponse,
    DescribeQuorumResponse_Listener,
    DescribeQuorumResponse_Node,
    DescribeQuorumResponse_PartitionData,
    DescribeQuorumResponse_ReplicaState,
    DescribeQuorumResponse_TopicData,
)

NOT_LEADING: Final = "This node does not lead the quorum."
NOTHING_ELSE: Final = f"A quorum is described by asking for {TOPIC}-{PARTITION}, and for nothing else."


def handle_describe(quorum: Quorum, request: DescribeQuorumRequest, token: object, now_ms: int) -> None:
    """Somebody wants to see the quorum."""
    if messages.describe_partition(request) is None:
        return quorum.reply(token, _unknown(request))
    error = quorum.refusal(quorum.epoch)
    state = quorum.state
    if error != ErrorCode.NONE or not isinstance(state, Leader):
        leader_id = NO_NODE if quorum.leader_id is None else quorum.leader_id
        partition = DescribeQuorumResponse_PartitionData(PARTITION, error, NOT_LEADING, leader_id, quorum.epoch, -1)
        return quorum.reply(token, _answer(partition, quorum))
    progress = state.progress
    high_watermark = -1 if progress.high_watermark is None else progress.high_watermark
    partition = DescribeQuorumResponse_PartitionData(
        PARTITION, error, "", quorum.key.node_id, quorum.epoch, high_watermark,
        _replicas(quorum, progress.voters.values(), now_ms), _replicas(quorum, progress.observers.values(), now_ms),
    )  # fmt: skip
    return quorum.reply(token, _answer(partition, quorum))


def _unknown(request: DescribeQuorumRequest) -> DescribeQuorumResponse:
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    topics = [
        DescribeQuorumResponse_TopicData(
            topic.topic_name,
            [
                DescribeQuorumResponse_PartitionData(each.partition_index, error, NOTHING_ELSE)
                for each in topic.partitions
            ],
        )
        for topic in request.topics
    ]
    return DescribeQuorumResponse(0, "", topics)


def _replicas(quorum: Quorum, states: Iterable[ReplicaState], now_ms: int) -> list[DescribeQuorumResponse_ReplicaState]:
    found, offset_ms = [], quorum.wall_offset_ms
    for state in sorted(states, key=lambda state: state.key):
        end_offset, fetch_ms, caught_up_ms = state.end_offset, state.last_fetch_ms, state.last_caught_up_ms
        if state.key.matches(quorum.key):
            end_offset, fetch_ms, caught_up_ms = quorum.log.end_offset, now_ms, now_ms
        times = (-1 if at_ms < 0 else at_ms + offset_ms for at_ms in (fetch_ms, caught_up_ms))
        row = DescribeQuorumResponse_ReplicaState(*state.key, end_offset, *times)
        found.append(row)
    return found


def _answer(partition: DescribeQuorumResponse_PartitionData, quorum: Quorum) -> DescribeQuorumResponse:
    nodes = [
        DescribeQuorumResponse_Node(
            voter.key.node_id, [DescribeQuorumResponse_Listener(*endpoint) for endpoint in voter.endpoints]
        )
        for voter in quorum.voters
    ]
    return DescribeQuorumResponse(0, "", [DescribeQuorumResponse_TopicData(TOPIC, [partition])], nodes)
