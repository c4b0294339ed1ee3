"""What happens to the quorum's machine, and what it answers.

Requests and responses are the messages of the protocol; a `token` says to whom a response goes, and means nothing in
here. Effects are carried out in their order. `Persist`, `Truncate` and `InstallSnapshot` are barriers: until they are
done (on the disk), nothing behind them is carried out and no event is given to the machine. `Sync` is none: others go
on, and a `Synced` says when it is done.
"""

from dataclasses import dataclass

from ottla.cluster.raft.log import OffsetAndEpoch
from ottla.cluster.raft.quorum_state import ElectionState
from ottla.cluster.raft.voters import Node
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.records.columns import Bytes


@dataclass(frozen=True, slots=True)
class Received:
    """Somebody asks. What a version lacks has the default of the newest one."""

    request: Message
    token: object


@dataclass(frozen=True, slots=True)
class Responded:
    """The answer to what we sent."""

    correlation_id: int
    response: Message


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No answer will come: the connection broke, or never was."""

    correlation_id: int


@dataclass(frozen=True, slots=True)
class Append:
    """The leader's state machine has a batch for the log: of the leader's epoch, with offsets from the log's end on.

    The caller has looked whether we lead in this epoch: between two events that does not change.
    """

    section: Bytes
    epoch: int


@dataclass(frozen=True, slots=True)
class Synced:
    """Everything below this offset survives a crash."""

    offset: int


@dataclass(frozen=True, slots=True)
class SnapshotTaken:
    """Our own state machine has written a snapshot, and the log may have been cut before it."""

    snapshot_id: OffsetAndEpoch


@dataclass(frozen=True, slots=True)
class Resign:
    """Our state machine cannot lead in this epoch."""

    epoch: int


@dataclass(frozen=True, slots=True)
class UpgradeKRaftVersion:
    """The voters are to stand in the log from now on (KIP-853); `Upgraded` answers, as soon as it is in ours."""

    version: int
    token: object
    validate_only: bool = False


@dataclass(frozen=True, slots=True)
class Shutdown:
    """Hand over what is ours, and take part no more; `ShutDown` answers when that is done, or at the latest then."""

    until_ms: int


@dataclass(frozen=True, slots=True)
class Tick:
    """The deadline has come."""


Event = (
    Received | Responded | Unanswered | Append | Synced | SnapshotTaken | Resign | UpgradeKRaftVersion | Shutdown | Tick
)


@dataclass(frozen=True, slots=True)
class Persist:
    """Write `quorum-state` and sync it. A barrier."""

    state: ElectionState
    version: int


@dataclass(frozen=True, slots=True)
class Truncate:
    """Cut the log here. A barrier."""

    offset: int


@dataclass(frozen=True, slots=True)
class Sync:
    """Sync the log up to this offset, and say `Synced`."""

    offset: int


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request; `Responded` or `Unanswered` follows. After the request timeout no answer is waited for."""

    node: Node
    correlation_id: int
    request: Message


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to what we received."""

    token: object
    response: Message


@dataclass(frozen=True, slots=True)
class LeaderChanged:
    """Who leads, as far as we know. Whoever is told so of itself leads on, and may append, until it is told else."""

    leader_id: int | None
    epoch: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The high watermark has moved: everything below is for the state machine to replay."""

    offset: int


@dataclass(frozen=True, slots=True)
class WriteSnapshot:
    """Write a piece of a snapshot that the leader sent, behind what is there of it; position 0 begins it anew."""

    snapshot_id: OffsetAndEpoch
    position: int
    data: Bytes


@dataclass(frozen=True, slots=True)
class InstallSnapshot:
    """The snapshot is complete: sync it, give it its name, and let the log begin at its end. A barrier.

    The state machine is to begin anew with it.
    """

    snapshot_id: OffsetAndEpoch


@dataclass(frozen=True, slots=True)
class Upgraded:
    """Whether the kraft.version is what was asked for, and why not."""

    token: object
    error: ErrorCode
    why: str


@dataclass(frozen=True, slots=True)
class ShutDown:
    """What `Shutdown` asked for is done."""


Effect = (
    Persist
    | Truncate
    | Sync
    | Send
    | Reply
    | LeaderChanged
    | Committed
    | WriteSnapshot
    | InstallSnapshot
    | Upgraded
    | ShutDown
)
BARRIERS = (Persist, Truncate, InstallSnapshot)
