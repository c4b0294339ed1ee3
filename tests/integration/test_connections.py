"""Connections, both ends, over real sockets: plain and TLS, on both event loops."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ottla.errors import ConnectionLost
from ottla.network.channel import Channel, ChannelSettings
from ottla.network.limits import Limits
from ottla.protocol.messages.cluster import MetadataRequest
from ottla.protocol.messages.groups import HeartbeatRequest
from ottla.world.api import TlsSettings
from ottla.world.real.world import RealWorld
from tests.integration.world.certificates import Authority, new_authority
from tests.integration.world.loops import LOOPS, run_on
from tests.unit.network.ends import SIZED, Serving, question

Main = Callable[[RealWorld], Coroutine[Any, Any, None]]


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Whom both ends believe."""
    return new_authority(tmp_path_factory.mktemp("authority"), "ours")


@pytest.fixture(params=LOOPS)
def loop(request: pytest.FixtureRequest) -> str:
    """Either loop."""
    return str(request.param)


def tls_settings(authority: Authority, secured: bool) -> tuple[TlsSettings | None, TlsSettings | None]:
    """The server's and the client's."""
    if not secured:
        return None, None
    return authority.settings("server"), authority.anonymous()


@pytest.mark.parametrize("secured", [False, True], ids=["plain", "tls"])
def test_thousands_of_requests_are_pipelined(loop: str, secured: bool, authority: Authority) -> None:
    """5,000 requests asked at once are answered, each in its place, and stopping leaves nothing behind."""
    server_tls, client_tls = tls_settings(authority, secured)

    async def main(world: RealWorld) -> None:
        async with Serving(world, None, tls=server_tls) as serving:
            address = serving.server.listeners["PLAIN"].address
            channel = Channel(world, address, ChannelSettings(tls=client_tls))
            serving.service.size_bytes = 1_000
            waiting = [channel.send(MetadataRequest()) for _ in range(5_000)]
            for each in waiting:
                assert len((await each).cluster_id) == 1_000
            assert serving.service.served == list(range(1, 5_002))
            assert channel.connects == 1
            await channel.close()
            await serving.until(lambda: not list(serving.server.connections()))

    run_on(loop, main)


@pytest.mark.parametrize("secured", [False, True], ids=["plain", "tls"])
def test_large_requests_arrive_whole(loop: str, secured: bool, authority: Authority) -> None:
    """Requests of megabytes, more than all buffers hold, arrive whole among small ones, whatever the limits."""
    server_tls, client_tls = tls_settings(authority, secured)

    async def main(world: RealWorld) -> None:
        async with Serving(world, Limits(max_unsent_bytes=100_000), tls=server_tls) as serving:
            address = serving.server.listeners["PLAIN"].address
            channel = Channel(world, address, ChannelSettings(tls=client_tls))
            serving.service.size_bytes = 30_000
            many = MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="t" * 249)] * 10_000)
            waiting = [channel.send(many if number % 10 == 0 else MetadataRequest()) for number in range(200)]
            for each in waiting:
                assert len((await each).cluster_id) == 30_000
            await channel.close()

    run_on(loop, main)


def test_a_real_pipeline_that_never_reads_is_held_up(loop: str) -> None:
    """On real sockets as in simulation: the limit, one batch and one answer are unsent at most, and the rest waits."""

    async def main(world: RealWorld) -> None:
        async with Serving(world, Limits(max_unsent_bytes=200_000)) as serving:
            serving.service.size_bytes = 10_000
            client = await serving.client()
            client.stream.pause_reading()
            await client.ask(*(question(SIZED, number) for number in range(20_000)))
            await serving.until(lambda: bool(list(serving.server.connections()) and serving.connection().muted))
            for _ in range(100):
                await world.clock.sleep(1)
                assert serving.connection().stream.unsent_bytes() <= 200_000 + 64 * 1024 + 11_000
            assert len(serving.service.served) < 10_000
            client.stream.abort()

    run_on(loop, main)


def test_a_deadline_closes_the_connection(loop: str) -> None:
    """A request that is not answered in time is TimeoutError, and what was written behind it is lost."""

    async def main(world: RealWorld) -> None:
        async with Serving(world) as serving:
            channel = Channel(world, serving.server.listeners["PLAIN"].address, ChannelSettings())
            await channel.request(MetadataRequest())
            late = channel.send(HeartbeatRequest(), timeout_ms=50)
            behind = channel.send(MetadataRequest())
            with pytest.raises(TimeoutError):
                await late
            with pytest.raises(ConnectionLost):
                await behind
            await channel.close()

    run_on(loop, main)


def test_rubbish_where_tls_is_expected_costs_its_connection_alone(loop: str, authority: Authority) -> None:
    """Bytes that are no handshake end their connection; a proper client is served beside them."""
    server_tls, client_tls = tls_settings(authority, True)

    async def main(world: RealWorld) -> None:
        async with Serving(world, None, tls=server_tls) as serving:
            client = await serving.client()
            await client.ask(question(SIZED, 1) * 100)
            channel = Channel(world, serving.server.listeners["PLAIN"].address, ChannelSettings(tls=client_tls))
            await channel.request(MetadataRequest())
            await client.until_gone()
            assert client.frames() == []
            await channel.close()

    run_on(loop, main)
