"""What stands before the body of a request or a response, and the exceptions that ApiVersions makes.

A request names its API, its version and a correlation id; a response has only the correlation id, so whoever reads it
must know what was asked. Headers have versions of their own: flexible bodies come with headers that have tagged fields
(request 2, response 1), older bodies with headers that have none (request 1, response 0); see `ApiKey`.

ApiVersions is asked by a client that does not know yet what the broker speaks (KIP-511). So its response header is
always version 0, a request in a version that is not supported is answered in version 0 with UNSUPPORTED_VERSION and the
list of APIs, and a client reads an answer with that error as version 0 whatever it asked for.
"""

import struct

from ottla.errors import MalformedMessage, UnsupportedVersion
from ottla.protocol.api_keys import BY_KEY, ApiKey
from ottla.protocol.codec.message import Buffer
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsResponse, RequestHeader, ResponseHeader

_KEY_AND_VERSION = struct.Struct(">hh")
_ERROR_CODE = struct.Struct(">h")
_PLAIN = struct.Struct(">i")
_FLEXIBLE = struct.Struct(">ix")  # no tagged fields


def read_request_header(frame: Buffer) -> tuple[ApiKey, RequestHeader, int]:
    """The API that a request is for, its header, and where its body starts.

    The version may be one that we do not speak: ask `ApiKey.supports`, and mind what ApiVersions is answered with.
    """
    if len(frame) < _KEY_AND_VERSION.size:
        raise MalformedMessage(f"RequestHeader: byte 0: the message ends after {len(frame)} bytes")
    key, version = _KEY_AND_VERSION.unpack_from(frame)
    api = BY_KEY.get(key)
    if api is None:
        raise MalformedMessage(f"RequestHeader: request_api_key at byte 0: there is no API {key}")
    header, body = RequestHeader.read_prefix(frame, api.request_header_version(version))
    return api, header, body


def write_request_header(api: ApiKey, version: int, correlation_id: int, client_id: str | None) -> bytes:
    """The header of a request in a version that its receiver is known to speak."""
    header = RequestHeader(
        request_api_key=api, request_api_version=version, correlation_id=correlation_id, client_id=client_id
    )
    return header.to_bytes(api.request_header_version(version))


def read_response_header(frame: Buffer, api: ApiKey, version: int) -> tuple[int, int]:
    """The correlation id of a response to a request of this API and version, and where its body starts."""
    header, body = ResponseHeader.read_prefix(frame, api.response_header_version(version))
    return header.correlation_id, body


def write_response_header(api: ApiKey, version: int, correlation_id: int) -> bytes:
    """The header of a response to a request of this API and version."""
    return (_FLEXIBLE if api.response_header_version(version) else _PLAIN).pack(correlation_id)


def version_to_answer_in(api: ApiKey, version: int) -> int:
    """The version of the answer to a request: its own, but 0 for an ApiVersions request that we do not understand."""
    if api is ApiKey.API_VERSIONS and not api.supports(version):
        return 0
    if not api.supports(version):
        raise UnsupportedVersion(f"{api.name} is served in versions {api.min_version}-{api.max_version}, not {version}")
    return version


def read_api_versions_response(frame: Buffer, version: int, position: int) -> ApiVersionsResponse:
    """The answer to an ApiVersions request: in its version, or in version 0 if the broker does not speak that."""
    if len(frame) >= position + _ERROR_CODE.size:
        (error_code,) = _ERROR_CODE.unpack_from(frame, position)
        if error_code == ErrorCode.UNSUPPORTED_VERSION:
            version = 0
    return ApiVersionsResponse.read(frame, version, position)
