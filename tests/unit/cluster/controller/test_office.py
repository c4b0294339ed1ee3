"""The controller's office in a simulated world, on a log that commits a little later."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ottla.cluster.controller.office import Snapshot
from ottla.errors import DiskError, PeerError, RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import FeatureLevelRecord, NoOpRecord, RemoveTopicRecord, TopicRecord
from ottla.replicated.decision import Decision
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.unit.cluster.controller.house import BOOTSTRAP, COMMIT_MS, House
from tests.unit.cluster.controller.office import replayed, state_of, uuid

QUIET = {"metadata.max.idle.interval.ms": "0"}  # no record but those that are asked for


def simulated(scenario: Callable[[SimulatedWorld], Coroutine[Any, Any, None]], seed: int = 1) -> None:
    """Run it."""
    Simulation(seed).run(scenario)


def note(name: str) -> Callable[[int], Decision[Message, str]]:
    """A decision with one record that changes something."""
    return lambda _: Decision([TopicRecord(name, uuid(sum(name.encode())))], name)


def test_a_decision_is_answered_when_its_records_are_committed() -> None:
    """Who asks for something goes on when a majority has it, not before."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world)
        house.lead()
        await house.active()
        before_ms = world.clock.monotonic_ms()
        assert await house.office.submit(note("orders")) == "orders"
        assert world.clock.monotonic_ms() >= before_ms + COMMIT_MS
        assert house.controller.table.topic("orders") is not None
        assert house.office.waiting == 0
        assert not house.reported

    simulated(scenario)


def test_the_first_records_of_a_new_log_are_written_before_anything_is_decided() -> None:
    """A controller that takes office on an empty log writes the levels of its features first."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world)
        house.lead()
        await house.active()
        assert house.log.records[: len(BOOTSTRAP)] == BOOTSTRAP

    simulated(scenario)


def test_many_decisions_of_one_turn_go_to_the_log_in_one_append() -> None:
    """A hundred requests that arrive at once cost one append."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world, static=QUIET)
        house.lead()
        await house.active()
        house.log.appends.clear()
        async with world.group() as group:
            for number in range(100):
                group.spawn(house.office.submit(note(f"t{number:03}" + "x" * number)), "submit")
        assert house.log.appends == [100]

    simulated(scenario)


def test_a_standby_says_who_the_controller_is() -> None:
    """Only the active controller decides; the others answer NOT_CONTROLLER."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world)
        house.lose(901)
        with pytest.raises(RequestRefused, match="901") as refusal:
            await house.office.submit(note("orders"))
        assert refusal.value.code == ErrorCode.NOT_CONTROLLER

    simulated(scenario)


def test_a_standby_replays_what_others_commit_and_is_ready_at_once() -> None:
    """A failover finds the state in memory, in slices that leave the loop free."""

    async def scenario(world: SimulatedWorld) -> None:
        topics: list[Message] = [TopicRecord(f"t{number}", uuid(number)) for number in range(3_000)]
        house = House(world, [*BOOTSTRAP, *topics])
        await world.clock.sleep(50)
        assert len(house.controller.table.topics) == 3_000
        house.log.records.append(RemoveTopicRecord(uuid(0)))
        house.log.committed_offset += 1
        house.office.committed(house.log.committed_offset)
        await world.clock.sleep(10)
        assert len(house.controller.table.topics) == 2_999
        house.lead()
        await house.active()
        assert house.office.replayed_offset >= house.log.committed_offset - 1

    simulated(scenario)


def test_who_waits_when_the_office_is_lost_is_told_to_ask_elsewhere() -> None:
    """What was not committed when leadership went is taken back, and nobody waits for ever."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world)
        house.lead()
        await house.active()
        before = state_of(house.controller)
        house.log.commits = False
        asking = world.spawn(house.office.submit(note("orders")), "submit")
        await world.clock.sleep(5)
        assert house.controller.table.topic("orders") is not None
        house.lose()
        with pytest.raises(PeerError) as refusal:
            await asking
        assert refusal.value.code == ErrorCode.NOT_CONTROLLER
        assert state_of(house.controller) == before

    simulated(scenario)


def test_a_log_that_takes_no_records_makes_the_controller_resign() -> None:
    """When the disk refuses, another controller may do better; whoever asked is told, and nothing has changed."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world)
        house.lead()
        await house.active()
        before = state_of(house.controller)
        house.log.failure = DiskError("no space left", path="log")
        with pytest.raises(DiskError):
            await house.office.submit(note("orders"))
        assert house.resigned == [1]
        assert not house.office.is_active
        assert state_of(house.controller) == before
        house.log.failure = None
        house.lead(3)
        await house.active()
        assert await house.office.submit(note("orders")) == "orders"

    simulated(scenario)


def test_state_that_cannot_be_replayed_is_loaded_anew_after_growing_pauses() -> None:
    """A record that fits nothing before it does not keep the loop busy, and is told each time."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world, [*BOOTSTRAP, RemoveTopicRecord(uuid(7))])
        await world.clock.sleep(60_000)
        assert 5 <= len(house.reported) <= 20
        house.log.records[-1] = NoOpRecord()
        await world.clock.sleep(20_000)
        assert house.office.replayed_offset == house.log.end_offset - 1

    simulated(scenario)


def test_a_snapshot_of_somebody_else_replaces_the_state() -> None:
    """A standby that is too far behind begins anew from the snapshot that the leader sent."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world, [*BOOTSTRAP, TopicRecord("old", uuid(1))])
        await world.clock.sleep(10)
        records: list[Message] = [*BOOTSTRAP, *(TopicRecord(f"t{number}", uuid(number)) for number in range(2_000))]
        house.snapshot = Snapshot(iter(records), 5_000)
        house.log.records = [FeatureLevelRecord("unused", 1)] * 5_000
        house.log.committed_offset = 5_000
        house.office.snapshot_installed(None)
        await world.clock.sleep(50)
        assert house.office.replayed_offset == 4_999
        assert state_of(house.controller) == state_of(replayed(records))

    simulated(scenario)


def test_what_the_quorum_writes_of_its_own_moves_decisions_behind_it() -> None:
    """A voter change between a decision and its append costs nobody anything: the decision is made again."""

    async def scenario(world: SimulatedWorld) -> None:
        house = House(world, static=QUIET)
        house.lead()
        await house.active()
        asking = [world.spawn(house.office.submit(note(name)), "submit") for name in ("one", "three")]
        await world.clock.sleep(0)
        house.log.records.append(NoOpRecord())  # stands for a control batch, which no state machine is shown
        assert [await each for each in asking] == ["one", "three"]
        assert [type(record) for record in house.log.records[-3:]] == [NoOpRecord, TopicRecord, TopicRecord]
        assert state_of(replayed(house.log.records)) == state_of(house.controller)
        assert not house.reported

    simulated(scenario)
