"""What ApiVersions answers."""

import pytest

from ottla.broker.handlers.k18_api_versions import api_versions
from ottla.protocol.api_keys import ApiKey
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.connection import ApiVersionsRequest, ApiVersionsResponse
from ottla.protocol.messages.metadata_records import FeatureLevelRecord
from tests.unit.broker.handlers.circumstances import Controller, context, parts

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


@pytest.mark.parametrize("version", [0, 2, 3, 4])
def test_features_are_told(version: int) -> None:
    """What the node can do and what the cluster has agreed on, since version 3; levels from 0 on only since 4."""
    broker_parts = parts(records=[FeatureLevelRecord("metadata.version", 30), FeatureLevelRecord("group.version", 1)])
    response = api_versions(context(version, broker=broker_parts), ApiVersionsRequest("client", "1.0"), SERVED)
    back = ApiVersionsResponse.read(response.to_bytes(version), version)
    supported = [(each.name, each.min_version, each.max_version) for each in back.supported_features]
    finalised = [(each.name, each.min_version_level, each.max_version_level) for each in back.finalized_features]
    metadata_version = ("metadata.version", 7, 30)
    assert (metadata_version in supported) == (version >= 3)
    assert (("transaction.version", 0, 2) in supported) == (version >= 4)
    assert len(supported) == {3: 1, 4: 7}.get(version, 0)
    assert finalised == ([("group.version", 1, 1), ("metadata.version", 30, 30)] if version >= 3 else [])
    assert back.finalized_features_epoch == (1 if version >= 3 else -1)


def test_of_what_is_handed_on_no_more_is_told_than_the_controller_serves() -> None:
    """A newer broker tells its clients of what an older controller can do, and keeps its own APIs as they are."""
    broker_parts = parts()
    controller = broker_parts.controller
    assert isinstance(controller, Controller)
    controller.serves = {ApiKey.CREATE_TOPICS: (0, 5), ApiKey.PRODUCE: (0, 3)}
    served = [ApiKey.PRODUCE, ApiKey.CREATE_TOPICS, ApiKey.DELETE_TOPICS]
    response = api_versions(context(4, broker=broker_parts), ApiVersionsRequest("client", "1.0"), served)
    assert [(each.api_key, each.min_version, each.max_version) for each in response.api_keys] == [
        (0, 0, 13),
        (19, 2, 5),
    ]
