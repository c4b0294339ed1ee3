"""The exchange over a connection: what is served before it, how failures are told, and when."""

from typing import Any

import pytest

from ottla.errors import AuthenticationFailed
from ottla.network.handshake import SaslSettings, Step
from ottla.network.limits import Limits, Mute
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import (
    ApiVersionsRequest,
    ApiVersionsResponse,
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)
from ottla.world.simulated import SimulatedWorld
from tests.unit.network.ends import HELD, SIZED, Client, Serving, frame, question, run

VERSIONS, HANDSHAKE, TOKEN = ApiKey.API_VERSIONS, ApiKey.SASL_HANDSHAKE, ApiKey.SASL_AUTHENTICATE


class Password:
    """A mechanism of one round: whoever knows the word is who he says."""

    def evaluate(self, token: bytes) -> Step:
        """`name:word`."""
        name, _, word = token.decode().partition(":")
        if word != "secret":
            raise AuthenticationFailed("invalid credentials")
        return Step(b"welcome", f"User:{name}")


def serving(world: SimulatedWorld, max_reauth_ms: int = 0) -> Serving:
    """A server whose listener has a mechanism."""
    return Serving(world, Limits(), sasl=SaslSettings({"PASSWORD": Password}, {"PASSWORD": max_reauth_ms}))


def handshake(mechanism: str = "PASSWORD", version: int = 1) -> bytes:
    """The request that names a mechanism."""
    return question(HANDSHAKE, 1, SaslHandshakeRequest(mechanism=mechanism), version)


def token(text: str) -> bytes:
    """The request that carries a token."""
    return question(TOKEN, 2, SaslAuthenticateRequest(auth_bytes=text.encode()))


async def authenticated(client: Client, name: str = "alice") -> Any:
    """Authenticate; the answer to the token."""
    number = len(client.frames())
    await client.ask(handshake(), token(f"{name}:secret"))
    return await client.answer(TOKEN, SaslAuthenticateResponse, number=number + 1)


def test_who_has_authenticated_is_served() -> None:
    """ApiVersions, handshake, token and the first request may come in one piece; the request knows who asks."""

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            await client.ask(
                question(VERSIONS, 0, ApiVersionsRequest("tests", "1")),
                handshake(),
                token("alice:secret"),
                question(HELD, 3),
            )
            assert (await client.answer(VERSIONS, ApiVersionsResponse)).error_code == 0
            offered = await client.answer(HANDSHAKE, SaslHandshakeResponse, number=1)
            assert (offered.error_code, offered.mechanisms) == (0, ["PASSWORD"])
            welcome = await client.answer(TOKEN, SaslAuthenticateResponse, number=2)
            assert (welcome.error_code, welcome.auth_bytes, welcome.session_lifetime_ms) == (0, b"welcome", 0)
            await server.until(lambda: bool(server.service.held))
            request = server.service.held[0]
            assert (request.principal, request.security_protocol) == ("User:alice", "SASL_PLAINTEXT")
            assert server.server.listeners["PLAIN"].figures.authenticated.value == 1

    run(main)


def test_nobody_is_served_before() -> None:
    """A request without an exchange closes the connection, and the serving function does not see it."""

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            await client.ask(question(SIZED, 1))
            await client.until_gone()
            assert (client.frames(), server.service.served) == ([], [])
            assert server.reasons() == {"AUTHENTICATION": 1}
            assert server.server.listeners["PLAIN"].figures.failed_authentications.value == 1

    run(main)


def test_before_it_frames_are_small() -> None:
    """Nobody holds more than 512 KiB of us before he has said who he is."""

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            await client.ask((512 * 1024 + 1).to_bytes(4, "big"))
            await client.until_gone()
            assert server.reasons() == {"OVERSIZED": 1}
            client = await server.client()
            await authenticated(client)
            await client.ask((512 * 1024 + 1).to_bytes(4, "big") + bytes(1_000))
            await world.clock.sleep(100)
            assert client.events == []

    run(main)


@pytest.mark.parametrize("wrong", ["token", "mechanism"])
def test_a_failure_is_told_late_and_ends_the_connection(wrong: str) -> None:
    """What fails is answered with its error after `connection.failed.authentication.delay.ms`; nothing is read until
    then, and then the connection is closed.
    """

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            before_ms = world.clock.monotonic_ms()
            if wrong == "token":
                await client.ask(handshake(), token("alice:guess"))
            else:
                await client.ask(handshake("GUESS"))
            await server.until(lambda: any(each.muted & Mute.AUTHENTICATION for each in server.server.connections()))
            if wrong == "token":
                refused = await client.answer(TOKEN, SaslAuthenticateResponse, number=1)
                assert (refused.error_code, refused.error_message) == (58, "invalid credentials")
            else:
                unknown = await client.answer(HANDSHAKE, SaslHandshakeResponse)
                assert unknown.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM
                assert unknown.mechanisms == ["PASSWORD"]
            await client.until_gone()
            assert world.clock.monotonic_ms() - before_ms in range(100, 110)
            assert server.reasons() == {"AUTHENTICATION": 1}

    run(main)


def test_tokens_after_the_oldest_handshake_are_bare() -> None:
    """SaslHandshake version 0 is followed by frames that are nothing but tokens, and so are their answers."""

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            await client.ask(handshake(version=0), frame(b"alice:secret"), question(SIZED, 7))
            await client.until_answered(3)
            assert client.frames()[1] == b"welcome"
            assert client.answered()[2] == 7
            other = await server.client()
            await other.ask(handshake(version=0), frame(b"alice:guess"))
            await other.until_gone()
            assert len(other.frames()) == 1

    run(main)


def test_without_sasl_the_exchange_is_told_so() -> None:
    """A listener without SASL answers the exchange with ILLEGAL_SASL_STATE and goes on."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as server:
            client = await server.client()
            await client.ask(handshake(), token("alice:secret"), question(SIZED, 3))
            assert (await client.answer(HANDSHAKE, SaslHandshakeResponse)).error_code == ErrorCode.ILLEGAL_SASL_STATE
            refused = await client.answer(TOKEN, SaslAuthenticateResponse, number=1)
            assert refused.error_code == ErrorCode.ILLEGAL_SASL_STATE
            assert await client.until_answered(3) == [1, 2, 3]

    run(main)


def test_a_handshake_in_the_middle_is_told_so_and_ends_the_connection() -> None:
    """A second handshake where a token is expected is ILLEGAL_SASL_STATE, and the end."""

    async def main(world: SimulatedWorld) -> None:
        async with serving(world) as server:
            client = await server.client()
            await client.ask(handshake(), handshake())
            refused = await client.answer(HANDSHAKE, SaslHandshakeResponse, number=1)
            assert refused.error_code == ErrorCode.ILLEGAL_SASL_STATE
            await client.until_gone()

    run(main)


def test_a_session_that_is_not_prolonged_ends() -> None:
    """After `connections.max.reauth.ms` a request closes the connection; who authenticates again in time goes on, with
    requests in flight answered in their order (KIP-368).
    """

    async def main(world: SimulatedWorld) -> None:
        async with serving(world, max_reauth_ms=10_000) as server:
            careful, careless = await server.clients(2)
            assert (await authenticated(careful)).session_lifetime_ms == 10_000
            await authenticated(careless)
            await world.clock.sleep(9_000)
            await careful.ask(question(HELD, 5))
            await server.until(lambda: bool(server.service.held))
            await careful.ask(handshake(), token("alice:secret"))
            await world.clock.sleep(2_000)
            assert len(careful.frames()) == 2
            server.service.answer_held()
            await careful.until_answered(5)
            await careful.ask(question(SIZED, 6))
            await careless.ask(question(SIZED, 6))
            assert (await careful.until_answered(6))[5] == 6
            await careless.until_gone()
            assert len(careless.frames()) == 2
            assert server.reasons() == {"EXPIRED": 1}
            figures = server.server.listeners["PLAIN"].figures
            assert (figures.authenticated.value, figures.reauthenticated.value) == (2, 1)

    run(main)


def test_stopping_does_not_wait_for_who_has_failed() -> None:
    """A connection that waits for its failure to be told is closed with all others."""

    async def main(world: SimulatedWorld) -> None:
        server = serving(world)
        await server.server.start()
        client = await server.client()
        await client.ask(handshake("GUESS"))
        await server.until(lambda: any(each.muted & Mute.AUTHENTICATION for each in server.server.connections()))
        await server.server.stop(10)
        assert list(server.server.connections()) == []
        await world.clock.sleep(1_000)
        assert server.service.faults == []

    run(main)
