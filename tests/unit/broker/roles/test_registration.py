"""A controller's registration, in a simulated world, against answers as a controller gives them."""

from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

from ottla.broker.roles.registration import ControllerRegistration
from ottla.cluster.metadata.bootstrap import bootstrap_records, levels_at
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.cluster.metadata.parts.registrations import EndPoint
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.controller import ControllerRegistrationRequest, ControllerRegistrationResponse
from ottla.protocol.messages.metadata_records import RegisterControllerRecord
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.controller.office import uuid

NODE_ID = 3


class Cluster:
    """The metadata, and an active controller that may be away."""

    def __init__(self, world: SimulatedWorld, version: MetadataVersion = MetadataVersion.IBP_4_3_IV0) -> None:
        self.world = world
        self.image: MetadataImage = EMPTY
        self.asked_ms: list[int] = []
        self.is_away = False
        self.registration = ControllerRegistration(
            world, NODE_ID, uuid(1), {"CONTROLLER": EndPoint("c3", 9093, 0)}, self.ask
        )
        self.version = version

    async def ask(self, request: Message) -> Any:
        """The controller's answer."""
        assert isinstance(request, ControllerRegistrationRequest)
        assert [(each.name, each.host, each.port) for each in request.listeners] == [("CONTROLLER", "c3", 9093)]
        self.asked_ms.append(self.world.clock.monotonic_ms())
        await self.world.clock.sleep(5)
        if self.is_away:
            raise RequestRefused(ErrorCode.REQUEST_TIMED_OUT, "nobody there")
        return ControllerRegistrationResponse()

    def publish(self, *records: Message) -> None:
        """The metadata has changed."""
        delta = MetadataDelta(self.image)
        for record in records:
            delta.replay(record)
        self.image = delta.apply(Provenance(self.image.provenance.last_contained_offset + 1, 1, 0))
        self.registration(delta, self.image)

    def begin(self) -> None:
        """The first records of a log."""
        self.publish(*(each.message for each in bootstrap_records(levels_at(self.version))))


def simulated(
    story: Callable[[Cluster], Coroutine[Any, Any, None]], version: MetadataVersion = MetadataVersion.IBP_4_3_IV0
) -> None:
    """Run a story."""

    async def scenario(world: SimulatedWorld) -> None:
        await story(Cluster(world, version))

    Simulation(1).run(scenario)


def test_a_controller_registers_once_and_is_done_when_it_reads_of_itself() -> None:
    """One request for each life of a controller, however often the metadata changes meanwhile."""

    async def story(cluster: Cluster) -> None:
        cluster.begin()
        await cluster.world.clock.sleep(100)
        cluster.publish()
        await cluster.world.clock.sleep(10_000)
        assert len(cluster.asked_ms) == 1
        assert not cluster.registration.is_registered
        cluster.publish(RegisterControllerRecord(controller_id=NODE_ID, incarnation_id=uuid(1)))
        assert cluster.registration.is_registered

    simulated(story)


def test_somebody_elses_registration_under_this_id_is_replaced() -> None:
    """A controller whose earlier life, or another node, stands in the metadata registers anew."""

    async def story(cluster: Cluster) -> None:
        cluster.begin()
        cluster.publish(RegisterControllerRecord(controller_id=NODE_ID, incarnation_id=uuid(1)))
        await cluster.world.clock.sleep(100)
        before = len(cluster.asked_ms)
        cluster.publish(RegisterControllerRecord(controller_id=NODE_ID, incarnation_id=uuid(2)))
        await cluster.world.clock.sleep(100)
        assert len(cluster.asked_ms) == before + 1

    simulated(story)


def test_after_failures_it_asks_with_pauses_that_double_up_to_two_minutes() -> None:
    """A quorum that is away is not hammered, and is asked at least every two minutes."""

    async def story(cluster: Cluster) -> None:
        cluster.is_away = True
        cluster.begin()
        await cluster.world.clock.sleep(600_000)
        pauses = [later - earlier for earlier, later in pairwise(cluster.asked_ms)]
        assert pauses[0] < 120
        assert all(1.8 * earlier < later for earlier, later in pairwise(pauses[2:9]))
        assert 117_000 < pauses[-1] < 123_000
        cluster.registration.stop()
        before = len(cluster.asked_ms)
        await cluster.world.clock.sleep(600_000)
        assert len(cluster.asked_ms) == before

    simulated(story)


def test_before_3_7_controllers_are_not_registered() -> None:
    """At a metadata.version that has no record for it nothing is asked; after the upgrade it is."""

    async def story(cluster: Cluster) -> None:
        cluster.begin()
        await cluster.world.clock.sleep(1_000)
        assert not cluster.asked_ms
        cluster.version = MetadataVersion.IBP_3_7_IV0
        cluster.begin()
        await cluster.world.clock.sleep(1_000)
        assert len(cluster.asked_ms) == 1

    simulated(story, MetadataVersion.IBP_3_6_IV2)
