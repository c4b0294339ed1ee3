"""What a leader answers those who read from it: Fetch, with divergence, and FetchSnapshot.

A fetch tells how far the reader is, so answering it is what moves the high watermark. One that finds nothing new waits
until there is something: records, or a high watermark above the one that the reader knows (KIP-1166); at most for as
long as it allows. Whoever asks again has given up on its last question, which is answered emptily.

Always true: at most `PARKED_MAX` fetches wait; when leadership ends, all of them are answered; a reader whose log is no
part of ours is told where to cut, and counts for nothing until it has.
"""

from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft import messages
from ottla.cluster.raft.leading import on_high_watermark
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT, Agrees, Diverges, OffsetAndEpoch, agreement
from ottla.cluster.raft.quorum import Quorum
from ottla.cluster.raft.states import NEVER_MS, Leader
from ottla.cluster.raft.voters import ReplicaKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.produce_fetch import (
    FetchRequest,
    FetchRequest_FetchPartition,
    FetchResponse,
    FetchResponse_EpochEndOffset,
    FetchResponse_PartitionData,
    FetchResponse_SnapshotId,
)
from ottla.protocol.messages.quorum import FetchSnapshotRequest, FetchSnapshotResponse

PARKED_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class Parked:
    """A fetch that waits."""

    token: object
    key: ReplicaKey
    offset: int
    high_watermark: int  # that the reader knows
    max_bytes: int
    until_ms: int


class Serving:
    """The fetches that wait."""

    __slots__ = ("_parked", "quorum")

    def __init__(self, quorum: Quorum) -> None:
        self.quorum = quorum
        self._parked: dict[object, Parked] = {}  # by replica; readers without an id by their token

    # Fetch

    def handle_fetch(self, request: FetchRequest, token: object, now_ms: int) -> None:
        """Somebody wants what follows the end of its log."""
        quorum = self.quorum
        if not messages.is_for(request.cluster_id, quorum.identity.cluster_id):
            return quorum.reply(token, FetchResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID))
        asked = messages.fetch_partition(request)
        if asked is None:
            return quorum.reply(token, FetchResponse(error_code=ErrorCode.INVALID_REQUEST))
        node_id = request.replica_id if request.replica_id >= 0 else request.replica_state.replica_id
        key = messages.replica_key(node_id, asked.replica_directory_id)
        error = _fault(request, asked)
        if error == ErrorCode.NONE:
            error = quorum.refusal(asked.current_leader_epoch)
        if error != ErrorCode.NONE:
            return self._refuse(token, error)
        return self._serve(request, asked, key, token, now_ms)

    def _serve(
        self, request: FetchRequest, asked: FetchRequest_FetchPartition, key: ReplicaKey, token: object, now_ms: int
    ) -> None:
        """The fetch of a reader that knows who leads."""
        quorum = self.quorum
        state = quorum.state
        assert isinstance(state, Leader)
        agrees = agreement(quorum.log, asked.fetch_offset, asked.last_fetched_epoch)
        if not isinstance(agrees, Agrees):
            return self._answer(token, self._disagreement(agrees))
        if key.node_id == quorum.key.node_id:
            return self._refuse(token, ErrorCode.INVALID_REQUEST)  # somebody with our id: it must not count as us
        if key.node_id >= 0 and state.progress.fetched(key, asked.fetch_offset, quorum.log.end_offset, now_ms):
            on_high_watermark(quorum)
        known = -1 if state.progress.high_watermark is None else state.progress.high_watermark
        is_news = asked.fetch_offset < quorum.log.end_offset or asked.high_watermark < known
        parked = Parked(
            token, key, asked.fetch_offset, asked.high_watermark, request.max_bytes, now_ms + request.max_wait_ms
        )
        place = key if key.node_id >= 0 else token
        if place in self._parked:
            self._complete(self._parked.pop(place))
        if is_news or request.max_wait_ms == 0 or len(self._parked) >= PARKED_MAX:
            return self._complete(parked)
        self._parked[place] = parked
        return None

    def _disagreement(self, how: object) -> FetchResponse_PartitionData:
        partition = FetchResponse_PartitionData(high_watermark=self._high_watermark(), records=b"")
        if isinstance(how, Diverges):
            partition.diverging_epoch = FetchResponse_EpochEndOffset(how.end.epoch, how.end.offset)
        else:
            latest = self.quorum.log.latest_snapshot
            assert latest is not None
            partition.snapshot_id = FetchResponse_SnapshotId(*latest)
        return partition

    def _complete(self, parked: Parked) -> None:
        records = self.quorum.log.read(parked.offset, parked.max_bytes)
        partition = FetchResponse_PartitionData(high_watermark=self._high_watermark(), records=records)
        self._answer(parked.token, partition)

    def _high_watermark(self) -> int:
        state = self.quorum.state
        assert isinstance(state, Leader)
        return -1 if state.progress.high_watermark is None else state.progress.high_watermark

    def _answer(self, token: object, partition: FetchResponse_PartitionData) -> None:
        quorum = self.quorum
        partition.log_start_offset = quorum.log.start_offset
        response = messages.fetch_response(partition, quorum.leader_id, quorum.epoch, quorum.leader_node)
        quorum.reply(token, response)

    def _refuse(self, token: object, error: ErrorCode) -> None:
        self._answer(token, FetchResponse_PartitionData(error_code=error, high_watermark=-1, records=b""))

    # Those who wait

    def poll(self, now_ms: int) -> int:
        """Answer those for whom there is something, or whose time is up; when the next one's is."""
        if not self._parked:
            return NEVER_MS
        if not isinstance(self.quorum.state, Leader):
            self._abandon()
            return NEVER_MS
        end_offset, high_watermark = self.quorum.log.end_offset, self._high_watermark()
        for place, parked in list(self._parked.items()):
            if parked.offset < end_offset or parked.high_watermark < high_watermark or now_ms >= parked.until_ms:
                del self._parked[place]
                self._complete(parked)
        return min((parked.until_ms for parked in self._parked.values()), default=NEVER_MS)

    def _abandon(self) -> None:
        """We lead no more."""
        parked, self._parked = self._parked, {}
        for waiting in parked.values():
            self._refuse(waiting.token, ErrorCode.NOT_LEADER_OR_FOLLOWER)

    # FetchSnapshot

    def handle_fetch_snapshot(self, request: FetchSnapshotRequest, token: object, now_ms: int) -> None:
        """Somebody wants a piece of a snapshot."""
        quorum = self.quorum
        if not messages.is_for(request.cluster_id, quorum.identity.cluster_id):
            return quorum.reply(token, FetchSnapshotResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID))
        asked = messages.snapshot_partition(request)
        if asked is None:
            return quorum.reply(token, FetchSnapshotResponse(error_code=ErrorCode.INVALID_REQUEST))
        snapshot_id = OffsetAndEpoch(asked.snapshot_id.end_offset, asked.snapshot_id.epoch)
        error, piece = quorum.refusal(asked.current_leader_epoch), None
        if error == ErrorCode.NONE:
            size = quorum.log.snapshot_size(snapshot_id)
            if size is None or snapshot_id == BOOTSTRAP_SNAPSHOT:
                error = ErrorCode.SNAPSHOT_NOT_FOUND
            elif not 0 <= asked.position < size:
                error = ErrorCode.POSITION_OUT_OF_RANGE
            else:
                state = quorum.state
                assert isinstance(state, Leader)
                state.progress.heard_from(messages.replica_key(request.replica_id, asked.replica_directory_id), now_ms)
                data = quorum.log.read_snapshot(snapshot_id, asked.position, max(1, request.max_bytes))
                piece = (snapshot_id, size, asked.position, data)
        response = messages.snapshot_response(error, quorum.leader_id, quorum.epoch, quorum.leader_node, piece=piece)
        return quorum.reply(token, response)


def _fault(request: FetchRequest, asked: FetchRequest_FetchPartition) -> ErrorCode:
    """What is wrong with a fetch whoever it is asked of."""
    is_sound = (
        request.max_wait_ms >= 0
        and asked.fetch_offset >= 0
        and 0 <= asked.last_fetched_epoch <= asked.current_leader_epoch
    )
    return ErrorCode.NONE if is_sound else ErrorCode.INVALID_REQUEST
