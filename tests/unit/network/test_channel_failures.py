"""What becomes of a channel's requests when a deadline passes, an answer is none, or nobody is there."""

from itertools import pairwise

import pytest

from ottla.errors import (
    ConnectFailed,
    ConnectionLost,
    MalformedMessage,
)
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.limits import Limits
from ottla.protocol.framing import framed
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.groups import HeartbeatRequest, HeartbeatResponse
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld
from ottla.world.tasks import Cancelled
from tests.conformance.peers import Recorder
from tests.unit.network.channel_peers import SETTINGS, channel_to, peer
from tests.unit.network.ends import ANY, HOST, Serving, run

# Deadlines, and other ends


def test_a_deadline_that_passes_closes_the_connection() -> None:
    """A request that is not answered in time is TimeoutError; the connection is closed, and what was written behind it
    is lost. What comes next makes a new connection.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving)
            await channel.request(MetadataRequest())
            before_ms = world.clock.monotonic_ms()
            late = channel.send(HeartbeatRequest(), timeout_ms=1_000)
            behind = channel.send(MetadataRequest(), timeout_ms=9_000)
            with pytest.raises(TimeoutError, match="HEARTBEAT"):
                await late
            assert world.clock.monotonic_ms() - before_ms in range(1_000, 1_010)
            with pytest.raises(ConnectionLost, match="does not answer in time"):
                await behind
            assert isinstance(await channel.request(MetadataRequest()), MetadataResponse)
            assert channel.connects == 2
            await channel.close()

    run(main)


def test_a_deadline_in_the_queue_fails_its_request_alone() -> None:
    """Who waits for a connection, or for room, longer than his time is TimeoutError; others wait on."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_in_flight=1))
            first = channel.send(HeartbeatRequest())
            late, patient = channel.send(MetadataRequest(), timeout_ms=500), channel.send(MetadataRequest())
            with pytest.raises(TimeoutError, match="METADATA"):
                await late
            serving.service.answer_held()
            await first
            await patient
            assert (channel.connects, serving.service.served) == (1, [1, 2, 3])
            await channel.close()

    run(main)


def test_who_stops_waiting_disturbs_nobody() -> None:
    """A cancelled request in the queue is never sent; one that is written is answered, and its answer dropped."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_in_flight=1))
            asked = [world.spawn(channel.request(HeartbeatRequest()), f"{number}") for number in range(3)]
            await serving.until(lambda: len(serving.service.held) == 1)
            asked[0].cancel()
            asked[1].cancel()
            for each in asked[:2]:
                with pytest.raises(Cancelled):
                    await each
            serving.service.answer_held()
            await serving.until(lambda: len(serving.service.held) == 2)
            serving.service.answer_held(1)
            assert isinstance(await asked[2], HeartbeatResponse)
            assert (channel.connects, channel.in_flight, len(serving.service.held)) == (1, 0, 2)
            await channel.close()

    run(main)


def test_a_cancelled_request_that_is_never_answered_still_ends_the_connection() -> None:
    """The peer owes an answer also where nobody waits for it any more: at its deadline the connection is closed."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving)
            await channel.request(MetadataRequest())
            channel.send(HeartbeatRequest(), timeout_ms=1_000).cancel()
            await world.clock.sleep(500)
            states = [channel.is_connected]
            await world.clock.sleep(600)
            assert [*states, channel.is_connected] == [True, False]
            await channel.close()

    run(main)


def test_what_was_written_is_lost_with_the_connection_and_what_waits_is_not() -> None:
    """When the connection ends, requests in flight fail, each with an error of its own; those in the queue, which were
    never sent, go over the next connection.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_in_flight=2))
            lost = [channel.send(HeartbeatRequest()) for _ in range(2)]
            queued = channel.send(MetadataRequest())
            await serving.until(lambda: len(serving.service.held) == 2)
            serving.connection().stream.abort()
            errors = []
            for each in lost:
                with pytest.raises(ConnectionLost) as caught:
                    await each
                errors.append(caught.value)
            assert errors[0] is not errors[1]
            assert isinstance(await queued, MetadataResponse)
            assert channel.connects == 2
            await channel.close()

    run(main)


HEARTBEAT_1 = (2).to_bytes(4, "big")  # the second correlation id of a connection
GOOD = framed(HEARTBEAT_1 + b"\x00", HeartbeatResponse().write(4))[0]


@pytest.mark.parametrize(
    "answers",
    [
        (b"\x00\x00\x00\x04" + b"\x00\x00\x00\x63",),  # the answer to something else
        (b"\x00\x00\x00\x02\x00\x00",),  # not even a correlation id
        (b"\x00\x00\x00\x05" + HEARTBEAT_1 + b"\x00",),  # no body
        (b"\xff\xff\xff\xff",),
        (GOOD[:4] + b"\x7f" + GOOD[5:],),
    ],
)
def test_an_answer_that_is_none_ends_the_connection(answers: tuple[bytes, ...]) -> None:
    """A wrong correlation id, or bytes that do not parse, fail the request and all behind it: nothing that follows
    could be trusted.
    """

    async def main(world: SimulatedWorld) -> None:
        channel = await peer(world, answers)
        for _ in range(2):
            with pytest.raises((ConnectionLost, MalformedMessage)):
                await channel.request(HeartbeatRequest())
            assert not channel.is_connected
        first, second = channel.send(HeartbeatRequest()), channel.send(HeartbeatRequest())
        with pytest.raises((ConnectionLost, MalformedMessage)):
            await first
        with pytest.raises(ConnectionLost):
            await second
        assert not channel.is_connected
        await channel.close()

    run(main)


def test_what_nobody_has_asked_for_ends_the_connection() -> None:
    """A second answer to one request belongs to nobody; the first one counts."""

    async def main(world: SimulatedWorld) -> None:
        channel = await peer(world, (GOOD, GOOD))
        assert isinstance(await channel.request(HeartbeatRequest()), HeartbeatResponse)
        await world.clock.sleep(10)
        assert not channel.is_connected
        await channel.close()

    run(main)


def test_an_answer_may_be_bounded() -> None:
    """An answer that announces more than `max_response_bytes` ends the connection before it is read."""

    async def main(world: SimulatedWorld) -> None:
        channel = await peer(world, (b"\x00\x10\x00\x00",), settings=ChannelSettings(max_response_bytes=1_000))
        with pytest.raises(ConnectionLost, match="1048576"):
            await channel.request(HeartbeatRequest())
        await channel.close()

    run(main)


# Connecting


def test_attempts_are_spaced_out() -> None:
    """Where nobody is, each request fails fast with ConnectFailed, and the pauses between attempts double up to the
    maximum, with a fifth more or less by chance.
    """

    async def main(world: SimulatedWorld) -> list[int]:
        channel = Channel(world, Address(HOST, 9), ChannelSettings(backoff_ms=50, backoff_max_ms=1_000))
        ends_ms = []
        for _ in range(9):
            with pytest.raises(ConnectFailed):
                await channel.request(MetadataRequest())
            ends_ms.append(world.clock.monotonic_ms())
        await channel.close()
        return [after - before for before, after in pairwise(ends_ms)]

    for seed in range(5):
        pauses_ms = run(main, seed)
        for pause_ms, wanted_ms in zip(pauses_ms, [50, 100, 200, 400, 800, 1_000, 1_000, 1_000], strict=True):
            assert 0.79 * wanted_ms - 1 <= pause_ms <= 1.21 * wanted_ms + 2
    assert run(main, 1) != run(main, 2)


def test_many_requests_make_one_attempt() -> None:
    """All that wait for a connection wait for the same one, and fail together if it does not come about."""

    async def main(world: SimulatedWorld) -> None:
        channel = Channel(world, Address(HOST, 9), SETTINGS)
        waiting = [channel.send(MetadataRequest()) for _ in range(20)]
        for each in waiting:
            with pytest.raises(ConnectFailed):
                await each
        assert channel.failures_in_a_row == 1
        await channel.close()

    run(main)


def test_a_peer_that_says_nothing_is_given_up() -> None:
    """A peer that accepts and never answers ApiVersions is TimeoutError for who asks, and the attempt ends as well."""

    async def main(world: SimulatedWorld) -> None:
        listener = await world.network.listen(ANY, lambda stream: Recorder(world, stream))
        channel = Channel(world, listener.address, ChannelSettings(request_timeout_ms=2_000))
        with pytest.raises(TimeoutError):
            await channel.request(MetadataRequest(), timeout_ms=1_000)
        with pytest.raises((TimeoutError, ConnectFailed)):
            await channel.request(MetadataRequest(), timeout_ms=10_000)
        assert channel.failures_in_a_row == 1
        await channel.close()

    run(main)


def test_a_connection_that_the_peer_closes_is_made_anew_for_the_next_request() -> None:
    """A broker closes idle connections; the channel learns of it, and connects again when somebody asks."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(idle_ms=1_000)) as serving:
            channel = channel_to(serving)
            await channel.request(MetadataRequest())
            await world.clock.sleep(5_000)
            states = [channel.is_connected]
            assert isinstance(await channel.request(MetadataRequest()), MetadataResponse)
            assert ([*states, channel.is_connected], channel.connects) == ([False, True], 2)
            await channel.close()

    run(main)


def test_closing_does_not_wait_for_a_peer_that_reads_nothing() -> None:
    """What is written has a second to be read when the channel is closed; then it is lost."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_unsent_bytes=10_000_000))
            await channel.request(MetadataRequest())
            serving.connection().throttle(100_000)
            large = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="t" * 200)] * 1_000)
            lost = [channel.send(large) for _ in range(20)]
            await world.clock.sleep(100)
            before_ms = world.clock.monotonic_ms()
            await channel.close()
            assert world.clock.monotonic_ms() - before_ms in range(1_000, 1_010)
            for each in lost:
                with pytest.raises(ConnectionLost):
                    await each

    run(main)
