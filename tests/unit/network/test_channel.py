"""A client's channel: asking, versions, authentication, closing."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

import pytest

from ottla.errors import AuthenticationFailed, ChannelFull, ConnectFailed, ConnectionLost, UnsupportedVersion
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.channels import Channels
from ottla.network.handshake import SaslSettings
from ottla.network.request import Request
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.framing import framed
from ottla.protocol.messages.cluster import MetadataRequest, MetadataResponse
from ottla.protocol.messages.connection import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    SaslAuthenticateRequest,
    SaslHandshakeRequest,
)
from ottla.protocol.messages.connection import ApiVersionsResponse_ApiVersion as ApiVersion
from ottla.protocol.messages.groups import HeartbeatRequest, HeartbeatResponse
from ottla.protocol.messages.produce_fetch import ProduceRequest
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import Recorder
from tests.unit.network.channel_peers import SETTINGS, VERSIONS, Peer, channel_to, peer
from tests.unit.network.ends import HOST, SIZED, Serving, run
from tests.unit.network.test_sasl import Password

# Asking


def test_a_request_is_answered() -> None:
    """The first request connects, agrees on versions, and is answered in the highest version that both speak."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving)
            answer = await channel.request(MetadataRequest())
            assert isinstance(answer, MetadataResponse)
            assert answer.cluster_id == "x" * 10
            assert (channel.connects, channel.is_connected, channel.in_flight) == (1, True, 0)
            assert channel.version_for(ApiKey.METADATA) == 13
            await channel.close()

    run(main)


def test_requests_are_pipelined_in_the_order_of_asking() -> None:
    """Hundreds of requests asked at once go over one connection, in their order, and each has its own answer."""

    async def main(world: SimulatedWorld) -> None:
        def sized(request: Request) -> None:
            asked = MetadataRequest.read(request.frame, request.version, request.body)
            assert asked.topics is not None
            request.answer(MetadataResponse(cluster_id=asked.topics[0].name))

        async with Serving(world) as serving:
            serving.service.other = {SIZED: sized}
            channel = channel_to(serving)
            waiting = [channel.send(MetadataRequest(topics=[_topic(f"t{number}")])) for number in range(500)]
            assert [(await each).cluster_id for each in waiting] == [f"t{number}" for number in range(500)]
            assert serving.service.served == list(range(1, 502))
            assert channel.connects == 1
            await channel.close()

    run(main)


def _topic(name: str) -> Any:
    return MetadataRequest.MetadataRequestTopic(name=name)


def test_only_so_many_requests_are_in_flight() -> None:
    """Above `max_in_flight` requests wait in the queue, in order, until answers make room."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_in_flight=3))
            waiting = [channel.send(HeartbeatRequest()) for _ in range(8)]
            await serving.until(lambda: len(serving.service.held) == 3)
            await world.clock.sleep(100)
            assert (len(serving.service.held), channel.in_flight, channel.waiting) == (3, 3, 5)
            for place in range(8):
                await serving.until(lambda place=place: len(serving.service.held) > place)  # type: ignore[misc]
                serving.service.answer_held(place)
            assert [type(await each) for each in waiting] == [HeartbeatResponse] * 8
            await channel.close()

    run(main)


def test_a_peer_that_does_not_read_makes_requests_wait() -> None:
    """What waits to be sent is bounded: the rest stays in the queue, and is sent when the peer reads again."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_unsent_bytes=50_000, request_timeout_ms=60_000))
            await channel.request(MetadataRequest())
            serving.connection().throttle(10_000)
            large = MetadataRequest(topics=[_topic("t" * 200) for _ in range(100)])
            waiting = [channel.send(large) for _ in range(90)]
            await world.clock.sleep(5_000)
            assert 0 < channel.in_flight < 20
            assert len(world.loop._timers) < 20  # looking again does not multiply
            for each in waiting:
                await each
            assert channel.connects == 1
            await channel.close()

    run(main)


def test_what_gets_no_answer_is_done_when_it_is_written() -> None:
    """A produce request with acks=0 has no answer; the answers behind it belong to those who asked."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            serving.service.other = {ApiKey.PRODUCE: Request.answer_nothing}
            channel = channel_to(serving)
            produced = [channel.send(ProduceRequest(acks=0), answered=False) for _ in range(3)]
            metadata = channel.send(MetadataRequest())
            assert [await each for each in produced] == [None] * 3
            assert (await metadata).cluster_id == "x" * 10
            await channel.close()

    run(main)


def test_a_full_queue_refuses() -> None:
    """More than `max_waiting` requests in the queue are ChannelFull; those who have given up do not count."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_waiting=3))
            waiting = [channel.send(MetadataRequest()) for _ in range(3)]
            with pytest.raises(ChannelFull, match="3 requests wait"):
                await channel.send(MetadataRequest())
            waiting[1].cancel()
            await channel.request(MetadataRequest())
            await waiting[0]
            await waiting[2]
            assert serving.service.served == [1, 2, 3, 4]  # ApiVersions is the first
            await channel.close()

    run(main)


# Versions


@pytest.mark.parametrize("says_versions", [True, False])
def test_an_old_broker_is_asked_again_in_its_own_version(says_versions: bool) -> None:
    """A broker that lacks our version of ApiVersions says UNSUPPORTED_VERSION in version 0, since KIP-511 with the
    versions that it has; it is asked again in one of those, or in 0.
    """

    class Old(Peer):
        asked: ClassVar[list[int]] = []

        def received(self, count: int) -> None:
            """Speak versions 0 to 2 of ApiVersions."""
            Recorder.received(self, count)
            asked, version = bytes(self.data[4:]), int.from_bytes(self.data[6:8], "big")
            self.data.clear()
            Old.asked.append(version)
            if version > 2:
                keys = [ApiVersion(VERSIONS, 0, 2)] if says_versions else []
                body = ApiVersionsResponse(error_code=ErrorCode.UNSUPPORTED_VERSION, api_keys=keys).write(0)
            else:
                body = ApiVersionsResponse(api_keys=[ApiVersion(VERSIONS, 0, 2), ApiVersion(3, 0, 5)]).write(version)
            self.stream.write(framed(asked[4:8], body))

    async def main(world: SimulatedWorld) -> None:
        Old.asked = []
        channel = await peer(world, kind=Old, settings=ChannelSettings(request_timeout_ms=100))
        with pytest.raises(UnsupportedVersion, match=r"HEARTBEAT.*does not know it"):
            await channel.request(HeartbeatRequest())
        assert Old.asked == [4, 2 if says_versions else 0]
        assert channel.version_for(ApiKey.METADATA) == 5
        assert channel.version_for(ApiKey.METADATA, 3) == 3
        assert channel.is_connected
        await channel.close()

    run(main)


def test_without_a_common_version_a_request_fails_and_nothing_is_sent() -> None:
    """A request that the peer, or its sender, cannot say in any common version is UnsupportedVersion; others go on."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving)
            refused = channel.send(ProduceRequest(), max_version=2)
            good = channel.send(MetadataRequest())
            with pytest.raises(UnsupportedVersion, match="PRODUCE"):
                await refused
            assert isinstance(await good, MetadataResponse)
            await channel.close()

    run(main)


def test_a_peer_that_refuses_to_tell_its_versions_is_connect_failed() -> None:
    """ApiVersions that is answered with another error brings no connection about."""

    class Refusing(Peer):
        versions = ApiVersionsResponse(error_code=ErrorCode.INVALID_REQUEST)

    async def main(world: SimulatedWorld) -> None:
        channel = await peer(world, kind=Refusing)
        with pytest.raises(ConnectFailed, match="INVALID_REQUEST"):
            await channel.request(MetadataRequest())
        assert not channel.is_connected
        await channel.close()

    run(main)


# Authentication


def _authenticate(word: str) -> Callable[[Callable[[Any], Awaitable[Any]]], Awaitable[None]]:
    async def authenticate(ask: Callable[[Any], Awaitable[Any]]) -> None:
        offered = await ask(SaslHandshakeRequest(mechanism="PASSWORD"))
        assert offered.error_code == 0
        answer = await ask(SaslAuthenticateRequest(auth_bytes=f"alice:{word}".encode()))
        if answer.error_code:
            raise AuthenticationFailed(answer.error_message)

    return authenticate


def test_a_channel_authenticates_before_its_first_request() -> None:
    """The exchange goes over the new connection before any request does; the server knows who asks."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, None, sasl=SaslSettings({"PASSWORD": Password})) as serving:
            channel = channel_to(serving, ChannelSettings(authenticate=_authenticate("secret")))
            asked = channel.send(HeartbeatRequest())
            await serving.until(lambda: bool(serving.service.held))
            assert serving.service.held[0].principal == "User:alice"
            serving.service.answer_held()
            await asked
            await channel.close()

    run(main)


def test_who_is_not_let_in_is_told_why() -> None:
    """Wrong credentials fail what waits with AuthenticationFailed and the server's words."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, None, sasl=SaslSettings({"PASSWORD": Password})) as serving:
            channel = channel_to(serving, ChannelSettings(authenticate=_authenticate("guess")))
            with pytest.raises(AuthenticationFailed, match="invalid credentials"):
                await channel.request(MetadataRequest())
            assert not channel.is_connected
            await channel.close()

    run(main)


# Closing


@pytest.mark.parametrize("after_ms", [0, 1, 200])
def test_closing_tells_everybody_and_leaves_nothing(after_ms: int) -> None:
    """Whoever waits, for a connection or for an answer, is told; no task and no connection is left, at any moment."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            channel = channel_to(serving, ChannelSettings(max_in_flight=1))
            waiting = [channel.send(HeartbeatRequest()) for _ in range(3)]
            await world.clock.sleep(after_ms)
            await channel.close()
            for each in waiting:
                with pytest.raises(ConnectionLost, match="closed"):
                    await each
            with pytest.raises(ConnectionLost, match="closed"):
                await channel.request(MetadataRequest())
            await channel.close()
            await serving.until(lambda: not list(serving.server.connections()))
            assert channel.waiting == channel.in_flight == 0

    run(main)


def test_closing_while_nobody_answers_takes_a_bounded_time() -> None:
    """A channel that waits for its back-off, or whose peer has gone silent, closes at once or in a second or two."""

    async def main(world: SimulatedWorld) -> None:
        channel = Channel(world, Address(HOST, 9), ChannelSettings(backoff_ms=50_000, backoff_max_ms=50_000))
        with pytest.raises(ConnectFailed):
            await channel.request(MetadataRequest())
        waiting = channel.send(MetadataRequest())
        await world.clock.sleep(10)
        before_ms = world.clock.monotonic_ms()
        await channel.close()
        with pytest.raises(ConnectionLost):
            await waiting
        assert world.clock.monotonic_ms() - before_ms < 10

    run(main)


def test_what_is_written_is_sent_before_the_connection_is_closed() -> None:
    """Requests without an answer that were written reach the peer although the channel is closed right behind them."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            serving.service.other = {ApiKey.PRODUCE: Request.answer_nothing}
            channel = channel_to(serving)
            await channel.request(MetadataRequest())
            for _ in range(50):
                await channel.request(ProduceRequest(acks=0), answered=False)
            await channel.close()
            await serving.until(lambda: len(serving.service.served) == 52)

    run(main)


def test_each_peer_and_purpose_has_one_channel() -> None:
    """Who asks for the same peer and purpose shares a channel; other purposes have their own; all close together."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            address = serving.server.listeners["PLAIN"].address
            channels = Channels(world, SETTINGS, max_channels=2)
            assert channels.to(address, "fetch") is channels.to(address, "fetch")
            await channels.to(address, "fetch").request(MetadataRequest())
            await channels.to(address, "vote").request(MetadataRequest())
            assert len(list(serving.server.connections())) == len(channels) == 2
            with pytest.raises(ChannelFull):
                channels.to(address, "third")
            await channels.drop(address, "fetch")
            assert len(channels) == 1
            await channels.close()
            await serving.until(lambda: not list(serving.server.connections()))

    run(main)


def test_a_client_says_its_name_and_version() -> None:
    """ApiVersions carries the name and version of our software (KIP-511), and the header the client id."""

    async def main(world: SimulatedWorld) -> None:
        said: list[tuple[Any, ...]] = []

        def versions(request: Request) -> None:
            asked = ApiVersionsRequest.read(request.frame, request.version, request.body)
            said.append((asked.client_software_name, asked.client_software_version, request.client_id))
            request.answer(Peer.versions)

        async with Serving(world) as serving:
            serving.service.other = {VERSIONS: versions}
            channel = channel_to(serving, ChannelSettings(client_id="me", software_version="1.2"))
            await channel.request(MetadataRequest())
            assert said == [("ottla", "1.2", "me")]
            assert channel.api_versions is not None
            await channel.close()

    run(main)
