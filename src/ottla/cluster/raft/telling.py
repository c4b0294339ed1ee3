"""What others tell us of epoch and leader: in answers, in BeginQuorumEpoch, and in EndQuorumEpoch.

Always true: an epoch has one leader. Who claims another one for our epoch is wrong, whoever that is: nothing is learned
from it, and if it was a request it is answered with INCONSISTENT_VOTER_SET, since two leaders of an epoch come only of
two sets of voters that do not know each other.
"""

import logging
from collections.abc import Sequence

from ottla.cluster.raft import messages
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import Follower, Leader
from ottla.cluster.raft.voters import Node, ReplicaKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.quorum import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochRequest_LeaderEndpoint,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochRequest_LeaderEndpoint,
    EndQuorumEpochResponse,
)

logger = logging.getLogger(__name__)


def learn(quorum: Quorum, leader_id: int | None, epoch: int, node: Node | None, now_ms: int) -> bool:
    """Somebody says so. False if it cannot be: there is another leader in our epoch."""
    if leader_id is not None and node is None:
        node = quorum.node_of(leader_id)
    if epoch < quorum.epoch:
        return True
    if leader_id == quorum.key.node_id:
        if epoch > quorum.epoch:  # we never led in an epoch that we have not been in, unless we lost our disk
            quorum.become_unattached(epoch, now_ms, leader_id)
        return True
    if epoch > quorum.epoch:
        if node is not None:
            quorum.become_follower(epoch, node, now_ms)
        else:
            quorum.become_unattached(epoch, now_ms, leader_id)
        return True
    if leader_id is None:
        return True
    if quorum.leader_id not in (None, leader_id):
        logger.error(
            "Two leaders are claimed for one epoch",
            extra={"epoch": epoch, "leader_id": quorum.leader_id, "claimed_leader_id": leader_id},
        )
        return False
    if node is not None and quorum.leader_node is None:
        quorum.become_follower(epoch, node, now_ms)
    return True


def hear_from_leader(quorum: Quorum, node: Node | None) -> None:
    """The leader itself says where it is. Others may say, of one that has moved, where it was."""
    state = quorum.state
    if isinstance(state, Follower) and node is not None and node.node_id == state.leader.node_id:
        state.leader = node


def handle_begin(quorum: Quorum, request: BeginQuorumEpochRequest, token: object, now_ms: int) -> None:
    """Somebody was elected."""
    if not messages.is_for(request.cluster_id, quorum.identity.cluster_id):
        return quorum.reply(token, BeginQuorumEpochResponse(ErrorCode.INCONSISTENT_CLUSTER_ID))
    told = messages.begin_partition(request)
    if told is None:
        return quorum.reply(token, BeginQuorumEpochResponse(ErrorCode.INVALID_REQUEST))
    error = _fault(quorum, told.leader_id, told.leader_epoch)
    if error == ErrorCode.NONE:
        node = _node(quorum, told.leader_id, request.leader_endpoints)
        if not learn(quorum, told.leader_id, told.leader_epoch, node, now_ms):
            error = ErrorCode.INCONSISTENT_VOTER_SET
        elif not messages.is_addressed_to(quorum.key, request.voter_id, told.voter_directory_id):
            error = ErrorCode.INVALID_VOTER_KEY
        if error != ErrorCode.INCONSISTENT_VOTER_SET:
            hear_from_leader(quorum, node)
    response = messages.begin_response(error, quorum.leader_id, quorum.epoch, quorum.leader_node)
    return quorum.reply(token, response)


def handle_end(quorum: Quorum, request: EndQuorumEpochRequest, token: object, now_ms: int) -> None:
    """The leader resigned: look for the next one, the sooner the further up we stand in its list."""
    if not messages.is_for(request.cluster_id, quorum.identity.cluster_id):
        return quorum.reply(token, EndQuorumEpochResponse(ErrorCode.INCONSISTENT_CLUSTER_ID))
    told = messages.end_partition(request)
    if told is None:
        return quorum.reply(token, EndQuorumEpochResponse(ErrorCode.INVALID_REQUEST))
    error = _fault(quorum, told.leader_id, told.leader_epoch)
    if error == ErrorCode.NONE:
        node = _node(quorum, told.leader_id, request.leader_endpoints)
        if not learn(quorum, told.leader_id, told.leader_epoch, node, now_ms):
            error = ErrorCode.INCONSISTENT_VOTER_SET
    state = quorum.state
    if error == ErrorCode.NONE and isinstance(state, Follower) and state.leader.node_id == told.leader_id:
        successors = [messages.replica_key(key.candidate_id, key.candidate_directory_id)
                      for key in told.preferred_candidates]  # fmt: skip
        successors = successors or [ReplicaKey(node_id) for node_id in told.preferred_successors]
        state.fetch_deadline_ms = now_ms + succession_backoff_ms(
            quorum.key, successors, quorum.config.election_backoff_max_ms
        )
        state.has_fetched, state.has_resigned = False, True  # whoever stands for election now disturbs nobody
    response = messages.end_response(error, quorum.leader_id, quorum.epoch, quorum.leader_node)
    return quorum.reply(token, response)


def succession_backoff_ms(own: ReplicaKey, successors: Sequence[ReplicaKey], backoff_max_ms: int) -> int:
    """How long to wait before standing for election: the first not at all, each further one twice as long."""
    for position, key in enumerate(successors):
        if key.node_id == own.node_id and (not key.has_directory or key.directory_id == own.directory_id):
            if position == 0:
                return 0
            least_ms = backoff_max_ms >> (len(successors) - 1)
            return min(backoff_max_ms, least_ms << (position - 1))
    return backoff_max_ms


def _fault(quorum: Quorum, leader_id: int, epoch: int) -> ErrorCode:
    if epoch < quorum.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if leader_id < 0 or (leader_id == quorum.key.node_id and not isinstance(quorum.state, Leader)):
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


Endpoints = Sequence[BeginQuorumEpochRequest_LeaderEndpoint] | Sequence[EndQuorumEpochRequest_LeaderEndpoint]


def _node(quorum: Quorum, leader_id: int, endpoints: Endpoints) -> Node | None:
    """Where the leader says it is, by the listener that we use."""
    for endpoint in endpoints:
        if endpoint.name == quorum.identity.listener_name:
            return Node(leader_id, endpoint.host, endpoint.port)
    return None
