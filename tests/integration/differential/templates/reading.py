"""Fetch with its sessions, ListOffsets, OffsetForLeaderEpoch, DeleteRecords, DescribeProducers."""

from functools import partial
from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from tests.integration.differential.templates.batches import TIME
from tests.integration.differential.templates.produce import CONTENT, END
from tests.integration.differential.templates.template import BROKER, EMPTY, FILLED, Look, Scene, Template, told
from tests.integration.differential.trees import Tree

MOST = (1 << 31) - 1


def fetch(scene: Scene, topic: str = "", *, partition: int = 0, offset: int = 0, **fields: Any) -> Tree:
    """From one partition; fields of the partition or of the request."""
    name = topic or scene.topic
    wanted: Tree = {"partition": partition, "fetch_offset": offset, "partition_max_bytes": 1 << 20}
    of_partition = {"current_leader_epoch", "last_fetched_epoch", "log_start_offset", "partition_max_bytes"}
    wanted |= {name: fields.pop(name) for name in of_partition & fields.keys()}
    topics = [{"topic": name, "topic_id": Scene(0, name).topic_id, "partitions": [wanted]}]
    return {"max_wait_ms": 20, "min_bytes": 1, "topics": topics, **fields}


def fetching(name: str, versions: range = range(4, 19), **given: Any) -> Template:
    """A template of it."""
    return Template(ApiKey.FETCH, name, lambda _, scene: fetch(scene, **given), versions=versions, listeners=(BROKER,))


def _fetch_again(given: dict[str, Any], _: int, scene: Scene) -> Tree:
    return fetch(scene, **given)


def session(name: str, *further: dict[str, Any]) -> Template:
    """A session that is opened, and requests in it."""
    versions = range(7, 19, 5)
    rest = tuple(Template(ApiKey.FETCH, "next", partial(_fetch_again, given), FILLED) for given in further)
    opening: dict[str, Any] = {"session_id": 0, "session_epoch": 0}
    return Template(
        ApiKey.FETCH,
        name,
        lambda _, scene: fetch(scene, **opening),
        FILLED,
        versions=versions,
        then=rest,
        tells="session_id",
        listeners=(BROKER,),
    )


def nothing_new(epoch: int, **fields: Any) -> dict[str, Any]:
    """A request in a session that names no partition."""
    return {"session_id": told("session_id"), "session_epoch": epoch, "topics": [], **fields}


def forget(epoch: int) -> dict[str, Any]:
    """One that leaves out the second partition from now on."""
    return nothing_new(epoch, forgotten_topics_data=[])


SESSIONS: Final = [
    session("session", nothing_new(1), {"session_id": told("session_id"), "session_epoch": 2}, nothing_new(3)),
    session("session, wrong epoch", nothing_new(5), nothing_new(1)),
    session("session, same epoch again", nothing_new(1), nothing_new(1)),
    session("session, closed", nothing_new(-1), nothing_new(1)),
    session("session, another partition", {"session_id": told("session_id"), "session_epoch": 1, "partition": 1}),
    session("session, missing partition", {"session_id": told("session_id"), "session_epoch": 1, "partition": 9}),
    session("session, out of range", {"session_id": told("session_id"), "session_epoch": 1, "offset": 99}),
    session("session, opened anew", {"session_id": told("session_id"), "session_epoch": 0}),
]


def list_offsets(version: int, scene: Scene, *, topic: str = "", timestamp: int = -1, **fields: Any) -> Tree:
    """Of one partition."""
    partition = {"partition_index": fields.pop("partition", 0), "timestamp": timestamp, **fields}
    topics = [{"name": topic or scene.topic, "partitions": [partition]}]
    return {"replica_id": -1, "topics": topics, "timeout_ms": 5_000}


def offsets(name: str, versions: range = range(1, 12), **given: Any) -> Template:
    """A template of it."""
    return Template(
        ApiKey.LIST_OFFSETS, name, lambda version, scene: list_offsets(version, scene, **given), versions=versions
    )


def epochs(name: str, *, topic: str = "stable", partition: int = 0, current: int = -1, epoch: int = 0) -> Template:
    """Where an epoch ended."""
    wanted = {"partition": partition, "current_leader_epoch": current, "leader_epoch": epoch}
    tree = {"replica_id": -1, "topics": [{"topic": topic, "partitions": [wanted]}]}
    return Template(ApiKey.OFFSET_FOR_LEADER_EPOCH, name, lambda _, __: tree, is_valid=name == "valid")


def delete(name: str, *, topic: str = "", partition: int = 0, offset: int = 2, fresh: str = FILLED) -> Template:
    """Records below an offset go."""

    def build(_: int, scene: Scene) -> Tree:
        wanted = {"partition_index": partition, "offset": offset}
        return {"topics": [{"name": topic or scene.topic, "partitions": [wanted]}], "timeout_ms": 5_000}

    return Template(ApiKey.DELETE_RECORDS, name, build, fresh, (START, END, CONTENT), is_valid=name == "valid")


def producers(name: str, topic: str, *partitions: int) -> Template:
    """Who has written there."""
    tree = {"topics": [{"name": topic, "partition_indexes": list(partitions)}]}
    return Template(ApiKey.DESCRIBE_PRODUCERS, name, lambda _, __: tree, is_valid=name == "valid")


START: Final = Look(ApiKey.LIST_OFFSETS, 7, lambda scene: list_offsets(7, scene, timestamp=-2))

TEMPLATES: Final[list[Template]] = [
    Template(ApiKey.FETCH, "valid", lambda _, scene: fetch(scene), is_valid=True, listeners=(BROKER,)),
    fetching("at the end", offset=12),
    fetching("behind the end", offset=13),
    fetching("below the start", topic="cut", offset=1),
    fetching("at the start", topic="cut", offset=3),
    fetching("in the middle of a batch", offset=4),
    fetching("missing topic", topic="missing"),
    fetching("deleted topic", topic="gone"),
    fetching("missing partition", partition=7),
    fetching("right epoch", current_leader_epoch=0, versions=range(9, 19)),
    fetching("future epoch", current_leader_epoch=7, versions=range(9, 19)),
    fetching("diverging epoch", last_fetched_epoch=7, versions=range(12, 19)),
    fetching("read committed", isolation_level=1),
    fetching("isolation level 2", isolation_level=2),
    fetching("as little as can be", partition_max_bytes=1, max_bytes=1),
    fetching("not enough bytes", min_bytes=MOST),
    fetching("as a replica", replica_id=1, versions=range(4, 15)),
    fetching("as a replica", replica_state={"replica_id": 1, "replica_epoch": 0}, versions=range(15, 19)),
    fetching("as an unknown replica", replica_id=9, versions=range(4, 15)),
    fetching("as the debugging consumer", replica_id=-2, versions=range(4, 15)),
    fetching("another cluster", cluster_id="another", versions=range(12, 19)),
    fetching("compressed", topic="lz4"),
    fetching("internal topic", topic="__consumer_offsets"),
    fetching("metadata topic", topic="__cluster_metadata"),
    *SESSIONS,
    Template(ApiKey.LIST_OFFSETS, "valid", list_offsets, is_valid=True),
    *(offsets(f"special time {special}", timestamp=special) for special in range(-8, 0)),
    *(
        offsets(f"time {time}", timestamp=time)
        for time in (0, TIME, TIME + 1, TIME + 2, TIME + 3, TIME + 10_000, 1 << 62)
    ),
    offsets("start after deletion", topic="cut", timestamp=-2),
    offsets("time after deletion", topic="cut", timestamp=0),
    offsets("empty topic", topic="void", timestamp=TIME),
    offsets("largest time of an empty topic", topic="void", timestamp=-3),
    offsets("compressed", topic="lz4", timestamp=TIME + 1),
    offsets("missing topic", topic="missing"),
    offsets("missing partition", partition=9),
    offsets("deleted topic", topic="gone"),
    offsets("right epoch", current_leader_epoch=0, versions=range(4, 12)),
    offsets("future epoch", current_leader_epoch=7, versions=range(4, 12)),
    epochs("valid"),
    epochs("current epoch", current=0),
    epochs("future current epoch", current=5),
    epochs("future epoch", epoch=5),
    epochs("missing topic", topic="missing"),
    epochs("missing partition", partition=9),
    epochs("empty topic", topic="void"),
    epochs("negative epoch", epoch=-1),
    delete("valid"),
    delete("to the end", offset=-1),
    delete("behind the end", offset=99),
    delete("in the middle", offset=5),
    delete("to the very end", offset=12),
    delete("nothing", offset=0),
    delete("of an empty one", offset=0, fresh=EMPTY),
    delete("compacted", offset=2, fresh="compacted"),
    delete("missing topic", topic="missing", fresh=""),
    delete("missing partition", partition=9),
    producers("valid", "stable", 1),
    producers("nobody", "stable", 0),
    producers("missing topic", "missing", 0),
    producers("missing partition", "stable", 9),
    producers("several", "stable", 0, 1, 9),
]
