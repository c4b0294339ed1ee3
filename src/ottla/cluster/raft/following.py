"""Following: fetch from the leader, append what comes, cut what diverges, take a snapshot where the log is too old.

A fetch from an offset tells the leader that everything below is on our disk, so the next one waits for the sync of what
the last one brought. What the leader sends is believed only as far as it can be true: a cut below the high watermark, a
snapshot older than it, or batches that do not fit are a fault of whoever sent them, and are left alone.

Always true: nothing committed is ever cut; a follower that was told to cut is at a barrier until that is done;
observers, who never stand for election, ask any bootstrap server or voter when their leader is silent.
"""

import logging
from collections.abc import Sequence

from ottla.cluster.raft import messages
from ottla.cluster.raft.control import voter_changes
from ottla.cluster.raft.events import Committed, InstallSnapshot, Truncate, WriteSnapshot
from ottla.cluster.raft.log import OffsetAndEpoch, truncation_offset
from ottla.cluster.raft.membership import join_request, update_request
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import NEVER_MS, FetchingSnapshot, Follower, Unattached
from ottla.cluster.raft.voters import Node
from ottla.errors import PeerError
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse_PartitionData, FetchResponse_SnapshotId
from ottla.protocol.messages.quorum import (
    AddRaftVoterResponse,
    FetchSnapshotResponse_PartitionSnapshot,
    RemoveRaftVoterResponse,
    UpdateRaftVoterResponse,
)
from ottla.protocol.records.columns import Bytes

logger = logging.getLogger(__name__)


def handle_fetch_response(
    quorum: Quorum, request: FetchRequest, partition: FetchResponse_PartitionData, now_ms: int
) -> bool:
    """The leader answered, in our epoch and without an error. False if it is not to be believed."""
    state = quorum.state
    asked_offset = request.topics[0].partitions[0].fetch_offset
    if not isinstance(state, Follower) or asked_offset != quorum.log.end_offset:
        return True  # an observer asked two, and the other's answer came first
    if partition.diverging_epoch.epoch >= 0:
        end = OffsetAndEpoch(partition.diverging_epoch.end_offset, partition.diverging_epoch.epoch)
        is_good = _cut(quorum, end)
    elif partition.snapshot_id.epoch >= 0 or partition.snapshot_id.end_offset >= 0:
        is_good = _begin_snapshot(quorum, state, partition.snapshot_id)
    else:
        records = partition.records
        assert records is None or isinstance(records, bytes | bytearray | memoryview)
        is_good = not records or _append(quorum, records)
        if is_good:
            quorum.advance_high_watermark(partition.high_watermark)
    if is_good and not state.has_resigned:
        state.fetch_deadline_ms = now_ms + quorum.config.fetch_timeout_ms
        state.has_fetched = True
    return is_good


def _cut(quorum: Quorum, end: OffsetAndEpoch) -> bool:
    """Cut the log where it ceases to be the leader's."""
    offset = truncation_offset(quorum.log, end)
    if offset < quorum.log.high_watermark or offset >= quorum.log.end_offset or offset < quorum.log.start_offset:
        logger.error(
            "The leader wants a cut that cannot be right",
            extra={"offset": offset, "diverging": str(end), "high_watermark": quorum.log.high_watermark},
        )
        return False
    quorum.effects.append(Truncate(offset))
    quorum.durability.truncated(offset)
    quorum.history.truncate(offset)
    return True


def _append(quorum: Quorum, records: Bytes) -> bool:
    """Append what the leader has."""
    try:
        changes, _ = voter_changes(records)
        quorum.log.append(records, quorum.epoch)
    except PeerError as error:
        logger.error("The leader sent what cannot be appended", extra={"reason": str(error)})  # noqa: TRY400
        return False
    quorum.learn_voters(changes)
    return True


def _begin_snapshot(quorum: Quorum, state: Follower, name: FetchResponse_SnapshotId) -> bool:
    """What we need next is only in a snapshot."""
    snapshot_id = OffsetAndEpoch(name.end_offset, name.epoch)
    if min(snapshot_id) < 0 or snapshot_id.offset <= quorum.log.high_watermark:
        logger.error("The leader offers a snapshot that is no use", extra={"snapshot": str(snapshot_id)})
        return False
    state.snapshot = FetchingSnapshot(snapshot_id)
    return True


def handle_snapshot_response(quorum: Quorum, partition: FetchSnapshotResponse_PartitionSnapshot, now_ms: int) -> bool:
    """A piece of the snapshot. False if it is none that we asked for."""
    state = quorum.state
    if not isinstance(state, Follower) or state.snapshot is None:
        return True
    fetching = state.snapshot
    if partition.error_code == ErrorCode.SNAPSHOT_NOT_FOUND:
        state.snapshot = None  # the leader has a newer one by now, and will say so
        state.fetch_deadline_ms = now_ms + quorum.config.fetch_timeout_ms
        return True
    snapshot_id = OffsetAndEpoch(partition.snapshot_id.end_offset, partition.snapshot_id.epoch)
    data = partition.unaligned_records
    assert data is None or isinstance(data, bytes | bytearray | memoryview)
    position = fetching.position
    if snapshot_id != fetching.snapshot_id or partition.position != position or not data:
        return False
    if position + len(data) > partition.size:
        return False
    quorum.effects.append(WriteSnapshot(snapshot_id, position, data))
    fetching.position += len(data)
    state.fetch_deadline_ms = now_ms + quorum.config.fetch_timeout_ms
    if fetching.position == partition.size:
        quorum.effects.append(InstallSnapshot(snapshot_id))
        quorum.durability.installed(snapshot_id.offset)
    return True


def handle_voter_response(
    quorum: Quorum, response: AddRaftVoterResponse | RemoveRaftVoterResponse | UpdateRaftVoterResponse, now_ms: int
) -> bool:
    """What the leader says of our request to vote, or of where we are. What failed is asked again in its time."""
    error, state = response.error_code, quorum.state
    if isinstance(response, UpdateRaftVoterResponse):
        if error not in (ErrorCode.NONE, ErrorCode.UNSUPPORTED_VERSION) or not isinstance(state, Follower):
            return False
        state.has_told = True
        state.fetch_deadline_ms = now_ms + quorum.config.fetch_timeout_ms
        return True
    done = ErrorCode.DUPLICATE_VOTER if isinstance(response, AddRaftVoterResponse) else ErrorCode.VOTER_NOT_FOUND
    return error in (ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT, done)


def snapshot_installed(quorum: Quorum) -> None:
    """The snapshot stands for the log's beginning now."""
    state = quorum.state
    assert isinstance(state, Follower)
    assert state.snapshot is not None
    snapshot_id, state.snapshot = state.snapshot.snapshot_id, None
    assert quorum.log.latest_snapshot == snapshot_id, f"{snapshot_id} was not installed"
    assert quorum.log.high_watermark == quorum.log.end_offset == snapshot_id.offset
    quorum.load_snapshot_voters(snapshot_id)
    quorum.effects.append(Committed(snapshot_id.offset))


# Asking


def poll_follower(quorum: Quorum, now_ms: int) -> int:
    """Fetch on; a voter that hears nothing looks for another leader. Answers when to be asked again."""
    state = quorum.state
    assert isinstance(state, Follower)
    if now_ms >= state.fetch_deadline_ms and quorum.is_voter:
        if quorum.shutdown_until_ms is not None:
            return NEVER_MS
        quorum.become_prospective(now_ms)
        return now_ms
    deadline_ms = state.fetch_deadline_ms if quorum.is_voter else NEVER_MS
    if not _is_synced(quorum):
        return deadline_ms
    if quorum.is_voter and quorum.connections.is_failing(state.leader, now_ms):
        deadline_ms = min(deadline_ms, ask_bootstrap(quorum, now_ms))
    if not quorum.is_voter:
        is_silent = now_ms >= state.fetch_deadline_ms or quorum.connections.is_failing(state.leader, now_ms)
        if is_silent:
            return _ask_anybody(quorum, _askable(quorum), now_ms)
        deadline_ms = state.fetch_deadline_ms
    if quorum.connections.is_ready(state.leader, now_ms):
        request = None
        if now_ms >= state.update_voter_ms:
            state.update_voter_ms = now_ms + quorum.config.fetch_timeout_ms
            request = update_request(quorum) if quorum.is_voter else join_request(quorum)
        quorum.send(state.leader, request or _next_request(quorum, state), now_ms)
    return min(deadline_ms, quorum.connections.ready_at_ms(state.leader))


def hear_of_leader(quorum: Quorum, leader_id: int | None, source_id: int, now_ms: int) -> None:
    """Somebody else named our leader: an observer that had given it up tries it again, for its fetch timeout.

    Otherwise it would ask those who do not lead for ever. A voter does not trust hearsay: it stands for election.
    """
    state = quorum.state
    if isinstance(state, Follower) and not quorum.is_voter and state.leader.node_id == leader_id != source_id:
        state.fetch_deadline_ms = now_ms + quorum.config.fetch_timeout_ms


def poll_observer(quorum: Quorum, now_ms: int) -> int:
    """An observer without a leader asks whoever may know one."""
    assert isinstance(quorum.state, Unattached)
    return _ask_anybody(quorum, _askable(quorum), now_ms) if _is_synced(quorum) else NEVER_MS


def ask_bootstrap(quorum: Quorum, now_ms: int) -> int:
    """A voter asks the bootstrap servers: they know of a leader that does not know where we are, or has moved."""
    return _ask_anybody(quorum, quorum.identity.bootstrap, now_ms) if _is_synced(quorum) else NEVER_MS


def _is_synced(quorum: Quorum) -> bool:
    """Whether we may say what we have; if not, see to it. Nobody counts on what a mere broker has."""
    if not quorum.identity.is_controller and not quorum.is_voter:
        return True
    sync = quorum.durability.sync(quorum.log.end_offset)
    if sync is not None:
        quorum.effects.append(sync)
    return quorum.durability.synced_offset >= quorum.log.end_offset


def _next_request(quorum: Quorum, state: Follower) -> Message:
    cluster_id, config = quorum.identity.cluster_id, quorum.config
    if state.snapshot is None:
        high_watermark = quorum.log.high_watermark
        return messages.fetch_request(
            cluster_id,
            quorum.key,
            state.epoch,
            quorum.end,
            high_watermark=high_watermark,
            max_bytes=config.fetch_max_bytes,
        )
    snapshot_id, position = state.snapshot.snapshot_id, state.snapshot.position
    max_bytes = config.fetch_snapshot_max_bytes
    return messages.snapshot_request(cluster_id, quorum.key, state.epoch, snapshot_id, position, max_bytes=max_bytes)


def _ask_anybody(quorum: Quorum, nodes: Sequence[Node], now_ms: int) -> int:
    """Fetch from one who is ready, drawn by chance: it answers, or says who leads. One question at a time.

    Whoever did not know earns all of them the pause, or else hundreds of brokers without a leader, each of which asks
    the next one at once, would keep the voters from electing one.
    """
    if not nodes:
        return NEVER_MS
    connections = quorum.connections
    due_ms = connections.next_due_ms(now_ms)
    if due_ms is not None:
        return due_ms
    leader = quorum.leader_node
    others = (node for node in nodes if node != leader and connections.is_failing(node, now_ms))
    due_ms = max((connections.ready_at_ms(node) for node in others), default=now_ms)
    if due_ms > now_ms:
        return due_ms
    ready = [node for node in nodes if quorum.connections.is_ready(node, now_ms)]
    if ready:
        request = messages.fetch_request(
            quorum.identity.cluster_id,
            quorum.key,
            quorum.epoch,
            quorum.end,
            high_watermark=quorum.log.high_watermark,
            max_bytes=quorum.config.fetch_max_bytes,
        )
        quorum.send(ready[quorum.draw(len(ready))], request, now_ms)
    return min(at_ms for node in nodes if (at_ms := quorum.connections.ready_at_ms(node)) > now_ms)


def _askable(quorum: Quorum) -> list[Node]:
    nodes = [quorum.node_of(voter_id) for voter_id in quorum.voters.ids if voter_id != quorum.key.node_id]
    return [*quorum.identity.bootstrap, *(node for node in nodes if node is not None)]
