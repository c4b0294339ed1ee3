"""Heartbeats: brokers say that they live, how far they have read, and what they want; and what follows if they do not.

             wants no fence, has read its own registration
    FENCED ------------------------------------------------> UNFENCED --- wants to shut down, leads something --.
      ^  ^                                                       |                                              v
      |  `---- silent for broker.session.timeout.ms, wants fence, or wants to shut down and leads nothing   CONTROLLED
      `-------- leads nothing any more, and all active brokers have read so -----------------------------   SHUTDOWN

A session is a timer: each heartbeat of an unfenced broker puts it off, and when it is due the broker is fenced. How far
brokers have read is what they said last (`heard`), and no state: whoever takes office waits until it has heard them.

Always true: a broker is fenced after it was taken out of all partitions that somebody else can lead, however many
decisions that takes; until then it stays what it was.
"""

import enum
from collections.abc import Sequence
from typing import NamedTuple

from ottla.cluster.controller.brokers import (
    FENCED_CHANGE,
    SHUTTING_DOWN_CHANGE,
    UNFENCED_CHANGE,
    Broker,
    Brokers,
)
from ottla.cluster.controller.finalised import Finalised
from ottla.cluster.controller.partitions.elections import Draft, Elections
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.cluster.controller.registration import SESSION
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.controller import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from ottla.protocol.messages.metadata_records import BrokerRegistrationChangeRecord
from ottla.replicated.decision import Decision, TimerChange

LEADERLESS = "leaderless"
NOT_HEARD = -1


class Next(enum.Enum):
    """What a broker is to be."""

    FENCED = "fenced"
    UNFENCED = "unfenced"
    CONTROLLED_SHUTDOWN = "in controlled shutdown"
    SHUTDOWN_NOW = "fenced, and told to go"


class Heard(NamedTuple):
    """What a broker said last."""

    epoch: int
    offset: int  # up to which it has read
    at_ms: int
    goes: bool  # it shuts down


class Heartbeats:
    """The sessions of brokers."""

    def __init__(
        self,
        session_timeout_ms: int,
        finalised: Finalised,
        brokers: Brokers,
        table: PartitionTable,
        elections: Elections,
    ) -> None:
        self._session_timeout_ms = session_timeout_ms
        self._finalised, self._brokers, self._table, self._elections = finalised, brokers, table, elections
        self._heard: dict[int, Heard] = {}

    # What is no state

    def heard(self, request: BrokerHeartbeatRequest, now_ms: int) -> None:
        """Remember what a broker said last; called for each heartbeat before it is decided on."""
        broker = self._brokers.get(request.broker_id)
        if broker is not None and broker.epoch == request.broker_epoch:
            offset, goes = request.current_metadata_offset, request.want_shut_down
            self._heard[broker.broker_id] = Heard(broker.epoch, offset, now_ms, goes)

    def is_alive(self, broker: Broker, now_ms: int) -> bool:
        """Whether a registered broker serves, or is about to: it was heard of within a session, and does not go."""
        if broker.is_active:
            return True
        heard = self._heard.get(broker.broker_id)
        if broker.in_controlled_shutdown or heard is None or heard.epoch != broker.epoch or heard.goes:
            return False
        return now_ms < heard.at_ms + self._session_timeout_ms

    def leads(self, now_ms: int) -> list[TimerChange[Message]]:
        """Everybody who is not fenced has a whole session from now on."""
        self._heard.clear()
        return [self._session(broker, now_ms) for broker in self._brokers if not broker.fenced]

    def _session(self, broker: Broker, now_ms: int) -> TimerChange[Message]:
        return self._expiry(broker, now_ms + self._session_timeout_ms)

    def _expiry(self, broker: Broker, deadline_ms: int) -> TimerChange[Message]:
        broker_id, epoch = broker.broker_id, broker.epoch
        return TimerChange((SESSION, broker_id), deadline_ms, lambda now_ms: self.expire(broker_id, epoch, now_ms))

    def lowest_active_offset(self) -> int | None:
        """How far all active brokers have read; None if there is no active broker."""
        offsets = []
        for broker in self._brokers:
            if broker.is_active:
                heard = self._heard.get(broker.broker_id)
                offsets.append(heard.offset if heard is not None and heard.epoch == broker.epoch else NOT_HEARD)
        return min(offsets, default=None)

    # Decisions

    def heartbeat(self, request: BrokerHeartbeatRequest, now_ms: int) -> Decision[Message, BrokerHeartbeatResponse]:
        """Do what a broker wants, if that can be."""
        broker = self._brokers.of_epoch(request.broker_id, request.broker_epoch)
        draft = self._elections.draft()
        wanted = self._next(broker, request)
        timers = []
        is_done = self._become(draft, broker, wanted)
        if wanted is Next.UNFENCED and not is_done:
            timers.append(self._go_on_electing(now_ms))
        if wanted in (Next.FENCED, Next.SHUTDOWN_NOW) and not is_done:
            wanted = Next.CONTROLLED_SHUTDOWN if broker.in_controlled_shutdown else Next.UNFENCED
        is_fenced = wanted in (Next.FENCED, Next.SHUTDOWN_NOW)
        self._directories(draft, broker, request.offline_log_dirs, request.cordoned_log_dirs)
        session = TimerChange((SESSION, broker.broker_id)) if is_fenced else self._session(broker, now_ms)
        response = BrokerHeartbeatResponse(
            is_caught_up=request.current_metadata_offset >= broker.registered_offset,
            is_fenced=is_fenced,
            should_shut_down=wanted is Next.SHUTDOWN_NOW,
        )
        return Decision(draft.records, response, [session, *timers])

    def expire(self, broker_id: int, epoch: int, now_ms: int) -> Decision[Message, None]:
        """A broker has been silent for too long: it is fenced."""
        broker = self._brokers.get(broker_id)
        if broker is None or broker.epoch != epoch or broker.fenced:
            return Decision([], None)
        draft = self._elections.draft()
        if self._become(draft, broker, Next.FENCED):
            return Decision(draft.records, None)
        return Decision(draft.records, None, [self._expiry(broker, now_ms + 1)])

    def _next(self, broker: Broker, request: BrokerHeartbeatRequest) -> Next:
        if broker.fenced:
            if request.want_shut_down:
                return Next.SHUTDOWN_NOW
            # Whoever began to shut down is active again with its next registration only. Unfenced before that it would
            # be elected, being about to come, and not be allowed to lead.
            may_come = request.current_metadata_offset >= broker.registered_offset and not broker.in_controlled_shutdown
            return Next.UNFENCED if may_come and not request.want_fence else Next.FENCED
        if broker.in_controlled_shutdown:
            if self._table.has_leaderships(broker.broker_id):
                return Next.CONTROLLED_SHUTDOWN
            lowest = self.lowest_active_offset()
            has_spread = lowest is None or broker.shutdown_offset <= lowest
            return Next.SHUTDOWN_NOW if has_spread else Next.CONTROLLED_SHUTDOWN
        if request.want_fence:
            return Next.SHUTDOWN_NOW if request.want_shut_down else Next.FENCED
        if request.want_shut_down:
            has_leaderships = self._table.has_leaderships(broker.broker_id)
            return Next.CONTROLLED_SHUTDOWN if has_leaderships else Next.SHUTDOWN_NOW
        return Next.UNFENCED

    def _become(self, draft: Draft, broker: Broker, wanted: Next) -> bool:
        """Make the records that lead there; False if more are needed than fit."""
        if wanted is Next.UNFENCED:
            if not broker.fenced:
                return True
            draft.records.append(_change_of(broker, fenced=UNFENCED_CHANGE))
            return self._elections.broker_comes(draft, broker)
        if wanted is Next.CONTROLLED_SHUTDOWN:
            if not broker.in_controlled_shutdown:
                draft.records.append(_change_of(broker, in_controlled_shutdown=SHUTTING_DOWN_CHANGE))
            return self._elections.broker_goes(draft, broker.broker_id)
        if broker.fenced:
            return True
        if not self._elections.broker_goes(draft, broker.broker_id):
            return False
        draft.records.append(_change_of(broker, fenced=FENCED_CHANGE))
        return True

    def _go_on_electing(self, now_ms: int) -> TimerChange[Message]:
        """A broker has come, and could lead more than fitted into its heartbeat's decision."""

        def run(at_ms: int) -> Decision[Message, None]:
            decision = self._elections.elect_leaderless(at_ms)
            return Decision(decision.records, None, [self._go_on_electing(at_ms)] if decision.response else ())

        return TimerChange(LEADERLESS, now_ms + 1, run)

    # Directories

    def _directories(
        self, draft: Draft, broker: Broker, offline: Sequence[Uuid], cordoned: Sequence[Uuid] | None
    ) -> None:
        """Take down which directories are gone, and with them who is no longer in sync; and which are cordoned."""
        failed = set(offline).intersection(broker.log_dirs)
        if failed and self._finalised.has("directory assignment") and self._leave(draft, broker, failed):
            remaining = [directory for directory in broker.log_dirs if directory not in failed]
            if remaining:  # a broker without directories goes down, and says nothing of it
                draft.records.append(_change_of(broker, log_dirs=remaining))
        known = None if broker.cordoned_log_dirs is None else set(broker.cordoned_log_dirs)
        if cordoned is not None and set(cordoned) != known and self._finalised.has("cordoned log directories"):
            draft.records.append(_change_of(broker, cordoned_log_dirs=list(cordoned)))

    def _leave(self, draft: Draft, broker: Broker, failed: set[Uuid]) -> bool:
        keys = []
        for key in self._table.in_isr.of(broker.broker_id):
            partition = draft.partition(key)
            assert partition is not None
            if broker.broker_id in partition.isr and partition.directory_of(broker.broker_id) in failed:
                keys.append(key)
        return self._elections.broker_goes(draft, broker.broker_id, keys)


def _change_of(
    broker: Broker,
    *,
    fenced: int = 0,
    in_controlled_shutdown: int = 0,
    log_dirs: Sequence[Uuid] = (),
    cordoned_log_dirs: Sequence[Uuid] | None = None,
) -> BrokerRegistrationChangeRecord:
    return BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id,
        broker_epoch=broker.epoch,
        fenced=fenced,
        in_controlled_shutdown=in_controlled_shutdown,
        log_dirs=log_dirs,
        cordoned_log_dirs=cordoned_log_dirs,
    )
