"""What ApiVersions answers."""

import pytest

from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from tests.unit.broker.handlers.circumstances import context

SERVED = [ApiKey.API_VERSIONS, ApiKey.PRODUCE, ApiKey.VOTE, ApiKey.FETCH]


@pytest.mark.parametrize("version", ApiVersionsRequest.VERSIONS)
def test_what_is_served_is_told(version: int) -> None:
    """Every version of the answer lists the APIs of the listener, by key, with the versions that are advertised."""
    asked = ApiVersionsRequest("client", "1.0") if version >= 3 else ApiVersionsRequest()
    response = api_versions(context(version), asked, SERVED)
    back = ApiVersionsResponse.read(response.to_bytes(version), version)
    assert back.error_code == ErrorCode.NONE
    assert [(each.api_key, each.min_version, each.max_version) for each in back.api_keys] == [
        (0, 0, 13),  # Produce is served from 3 on, and advertised from 0 on
        (1, 4, 18),
        (18, 0, 4),
    ]


def test_a_controller_listener_tells_its_own_apis() -> None:
    """On a controller's listener the APIs of controllers are told, and no others."""
    response = api_versions(context(4, is_controller_listener=True), ApiVersionsRequest("client", "1.0"), SERVED)
    assert [each.api_key for each in response.api_keys] == [1, 18, 52]


@pytest.mark.parametrize(
    ("name", "version"), [("", "1"), ("a", ""), ("-a", "1"), ("a", "1."), ("a b", "1"), ("a", "1\n"), ("ä", "1")]
)
def test_a_client_has_a_proper_name(name: str, version: str) -> None:
    """A name or version that could not be a metric's tag is INVALID_REQUEST since version 3 (KIP-511)."""
    response = api_versions(context(3), ApiVersionsRequest(name, version), SERVED)
    assert response.error_code == ErrorCode.INVALID_REQUEST
    assert list(response.api_keys) == []
