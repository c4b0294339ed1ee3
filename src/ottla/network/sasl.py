"""How a connection carries out what its barrier says: the requests of the SASL exchange are served here.

Reads the two requests of the exchange, asks the barrier, and answers. A failure is answered only after
`connection.failed.authentication.delay.ms`, with the connection muted meanwhile, so that guessing is slow; then the
connection is closed.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ottla.network.handshake import Barrier, State, Verdict
from ottla.network.limits import Mute, Reason
from ottla.network.request import Request
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.framing import framed
from ottla.protocol.messages.connection import (
    SaslAuthenticateRequest,
    SaslAuthenticateResponse,
    SaslHandshakeRequest,
    SaslHandshakeResponse,
)

if TYPE_CHECKING:
    from ottla.network.connection import Connection


def expects_bare_token(barrier: Barrier) -> bool:
    """Whether the next frame is a token without a header."""
    return barrier.bare_tokens and barrier.state is State.EXPECTING_TOKEN


def serve_sasl(connection: "Connection", request: Request, now_ns: int) -> bool:
    """Ask the barrier, and do what it says; whether the request is for the serving function."""
    barrier, now_ms = connection.barrier, now_ns // 1_000_000
    was = barrier.state
    verdict = barrier.ask(request.api, request.version, now_ms)
    if verdict is Verdict.SERVE:
        return True
    if verdict is Verdict.EXPIRED:
        connection.listener.server.figures.expired.value += 1
        connection.close(Reason.EXPIRED)
    elif verdict is Verdict.CLOSE:
        _count_failure(connection)
        connection.close(Reason.AUTHENTICATION, f"{request.api.name} while {was.value}")
    else:
        connection.expect(request)
        _answer(connection, request, _response(barrier, request, verdict, now_ms), was)
    return False


def serve_bare_token(connection: "Connection", token: bytes, now_ns: int) -> None:
    """A token without a header: its answer is bare as well, and a failure has none."""
    response = connection.barrier.authenticate(token, now_ns // 1_000_000)
    if connection.barrier.state is State.FAILED:
        _count_failure(connection)
        connection.mute(Mute.AUTHENTICATION)
        _later(connection, lambda: connection.close(Reason.AUTHENTICATION, response.error_message or ""))
        return
    _count_success(connection)
    connection.send(framed(b"", [response.auth_bytes]))


def _response(barrier: Barrier, request: Request, verdict: Verdict, now_ms: int) -> Message:
    if request.api is ApiKey.SASL_HANDSHAKE:
        if verdict is Verdict.ILLEGAL:
            return SaslHandshakeResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE)
        asked = SaslHandshakeRequest.read(request.frame, request.version, request.body)
        return barrier.handshake(asked.mechanism, request.version)
    if verdict is Verdict.ILLEGAL:
        told = "SaslAuthenticate has no place here: there is nothing to authenticate for"
        return SaslAuthenticateResponse(error_code=ErrorCode.ILLEGAL_SASL_STATE, error_message=told)
    token = SaslAuthenticateRequest.read(request.frame, request.version, request.body).auth_bytes
    return barrier.authenticate(bytes(token), now_ms)


def _answer(connection: "Connection", request: Request, response: Message, was: State) -> None:
    if connection.barrier.state is not State.FAILED:
        if was is State.EXPECTING_TOKEN:
            _count_success(connection)
        request.answer(response)
        return
    _count_failure(connection)
    connection.mute(Mute.AUTHENTICATION)

    def fail() -> None:
        request.answer(response)
        connection.close(Reason.AUTHENTICATION)

    _later(connection, fail)


def _later(connection: "Connection", do: Callable[[], None]) -> None:
    server = connection.listener.server
    server.world.clock.call_at(server.world.clock.monotonic_ms() + server.limits.failed_authentication_delay_ms, do)


def _count_success(connection: "Connection") -> None:
    if connection.barrier.is_open:
        figures = connection.figures
        (figures.reauthenticated if connection.barrier.is_again else figures.authenticated).value += 1


def _count_failure(connection: "Connection") -> None:
    figures = connection.figures
    (figures.failed_reauthentications if connection.barrier.is_again else figures.failed_authentications).value += 1
