"""Setting up a connection: what goes before every message, which versions a node speaks, who is speaking.

Generated from `schema/connection.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class RequestHeader(Message):
    """Stands before every request: the API, its version, and what the response will be known by.

    Header, versions 1-2.
    Version 2: tagged fields; stands before flexible bodies (KIP-482).
    """

    VERSIONS = range(1, 3)
    __slots__ = ("request_api_key", "request_api_version", "correlation_id", "client_id",)

    def __init__(
        self, request_api_key: int = 0, request_api_version: int = 0, correlation_id: int = 0, client_id: str |
        None = ""
    ) -> None:
        self.request_api_key = request_api_key
        self.request_api_version = request_api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.unknown_tags = ()


class ResponseHeader(Message):
    """Stands before every response; only who sent the request knows what follows.

    Header, versions 0-1.
    Version 1: tagged fields; stands before flexible bodies, except ApiVersions, where it stays at 0 (KIP-511).
    """

    VERSIONS = range(0, 2)
    __slots__ = ("correlation_id",)

    def __init__(
        self, correlation_id: int = 0
    ) -> None:
        self.correlation_id = correlation_id
        self.unknown_tags = ()


class ApiVersionsRequest(Message):
    """Asks which APIs a node serves in which versions: the first request of most clients.

    Request 18, versions 0-4.
    Version 3: who is asking (KIP-511).
    Version 4: says that the client takes features with a lowest level of 0 (KAFKA-17011).
    """

    KEY = 18
    VERSIONS = range(0, 5)
    __slots__ = ("client_software_name", "client_software_version",)

    def __init__(
        self, client_software_name: str = "", client_software_version: str = ""
    ) -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.unknown_tags = ()


class ApiVersionsResponse_ApiVersion(Struct):
    __qualname__ = "ApiVersionsResponse.ApiVersion"
    __slots__ = ("api_key", "min_version", "max_version",)

    def __init__(
        self, api_key: int = 0, min_version: int = 0, max_version: int = 0
    ) -> None:
        self.api_key = api_key
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags = ()


class ApiVersionsResponse_SupportedFeatureKey(Struct):
    __qualname__ = "ApiVersionsResponse.SupportedFeatureKey"
    __slots__ = ("name", "min_version", "max_version",)

    def __init__(
        self, name: str = "", min_version: int = 0, max_version: int = 0
    ) -> None:
        self.name = name
        self.min_version = min_version
        self.max_version = max_version
        self.unknown_tags = ()


class ApiVersionsResponse_FinalizedFeatureKey(Struct):
    __qualname__ = "ApiVersionsResponse.FinalizedFeatureKey"
    __slots__ = ("name", "max_version_level", "min_version_level",)

    def __init__(
        self, name: str = "", max_version_level: int = 0, min_version_level: int = 0
    ) -> None:
        self.name = name
        self.max_version_level = max_version_level
        self.min_version_level = min_version_level
        self.unknown_tags = ()


class ApiVersionsResponse(Message):
    """The APIs of a node with their versions, and the features of the node and of its cluster.

    Response to request 18, versions 0-4.
    A request in a version that the node lacks is answered in version 0: error 35, and the APIs (KIP-511).
    Version 3: features (KIP-584); whether a ZooKeeper migration is under way (KIP-866).
    Version 4: features with a min_version of 0; older versions leave them out (KAFKA-17011).
    """

    KEY = 18
    VERSIONS = range(0, 5)
    ApiVersion = ApiVersionsResponse_ApiVersion
    SupportedFeatureKey = ApiVersionsResponse_SupportedFeatureKey
    FinalizedFeatureKey = ApiVersionsResponse_FinalizedFeatureKey
    __slots__ = (
        "error_code", "api_keys", "throttle_time_ms", "supported_features", "finalized_features_epoch",
        "finalized_features", "zk_migration_ready",
    )

    def __init__(
        self, error_code: int = 0, api_keys: Sequence[ApiVersionsResponse_ApiVersion] = (), throttle_time_ms:
        int = 0, supported_features: Sequence[ApiVersionsResponse_SupportedFeatureKey] = (),
        finalized_features_epoch: int = -1, finalized_features:
        Sequence[ApiVersionsResponse_FinalizedFeatureKey] = (), zk_migration_ready: bool = False
    ) -> None:
        self.error_code = error_code
        self.api_keys = api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features = supported_features
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features = finalized_features
        self.zk_migration_ready = zk_migration_ready
        self.unknown_tags = ()


class SaslHandshakeRequest(Message):
    """Names the mechanism by which a client will authenticate (KIP-43).

    Request 17, versions 0-1.
    After version 0 bare tokens follow, framed but without headers; after version 1, SaslAuthenticate (KIP-152).
    """

    KEY = 17
    VERSIONS = range(0, 2)
    __slots__ = ("mechanism",)

    def __init__(
        self, mechanism: str = ""
    ) -> None:
        self.mechanism = mechanism
        self.unknown_tags = ()


class SaslHandshakeResponse(Message):
    """Whether the mechanism is enabled, and which ones are.

    Response to request 17, versions 0-1.
    """

    KEY = 17
    VERSIONS = range(0, 2)
    __slots__ = ("error_code", "mechanisms",)

    def __init__(
        self, error_code: int = 0, mechanisms: Sequence[str] = ()
    ) -> None:
        self.error_code = error_code
        self.mechanisms = mechanisms
        self.unknown_tags = ()


class SaslAuthenticateRequest(Message):
    """One token of the mechanism's exchange, from the client (KIP-152).

    Request 36, versions 0-2.
    Version 1: the response tells how long the session lasts (KIP-368).
    """

    KEY = 36
    VERSIONS = range(0, 3)
    __slots__ = ("auth_bytes",)

    def __init__(
        self, auth_bytes: bytes = b""
    ) -> None:
        self.auth_bytes = auth_bytes
        self.unknown_tags = ()


class SaslAuthenticateResponse(Message):
    """The broker's token in return.

    Response to request 36, versions 0-2.
    """

    KEY = 36
    VERSIONS = range(0, 3)
    __slots__ = ("error_code", "error_message", "auth_bytes", "session_lifetime_ms",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", auth_bytes: bytes = b"", session_lifetime_ms:
        int = 0
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms
        self.unknown_tags = ()
