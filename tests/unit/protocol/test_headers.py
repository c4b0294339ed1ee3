"""Headers of requests and responses, and what ApiVersions does differently."""

import pytest

from ottla.errors import MalformedMessage, UnsupportedVersion
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.headers import (
    read_api_versions_response,
    read_request_header,
    read_response_header,
    version_to_answer_in,
    write_request_header,
    write_response_header,
)
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse


@pytest.mark.parametrize(
    ("version", "header"),
    [
        (0, "0012 0000 0000002a 0002 6d65"),
        (3, "0012 0003 0000002a 0002 6d65 00"),
    ],
)
def test_a_request_header(version: int, header: str) -> None:
    """Flexible requests have a header with tagged fields, but its client id stays in the old encoding."""
    written = write_request_header(ApiKey.API_VERSIONS, version, 42, "me")
    assert written == bytes.fromhex(header)
    body = ApiVersionsRequest().to_bytes(version)
    api, read, position = read_request_header(memoryview(written + body))
    assert (api, read.request_api_version, read.correlation_id, read.client_id) == (
        ApiKey.API_VERSIONS,
        version,
        42,
        "me",
    )
    assert ApiVersionsRequest.read(written + body, version, position) == ApiVersionsRequest()


def test_a_request_may_have_no_client_id() -> None:
    """A null client id is read as such."""
    frame = write_request_header(ApiKey.FETCH, 17, -1, None)
    assert frame == bytes.fromhex("0001 0011 ffffffff ffff 00")
    assert read_request_header(frame)[1].client_id is None


def test_every_version_of_every_api_has_headers() -> None:
    """What is written is read, for requests and for responses."""
    for api in ApiKey:
        for version in range(api.min_version, api.highest_version + 1):
            frame = write_request_header(api, version, 7, "c")
            assert read_request_header(frame)[2] == len(frame)
            response = write_response_header(api, version, 7)
            assert read_response_header(response, api, version) == (7, len(response))


def test_the_header_of_an_unknown_version_is_read() -> None:
    """A version that we do not speak still has a header, so that it can be answered."""
    frame = write_request_header(ApiKey.API_VERSIONS, 3, 42, "me")
    api, header, _ = read_request_header(frame[:2] + b"\0\x63" + frame[4:])
    assert (api, header.request_api_version, header.correlation_id) == (ApiKey.API_VERSIONS, 99, 42)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (b"", "RequestHeader: byte 0: the message ends after 0 bytes"),
        (b"\0\x12\0", "RequestHeader: byte 0: the message ends after 3 bytes"),
        (b"\x03\xe7\0\0\0\0\0\0", "there is no API 999"),
        (b"\xff\xff\0\0\0\0\0\0", "there is no API -1"),
        (b"\0\4\0\0\0\0\0\0", "there is no API 4"),
        (b"\0\x12\0\0\0\0\0", "RequestHeader v1: correlation_id at byte 4: the message ends after 7 bytes"),
        (b"\0\x12\0\0\0\0\0\0\0\5me", "RequestHeader v1: client_id at byte 10: 5 bytes announced, 2 remain"),
        (b"\0\x12\0\3\0\0\0\0\xff\xff", "RequestHeader v2: tags at byte 10: the message ends after 10 bytes"),
    ],
)
def test_a_broken_header_is_malformed(frame: bytes, words: str) -> None:
    """Whatever is wrong with a header is the one error, with field and position."""
    with pytest.raises(MalformedMessage, match=words):
        read_request_header(frame)


def test_the_response_header_of_api_versions_is_always_version_0() -> None:
    """The client does not know yet what the broker speaks, so the header of this answer never has tagged fields."""
    assert write_response_header(ApiKey.API_VERSIONS, 4, 42) == b"\0\0\0\x2a"
    assert write_response_header(ApiKey.METADATA, 9, 42) == b"\0\0\0\x2a\0"
    assert write_response_header(ApiKey.METADATA, 8, 42) == b"\0\0\0\x2a"


def test_an_unsupported_api_versions_request_is_answered_in_version_0() -> None:
    """Other requests in unsupported versions cannot be answered at all."""
    assert version_to_answer_in(ApiKey.API_VERSIONS, 4) == 4
    assert version_to_answer_in(ApiKey.API_VERSIONS, 5) == 0
    assert version_to_answer_in(ApiKey.METADATA, 13) == 13
    with pytest.raises(UnsupportedVersion, match="METADATA is served in versions 0-13, not 14"):
        version_to_answer_in(ApiKey.METADATA, 14)


def test_an_answer_of_an_older_broker_is_read_as_version_0() -> None:
    """A broker that does not speak the client's version of ApiVersions answers in version 0, with error 35."""
    keys = [ApiVersionsResponse.ApiVersion(api_key=18, min_version=0, max_version=2)]
    old = ApiVersionsResponse(error_code=35, api_keys=keys)
    header = write_response_header(ApiKey.API_VERSIONS, 4, 1)
    assert read_api_versions_response(header + old.to_bytes(0), 4, len(header)) == old
    new = ApiVersionsResponse(api_keys=keys, finalized_features_epoch=3)
    assert read_api_versions_response(header + new.to_bytes(4), 4, len(header)) == new
    with pytest.raises(MalformedMessage, match="ApiVersionsResponse v4: error_code at byte 4"):
        read_api_versions_response(header + b"\0", 4, len(header))
