"""Voters come, go and move, one at a time (KIP-853): AddRaftVoter, RemoveRaftVoter, UpdateRaftVoter.

    Add:     ApiVersions of the newcomer (does it run our kraft.version?) -> caught up? -> voters record -> committed
    Remove:  voters record -> committed; a leader that removed itself resigns then
    Update:  voters record; answered at once

A change is begun only when the one before is committed, and something of our own epoch too: so two majorities always
have a voter in common, across leaders as well. Each check has Kafka's error: REQUEST_TIMED_OUT means "not now".

Always true: at most one Add or Remove is pending; whoever asked for it is answered once, at the latest when leadership
ends. With kraft.version 0 voters are configuration: every change is UNSUPPORTED_VERSION, except the upgrade to version
1. For that each voter has told the leader its directory and endpoints by UpdateRaftVoter, which are remembered only.
"""

from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft import messages
from ottla.cluster.raft.config import KRAFT_VERSIONS
from ottla.cluster.raft.events import Upgraded, UpgradeKRaftVersion
from ottla.cluster.raft.leading import append_control
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import NEVER_MS, Follower, Leader
from ottla.cluster.raft.voters import Endpoint, VersionRange, Voter, VoterSet
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.control_records import KRaftVersionRecord
from ottla.protocol.messages.quorum import (
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    UpdateRaftVoterRequest,
    UpdateRaftVoterResponse,
    UpdateRaftVoterResponse_CurrentLeader,
)

KRAFT_VERSION: Final = "kraft.version"  # the feature, as ApiVersions names it
LISTENERS_MAX: Final = 100  # of one voter


@dataclass(slots=True)
class Pending:
    """A change that has been begun."""

    token: object
    is_removal: bool  # as opposed to an addition
    until_ms: int
    newcomer: Voter | None = None  # whose ApiVersions are awaited
    offset: int | None = None  # of the voters record, once it is written
    acknowledges_commit: bool = True  # else the record in the leader's log is enough (KIP-1186)
    is_answered: bool = False


class Membership:
    """The changes of voters that a leader is asked for."""

    __slots__ = ("_epoch", "_pending", "_told", "_told_epoch", "quorum")

    def __init__(self, quorum: Quorum) -> None:
        self.quorum = quorum
        self._pending: Pending | None = None
        self._epoch = -1  # in which the pending change was begun
        self._told: dict[int, Voter] = {}  # with kraft.version 0: what voters say of themselves
        self._told_epoch = -1

    # Requests

    def handle_add(self, request: AddRaftVoterRequest, token: object, now_ms: int) -> None:
        """Somebody is to vote."""
        quorum = self.quorum
        key = messages.replica_key(request.voter_id, request.voter_directory_id)
        endpoints = tuple(Endpoint(item.name, item.host, item.port) for item in request.listeners[:LISTENERS_MAX])
        newcomer = Voter(key, endpoints)
        error, why = self._refusal(request.cluster_id, None)
        if error == ErrorCode.NONE and not (key.node_id >= 0 and key.has_directory):
            error, why = ErrorCode.INVALID_REQUEST, "the request does not name a voter with its directory"
        node = newcomer.node(quorum.identity.listener_name)
        if error == ErrorCode.NONE and node is None:
            error, why = ErrorCode.INVALID_REQUEST, f"the voter has no listener {quorum.identity.listener_name}"
        if error == ErrorCode.NONE:
            error, why = self._obstacle()
        if error == ErrorCode.NONE and key.node_id in quorum.voters.ids:
            error, why = ErrorCode.DUPLICATE_VOTER, f"voter {key.node_id} is in {quorum.voters} already"
        if error == ErrorCode.NONE and node is not None and not quorum.connections.is_ready(node, now_ms):
            error, why = ErrorCode.REQUEST_TIMED_OUT, f"voter {key} cannot be asked now"
        if error != ErrorCode.NONE or node is None:
            return quorum.reply(token, AddRaftVoterResponse(0, error, why or None))
        until_ms = now_ms + quorum.config.request_timeout_ms
        pending = Pending(token, is_removal=False, until_ms=until_ms, newcomer=newcomer)
        pending.acknowledges_commit = request.ack_when_committed
        self._begin(pending)
        return quorum.send(node, ApiVersionsRequest(), now_ms)

    def handle_remove(self, request: RemoveRaftVoterRequest, token: object, now_ms: int) -> None:
        """Somebody is not to vote any more."""
        quorum = self.quorum
        key = messages.replica_key(request.voter_id, request.voter_directory_id)
        error, why = self._refusal(request.cluster_id, None)
        if error == ErrorCode.NONE and not (key.node_id >= 0 and key.has_directory):
            error, why = ErrorCode.INVALID_REQUEST, "the request does not name a voter with its directory"
        if error == ErrorCode.NONE:
            error, why = self._obstacle()
        voters = quorum.voters.removing(key) if error == ErrorCode.NONE else None
        if error == ErrorCode.NONE and voters is None:
            error, why = ErrorCode.VOTER_NOT_FOUND, f"{key} is none of {quorum.voters}, or the last of them"
        if voters is None:
            return quorum.reply(token, RemoveRaftVoterResponse(0, error, why or None))
        offset = append_control(quorum, [voters.to_record()], now_ms)
        until_ms = now_ms + quorum.config.request_timeout_ms
        return self._begin(Pending(token, is_removal=True, until_ms=until_ms, offset=offset))

    def handle_update(self, request: UpdateRaftVoterRequest, token: object, now_ms: int) -> None:
        """A voter says where it is, and what it can run."""
        quorum = self.quorum
        key = messages.replica_key(request.voter_id, request.voter_directory_id)
        endpoints = tuple(Endpoint(item.name, item.host, item.port) for item in request.listeners[:LISTENERS_MAX])
        feature = request.kraft_version_feature
        supported = VersionRange(feature.min_supported_version, feature.max_supported_version)
        voter = Voter(key, endpoints, supported)
        error, _ = self._refusal(request.cluster_id, request.current_leader_epoch)
        if error == ErrorCode.NONE:
            is_sound = key.node_id >= 0 and key.has_directory and 0 <= supported.min_version <= supported.max_version
            if not is_sound or voter.node(quorum.identity.listener_name) is None:
                error = ErrorCode.INVALID_REQUEST
        if error == ErrorCode.NONE:
            error, _ = self._obstacle()
            if error == ErrorCode.UNSUPPORTED_VERSION:
                error = ErrorCode.NONE  # it is remembered for an upgrade
        if error == ErrorCode.NONE and not supported.supports(quorum.history.kraft_version):
            error = ErrorCode.INVALID_REQUEST
        if error == ErrorCode.NONE:
            error = self._remember(voter) if quorum.history.kraft_version == 0 else self._update(voter, now_ms)
        if error == ErrorCode.NONE and isinstance(quorum.state, Leader):
            quorum.state.progress.heard_from(key, now_ms)  # whoever tells us this follows us
        return self._reply_update(token, error)

    def _update(self, voter: Voter, now_ms: int) -> ErrorCode:
        """The set with what a voter says of itself."""
        voters = self.quorum.voters.updating(voter)
        if voters is None:
            return ErrorCode.VOTER_NOT_FOUND
        append_control(self.quorum, [voters.to_record()], now_ms)
        return ErrorCode.NONE

    def _remember(self, voter: Voter) -> ErrorCode:
        """What an upgrade will need to know."""
        quorum = self.quorum
        if voter.key.node_id not in quorum.voters.ids:
            return ErrorCode.VOTER_NOT_FOUND
        if self._told_epoch != quorum.epoch:
            self._told, self._told_epoch = {}, quorum.epoch
        self._told[voter.key.node_id] = voter
        return ErrorCode.NONE

    def _reply_update(self, token: object, error: ErrorCode) -> None:
        quorum = self.quorum
        node = quorum.leader_node
        leader_id = -1 if quorum.leader_id is None else quorum.leader_id
        host, port = (node.host, node.port) if node else ("", 0)
        leader = UpdateRaftVoterResponse_CurrentLeader(leader_id, quorum.epoch, host, port)
        quorum.reply(token, UpdateRaftVoterResponse(0, error, leader))

    def handle_upgrade(self, event: UpgradeKRaftVersion, now_ms: int) -> None:
        """Voters are to stand in the log: a record of the version, and one of the voters, in one batch."""
        quorum = self.quorum
        error, why = self._upgrade_obstacle(event.version)
        if error == ErrorCode.NONE and event.version > quorum.history.kraft_version and not event.validate_only:
            others = (self._told[voter_id] for voter_id in quorum.voters.ids if voter_id != quorum.key.node_id)
            voters = VoterSet((quorum.own_voter(), *others))
            append_control(quorum, [KRaftVersionRecord(0, event.version), voters.to_record()], now_ms)
        quorum.effects.append(Upgraded(event.token, error, why))

    def _upgrade_obstacle(self, version: int) -> tuple[ErrorCode, str]:
        quorum = self.quorum
        error, why = self._refusal(None, None)
        if error != ErrorCode.NONE:
            return error, why
        current, state = quorum.history.kraft_version, quorum.state
        if version < current or version > KRAFT_VERSIONS.max_version:
            return ErrorCode.INVALID_UPDATE_VERSION, f"kraft.version cannot go from {current} to {version}"
        if version == current:
            return ErrorCode.NONE, ""
        if isinstance(state, Leader) and state.progress.high_watermark is None:
            return ErrorCode.REQUEST_TIMED_OUT, "the leader has not committed anything of its epoch yet"
        told = self._told if self._told_epoch == quorum.epoch else {}
        for voter_id in sorted(quorum.voters.ids - {quorum.key.node_id}):
            if voter_id not in told:
                return ErrorCode.INVALID_UPDATE_VERSION, f"voter {voter_id} has not said yet what it can run"
            if not told[voter_id].kraft_versions.supports(version):
                return ErrorCode.INVALID_UPDATE_VERSION, f"voter {voter_id} does not run kraft.version {version}"
        return ErrorCode.NONE, ""

    # Why not

    def _refusal(self, cluster_id: str | None, epoch: int | None) -> tuple[ErrorCode, str]:
        """Why the request is not for us at all."""
        quorum = self.quorum
        if not messages.is_for(cluster_id, quorum.identity.cluster_id):
            why = f"cluster id {cluster_id!r} is not ours, {quorum.identity.cluster_id!r}"
            return ErrorCode.INCONSISTENT_CLUSTER_ID, why
        error = quorum.refusal(quorum.epoch if epoch is None else epoch)
        return error, "" if error == ErrorCode.NONE else "this controller does not lead"

    def _obstacle(self) -> tuple[ErrorCode, str]:
        """Why no change can begin now."""
        quorum = self.quorum
        state = quorum.state
        assert isinstance(state, Leader)
        if self._pending is not None:
            return ErrorCode.REQUEST_TIMED_OUT, "the change of voters before this one is not done yet"
        high_watermark = state.progress.high_watermark
        if high_watermark is None:
            return ErrorCode.REQUEST_TIMED_OUT, "the leader has not committed anything of its epoch yet"
        if quorum.history.kraft_version == 0:
            return ErrorCode.UNSUPPORTED_VERSION, "voters are changed with kraft.version 1 or later; it is 0"
        offset = quorum.history.voters_offset
        if offset is None or offset >= high_watermark:
            return ErrorCode.REQUEST_TIMED_OUT, f"the set of voters at offset {offset} is not committed yet"
        return ErrorCode.NONE, ""

    # What becomes of it

    def handle_versions(self, node_id: int, response: ApiVersionsResponse, now_ms: int) -> bool:
        """What the newcomer can run. False if it did not say."""
        pending = self._pending
        if pending is None or pending.newcomer is None or pending.newcomer.key.node_id != node_id:
            return True
        if response.error_code != ErrorCode.NONE:
            self._finish(ErrorCode.REQUEST_TIMED_OUT, f"ApiVersions answered error {response.error_code}")
            return False
        newcomer, quorum, state = pending.newcomer, self.quorum, self.quorum.state
        assert isinstance(state, Leader)
        supported = VersionRange()
        for feature in response.supported_features:
            if feature.name == KRAFT_VERSION:
                supported = VersionRange(feature.min_version, feature.max_version)
        if not supported.supports(quorum.history.kraft_version):
            self._finish(
                ErrorCode.INVALID_REQUEST,
                f"{newcomer.key} runs kraft.version {supported.min_version} to {supported.max_version}, "
                f"not {quorum.history.kraft_version}",
            )
        elif not state.progress.is_caught_up(newcomer.key, now_ms):
            self._finish(ErrorCode.REQUEST_TIMED_OUT, f"{newcomer.key} is behind the leader")
        else:
            voters: VoterSet = quorum.voters.adding(Voter(newcomer.key, newcomer.endpoints, supported))
            pending.newcomer, pending.offset = None, append_control(quorum, [voters.to_record()], now_ms)
            if not pending.acknowledges_commit:
                self._answer(pending, ErrorCode.NONE, "")
        return True

    def poll(self, now_ms: int) -> int:
        """Answer what is committed, too late, or void because we do not lead any more; when to look again."""
        state = self.quorum.state
        pending = self._pending
        if pending is not None and (not isinstance(state, Leader) or state.epoch != self._epoch):
            self._finish(ErrorCode.NOT_LEADER_OR_FOLLOWER, "this controller does not lead any more")
        elif pending is not None and isinstance(state, Leader):
            high_watermark = state.progress.high_watermark or 0
            if pending.offset is not None and high_watermark > pending.offset:
                self._finish(ErrorCode.NONE, "")
            elif now_ms >= pending.until_ms:
                self._finish(ErrorCode.REQUEST_TIMED_OUT, "the change of voters is not committed in time")
        if isinstance(state, Leader) and not state.progress.is_voter and self._is_committed(state):
            state.is_resigning = True
        return self._pending.until_ms if self._pending else NEVER_MS

    def _is_committed(self, state: Leader) -> bool:
        offset = self.quorum.history.voters_offset
        return offset is not None and (state.progress.high_watermark or 0) > offset

    def _begin(self, pending: Pending) -> None:
        self._pending, self._epoch = pending, self.quorum.epoch

    def _finish(self, error: ErrorCode, why: str) -> None:
        pending, self._pending = self._pending, None
        assert pending is not None
        self._answer(pending, error, why)

    def _answer(self, pending: Pending, error: ErrorCode, why: str) -> None:
        if pending.is_answered:
            return
        pending.is_answered = True
        kind = RemoveRaftVoterResponse if pending.is_removal else AddRaftVoterResponse
        response: Message = kind(0, error, why or None)
        self.quorum.reply(pending.token, response)


def update_request(quorum: Quorum) -> UpdateRaftVoterRequest | None:
    """What to tell the leader, if the set of voters says something else of us than is true."""
    own, state = quorum.own_voter(), quorum.state
    if quorum.history.kraft_version == 0:
        is_told = not isinstance(state, Follower) or state.has_told
    else:
        is_told = quorum.voters.get(own.key.node_id) == own
    if is_told:
        return None
    return messages.update_request(quorum.identity.cluster_id, own, quorum.epoch)


def join_request(quorum: Quorum) -> AddRaftVoterRequest | RemoveRaftVoterRequest | None:
    """What a controller asks that is no voter and is to be one: first that its former life be removed (KIP-1186)."""
    own, may_join = quorum.own_voter(), quorum.config.auto_join and quorum.identity.is_controller
    if quorum.history.kraft_version == 0 or not may_join or quorum.is_voter:
        return None
    former = quorum.voters.get(own.key.node_id)
    if former is not None:
        return RemoveRaftVoterRequest(quorum.identity.cluster_id, former.key.node_id, former.key.directory_id)
    return messages.add_request(quorum.identity.cluster_id, own, quorum.config.request_timeout_ms)
