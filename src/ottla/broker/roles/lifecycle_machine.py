"""A broker's life as the controller sees it, as a machine: registering, heartbeats, being fenced and not, going.

    NOT_RUNNING -> STARTING --registered, caught up--> RECOVERY --ready, unfenced--> RUNNING
                                                                                        | wants to go
                               SHUTTING_DOWN <--told to go-- PENDING_CONTROLLED_SHUTDOWN

`step(event, now_ms)` answers what is to be done; `deadline()` is when it wants to be told that time has passed. One
request is out at a time. A registration that is refused is tried again, DUPLICATE_BROKER_REGISTRATION included: after a
crash the session of the former life has to end first. Only the first registration has a time by which it must succeed.

Always true: a heartbeat carries the newest epoch; what is wanted (to serve, to go, directories that have failed) is
said at once, not at the next interval; whose epoch the controller knows no more registers again, as the same
incarnation. A directory that has failed and cannot be told for `log.dir.failure.timeout.ms` ends
the broker, since others would wait for its replicas (KIP-858).
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from ottla.errors import OttlaError, PeerError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)

NO_EPOCH: Final = -1
FIRST_RETRY_MS: Final = 100  # doubled with each failure, up to the interval of heartbeats
CATCHING_UP_MS: Final = 10  # between heartbeats while the controller waits for us to read our registration
GOING_MS: Final = 50  # between heartbeats while the controller moves leaders away


class BrokerState(IntEnum):
    """Kafka's names and numbers (the metric BrokerState)."""

    NOT_RUNNING = 0
    STARTING = 1
    RECOVERY = 2
    RUNNING = 3
    PENDING_CONTROLLED_SHUTDOWN = 6
    SHUTTING_DOWN = 7


@dataclass(frozen=True, slots=True)
class Times:
    """How long what may take."""

    heartbeat_interval_ms: int = 2_000
    registration_timeout_ms: int = 60_000
    directory_failure_timeout_ms: int = 30_000


# Events


@dataclass(frozen=True, slots=True)
class Begin:
    """Register, and live."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The controller has answered."""

    response: BrokerRegistrationResponse | BrokerHeartbeatResponse


@dataclass(frozen=True, slots=True)
class Failed:
    """There was no answer, or an error."""

    error: OttlaError | TimeoutError


@dataclass(frozen=True, slots=True)
class Due:
    """Time has passed."""


@dataclass(frozen=True, slots=True)
class Ready:
    """All is loaded: unfence me."""


@dataclass(frozen=True, slots=True)
class Leave:
    """Move what I lead to others, and let me go."""


@dataclass(frozen=True, slots=True)
class DirectoryFailed:
    """A log directory is offline."""

    directory_id: Uuid


@dataclass(frozen=True, slots=True)
class Cordoned:
    """These directories take no new replicas; None: the metadata version does not let us say (KIP-1066)."""

    directory_ids: tuple[Uuid, ...] | None


@dataclass(frozen=True, slots=True)
class Refresh:
    """What the controller has written of us lacks something that may be said now."""


Event = Begin | Answered | Failed | Due | Ready | Leave | DirectoryFailed | Cordoned | Refresh

# Effects


@dataclass(frozen=True, slots=True)
class Send:
    """Ask the controller this; the shell says in a heartbeat how far it has read."""

    request: BrokerRegistrationRequest | BrokerHeartbeatRequest


@dataclass(frozen=True, slots=True)
class Became:
    """The state is another one."""

    state: BrokerState


@dataclass(frozen=True, slots=True)
class Registered:
    """There is an epoch, or another one."""

    broker_epoch: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The controller did not do what we asked; it is asked again."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class GiveUp:
    """This broker cannot go on."""

    why: str


Effect = Send | Became | Registered | Refused | GiveUp


class LifecycleMachine:
    """One life."""

    __slots__ = (
        "_begun_ms", "_cordoned", "_failures", "_in_flight", "_is_ready", "_next_ms", "_offline", "_registers",
        "_registration", "_times", "broker_epoch", "is_fenced", "state",
    )  # fmt: skip

    def __init__(self, registration: BrokerRegistrationRequest, times: Times) -> None:
        self._registration, self._times = registration, times
        self.state, self.broker_epoch, self.is_fenced = BrokerState.NOT_RUNNING, NO_EPOCH, True
        self._begun_ms, self._next_ms = 0, 0
        self._failures = 0  # in a row
        self._in_flight: Send | None = None
        self._registers = True  # before the next heartbeat
        self._is_ready = False
        self._offline: dict[Uuid, int | None] = {}  # when each failed; None: the controller knows
        self._cordoned: tuple[Uuid, ...] | None = None

    def step(self, event: Event, now_ms: int) -> list[Effect]:
        """What follows from an event."""
        effects: list[Effect] = []
        match event:
            case Begin():
                assert self.state is BrokerState.NOT_RUNNING, "a life begins once"
                self._begun_ms = self._next_ms = now_ms
                self._become(BrokerState.STARTING, effects)
            case Answered(response):
                self._answered(response, now_ms, effects)
            case Failed(error):
                self._failed(str(error) or type(error).__name__, error, now_ms, effects)
            case Due():
                pass
            case Ready():
                self._is_ready, self._next_ms = True, now_ms
            case Leave():
                self._leave(now_ms, effects)
            case DirectoryFailed(directory_id):
                self._offline.setdefault(directory_id, now_ms)
                self._next_ms = now_ms
            case Cordoned(directory_ids):
                if directory_ids != self._cordoned:
                    self._cordoned, self._next_ms = directory_ids, now_ms
            case Refresh():
                self._registers, self._next_ms = True, now_ms
        self._go_on(now_ms, effects)
        return effects

    def deadline(self) -> int | None:
        """When time matters next."""
        if self.state in (BrokerState.NOT_RUNNING, BrokerState.SHUTTING_DOWN):
            return None
        deadlines = [] if self._in_flight else [self._next_ms]
        deadlines += self._last_moments()
        return min(deadlines, default=None)

    def check(self) -> None:
        """Assert what is always true."""
        assert self.broker_epoch != NO_EPOCH or self.state not in (BrokerState.RECOVERY, BrokerState.RUNNING)
        assert self._in_flight is None or self.state is not BrokerState.NOT_RUNNING

    def _leave(self, now_ms: int, effects: list[Effect]) -> None:
        """Who does not serve yet leads nothing, and goes at once."""
        self._next_ms = now_ms
        if self.state is BrokerState.RUNNING:
            self._become(BrokerState.PENDING_CONTROLLED_SHUTDOWN, effects)
        elif self.state is not BrokerState.PENDING_CONTROLLED_SHUTDOWN:
            self._become(BrokerState.SHUTTING_DOWN, effects)

    # Time

    def _last_moments(self) -> list[int]:
        """By when something must have succeeded."""
        moments = [
            failed_ms + self._times.directory_failure_timeout_ms
            for failed_ms in self._offline.values()
            if failed_ms is not None
        ]
        if self.broker_epoch == NO_EPOCH:
            moments.append(self._begun_ms + self._times.registration_timeout_ms)
        return moments

    def _go_on(self, now_ms: int, effects: list[Effect]) -> None:
        """Say what is to be said by now."""
        if self.state in (BrokerState.NOT_RUNNING, BrokerState.SHUTTING_DOWN):
            return
        if any(moment <= now_ms for moment in self._last_moments()):
            why = (
                f"not registered within initial.broker.registration.timeout.ms={self._times.registration_timeout_ms}"
                if self.broker_epoch == NO_EPOCH
                else "a log directory has failed, and the controller could not be told within "
                f"log.dir.failure.timeout.ms={self._times.directory_failure_timeout_ms}"
            )
            effects.append(GiveUp(why))
            self._become(BrokerState.SHUTTING_DOWN, effects)
        elif self._in_flight is None and now_ms >= self._next_ms:
            self._next_ms = now_ms + self._times.heartbeat_interval_ms  # unless something is wanted meanwhile
            self._in_flight = Send(self._registration if self._registers else self._heartbeat())
            effects.append(self._in_flight)

    def _heartbeat(self) -> BrokerHeartbeatRequest:
        return BrokerHeartbeatRequest(
            broker_id=self._registration.broker_id,
            broker_epoch=self.broker_epoch,
            want_fence=not self._is_ready,
            want_shut_down=self.state is BrokerState.PENDING_CONTROLLED_SHUTDOWN,
            offline_log_dirs=sorted(self._offline),
            cordoned_log_dirs=self._cordoned,
        )

    # Answers

    def _answered(
        self, response: BrokerRegistrationResponse | BrokerHeartbeatResponse, now_ms: int, effects: list[Effect]
    ) -> None:
        if response.error_code != ErrorCode.NONE:
            error = ErrorCode.of(response.error_code)
            self._failed(error.name, response, now_ms, effects)
            return
        sent, self._in_flight = self._in_flight, None
        assert sent is not None, "an answer to nothing"
        self._failures = 0
        if isinstance(response, BrokerRegistrationResponse):
            self._registers, self._next_ms = False, now_ms
            if response.broker_epoch != self.broker_epoch:
                self.broker_epoch = response.broker_epoch
                effects.append(Registered(response.broker_epoch))
        else:
            assert isinstance(sent.request, BrokerHeartbeatRequest)
            self._told(sent.request)
            self._beaten(response, now_ms, effects)

    def _told(self, heartbeat: BrokerHeartbeatRequest) -> None:
        for directory_id in heartbeat.offline_log_dirs:
            self._offline[directory_id] = None

    def _beaten(self, response: BrokerHeartbeatResponse, now_ms: int, effects: list[Effect]) -> None:
        self.is_fenced = response.is_fenced
        match self.state:
            case BrokerState.STARTING:
                if response.is_caught_up:
                    self._become(BrokerState.RECOVERY, effects)
                self._next_ms = min(self._next_ms, now_ms + CATCHING_UP_MS)
            case BrokerState.RECOVERY:
                if not response.is_fenced:
                    self._become(BrokerState.RUNNING, effects)
                elif self._is_ready:
                    self._next_ms = min(self._next_ms, now_ms + CATCHING_UP_MS)
            case BrokerState.PENDING_CONTROLLED_SHUTDOWN:
                if response.should_shut_down:
                    self._become(BrokerState.SHUTTING_DOWN, effects)
                self._next_ms = min(self._next_ms, now_ms + GOING_MS)

    def _failed(self, why: str, what: object, now_ms: int, effects: list[Effect]) -> None:
        sent, self._in_flight = self._in_flight, None
        assert sent is not None, "an answer to nothing"
        code = what.code if isinstance(what, PeerError) else getattr(what, "error_code", ErrorCode.NONE)
        if code == ErrorCode.STALE_BROKER_EPOCH and isinstance(sent.request, BrokerHeartbeatRequest):
            self._registers, self._failures = True, 0  # the controller is there: no reason to wait long
        effects.append(Refused(type(sent.request).__name__.removesuffix("Request"), why))
        pause_ms = min(FIRST_RETRY_MS << min(self._failures, 10), self._times.heartbeat_interval_ms)
        self._failures += 1
        self._next_ms = now_ms + pause_ms

    def _become(self, state: BrokerState, effects: list[Effect]) -> None:
        if state is not self.state:
            self.state = state
            effects.append(Became(state))
