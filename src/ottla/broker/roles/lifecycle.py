"""A broker's life in its world: the machine's requests are sent, its timer is kept, and who waits for it is told.

A node starts it as soon as its listeners are bound, calls `ready` when its logs are loaded and its replicas applied,
waits for `unfenced` before it accepts clients, and leaves by `controlled_shutdown`. It is a subscriber of the metadata
as well: a broker that registered before the cluster could write down its log directories registers once more when it
can, as when an old cluster is upgraded.

Always true: one request to the controller is out at a time, and none after `stop`. If this broker cannot go on,
`failed` is called with the reason, once, and whoever waits gets it as an error.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Protocol

from ottla.broker.roles.lifecycle_machine import (
    NO_EPOCH,
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
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import MetadataImage
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.config.config import Config
from ottla.errors import OttlaError
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import FEATURES, METADATA_VERSION, SINCE, supported_range
from ottla.protocol.messages.controller import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    BrokerRegistrationRequest_Feature,
    BrokerRegistrationRequest_Listener,
)
from ottla.world.api import Future, Task, Timer, World

logger = logging.getLogger(__name__)

SHUTDOWN_TIMEOUT_MS: Final = 300_000  # how long Kafka's brokers wait for the controller to let them go


class Ask(Protocol):
    """The controller's answer to a request of this node's own: `ControllerChannel.ask`."""

    def __call__(self, request: Message, *, timeout_ms: int | None = None) -> Awaitable[Any]:
        """The answer."""


class BrokerLifecycle:
    """One life of a broker."""

    def __init__(
        self,
        world: World,
        registration: BrokerRegistrationRequest,
        ask: Ask,
        *,
        times: Times,
        session_timeout_ms: int,
        metadata_offset: Callable[[], int],
        failed: Callable[[str], None],
    ) -> None:
        self._world, self._ask, self._registration = world, ask, registration
        self._request_timeout_ms = max(1, session_timeout_ms // 2)  # a later answer would find us fenced
        self._metadata_offset, self._tell_failed = metadata_offset, failed
        self._machine = LifecycleMachine(registration, times)
        self._timer: Timer | None = None
        self._task: Task[None] | None = None
        self._waiting: list[tuple[Callable[[BrokerState], bool], Future[None]]] = []
        self._why_failed: str | None = None
        self._is_stopped = False
        self._cordoned: tuple[Uuid, ...] = ()
        self._can_cordon = False

    # For the node

    def start(self, previous_broker_epoch: int = NO_EPOCH) -> None:
        """Register, and send heartbeats, fenced until `ready` is called. The epoch is that of the last clean stop."""
        self._registration.previous_broker_epoch = previous_broker_epoch
        self._step(Begin())

    def ready(self) -> None:
        """Everything is loaded: the controller may let this broker serve."""
        self._step(Ready())

    async def registered(self) -> int:
        """Wait until there is an epoch; returns it."""
        await self._until(lambda _: self._machine.broker_epoch != NO_EPOCH)
        return self._machine.broker_epoch

    async def unfenced(self) -> None:
        """Wait until this broker serves."""
        await self._until(lambda state: state is BrokerState.RUNNING)

    async def controlled_shutdown(self, timeout_ms: int = SHUTDOWN_TIMEOUT_MS) -> bool:
        """Have the controller move away what this broker leads; False if it did not let us go in time."""
        self._step(Leave())
        try:
            await self._world.timeout(timeout_ms, self._until(lambda state: state is BrokerState.SHUTTING_DOWN))
        except TimeoutError:
            return False
        return True

    async def stop(self) -> None:
        """Say nothing more."""
        self._is_stopped = True
        if self._timer is not None:
            self._timer.cancel()
        if self._task is not None:
            self._task.cancel()
            while not self._task.done():  # what is cancelled ends within a few turns of the loop
                await self._world.clock.sleep(0)

    def directory_failed(self, directory_id: Uuid) -> None:
        """A log directory is offline: the controller finds others to lead what was in it."""
        self._step(DirectoryFailed(directory_id))

    def cordon(self, directory_ids: Sequence[Uuid]) -> None:
        """These directories, and no others, get no new replicas (`cordoned.log.dirs`)."""
        self._cordoned = tuple(sorted(directory_ids))
        self._say_cordoned()

    @property
    def state(self) -> BrokerState:
        """Where in its life this broker is."""
        return self._machine.state

    @property
    def broker_epoch(self) -> int:
        """The epoch of the newest registration; -1 before the first."""
        return self._machine.broker_epoch

    @property
    def is_fenced(self) -> bool:
        """Whether the controller took this broker for fenced when it answered last."""
        return self._machine.is_fenced

    # For the publisher

    def __call__(self, delta: MetadataDelta, image: MetadataImage) -> None:
        """There is a new image."""
        version = image.features.metadata_version
        if version is None or not (delta.cluster or delta.features):
            return
        if can_cordon := version >= SINCE["cordoned log directories"]:
            self._can_cordon = can_cordon
            self._say_cordoned()
        written = image.cluster.brokers.get(self._registration.broker_id)
        if (
            written is not None
            and version >= SINCE["directory assignment"]
            and written.incarnation_id == self._registration.incarnation_id
            and not written.log_dirs
        ):
            self._step(Refresh())

    def _say_cordoned(self) -> None:
        if self._can_cordon:
            self._step(Cordoned(self._cordoned))

    # The machine

    def _step(self, event: Event) -> None:
        if self._is_stopped:
            return
        for effect in self._machine.step(event, self._world.clock.monotonic_ms()):
            self._do(effect)
        self._machine.check()
        self._arm()
        self._wake()

    def _do(self, effect: Effect) -> None:
        match effect:
            case Send(request):
                self._task = self._world.spawn(self._send(request), type(request).__name__)
            case Became(state):
                logger.info("broker state", extra={"state": state.name})
            case Registered(broker_epoch):
                logger.info("registered", extra={"broker_epoch": broker_epoch})
            case Refused(what, why):
                logger.warning("the controller refuses", extra={"what": what, "why": why})
            case GiveUp(why):
                logger.error("this broker cannot go on", extra={"why": why})
                self._why_failed = why
                self._tell_failed(why)

    async def _send(self, request: BrokerRegistrationRequest | BrokerHeartbeatRequest) -> None:
        if isinstance(request, BrokerHeartbeatRequest):
            request.current_metadata_offset = self._metadata_offset()
        try:
            response = await self._ask(request, timeout_ms=self._request_timeout_ms)
        except (OttlaError, TimeoutError) as error:
            self._step(Failed(error))
        else:
            self._step(Answered(response))

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        deadline_ms = self._machine.deadline()
        if deadline_ms is not None:
            self._timer = self._world.clock.call_at(deadline_ms, lambda: self._step(Due()))

    # Who waits

    def _until(self, holds: Callable[[BrokerState], bool]) -> Future[None]:
        """What is there when this holds. No coroutine: a broker that dies here would leave it without a first step."""
        future: Future[None] = self._world.future()
        self._waiting.append((holds, future))
        self._wake()
        return future

    def _wake(self) -> None:
        state, still = self._machine.state, []
        for holds, future in self._waiting:
            if future.done():
                continue
            if holds(state):
                future.set_result(None)
            elif state is BrokerState.SHUTTING_DOWN:
                future.set_exception(OttlaError(self._why_failed or "this broker shuts down"))
            else:
                still.append((holds, future))
        self._waiting = still


def times_of(config: Config) -> Times:
    """How long what may take, as a broker's settings say."""
    return Times(
        heartbeat_interval_ms=config.integer("broker.heartbeat.interval.ms"),
        registration_timeout_ms=config.integer("initial.broker.registration.timeout.ms"),
        directory_failure_timeout_ms=config.integer("log.dir.failure.timeout.ms"),
    )


def previous_broker_epoch(left_behind: Sequence[int | None]) -> int:
    """The epoch of the life before, if it left every log directory cleanly and with the same epoch: then it lost
    nothing, and the controller may count on what it had (KIP-966).
    """
    epochs = {NO_EPOCH if epoch is None else epoch for epoch in left_behind}
    return epochs.pop() if len(epochs) == 1 else NO_EPOCH


def registration_of(
    config: Config,
    *,
    cluster_id: str,
    incarnation_id: Uuid,
    end_points: Mapping[str, EndPoint],
    directory_ids: Sequence[Uuid],
) -> BrokerRegistrationRequest:
    """What a broker says of itself: where clients find it, and everything that this release can do."""
    return BrokerRegistrationRequest(
        broker_id=config.integer("node.id"),
        cluster_id=cluster_id,
        incarnation_id=incarnation_id,
        listeners=[BrokerRegistrationRequest_Listener(name, *end_point) for name, end_point in end_points.items()],
        features=[
            BrokerRegistrationRequest_Feature(name, *supported_range(name)) for name in (METADATA_VERSION, *FEATURES)
        ],
        rack=config.optional_text("broker.rack"),
        is_migrating_zk_broker=False,
        log_dirs=sorted(directory_ids),
    )
