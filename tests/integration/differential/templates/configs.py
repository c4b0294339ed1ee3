"""DescribeConfigs, IncrementalAlterConfigs, AlterConfigs, ListConfigResources, quotas and telemetry."""

from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.template import EMPTY, Look, Scene, Template
from tests.integration.differential.trees import Tree

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)


def describe(kind: int, name: str, keys: list[str] | None = None, *, details: bool = True) -> Tree:
    """One resource."""
    resource = {"resource_type": kind, "resource_name": name, "configuration_keys": keys}
    return {"resources": [resource], "include_synonyms": details, "include_documentation": details}


def describing(label: str, kind: int, name: str, keys: list[str] | None = None, *, details: bool = True) -> Template:
    """A template of it."""
    tree = describe(kind, name, keys, details=details)
    return Template(ApiKey.DESCRIBE_CONFIGS, label, lambda _, __: tree)


SETTINGS: Final = Look(ApiKey.DESCRIBE_CONFIGS, 4, lambda scene: describe(TOPIC, scene.topic))


def change(kind: int, name: str, *changes: tuple[str, int, str | None], validate: bool = False) -> Tree:
    """Settings of one resource."""
    configs = [{"name": key, "config_operation": operation, "value": value} for key, operation, value in changes]
    resource = {"resource_type": kind, "resource_name": name, "configs": configs}
    return {"resources": [resource], "validate_only": validate}


def changing(label: str, *changes: tuple[str, int, str | None], validate: bool = False) -> Template:
    """Settings of the case's topic."""
    return Template(
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        label,
        lambda _, scene: change(TOPIC, scene.topic, *changes, validate=validate),
        EMPTY,
        (SETTINGS,),
    )


def changing_other(label: str, kind: int, name: str, *changes: tuple[str, int, str | None]) -> Template:
    """Settings of something else, validated only."""
    tree = change(kind, name, *changes, validate=True)
    return Template(ApiKey.INCREMENTAL_ALTER_CONFIGS, label, lambda _, __: tree)


def replace(kind: int, name: str, validate: bool = False, **settings: str | None) -> Tree:
    """All settings of one resource."""
    configs = [{"name": key.replace("_", "."), "value": value} for key, value in settings.items()]
    resource = {"resource_type": kind, "resource_name": name, "configs": configs}
    return {"resources": [resource], "validate_only": validate}


def replacing(label: str, **settings: Any) -> Template:
    """Those of the case's topic."""
    return Template(
        ApiKey.ALTER_CONFIGS, label, lambda _, scene: replace(TOPIC, scene.topic, **settings), EMPTY, (SETTINGS,)
    )


def quota(_: int, __: Scene) -> Tree:
    """Of a user, validated only."""
    entity = [{"entity_type": "user", "entity_name": "somebody"}]
    return {
        "entries": [{"entity": entity, "ops": [{"key": "producer_byte_rate", "value": 1e6}]}],
        "validate_only": True,
    }


def quotas(_: int, __: Scene) -> Tree:
    """Of that user."""
    return {"components": [{"entity_type": "user", "match_type": 0, "match": "somebody"}]}


TEMPLATES: Final[list[Template]] = [
    Template(
        ApiKey.DESCRIBE_CONFIGS, "valid", lambda _, __: describe(TOPIC, "configured", ["retention.ms"]), is_valid=True
    ),
    describing("topic", TOPIC, "configured"),
    describing("topic, short", TOPIC, "configured", details=False),
    describing("topic without settings", TOPIC, "stable"),
    describing("missing topic", TOPIC, "missing"),
    describing("unknown keys", TOPIC, "stable", ["no.such.thing", "retention.ms"]),
    describing("no keys", TOPIC, "stable", []),
    describing("broker", BROKER, "1"),
    describing("broker, short", BROKER, "1", details=False),
    describing("all brokers", BROKER, ""),
    describing("another broker", BROKER, "2"),
    describing("broker of a name", BROKER, "x"),
    describing("loggers", LOGGER, "1", ["no.such.logger"]),
    describing("loggers of nobody", LOGGER, ""),
    describing("metrics", METRICS, "some"),
    describing("group", GROUP, "some"),
    describing("unknown type", 99, "some"),
    Template(
        ApiKey.INCREMENTAL_ALTER_CONFIGS,
        "valid",
        lambda _, scene: change(TOPIC, scene.topic, ("retention.ms", SET, "1000")),
        EMPTY,
        (SETTINGS,),
        is_valid=True,
    ),
    changing("delete what is not set", ("retention.ms", DELETE, None)),
    changing("set and delete", ("retention.ms", SET, "5"), ("segment.ms", DELETE, None)),
    changing("twice", ("retention.ms", SET, "5"), ("retention.ms", SET, "6")),
    changing("append", ("cleanup.policy", APPEND, "compact")),
    changing("append twice", ("cleanup.policy", APPEND, "delete")),
    changing("subtract", ("cleanup.policy", SUBTRACT, "delete")),
    changing("subtract what is not there", ("cleanup.policy", SUBTRACT, "compact")),
    changing("append to no list", ("retention.ms", APPEND, "5")),
    changing("wrong value", ("retention.ms", SET, "many")),
    changing("out of range", ("segment.bytes", SET, "1")),
    changing("null", ("retention.ms", SET, None)),
    changing("empty", ("retention.ms", SET, "")),
    changing("unknown key", ("no.such.thing", SET, "1")),
    changing("unknown operation", ("retention.ms", 9, "1")),
    changing("validated only", ("retention.ms", SET, "5"), validate=True),
    changing("nothing"),
    changing("spaces", ("retention.ms", SET, " 5 ")),
    changing("two policies", ("cleanup.policy", SET, "compact,delete")),
    changing("boolean", ("preallocate", SET, "TRUE")),
    changing("no boolean", ("preallocate", SET, "yes")),
    changing("double", ("min.cleanable.dirty.ratio", SET, "0.25")),
    changing("half valid", ("retention.ms", SET, "5"), ("segment.bytes", SET, "-7")),
    changing_other("missing topic", TOPIC, "missing", ("retention.ms", SET, "5")),
    changing_other("no topic", TOPIC, "", ("retention.ms", SET, "5")),
    changing_other("broker", BROKER, "1", ("log.cleaner.threads", SET, "2")),
    changing_other("all brokers", BROKER, "", ("log.cleaner.threads", SET, "2")),
    changing_other("static", BROKER, "1", ("node.id", SET, "2")),
    changing_other("static of all", BROKER, "", ("log.dirs", SET, "/x")),
    changing_other("another broker", BROKER, "2", ("log.cleaner.threads", SET, "2")),
    changing_other("broker of a name", BROKER, "x", ("log.cleaner.threads", SET, "2")),
    changing_other("unknown of a broker", BROKER, "1", ("no.such.thing", SET, "2")),
    changing_other("wrong of a broker", BROKER, "1", ("log.cleaner.threads", SET, "many")),
    changing_other("group", GROUP, "some", ("consumer.session.timeout.ms", SET, "50000")),
    changing_other("metrics", METRICS, "some", ("interval.ms", SET, "5000")),
    changing_other("unknown type", 99, "some", ("interval.ms", SET, "5000")),
    Template(
        ApiKey.ALTER_CONFIGS,
        "valid",
        lambda _, scene: replace(TOPIC, scene.topic, retention_ms="1000"),
        EMPTY,
        (SETTINGS,),
        is_valid=True,
    ),
    replacing("nothing"),
    replacing("wrong value", retention_ms="many"),
    replacing("null", retention_ms=None),
    replacing("unknown", no_such_thing="5"),
    replacing("validated only", validate=True, retention_ms="5"),
    Template(ApiKey.ALTER_CONFIGS, "missing topic", lambda _, __: replace(TOPIC, "missing", retention_ms="5")),
    Template(
        ApiKey.ALTER_CONFIGS, "broker", lambda _, __: replace(BROKER, "1", validate=True, log_cleaner_threads="2")
    ),
    Template(ApiKey.LIST_CONFIG_RESOURCES, "valid", lambda _, __: {"resource_types": [BROKER]}, is_valid=True),
    Template(ApiKey.LIST_CONFIG_RESOURCES, "groups", lambda _, __: {"resource_types": [GROUP, METRICS]}),
    Template(ApiKey.ALTER_CLIENT_QUOTAS, "valid", quota, is_valid=True),
    Template(ApiKey.DESCRIBE_CLIENT_QUOTAS, "valid", quotas, is_valid=True),
    Template(
        ApiKey.GET_TELEMETRY_SUBSCRIPTIONS, "valid", lambda _, __: {"client_instance_id": bytes(16)}, is_valid=True
    ),
]
