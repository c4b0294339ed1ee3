"""Leading: the epoch's first record, appends, syncs, telling the voters, and giving up when they are gone.

A leader writes a LeaderChange before anything else: entries of older epochs are committed only along with one of its
own. What is appended is in the log at once, for followers to fetch, and is synced after the linger, in one go with
whatever came meanwhile; the leader counts itself only for what is synced.

Always true: the leader's log only grows; `Append` comes from our own state machine, which was told that we lead; the
leader resigns when for one and a half fetch timeouts no majority of voters has fetched (check-quorum).
"""

import logging

from ottla.cluster.raft import messages
from ottla.cluster.raft.config import KRAFT_VERSIONS
from ottla.cluster.raft.control import control_batch, leader_change, voter_changes
from ottla.cluster.raft.events import Append
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import NEVER_MS, Leader, Resigned
from ottla.cluster.raft.voter_history import BOOTSTRAP_OFFSET
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.control_records import KRaftVersionRecord
from ottla.protocol.records.columns import Bytes

logger = logging.getLogger(__name__)


def start_leading(quorum: Quorum, granting: list[int], now_ms: int) -> None:
    """We are elected."""
    quorum.become_leader(now_ms)
    records: list[Message] = [leader_change(quorum.key.node_id, quorum.voters, granting)]
    if quorum.history.kraft_version >= 1 and quorum.history.voters_offset == BOOTSTRAP_OFFSET:
        # The voters stand in our bootstrap snapshot alone: from here on they are in everybody's log.
        assert quorum.history.kraft_version in range(KRAFT_VERSIONS.min_version, KRAFT_VERSIONS.max_version + 1)
        records += [KRaftVersionRecord(0, quorum.history.kraft_version), quorum.voters.to_record()]
    append_control(quorum, records, now_ms)
    quorum.enter(quorum.state)
    logger.info("Leads the quorum", extra={"epoch": quorum.epoch, "start_offset": quorum.log.end_offset})


def append_control(quorum: Quorum, records: list[Message], now_ms: int) -> int:
    """Write records of the quorum's own, to be synced at once. Answers the offset of the last."""
    section = control_batch(records, quorum.log.end_offset, quorum.epoch, now_ms + quorum.wall_offset_ms)
    _append(quorum, section, now_ms, linger_ms=0)
    return quorum.log.end_offset - 1


def handle_append(quorum: Quorum, event: Append, now_ms: int) -> None:
    """Our state machine has records."""
    assert isinstance(quorum.state, Leader), f"an append in state {quorum.state}"
    assert event.epoch == quorum.epoch, f"an append of epoch {event.epoch} in {quorum.epoch}"
    _append(quorum, event.section, now_ms, quorum.config.append_linger_ms)


def _append(quorum: Quorum, section: Bytes, now_ms: int, linger_ms: int) -> None:
    state = quorum.state
    assert isinstance(state, Leader)
    changes, _ = voter_changes(section)
    quorum.log.append(section, state.epoch)
    quorum.learn_voters(changes)
    state.sync_ms = min(state.sync_ms, now_ms + linger_ms)


def handle_synced(quorum: Quorum, now_ms: int) -> None:
    """More of our own log is safe."""
    state = quorum.state
    if isinstance(state, Leader) and state.progress.synced(quorum.durability.synced_offset, now_ms):
        on_high_watermark(quorum)


def on_high_watermark(quorum: Quorum) -> None:
    """The majority has more."""
    state = quorum.state
    assert isinstance(state, Leader)
    assert state.progress.high_watermark is not None
    quorum.advance_high_watermark(state.progress.high_watermark)


def poll_leader(quorum: Quorum, now_ms: int) -> int:
    """Sync what has waited long enough, tell the voters who leads; answers when to be asked again."""
    state = quorum.state
    assert isinstance(state, Leader)
    if state.is_resigning or quorum.shutdown_until_ms is not None or now_ms >= state.progress.check_quorum_ms:
        if now_ms >= state.progress.check_quorum_ms:
            logger.warning("Resigns: no majority of voters fetches any more", extra={"epoch": quorum.epoch})
        quorum.become_resigned(now_ms)
        return now_ms
    if now_ms >= state.sync_ms and not quorum.durability.is_busy:
        sync = quorum.durability.sync(quorum.log.end_offset)
        if sync is not None:
            quorum.effects.append(sync)
        state.sync_ms = NEVER_MS
    if now_ms >= state.begin_epoch_ms:
        _tell_voters(quorum, now_ms)
        state.begin_epoch_ms = now_ms + quorum.config.begin_epoch_period_ms
    sync_ms = NEVER_MS if quorum.durability.is_busy else state.sync_ms
    return min(sync_ms, state.begin_epoch_ms, state.progress.check_quorum_ms)


def _tell_voters(quorum: Quorum, now_ms: int) -> None:
    """BeginQuorumEpoch to all other voters: also to those that follow already, as a sign of life they may miss."""
    for voter in quorum.voters:
        node = quorum.node_of(voter.key.node_id)
        if voter.key.node_id == quorum.key.node_id or node is None or not quorum.connections.is_ready(node, now_ms):
            continue
        request = messages.begin_request(
            quorum.identity.cluster_id, voter.key, quorum.key.node_id, quorum.epoch, quorum.identity.endpoints
        )
        quorum.send(node, request, now_ms)


def poll_resigned(quorum: Quorum, now_ms: int) -> int:
    """Tell the voters that nobody leads; then wait until another does, or for the next epoch."""
    state = quorum.state
    assert isinstance(state, Resigned)
    if quorum.shutdown_until_ms is None and now_ms >= state.election_deadline_ms:
        quorum.become_unattached(state.epoch + 1, now_ms)
        return now_ms
    next_ms = state.election_deadline_ms if quorum.shutdown_until_ms is None else NEVER_MS
    for voter_id in sorted(state.unacknowledged):
        node = quorum.node_of(voter_id)
        if node is None:
            continue
        if quorum.connections.is_ready(node, now_ms):
            request = messages.end_request(
                quorum.identity.cluster_id, quorum.key.node_id, state.epoch, state.successors, quorum.identity.endpoints
            )
            quorum.send(node, request, now_ms)
        next_ms = min(next_ms, quorum.connections.ready_at_ms(node))
    return next_ms
