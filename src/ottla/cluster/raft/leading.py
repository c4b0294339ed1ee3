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
    version, own = quorum.history.kraft_version, quorum.own_voter()
    # The voters may stand in our bootstrap snapshot alone, or at an address where we are not any more: a leader tells
    # nobody else of that (followers have UpdateRaftVoter). From here on the truth is in everybody's log.
    is_untold = quorum.history.voters_offset == BOOTSTRAP_OFFSET or quorum.voters.get(own.key.node_id) != own
    if version >= 1 and is_untold:
        assert KRAFT_VERSIONS.supports(version)
        voters = quorum.voters.updating(own)
        assert voters is not None
        records += [KRaftVersionRecord(0, version), voters.to_record()]
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
    """BeginQuorumEpoch to all other voters that did not fetch for a while: the others know it."""
    state, period_ms = quorum.state, quorum.config.begin_epoch_period_ms
    assert isinstance(state, Leader)
    for voter in quorum.voters:
        node, fetch_ms = quorum.node_of(voter.key.node_id), state.progress.voters[voter.key.node_id].last_fetch_ms
        if voter.key.node_id == quorum.key.node_id or (0 <= now_ms - fetch_ms < period_ms and fetch_ms >= 0):
            continue
        if node is None or not quorum.connections.is_ready(node, now_ms):
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
