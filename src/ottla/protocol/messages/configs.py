"""Dynamic settings, client quotas and client telemetry.

Generated from `schema/configs.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class DescribeConfigsRequest_DescribeConfigsResource(Struct):
    __qualname__ = "DescribeConfigsRequest.DescribeConfigsResource"
    __slots__ = ("resource_type", "resource_name", "configuration_keys",)

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", configuration_keys: Sequence[str] | None = ()
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configuration_keys = configuration_keys
        self.unknown_tags = ()


class DescribeConfigsRequest(Message):
    """Asks for settings, of topics, brokers, groups and clients' metrics (KIP-133).

    Request 32, versions 1-4.
    Version 1: where a value comes from, and what it overrides (KIP-226).
    Version 3: types and documentation (KIP-569).
    """

    KEY = 32
    VERSIONS = range(1, 5)
    DescribeConfigsResource = DescribeConfigsRequest_DescribeConfigsResource
    __slots__ = ("resources", "include_synonyms", "include_documentation",)

    def __init__(
        self, resources: Sequence[DescribeConfigsRequest_DescribeConfigsResource] = (), include_synonyms: bool =
        False, include_documentation: bool = False
    ) -> None:
        self.resources = resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation
        self.unknown_tags = ()


class DescribeConfigsResponse_DescribeConfigsSynonym(Struct):
    __qualname__ = "DescribeConfigsResponse.DescribeConfigsSynonym"
    __slots__ = ("name", "value", "source",)

    def __init__(
        self, name: str = "", value: str | None = "", source: int = 0
    ) -> None:
        self.name = name
        self.value = value
        self.source = source
        self.unknown_tags = ()


class DescribeConfigsResponse_DescribeConfigsResourceResult(Struct):
    __qualname__ = "DescribeConfigsResponse.DescribeConfigsResourceResult"
    __slots__ = (
        "name", "value", "read_only", "config_source", "is_sensitive", "synonyms", "config_type",
        "documentation",
    )

    def __init__(
        self, name: str = "", value: str | None = "", read_only: bool = False, config_source: int = -1,
        is_sensitive: bool = False, synonyms: Sequence[DescribeConfigsResponse_DescribeConfigsSynonym] = (),
        config_type: int = 0, documentation: str | None = ""
    ) -> None:
        self.name = name
        self.value = value
        self.read_only = read_only
        self.config_source = config_source
        self.is_sensitive = is_sensitive
        self.synonyms = synonyms
        self.config_type = config_type
        self.documentation = documentation
        self.unknown_tags = ()


class DescribeConfigsResponse_DescribeConfigsResult(Struct):
    __qualname__ = "DescribeConfigsResponse.DescribeConfigsResult"
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name", "configs",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", resource_type: int = 0, resource_name: str =
        "", configs: Sequence[DescribeConfigsResponse_DescribeConfigsResourceResult] = ()
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs
        self.unknown_tags = ()


class DescribeConfigsResponse(Message):
    """The settings; sensitive values are always null.

    Response to request 32, versions 1-4.
    """

    KEY = 32
    VERSIONS = range(1, 5)
    DescribeConfigsResult = DescribeConfigsResponse_DescribeConfigsResult
    DescribeConfigsResourceResult = DescribeConfigsResponse_DescribeConfigsResourceResult
    DescribeConfigsSynonym = DescribeConfigsResponse_DescribeConfigsSynonym
    __slots__ = ("throttle_time_ms", "results",)

    def __init__(
        self, throttle_time_ms: int = 0, results: Sequence[DescribeConfigsResponse_DescribeConfigsResult] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results = results
        self.unknown_tags = ()


class AlterConfigsRequest_AlterableConfig(Struct):
    __qualname__ = "AlterConfigsRequest.AlterableConfig"
    __slots__ = ("name", "value",)

    def __init__(
        self, name: str = "", value: str | None = ""
    ) -> None:
        self.name = name
        self.value = value
        self.unknown_tags = ()


class AlterConfigsRequest_AlterConfigsResource(Struct):
    __qualname__ = "AlterConfigsRequest.AlterConfigsResource"
    __slots__ = ("resource_type", "resource_name", "configs",)

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", configs:
        Sequence[AlterConfigsRequest_AlterableConfig] = ()
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs
        self.unknown_tags = ()


class AlterConfigsRequest(Message):
    """Replaces all dynamic settings of a resource: what is not named is reset (KIP-133). See IncrementalAlterConfigs.

    Request 33, versions 0-2.
    """

    KEY = 33
    VERSIONS = range(0, 3)
    AlterConfigsResource = AlterConfigsRequest_AlterConfigsResource
    AlterableConfig = AlterConfigsRequest_AlterableConfig
    __slots__ = ("resources", "validate_only",)

    def __init__(
        self, resources: Sequence[AlterConfigsRequest_AlterConfigsResource] = (), validate_only: bool = False
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only
        self.unknown_tags = ()


class AlterConfigsResponse_AlterConfigsResourceResponse(Struct):
    __qualname__ = "AlterConfigsResponse.AlterConfigsResourceResponse"
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", resource_type: int = 0, resource_name: str =
        ""
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.unknown_tags = ()


class AlterConfigsResponse(Message):
    """Whether each resource was changed.

    Response to request 33, versions 0-2.
    """

    KEY = 33
    VERSIONS = range(0, 3)
    AlterConfigsResourceResponse = AlterConfigsResponse_AlterConfigsResourceResponse
    __slots__ = ("throttle_time_ms", "responses",)

    def __init__(
        self, throttle_time_ms: int = 0, responses: Sequence[AlterConfigsResponse_AlterConfigsResourceResponse]
        = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses
        self.unknown_tags = ()


class IncrementalAlterConfigsRequest_AlterableConfig(Struct):
    __qualname__ = "IncrementalAlterConfigsRequest.AlterableConfig"
    __slots__ = ("name", "config_operation", "value",)

    def __init__(
        self, name: str = "", config_operation: int = 0, value: str | None = ""
    ) -> None:
        self.name = name
        self.config_operation = config_operation
        self.value = value
        self.unknown_tags = ()


class IncrementalAlterConfigsRequest_AlterConfigsResource(Struct):
    __qualname__ = "IncrementalAlterConfigsRequest.AlterConfigsResource"
    __slots__ = ("resource_type", "resource_name", "configs",)

    def __init__(
        self, resource_type: int = 0, resource_name: str = "", configs:
        Sequence[IncrementalAlterConfigsRequest_AlterableConfig] = ()
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.configs = configs
        self.unknown_tags = ()


class IncrementalAlterConfigsRequest(Message):
    """Changes single settings of a resource (KIP-339).

    Request 44, versions 0-1.
    """

    KEY = 44
    VERSIONS = range(0, 2)
    AlterConfigsResource = IncrementalAlterConfigsRequest_AlterConfigsResource
    AlterableConfig = IncrementalAlterConfigsRequest_AlterableConfig
    __slots__ = ("resources", "validate_only",)

    def __init__(
        self, resources: Sequence[IncrementalAlterConfigsRequest_AlterConfigsResource] = (), validate_only: bool
        = False
    ) -> None:
        self.resources = resources
        self.validate_only = validate_only
        self.unknown_tags = ()


class IncrementalAlterConfigsResponse_AlterConfigsResourceResponse(Struct):
    __qualname__ = "IncrementalAlterConfigsResponse.AlterConfigsResourceResponse"
    __slots__ = ("error_code", "error_message", "resource_type", "resource_name",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", resource_type: int = 0, resource_name: str =
        ""
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.unknown_tags = ()


class IncrementalAlterConfigsResponse(Message):
    """Whether each resource was changed.

    Response to request 44, versions 0-1.
    """

    KEY = 44
    VERSIONS = range(0, 2)
    AlterConfigsResourceResponse = IncrementalAlterConfigsResponse_AlterConfigsResourceResponse
    __slots__ = ("throttle_time_ms", "responses",)

    def __init__(
        self, throttle_time_ms: int = 0, responses:
        Sequence[IncrementalAlterConfigsResponse_AlterConfigsResourceResponse] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses = responses
        self.unknown_tags = ()


class ListConfigResourcesRequest(Message):
    """Asks which resources have settings of their own.

    Request 74, versions 0-1.
    Version 0: clients' metrics alone (KIP-714).
    Version 1: any kind (KIP-1142).
    """

    KEY = 74
    VERSIONS = range(0, 2)
    __slots__ = ("resource_types",)

    def __init__(
        self, resource_types: Sequence[int] = ()
    ) -> None:
        self.resource_types = resource_types
        self.unknown_tags = ()


class ListConfigResourcesResponse_ConfigResource(Struct):
    __qualname__ = "ListConfigResourcesResponse.ConfigResource"
    __slots__ = ("resource_name", "resource_type",)

    def __init__(
        self, resource_name: str = "", resource_type: int = 16
    ) -> None:
        self.resource_name = resource_name
        self.resource_type = resource_type
        self.unknown_tags = ()


class ListConfigResourcesResponse(Message):
    """The resources.

    Response to request 74, versions 0-1.
    """

    KEY = 74
    VERSIONS = range(0, 2)
    ConfigResource = ListConfigResourcesResponse_ConfigResource
    __slots__ = ("throttle_time_ms", "error_code", "config_resources",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, config_resources:
        Sequence[ListConfigResourcesResponse_ConfigResource] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources = config_resources
        self.unknown_tags = ()


class DescribeClientQuotasRequest_ComponentData(Struct):
    __qualname__ = "DescribeClientQuotasRequest.ComponentData"
    __slots__ = ("entity_type", "match_type", "match",)

    def __init__(
        self, entity_type: str = "", match_type: int = 0, match: str | None = ""
    ) -> None:
        self.entity_type = entity_type
        self.match_type = match_type
        self.match = match
        self.unknown_tags = ()


class DescribeClientQuotasRequest(Message):
    """Asks for the quotas of users, client ids and addresses (KIP-546).

    Request 48, versions 0-1.
    """

    KEY = 48
    VERSIONS = range(0, 2)
    ComponentData = DescribeClientQuotasRequest_ComponentData
    __slots__ = ("components", "strict",)

    def __init__(
        self, components: Sequence[DescribeClientQuotasRequest_ComponentData] = (), strict: bool = False
    ) -> None:
        self.components = components
        self.strict = strict
        self.unknown_tags = ()


class DescribeClientQuotasResponse_EntityData(Struct):
    __qualname__ = "DescribeClientQuotasResponse.EntityData"
    __slots__ = ("entity_type", "entity_name",)

    def __init__(
        self, entity_type: str = "", entity_name: str | None = ""
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags = ()


class DescribeClientQuotasResponse_ValueData(Struct):
    __qualname__ = "DescribeClientQuotasResponse.ValueData"
    __slots__ = ("key", "value",)

    def __init__(
        self, key: str = "", value: float = 0.0
    ) -> None:
        self.key = key
        self.value = value
        self.unknown_tags = ()


class DescribeClientQuotasResponse_EntryData(Struct):
    __qualname__ = "DescribeClientQuotasResponse.EntryData"
    __slots__ = ("entity", "values",)

    def __init__(
        self, entity: Sequence[DescribeClientQuotasResponse_EntityData] = (), values:
        Sequence[DescribeClientQuotasResponse_ValueData] = ()
    ) -> None:
        self.entity = entity
        self.values = values
        self.unknown_tags = ()


class DescribeClientQuotasResponse(Message):
    """The quotas, by what they hold for.

    Response to request 48, versions 0-1.
    """

    KEY = 48
    VERSIONS = range(0, 2)
    EntryData = DescribeClientQuotasResponse_EntryData
    EntityData = DescribeClientQuotasResponse_EntityData
    ValueData = DescribeClientQuotasResponse_ValueData
    __slots__ = ("throttle_time_ms", "error_code", "error_message", "entries",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "", entries:
        Sequence[DescribeClientQuotasResponse_EntryData] | None = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries = entries
        self.unknown_tags = ()


class AlterClientQuotasRequest_EntityData(Struct):
    __qualname__ = "AlterClientQuotasRequest.EntityData"
    __slots__ = ("entity_type", "entity_name",)

    def __init__(
        self, entity_type: str = "", entity_name: str | None = ""
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags = ()


class AlterClientQuotasRequest_OpData(Struct):
    __qualname__ = "AlterClientQuotasRequest.OpData"
    __slots__ = ("key", "value", "remove",)

    def __init__(
        self, key: str = "", value: float = 0.0, remove: bool = False
    ) -> None:
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tags = ()


class AlterClientQuotasRequest_EntryData(Struct):
    __qualname__ = "AlterClientQuotasRequest.EntryData"
    __slots__ = ("entity", "ops",)

    def __init__(
        self, entity: Sequence[AlterClientQuotasRequest_EntityData] = (), ops:
        Sequence[AlterClientQuotasRequest_OpData] = ()
    ) -> None:
        self.entity = entity
        self.ops = ops
        self.unknown_tags = ()


class AlterClientQuotasRequest(Message):
    """Sets or removes quotas (KIP-546).

    Request 49, versions 0-1.
    """

    KEY = 49
    VERSIONS = range(0, 2)
    EntryData = AlterClientQuotasRequest_EntryData
    EntityData = AlterClientQuotasRequest_EntityData
    OpData = AlterClientQuotasRequest_OpData
    __slots__ = ("entries", "validate_only",)

    def __init__(
        self, entries: Sequence[AlterClientQuotasRequest_EntryData] = (), validate_only: bool = False
    ) -> None:
        self.entries = entries
        self.validate_only = validate_only
        self.unknown_tags = ()


class AlterClientQuotasResponse_EntityData(Struct):
    __qualname__ = "AlterClientQuotasResponse.EntityData"
    __slots__ = ("entity_type", "entity_name",)

    def __init__(
        self, entity_type: str = "", entity_name: str | None = ""
    ) -> None:
        self.entity_type = entity_type
        self.entity_name = entity_name
        self.unknown_tags = ()


class AlterClientQuotasResponse_EntryData(Struct):
    __qualname__ = "AlterClientQuotasResponse.EntryData"
    __slots__ = ("error_code", "error_message", "entity",)

    def __init__(
        self, error_code: int = 0, error_message: str | None = "", entity:
        Sequence[AlterClientQuotasResponse_EntityData] = ()
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.entity = entity
        self.unknown_tags = ()


class AlterClientQuotasResponse(Message):
    """Whether each quota was changed.

    Response to request 49, versions 0-1.
    """

    KEY = 49
    VERSIONS = range(0, 2)
    EntryData = AlterClientQuotasResponse_EntryData
    EntityData = AlterClientQuotasResponse_EntityData
    __slots__ = ("throttle_time_ms", "entries",)

    def __init__(
        self, throttle_time_ms: int = 0, entries: Sequence[AlterClientQuotasResponse_EntryData] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries = entries
        self.unknown_tags = ()


class GetTelemetrySubscriptionsRequest(Message):
    """Asks which metrics a client is to push (KIP-714).

    Request 71, version 0.
    """

    KEY = 71
    VERSIONS = range(0, 1)
    __slots__ = ("client_instance_id",)

    def __init__(
        self, client_instance_id: Uuid = ZERO_UUID
    ) -> None:
        self.client_instance_id = client_instance_id
        self.unknown_tags = ()


class GetTelemetrySubscriptionsResponse(Message):
    """What to push, how often, and how packed.

    Response to request 71, version 0.
    """

    KEY = 71
    VERSIONS = range(0, 1)
    __slots__ = (
        "throttle_time_ms", "error_code", "client_instance_id", "subscription_id", "accepted_compression_types",
        "push_interval_ms", "telemetry_max_bytes", "delta_temporality", "requested_metrics",
    )

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0, client_instance_id: Uuid = ZERO_UUID,
        subscription_id: int = 0, accepted_compression_types: Sequence[int] = (), push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0, delta_temporality: bool = False, requested_metrics: Sequence[str] = ()
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types = accepted_compression_types
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics = requested_metrics
        self.unknown_tags = ()


class PushTelemetryRequest(Message):
    """A client's metrics (KIP-714).

    Request 72, version 0.
    """

    KEY = 72
    VERSIONS = range(0, 1)
    __slots__ = ("client_instance_id", "subscription_id", "terminating", "compression_type", "metrics",)

    def __init__(
        self, client_instance_id: Uuid = ZERO_UUID, subscription_id: int = 0, terminating: bool = False,
        compression_type: int = 0, metrics: bytes = b""
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics
        self.unknown_tags = ()


class PushTelemetryResponse(Message):
    """Whether they were taken.

    Response to request 72, version 0.
    """

    KEY = 72
    VERSIONS = range(0, 1)
    __slots__ = ("throttle_time_ms", "error_code",)

    def __init__(
        self, throttle_time_ms: int = 0, error_code: int = 0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tags = ()
