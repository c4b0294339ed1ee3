"""A broker's life, step by step."""

from collections.abc import Sequence

import pytest

from ottla.broker.roles.lifecycle_machine import (
    Answered,
    Became,
    Begin,
    BrokerState,
    Cordoned,
    DirectoryFailed,
    Due,
    Effect,
    Event,
    Failed,
    GiveUp,
    Leave,
    LifecycleMachine,
    Ready,
    Refresh,
    Refused,
    Registered,
    Send,
    Times,
)
from ottla.errors import ConnectionLost, RequestRefused
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)

REGISTRATION = BrokerRegistrationRequest(broker_id=3)
DIRECTORY = Uuid(b"directory".ljust(16, b"\1"))
OTHER = Uuid(b"other".ljust(16, b"\1"))
FENCED = BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True)
SERVING = BrokerHeartbeatResponse(is_caught_up=True, is_fenced=False)


class Life:
    """A machine, its time, and what it has said last."""

    def __init__(self) -> None:
        self.machine, self.now_ms = LifecycleMachine(REGISTRATION, Times()), 1_000
        self.effects: list[Effect] = []

    def step(self, event: Event, *, after_ms: int = 0) -> list[Effect]:
        """Something happens."""
        self.now_ms += after_ms
        self.effects = self.machine.step(event, self.now_ms)
        self.machine.check()
        return self.effects

    def wait(self) -> list[Effect]:
        """Nothing happens until it is time."""
        deadline_ms = self.machine.deadline()
        assert deadline_ms is not None
        return self.step(Due(), after_ms=max(0, deadline_ms - self.now_ms))

    @property
    def heartbeat(self) -> BrokerHeartbeatRequest:
        """The heartbeat that was sent just now."""
        (sent,) = (each.request for each in self.effects if isinstance(each, Send))
        assert isinstance(sent, BrokerHeartbeatRequest)
        return sent


def serving() -> Life:
    """A broker that serves, with a heartbeat just answered."""
    life = Life()
    life.step(Begin())
    life.step(Answered(BrokerRegistrationResponse(broker_epoch=7)))
    life.step(Ready())
    life.step(Answered(FENCED))
    life.step(Answered(SERVING))
    assert life.machine.state is BrokerState.RUNNING
    return life


def became(effects: Sequence[Effect]) -> list[BrokerState]:
    """The new states."""
    return [effect.state for effect in effects if isinstance(effect, Became)]


def test_from_registration_to_serving() -> None:
    """A broker registers, says that it lives while it catches up, and serves when it is ready and has been unfenced."""
    life = Life()
    assert life.step(Begin()) == [Became(BrokerState.STARTING), Send(REGISTRATION)]
    effects = life.step(Answered(BrokerRegistrationResponse(broker_epoch=7)))
    assert effects[0] == Registered(7)
    assert (life.heartbeat.broker_epoch, life.heartbeat.want_fence) == (7, True)
    life.step(Answered(BrokerHeartbeatResponse(is_caught_up=False)))
    life.wait()
    assert life.now_ms < 1_100, "while it catches up it does not wait for the next interval"
    assert became(life.step(Answered(FENCED))) == [BrokerState.RECOVERY]
    life.wait()
    life.step(Ready())
    assert life.effects == [], "one request is out at a time"
    life.step(Answered(FENCED))
    assert not life.heartbeat.want_fence, "what is wanted is said at once"
    assert became(life.step(Answered(SERVING))) == [BrokerState.RUNNING]
    life.wait()
    assert life.now_ms >= 3_000
    assert not life.heartbeat.want_fence


def test_a_refused_registration_is_tried_again() -> None:
    """DUPLICATE_BROKER_REGISTRATION ends when the session of the former life ends; the pauses grow up to 2 s."""
    life = Life()
    life.step(Begin())
    pauses = []
    for _ in range(8):
        before_ms = life.now_ms
        refused = life.step(Answered(BrokerRegistrationResponse(error_code=ErrorCode.DUPLICATE_BROKER_REGISTRATION)))
        assert refused == [Refused("BrokerRegistration", "DUPLICATE_BROKER_REGISTRATION")]
        assert life.wait() == [Send(REGISTRATION)]
        pauses.append(life.now_ms - before_ms)
    assert pauses == [100, 200, 400, 800, 1_600, 2_000, 2_000, 2_000]
    assert life.step(Answered(BrokerRegistrationResponse(broker_epoch=9)))[0] == Registered(9)


def test_who_cannot_register_gives_up() -> None:
    """Without an epoch after initial.broker.registration.timeout.ms a broker ends, asked or not."""
    life = Life()
    life.step(Begin())
    assert not life.step(Due(), after_ms=59_999)
    gave_up, ended = life.step(Due(), after_ms=1)
    assert isinstance(gave_up, GiveUp)
    assert "initial.broker.registration.timeout.ms" in gave_up.why
    assert ended == Became(BrokerState.SHUTTING_DOWN)
    assert life.machine.deadline() is None


@pytest.mark.parametrize(
    "answer",
    [
        Answered(BrokerHeartbeatResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)),
        Failed(RequestRefused(ErrorCode.STALE_BROKER_EPOCH, "of another life")),
    ],
)
def test_an_epoch_that_is_gone(answer: Event) -> None:
    """Whose epoch the controller does not know registers again, and goes on with what it is told."""
    life = serving()
    life.wait()
    life.step(answer)
    assert life.wait() == [Send(REGISTRATION)]
    assert life.step(Answered(BrokerRegistrationResponse(broker_epoch=8)))[0] == Registered(8)
    assert (life.heartbeat.broker_epoch, life.machine.state) == (8, BrokerState.RUNNING)
    life.step(Answered(FENCED))
    assert life.machine.is_fenced


@pytest.mark.parametrize("error", [ConnectionLost("gone"), TimeoutError()])
def test_a_heartbeat_without_an_answer_is_sent_again_soon(error: ConnectionLost | TimeoutError) -> None:
    """A broker whose controller does not answer says sooner again that it lives, before its session ends."""
    life = serving()
    life.wait()
    life.step(Failed(error))
    before_ms = life.now_ms
    life.wait()
    assert (life.heartbeat.broker_epoch, life.now_ms - before_ms) == (7, 100)


def test_leaving() -> None:
    """A broker that wants to go says so at once, and again and again until it is told to go."""
    life = serving()
    assert became(life.step(Leave())) == [BrokerState.PENDING_CONTROLLED_SHUTDOWN]
    assert life.heartbeat.want_shut_down
    assert not life.step(Answered(SERVING))
    before_ms = life.now_ms
    life.wait()
    assert life.heartbeat.want_shut_down
    assert life.now_ms - before_ms < 100
    told = BrokerHeartbeatResponse(is_caught_up=True, is_fenced=True, should_shut_down=True)
    assert life.step(Answered(told)) == [Became(BrokerState.SHUTTING_DOWN)]
    assert life.machine.deadline() is None


def test_who_does_not_serve_goes_at_once() -> None:
    """A broker that has never been unfenced leads nothing that could be moved."""
    life = Life()
    life.step(Begin())
    assert life.step(Leave()) == [Became(BrokerState.SHUTTING_DOWN)]


def test_directories_that_fail_are_told() -> None:
    """The next heartbeat names every directory that has failed, and it comes at once."""
    life = serving()
    life.step(DirectoryFailed(DIRECTORY))
    assert life.heartbeat.offline_log_dirs == [DIRECTORY]
    life.step(DirectoryFailed(OTHER))
    assert life.effects == []
    life.step(Answered(SERVING))
    assert life.heartbeat.offline_log_dirs == sorted([DIRECTORY, OTHER])
    life.step(Answered(SERVING))
    assert life.wait() != []
    assert life.heartbeat.offline_log_dirs == sorted([DIRECTORY, OTHER])


def test_a_directory_that_cannot_be_told_ends_the_broker() -> None:
    """Others would wait for its replicas: after log.dir.failure.timeout.ms without a heartbeat the broker ends."""
    life = serving()
    life.step(DirectoryFailed(DIRECTORY))
    life.step(Failed(ConnectionLost("gone")))
    life.step(Due(), after_ms=29_999)
    gave_up, _ = life.step(Due(), after_ms=1)
    assert isinstance(gave_up, GiveUp)
    assert "log.dir.failure.timeout.ms" in gave_up.why
    told = serving()
    told.step(DirectoryFailed(DIRECTORY))
    told.step(Answered(SERVING))
    assert not any(isinstance(effect, GiveUp) for effect in told.step(Due(), after_ms=60_000))


def test_cordoned_directories_are_told() -> None:
    """Null until the metadata version lets us say it; then every change is told at once (KIP-1066)."""
    life = serving()
    life.wait()
    untold = life.heartbeat
    assert untold.cordoned_log_dirs is None
    life.step(Answered(SERVING))
    for directories in ((DIRECTORY,), ()):
        life.step(Cordoned(directories))
        assert life.heartbeat.cordoned_log_dirs == directories
        life.step(Answered(SERVING))
        assert life.step(Cordoned(directories)) == []


def test_a_registration_is_refreshed() -> None:
    """What the controller could not write down before is told again, without another epoch."""
    life = serving()
    assert life.step(Refresh()) == [Send(REGISTRATION)]
    life.step(Answered(BrokerRegistrationResponse(broker_epoch=7)))
    assert not any(isinstance(effect, Registered) for effect in life.effects)
    assert life.machine.state is BrokerState.RUNNING
