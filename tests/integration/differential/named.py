"""The differences that are none, each with its name and its reason: docs/protocol.md lists the same.

A difference has a rule that says when two values that are not equal mean the same. Whatever no rule explains is a
difference that somebody has to mend.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.sides import Side
from tests.integration.differential.templates.template import CONTROLLER

AN_HOUR_MS: Final = 3_600_000


@dataclass(frozen=True, slots=True)
class Leaf:
    """Two values in the same place of two answers."""

    api: ApiKey
    listener: str
    path: tuple[str, ...]
    left: Any
    right: Any
    left_side: Side
    right_side: Side

    @property
    def field(self) -> str:
        """What the place is called."""
        return self.path[-1]


@dataclass(frozen=True, slots=True)
class Named:
    """One difference."""

    name: str
    reason: str
    explains: Callable[[Leaf], bool]


def _both(leaf: Leaf, kind: type, condition: Callable[[Any], bool]) -> bool:
    return all(isinstance(value, kind) and condition(value) for value in (leaf.left, leaf.right))


def _topic_ids(leaf: Leaf) -> bool:
    if not _both(leaf, bytes, lambda value: len(value) == 16 and any(value)):
        return False
    return leaf.left_side.topic_of(leaf.left) == leaf.right_side.topic_of(leaf.right)


def _own(leaf: Leaf) -> bool:
    if leaf.field == "port":
        return all(
            value in (side.server.port, side.server.controller_port)
            for value, side in ((leaf.left, leaf.left_side), (leaf.right, leaf.right_side))
        )
    return _both(leaf, str, bool) and leaf.left_side.localised(leaf.left) == leaf.right_side.localised(leaf.right)


def _now(leaf: Leaf) -> bool:
    now = time.time() * 1_000
    return _both(leaf, int, lambda value: abs(value - now) < AN_HOUR_MS)


def _text(leaf: Leaf) -> bool:
    return leaf.field.endswith(("error_message", "documentation")) and _both(leaf, str, bool)


def _chosen(leaf: Leaf) -> bool:
    if leaf.api is ApiKey.FETCH and leaf.field == "session_id":
        return _both(leaf, int, lambda value: value > 0)
    given = {ApiKey.INIT_PRODUCER_ID: "producer_id", ApiKey.ALLOCATE_PRODUCER_IDS: "producer_id_start"}
    return given.get(leaf.api) == leaf.field and _both(leaf, int, lambda id_: id_ >= 0)


def _metadata_log(leaf: Leaf) -> bool:
    if leaf.api is ApiKey.API_VERSIONS:
        return leaf.field == "finalized_features_epoch" and _both(leaf, int, lambda epoch: epoch >= 0)
    if leaf.api is ApiKey.BROKER_REGISTRATION:
        return leaf.field == "broker_epoch" and _both(leaf, int, lambda epoch: epoch >= 0)
    if leaf.api is ApiKey.FETCH and leaf.listener == CONTROLLER and leaf.field == "records":
        return _both(leaf, bytes, bool)
    fields = ("high_watermark", "log_end_offset", "leader_epoch", "end_offset")
    is_quorum = leaf.listener == CONTROLLER or leaf.api is ApiKey.DESCRIBE_QUORUM
    return is_quorum and leaf.field in fields and _both(leaf, int, lambda offset: offset >= 0)


def _disk(leaf: Leaf) -> bool:
    return (
        leaf.api is ApiKey.DESCRIBE_LOG_DIRS
        and leaf.field in ("total_bytes", "usable_bytes")
        and _both(leaf, int, lambda size: size > 0)
    )


NAMED: Final[list[Named]] = [
    Named("ids of topics and directories", "a broker draws them; those of the same topic are the same", _topic_ids),
    Named("ports and paths", "two brokers on one machine have their own", _own),
    Named("times", "what a broker stamps with its clock is within the hour", _now),
    Named("texts", "messages and documentation are our own words; whether there is one is the same", _text),
    Named("sessions and producer ids", "a broker draws or counts them", _chosen),
    Named("the metadata log", "its offsets and epochs tell how often something was written, not what", _metadata_log),
    Named("the disk", "others write to it meanwhile", _disk),
]
# What `compare.py` does before any leaf is looked at.
FAILURES: Final = "failures inside Kafka"
BEFORE: Final[dict[str, str]] = {
    FAILURES: "where Kafka stumbles over a value and answers UNKNOWN_SERVER_ERROR, or nothing, Ottla answers what the "
    "request deserves",
    "order": "elements of an array that have a name, an id or an index are compared by it: Kafka's order is that of "
    "hash maps",
    "batches": "a broker may compress in its own way: compressed batches are compared by their records",
    "APIs not served": "ApiVersions lists what is served; what both serve has the same versions",
    "settings of our own": "DescribeConfigs tells `ottla.*` as well",
}
CONTROLLER_SETTINGS: Final = (
    r"(Incremental)?AlterConfigs v\d+ at the controller, "
    r"(valid, resources\.configs(=\[\{|\.value=None)|twice$|null$|static|wrong of a broker)"
)
# What is asked in whole cases that Ottla answers otherwise, by a pattern of their names.
CASES: Final[dict[str, tuple[str, str]]] = {
    r"Produce v\d+, (valid, topic_data(\.partition_data)?=\[\{|twice the same topic$)": (
        "a partition named twice",
        "of two batches for one partition in a request Kafka appends one, which its hash map has kept; Ottla both",
    ),
    r"Produce v\d+, (epoch -1|producer id -5|offset delta not in order)$": (
        "batches that contradict themselves",
        "Kafka stores them, for readers to find offsets out of order or a producer without epoch; Ottla refuses them",
    ),
    CONTROLLER_SETTINGS: (
        "settings, asked of the controller",
        "a broker refuses settings named twice, nulls, and what it could not start with; Kafka's controller takes them",
    ),
}


def named_case(name: str) -> str:
    """What a case's differences are called; nothing if they have no name."""
    return next((called for pattern, (called, _) in CASES.items() if re.match(pattern, name)), "")


def every_name() -> list[str]:
    """What docs/protocol.md lists."""
    return [*(named.name for named in NAMED), *BEFORE, *(called for called, _ in CASES.values())]
