"""A broker's life in a world."""

from typing import Any

import pytest

from ottla.broker.roles.lifecycle import BrokerLifecycle, previous_broker_epoch, registration_of, times_of
from ottla.broker.roles.lifecycle_machine import BrokerState
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, Provenance
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.config.layers import read_node
from ottla.errors import ConnectionLost, OttlaError
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import (
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from ottla.protocol.messages.metadata_records import FeatureLevelRecord, RegisterBrokerRecord
from ottla.world.api import World
from ottla.world.simulated import SimulatedWorld
from tests.unit.broker.handlers.circumstances import SETTINGS
from tests.unit.network.ends import run

INCARNATION = Uuid(b"incarnation".ljust(16, b"\1"))
DIRECTORY = Uuid(b"directory".ljust(16, b"\1"))
CONFIG = read_node(SETTINGS | {"broker.rack": "r"})
REGISTRATION = registration_of(
    CONFIG,
    cluster_id="a-cluster",
    incarnation_id=INCARNATION,
    end_points={"PLAINTEXT": EndPoint("one", 9092, 0)},
    directory_ids=[DIRECTORY],
)


class Controller:
    """Decides as a controller would about one broker; may be away for a while, or keep the broker from going."""

    def __init__(self, world: World) -> None:
        self.world, self.is_away, self.lets_go = world, False, True
        self.heard: list[Message] = []
        self.epoch = 0

    async def __call__(self, request: Message, *, timeout_ms: int | None = None) -> Any:
        """An answer after a while."""
        assert timeout_ms == 4_500
        await self.world.clock.sleep(5)
        if self.is_away:
            raise ConnectionLost("away")
        self.heard.append(request)
        if isinstance(request, BrokerRegistrationRequest):
            self.epoch += 1
            return BrokerRegistrationResponse(broker_epoch=self.epoch)
        assert isinstance(request, BrokerHeartbeatRequest)
        if request.broker_epoch != self.epoch:
            return BrokerHeartbeatResponse(error_code=ErrorCode.STALE_BROKER_EPOCH)
        is_caught_up = request.current_metadata_offset >= 10
        goes = request.want_shut_down and self.lets_go
        return BrokerHeartbeatResponse(
            is_caught_up=is_caught_up, is_fenced=request.want_fence or not is_caught_up, should_shut_down=goes
        )

    def beats(self) -> list[BrokerHeartbeatRequest]:
        """The heartbeats."""
        return [each for each in self.heard if isinstance(each, BrokerHeartbeatRequest)]


class Life:
    """A broker's, with its controller."""

    def __init__(self, world: World) -> None:
        self.controller, self.offset = Controller(world), 0
        self.failures: list[str] = []
        self.lifecycle = BrokerLifecycle(
            world,
            REGISTRATION,
            self.controller,
            times=times_of(CONFIG),
            session_timeout_ms=CONFIG.integer("broker.session.timeout.ms"),
            metadata_offset=lambda: self.offset,
            failed=self.failures.append,
        )


def test_what_a_broker_says_of_itself() -> None:
    """End points, rack, directories, and all feature ranges of this release."""
    assert [(each.name, each.host, each.port) for each in REGISTRATION.listeners] == [("PLAINTEXT", "one", 9092)]
    assert (REGISTRATION.broker_id, REGISTRATION.rack, REGISTRATION.log_dirs) == (1, "r", [DIRECTORY])
    features = {each.name: (each.min_supported_version, each.max_supported_version) for each in REGISTRATION.features}
    assert features == {
        "metadata.version": (7, 30),
        "kraft.version": (0, 1),
        "transaction.version": (0, 2),
        "group.version": (0, 1),
        "eligible.leader.replicas.version": (0, 1),
        "share.version": (0, 1),
        "streams.version": (0, 1),
    }
    assert not REGISTRATION.is_migrating_zk_broker


def test_a_whole_life() -> None:
    """Registered, caught up, unfenced when ready, heartbeats all the while, and gone when the controller says so."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        lifecycle, controller = life.lifecycle, life.controller
        lifecycle.start(41)
        assert await lifecycle.registered() == lifecycle.broker_epoch == 1
        (registration,) = (each for each in controller.heard if isinstance(each, BrokerRegistrationRequest))
        assert registration.previous_broker_epoch == 41
        await world.clock.sleep(1_000)
        assert lifecycle.state is BrokerState.STARTING
        life.offset = 10
        await world.clock.sleep(100)
        assert (lifecycle.state, lifecycle.is_fenced) == (BrokerState.RECOVERY, True)
        lifecycle.ready()
        await lifecycle.unfenced()
        assert not lifecycle.is_fenced
        before = len(controller.heard)
        await world.clock.sleep(20_000)
        assert 9 <= len(controller.heard) - before <= 11
        controller.lets_go = False
        assert not await lifecycle.controlled_shutdown(1_000)
        controller.lets_go = True
        assert await lifecycle.controlled_shutdown(1_000)
        assert controller.beats()[-1].want_shut_down
        before = len(controller.heard)
        await world.clock.sleep(20_000)
        assert len(controller.heard) == before
        await lifecycle.stop()
        assert life.failures == []

    run(main)


def test_another_controller() -> None:
    """A controller that knows nothing of this life has it registered again, without anybody's doing."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        life.offset = 10
        life.lifecycle.start()
        life.lifecycle.ready()
        await life.lifecycle.unfenced()
        life.controller.is_away = True
        await world.clock.sleep(30_000)
        life.controller.is_away, life.controller.epoch = False, 5
        await world.clock.sleep(3_000)
        assert life.lifecycle.broker_epoch == 6
        assert not life.lifecycle.is_fenced
        await life.lifecycle.stop()

    run(main)


def test_a_broker_that_cannot_register() -> None:
    """It says why, once, and whoever waits gets that as an error."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        life.controller.is_away = True
        life.lifecycle.start()
        with pytest.raises(OttlaError, match=r"initial\.broker\.registration\.timeout\.ms"):
            await life.lifecycle.unfenced()
        with pytest.raises(OttlaError):
            await life.lifecycle.registered()
        (why,) = life.failures
        assert "60000" in why
        await life.lifecycle.stop()

    run(main)


def test_stop_leaves_nothing_behind() -> None:
    """A life may be stopped while a request is out; no timer and no task goes on."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        life.lifecycle.start()
        await world.clock.sleep(1)
        await life.lifecycle.stop()
        await world.clock.sleep(10_000)
        assert life.controller.heard == []

    run(main)


def test_directories_are_written_down_when_they_can_be() -> None:
    """A broker that registered at a metadata version without directories registers again when the version has them."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        life.lifecycle.start()
        await life.lifecycle.registered()
        own = RegisterBrokerRecord(1, incarnation_id=INCARNATION, broker_epoch=1)
        old = MetadataDelta(EMPTY)
        old.replay(FeatureLevelRecord("metadata.version", 16))
        old.replay(own)
        image = old.apply(Provenance(1, 1, 0))
        life.lifecycle(old, image)
        await world.clock.sleep(100)
        assert not isinstance(life.controller.heard[-1], BrokerRegistrationRequest)
        new = MetadataDelta(image)
        new.replay(FeatureLevelRecord("metadata.version", 17))
        life.lifecycle(new, new.apply(Provenance(2, 1, 0)))
        await world.clock.sleep(100)
        registrations = [each for each in life.controller.heard if isinstance(each, BrokerRegistrationRequest)]
        assert len(registrations) == 2
        await life.lifecycle.stop()

    run(main)


def test_cordoned_directories_wait_for_their_metadata_version() -> None:
    """Which directories are cordoned is told from 4.3-IV0 on, and not before."""

    async def main(world: SimulatedWorld) -> None:
        life = Life(world)
        life.lifecycle.start()
        life.lifecycle.cordon([DIRECTORY])
        await world.clock.sleep(100)
        assert life.controller.beats()[-1].cordoned_log_dirs is None
        delta = MetadataDelta(EMPTY)
        delta.replay(FeatureLevelRecord("metadata.version", 30))
        life.lifecycle(delta, delta.apply(Provenance(1, 1, 0)))
        await world.clock.sleep(100)
        assert life.controller.beats()[-1].cordoned_log_dirs == (DIRECTORY,)
        await life.lifecycle.stop()

    run(main)


@pytest.mark.parametrize(
    ("left_behind", "epoch"), [([5, 5], 5), ([5, None], -1), ([5, 6], -1), ([None], -1), ([], -1), ([-1], -1)]
)
def test_the_epoch_before(left_behind: list[int | None], epoch: int) -> None:
    """It counts if every directory was left cleanly by the same life."""
    assert previous_broker_epoch(left_behind) == epoch
