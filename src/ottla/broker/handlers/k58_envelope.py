"""Envelope: a client's request, handed on by a broker (KIP-590).

Versions: 0

What is inside is served as the client that asked the broker, in the version that it asked in. The envelope has an error
of its own where there is no answer to put inside: NOT_CONTROLLER sends the broker elsewhere, UNSUPPORTED_VERSION has it
close the client's connection, so that the client asks anew what can be asked.

Only what brokers forward is let in, and no envelope in an envelope.
"""

import ipaddress
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ottla.broker.context import RequestContext
from ottla.broker.responding import Promise, respond
from ottla.errors import MalformedMessage, PeerError, RequestRefused, UnsupportedVersion
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.headers import read_request_header, write_response_header
from ottla.protocol.messages.connection import RequestHeader
from ottla.protocol.messages.controller import EnvelopeRequest, EnvelopeResponse
from ottla.protocol.messages.security import DefaultPrincipalData
from ottla.security.operations import Operation

if TYPE_CHECKING:
    from ottla.broker.handlers.table import Served

VERSION_BYTES: Final = 2  # before the principal: the version that it is written in


async def envelope(
    context: RequestContext, request: EnvelopeRequest, handlers: Mapping[ApiKey, "Served"]
) -> EnvelopeResponse:
    """The envelope back, with the answer inside."""
    context.demand(Operation.CLUSTER_ACTION)
    principal = _principal(request.request_principal)
    client_address = _address(request.client_host_address)
    api, header, body_position = _header(request.request_data)
    if not api.forwarded:
        raise RequestRefused(ErrorCode.INVALID_REQUEST, f"{api.name} is not forwarded.")
    version = header.request_api_version
    served = handlers.get(api)
    if served is None or not api.supports(version):
        raise UnsupportedVersion(f"{api.name} is not served in version {version}")
    try:
        body = served.request.read(request.request_data, version, body_position)
    except MalformedMessage as error:
        raise UnsupportedVersion(str(error)) from error

    def inside(promise: Promise) -> RequestContext:
        return context.forwarded(
            promise, version=version, principal=principal, client_id=header.client_id, client_address=client_address
        )

    response = await respond(context.controller.world, served, body, inside)
    head = write_response_header(api, version, header.correlation_id)
    return EnvelopeResponse(response_data=head + response.to_bytes(version))


def failed(request: EnvelopeRequest, code: int, message: str) -> EnvelopeResponse:
    """There is nothing inside."""
    del request, message
    return EnvelopeResponse(response_data=None, error_code=code)


def _header(data: bytes) -> tuple[ApiKey, RequestHeader, int]:
    try:
        return read_request_header(data)
    except PeerError as error:
        raise UnsupportedVersion(f"the request in the envelope: {error}") from error


def _principal(data: bytes | None) -> str:
    """Who asked the broker, as the context has it."""
    try:
        content = data or b""
        version = int.from_bytes(content[:VERSION_BYTES], signed=True)
        principal = DefaultPrincipalData.read(content, version, VERSION_BYTES)
    except PeerError as error:
        raise RequestRefused(
            ErrorCode.PRINCIPAL_DESERIALIZATION_FAILURE, f"The principal in the envelope: {error}"
        ) from error
    return f"{principal.type}:{principal.name}"


def _address(data: bytes) -> str:
    try:
        return str(ipaddress.ip_address(data))
    except ValueError as error:
        raise RequestRefused(
            ErrorCode.INVALID_REQUEST, f"The client's address in the envelope has {len(data)} bytes."
        ) from error
