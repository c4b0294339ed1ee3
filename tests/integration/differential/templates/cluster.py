"""ApiVersions, Metadata and what else describes the cluster and its quorum."""

from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.template import Scene, Template, topic_id
from tests.integration.differential.trees import Tree


def metadata(version: int, *names: str, **fields: Any) -> Tree:
    """Of these topics."""
    return {"topics": [{"name": name} for name in names], "allow_auto_topic_creation": False, **fields}


def asking(label: str, *names: str, **fields: Any) -> Template:
    """A template of it."""
    return Template(ApiKey.METADATA, label, lambda version, _: metadata(version, *names, **fields))


def by_id(label: str, *topics: Tree) -> Template:
    """By id."""
    tree = {"topics": list(topics), "allow_auto_topic_creation": False}
    return Template(ApiKey.METADATA, label, lambda _, __: tree, versions=range(10, 14))


def describe(*names: str, **fields: Any) -> Tree:
    """Partitions of these topics."""
    return {"topics": [{"name": name} for name in sorted(names)], **fields}


def describing(label: str, *names: str, **fields: Any) -> Template:
    """A template of it."""
    tree = describe(*names, **fields)
    return Template(ApiKey.DESCRIBE_TOPIC_PARTITIONS, label, lambda _, __: tree, is_valid=label == "valid")


def software(version: int, _: Scene) -> Tree:
    """Who asks."""
    return {"client_software_name": "differential", "client_software_version": "1.0"} if version >= 3 else {}


def features(_: int, __: Scene) -> Tree:
    """Nothing new, validated only."""
    update = {"feature": "metadata.version", "max_version_level": 29, "upgrade_type": 1}
    return {"feature_updates": [update], "timeout_ms": 10_000, "validate_only": True}


QUORUM: Final = {"topics": [{"topic_name": "__cluster_metadata", "partitions": [{"partition_index": 0}]}]}

TEMPLATES: Final[list[Template]] = [
    Template(ApiKey.API_VERSIONS, "valid", software, is_valid=True),
    Template(ApiKey.METADATA, "valid", lambda version, _: metadata(version, "stable"), is_valid=True),
    asking("several", "stable", "cut", "missing", "__consumer_offsets"),
    asking("missing", "missing"),
    asking("deleted", "gone"),
    asking("twice", "stable", "stable"),
    asking("authorized operations", "stable", include_topic_authorized_operations=True),
    asking("cluster's operations", "stable", include_cluster_authorized_operations=True),
    asking("would be created", "would-be-created", allow_auto_topic_creation=True),
    asking("invalid name", "a/b"),
    asking("metadata topic", "__cluster_metadata"),
    by_id("by id", {"name": None, "topic_id": topic_id("stable")}),
    by_id("unknown id", {"name": None, "topic_id": bytes(range(16))}),
    by_id("id of a deleted one", {"name": None, "topic_id": topic_id("gone")}),
    by_id("name and id", {"name": "stable", "topic_id": topic_id("stable")}),
    by_id("neither", {"name": None, "topic_id": bytes(16)}),
    by_id("by name and by id", {"name": "stable"}, {"name": None, "topic_id": topic_id("stable")}),
    Template(ApiKey.DESCRIBE_CLUSTER, "valid", lambda _, __: {}, is_valid=True),
    Template(ApiKey.DESCRIBE_CLUSTER, "operations", lambda _, __: {"include_cluster_authorized_operations": True}),
    Template(ApiKey.DESCRIBE_CLUSTER, "controllers", lambda _, __: {"endpoint_type": 2}, versions=range(1, 3)),
    describing("valid", "stable"),
    describing("several", "stable", "cut", "missing"),
    describing("one partition a page", "many", response_partition_limit=1),
    describing("from a cursor", "many", cursor={"topic_name": "many", "partition_index": 5}),
    describing(
        "a page from a cursor",
        "many",
        response_partition_limit=3,
        cursor={"topic_name": "many", "partition_index": 5},
    ),
    describing("cursor behind the end", "many", cursor={"topic_name": "many", "partition_index": 99}),
    describing("cursor at a missing topic", "many", "stable", cursor={"topic_name": "n", "partition_index": 0}),
    describing("cursor before", "many", "stable", cursor={"topic_name": "aaa", "partition_index": -1}),
    Template(ApiKey.DESCRIBE_QUORUM, "valid", lambda _, __: QUORUM, is_valid=True),
    Template(
        ApiKey.DESCRIBE_QUORUM,
        "another topic",
        lambda _, __: {"topics": [{"topic_name": "stable", "partitions": [{"partition_index": 0}]}]},
    ),
    Template(ApiKey.UPDATE_FEATURES, "valid", features, versions=range(1, 3), is_valid=True),
    Template(ApiKey.UNREGISTER_BROKER, "valid", lambda _, __: {"broker_id": 9}, is_valid=True),
    Template(ApiKey.SASL_HANDSHAKE, "valid", lambda _, __: {"mechanism": "PLAIN"}, is_valid=True),
    Template(ApiKey.SASL_AUTHENTICATE, "valid", lambda _, __: {"auth_bytes": b"\0user\0pass"}, is_valid=True),
]
