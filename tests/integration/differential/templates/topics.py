"""CreateTopics, DeleteTopics, CreatePartitions, ElectLeaders, reassignments and log directories."""

from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.template import EMPTY, Look, Scene, Template, topic_id
from tests.integration.differential.trees import Tree


def metadata(name: str) -> Tree:
    """Asks for one topic."""
    return {"topics": [{"name": name}], "allow_auto_topic_creation": False}


NEW: Final = Look(ApiKey.METADATA, 12, lambda scene: metadata(scene.new))
OWN: Final = Look(ApiKey.METADATA, 12, lambda scene: metadata(scene.topic))
NEW_SETTINGS: Final = Look(
    ApiKey.DESCRIBE_CONFIGS, 4, lambda scene: {"resources": [{"resource_type": 2, "resource_name": scene.new}]}
)


def create(scene: Scene, name: str | None = None, **fields: Any) -> Tree:
    """One topic."""
    topic = {"name": scene.new if name is None else name, "num_partitions": 2, "replication_factor": 1, **fields}
    return {"topics": [topic], "timeout_ms": 10_000, "validate_only": False}


def creating(label: str, **given: Any) -> Template:
    """A template of it."""
    return Template(ApiKey.CREATE_TOPICS, label, lambda _, scene: create(scene, **given), looks=(NEW, NEW_SETTINGS))


def assigned(*replicas: list[int], first: int = 0) -> dict[str, Any]:
    """Where the replicas shall be."""
    assignments = [{"partition_index": first + at, "broker_ids": ids} for at, ids in enumerate(replicas)]
    return {"num_partitions": -1, "replication_factor": -1, "assignments": assignments}


def configured(**settings: str | None) -> dict[str, Any]:
    """With settings, named with underscores."""
    return {"configs": [{"name": name.replace("_", "."), "value": value} for name, value in settings.items()]}


VALID_CREATION: Final = {
    "assignments": [{"partition_index": 0, "broker_ids": [1]}],
    "num_partitions": -1,
    "replication_factor": -1,
    **configured(retention_ms="1000"),
}


def delete(version: int, scene: Scene) -> Tree:
    """The case's topic, by name."""
    if version >= 6:
        return {"topics": [{"name": scene.topic}], "timeout_ms": 10_000}
    return {"topic_names": [scene.topic], "timeout_ms": 10_000}


def deleting(label: str, *topics: Tree) -> Template:
    """Those."""
    tree = {"topics": list(topics), "timeout_ms": 10_000}
    return Template(ApiKey.DELETE_TOPICS, label, lambda _, __: tree, versions=range(6, 7))


def grow(scene: Scene, count: int, assignments: Any = None, *, topic: str = "", validate: bool = False) -> Tree:
    """The case's topic has one partition."""
    wanted = {"name": topic or scene.topic, "count": count, "assignments": assignments}
    return {"topics": [wanted], "timeout_ms": 10_000, "validate_only": validate}


def growing(label: str, count: int, assignments: Any = None, **given: Any) -> Template:
    """A template of it."""
    return Template(
        ApiKey.CREATE_PARTITIONS, label, lambda _, scene: grow(scene, count, assignments, **given), EMPTY, (OWN,)
    )


def elect(scene: Scene, topic: str = "", partition: int = 0, kind: int = 0) -> Tree:
    """A leader for one partition."""
    wanted = [{"topic": topic or scene.topic, "partitions": [partition]}]
    return {"election_type": kind, "topic_partitions": wanted, "timeout_ms": 10_000}


def reassign(scene: Scene, replicas: list[int] | None, partition: int = 0) -> Tree:
    """Move one partition."""
    partitions = [{"partition_index": partition, "replicas": replicas}]
    return {"topics": [{"name": scene.topic, "partitions": partitions}], "timeout_ms": 10_000}


LOG_DIRECTORIES: Final[list[Template]] = [
    Template(
        ApiKey.DESCRIBE_LOG_DIRS,
        "valid",
        lambda _, __: {"topics": [{"topic": "many", "partitions": [0]}]},
        is_valid=True,
    ),
    Template(
        ApiKey.DESCRIBE_LOG_DIRS,
        "several",
        lambda _, __: {"topics": [{"topic": name, "partitions": [0, 1, 9]} for name in ("many", "stable", "gone")]},
    ),
]

TEMPLATES: Final[list[Template]] = [
    Template(
        ApiKey.CREATE_TOPICS,
        "valid",
        lambda _, scene: create(scene, **VALID_CREATION),
        looks=(NEW,),
        is_valid=True,
    ),
    creating("plain"),
    creating("defaults", num_partitions=-1, replication_factor=-1),
    creating("there already", name="stable"),
    creating("the same but for a dot", name="with.dot"),
    creating("the same but for an underscore", name="with_dot"),
    creating("internal", name="__transaction_state"),
    creating("metadata", name="__cluster_metadata"),
    creating("two replicas", replication_factor=2),
    creating("no partitions", num_partitions=0),
    creating("too many partitions", num_partitions=20_000),
    creating("assigned", **assigned([1], [1])),
    creating("assigned from partition 1", **assigned([1], first=1)),
    creating("assigned to nobody", **assigned([])),
    creating("assigned to a stranger", **assigned([7])),
    creating("assigned twice to one", **assigned([1, 1])),
    creating("assigned unevenly", **assigned([1], [1, 2])),
    creating("assigned and counted", **{**assigned([1]), "num_partitions": 1}),
    creating("settings", **configured(cleanup_policy="compact", segment_bytes="1048576")),
    creating("unknown setting", **configured(no_such_thing="1")),
    creating("wrong value", **configured(retention_ms="many")),
    creating("value out of range", **configured(segment_bytes="1")),
    creating("null value", **configured(retention_ms=None)),
    creating("wrong list", **configured(cleanup_policy="compact,paint")),
    creating("empty value", **configured(cleanup_policy="")),
    creating("codec level", **configured(compression_type="gzip", compression_gzip_level="12")),
    creating("throttled replicas", **configured(leader_replication_throttled_replicas="0:1")),
    creating("wrong throttled replicas", **configured(leader_replication_throttled_replicas="x")),
    creating("more in sync than there are", **configured(min_insync_replicas="5")),
    Template(
        ApiKey.CREATE_TOPICS,
        "twice in a request",
        lambda _, scene: {**create(scene), "topics": create(scene)["topics"] * 2},
        looks=(NEW,),
    ),
    Template(
        ApiKey.CREATE_TOPICS,
        "validated only",
        lambda _, scene: {**create(scene), "validate_only": True},
        looks=(NEW,),
    ),
    Template(ApiKey.DELETE_TOPICS, "valid", delete, EMPTY, (OWN,), is_valid=True),
    Template(
        ApiKey.DELETE_TOPICS,
        "by id",
        lambda _, scene: {"topics": [{"name": None, "topic_id": scene.topic_id}], "timeout_ms": 10_000},
        EMPTY,
        (OWN,),
        range(6, 7),
        is_valid=True,
    ),
    deleting("missing", {"name": "missing"}),
    deleting("missing id", {"name": None, "topic_id": bytes(range(16))}),
    deleting("id of a deleted one", {"name": None, "topic_id": topic_id("gone")}),
    deleting("neither name nor id", {"name": None}),
    deleting("name and id", {"name": "stable", "topic_id": topic_id("stable")}),
    deleting("twice by name", {"name": "missing"}, {"name": "missing"}),
    deleting("twice by id", {"name": None, "topic_id": topic_id("gone")}, {"name": None, "topic_id": topic_id("gone")}),
    deleting("metadata", {"name": "__cluster_metadata"}),
    Template(
        ApiKey.CREATE_PARTITIONS,
        "valid",
        lambda _, scene: grow(scene, 3, [{"broker_ids": [1]}] * 2),
        EMPTY,
        (OWN,),
        is_valid=True,
    ),
    growing("chosen", 4),
    growing("as many as there are", 1),
    growing("fewer", 0),
    growing("validated only", 3, validate=True),
    growing("too few assignments", 3, [{"broker_ids": [1]}]),
    growing("too many assignments", 2, [{"broker_ids": [1]}] * 2),
    growing("to a stranger", 2, [{"broker_ids": [7]}]),
    growing("two replicas", 2, [{"broker_ids": [1, 2]}]),
    growing("no replica", 2, [{"broker_ids": []}]),
    growing("missing topic", 3, topic="missing"),
    Template(ApiKey.ELECT_LEADERS, "valid", lambda _, scene: elect(scene), EMPTY, is_valid=True),
    Template(ApiKey.ELECT_LEADERS, "missing topic", lambda _, scene: elect(scene, "missing")),
    Template(ApiKey.ELECT_LEADERS, "missing partition", lambda _, scene: elect(scene, partition=9)),
    Template(ApiKey.ELECT_LEADERS, "unclean", lambda _, scene: elect(scene, kind=1)),
    Template(
        ApiKey.ALTER_PARTITION_REASSIGNMENTS, "valid", lambda _, scene: reassign(scene, [1]), EMPTY, is_valid=True
    ),
    Template(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "stop", lambda _, scene: reassign(scene, None), EMPTY),
    Template(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "stranger", lambda _, scene: reassign(scene, [7]), EMPTY),
    Template(ApiKey.ALTER_PARTITION_REASSIGNMENTS, "missing", lambda _, scene: reassign(scene, [1], 9), EMPTY),
    Template(
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        "valid",
        lambda _, scene: {"topics": [{"name": scene.topic, "partition_indexes": [0]}]},
        is_valid=True,
    ),
    Template(ApiKey.LIST_PARTITION_REASSIGNMENTS, "all", lambda _, __: {"topics": None}),
]
