"""What only the controller's listener serves: the quorum's requests, and those of brokers and other controllers.

Nothing here may unseat the leader or change where it is: epochs are those that there have been, and voters are others.
Brokers that register here stay fenced, so that no replica is placed on them.
"""

from typing import Any, Final

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.headers import write_request_header
from ottla.protocol.messages.security import DefaultPrincipalData
from tests.integration.differential.templates.template import (
    CONTROLLER,
    EMPTY,
    Scene,
    Template,
    directory,
    told,
)
from tests.integration.differential.trees import Tree, completed, message_of, request_class

CLUSTER: Final = "b3R0bGEgaGFuZGVkIG92ZQ"
METADATA: Final = "__cluster_metadata"
EPOCH: Final = 1  # the leader's, who has led since it started
OWN, STRANGER = 1, 9
FAR: Final = 1 << 40
NOWHERE: Final = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 9}
WIDE: Final = ("metadata.version", "kraft.version", "transaction.version", "group.version", "share.version")
MORE: Final = ("eligible.leader.replicas.version", "streams.version")


def at_controller(api: ApiKey, name: str, tree: Tree, **given: Any) -> Template:
    """A template of what no broker serves."""
    return Template(api, name, lambda _, __: tree, listeners=(CONTROLLER,), **given)


def partition(of_request: Tree | None = None, topic_name: str = METADATA, **fields: Any) -> Tree:
    """A request of the quorum for one partition."""
    wanted = {"topic_name": topic_name, "partitions": [{"partition_index": 0, **fields}]}
    return {"cluster_id": CLUSTER, "topics": [wanted], **(of_request or {})}


def vote(epoch: int = EPOCH, candidate: int = STRANGER, **fields: Any) -> Tree:
    """A candidate's, with a long log."""
    return partition(
        fields,
        replica_epoch=epoch,
        replica_id=candidate,
        replica_directory_id=bytes(range(16)),
        voter_directory_id=directory(),
        last_offset_epoch=EPOCH,
        last_offset=FAR,
    )


def begin(epoch: int, leader: int, voter: int = OWN) -> Tree:
    """Somebody says that it leads."""
    told_to = {"voter_id": voter, "leader_endpoints": [NOWHERE]}
    return partition(told_to, voter_directory_id=directory(), leader_id=leader, leader_epoch=epoch)


def end(epoch: int, leader: int) -> Tree:
    """Somebody says that it has led."""
    candidate = {"candidate_id": OWN, "candidate_directory_id": directory()}
    return partition(
        {"leader_endpoints": [NOWHERE]},
        leader_id=leader,
        leader_epoch=epoch,
        preferred_successors=[OWN],
        preferred_candidates=[candidate],
    )


def fetch(*, epoch: int = EPOCH, offset: int = FAR, fetched: int = EPOCH, **fields: Any) -> Tree:
    """From behind the end, unless told otherwise: what is in the log differs."""
    wanted = {"partition": 0, "fetch_offset": offset, "current_leader_epoch": epoch, "last_fetched_epoch": fetched}
    topic = {"topic": METADATA, "topic_id": bytes(15) + b"\1", "partitions": [wanted | fields.pop("partition", {})]}
    return {"cluster_id": CLUSTER, "max_wait_ms": 20, "topics": [topic | fields.pop("topic", {})], **fields}


def snapshot(**fields: Any) -> Tree:
    """A piece of one that there is not."""
    wanted = {"partition": 0, "current_leader_epoch": EPOCH, "snapshot_id": {"end_offset": FAR, "epoch": EPOCH}}
    topics = [{"name": METADATA, "partitions": [wanted | {"position": 0}]}]
    return {"cluster_id": CLUSTER, "replica_id": STRANGER, "max_bytes": 1_000, "topics": topics, **fields}


RAFT: Final = [
    at_controller(ApiKey.VOTE, "valid", vote(), is_valid=True),
    at_controller(ApiKey.VOTE, "of an epoch that was", vote(0)),
    at_controller(ApiKey.VOTE, "for the voter", vote(voter_id=OWN)),
    at_controller(ApiKey.VOTE, "by the voter itself", vote(candidate=OWN)),
    at_controller(ApiKey.VOTE, "of a negative epoch", vote(-1)),
    at_controller(ApiKey.BEGIN_QUORUM_EPOCH, "valid", begin(EPOCH, OWN), is_valid=True),
    at_controller(ApiKey.BEGIN_QUORUM_EPOCH, "of an epoch that was", begin(0, OWN)),
    at_controller(ApiKey.BEGIN_QUORUM_EPOCH, "to another voter", begin(EPOCH, OWN, STRANGER)),
    at_controller(ApiKey.BEGIN_QUORUM_EPOCH, "of a negative epoch", begin(-1, OWN)),
    at_controller(ApiKey.END_QUORUM_EPOCH, "valid", end(EPOCH, OWN), is_valid=True),
    at_controller(ApiKey.END_QUORUM_EPOCH, "of an epoch that was", end(0, OWN)),
    at_controller(ApiKey.FETCH, "behind the end", fetch(), is_valid=True),
    at_controller(ApiKey.FETCH, "of an epoch that was", fetch(epoch=0)),
    at_controller(ApiKey.FETCH, "of an epoch to come", fetch(epoch=5)),
    at_controller(ApiKey.FETCH, "an epoch of the log to come", fetch(offset=0, fetched=5)),
    at_controller(ApiKey.FETCH, "a negative offset", fetch(offset=-1)),
    at_controller(ApiKey.FETCH, "another partition", fetch(partition={"partition": 1})),
    at_controller(ApiKey.FETCH, "another topic", fetch(topic={"topic": "stable", "topic_id": bytes(range(16))})),
    at_controller(ApiKey.FETCH, "another cluster", fetch(cluster_id="other")),
    # Kafka answers no other error of it: there are no records in it, and it fails over those.
    at_controller(ApiKey.FETCH_SNAPSHOT, "another cluster", snapshot(cluster_id="other")),
]


def voter(voter_id: int = STRANGER, **fields: Any) -> Tree:
    """One that there is not."""
    return {"cluster_id": CLUSTER, "voter_id": voter_id, "voter_directory_id": bytes(range(16)), **fields}


def updated(**fields: Any) -> Tree:
    """It has moved."""
    supports = {"min_supported_version": 0, "max_supported_version": 1}
    return voter(current_leader_epoch=EPOCH, listeners=[NOWHERE], kraft_version_feature=supports, **fields)


ADDED: Final = {"timeout_ms": 300, "listeners": [NOWHERE]}
VOTERS: Final = [
    # The voter that there is, with another directory: others would be asked what they are, for as long as it takes.
    Template(ApiKey.ADD_RAFT_VOTER, "valid", lambda _, __: voter(OWN, **ADDED), is_valid=True),
    Template(ApiKey.REMOVE_RAFT_VOTER, "valid", lambda _, __: voter(), is_valid=True),
    at_controller(ApiKey.UPDATE_RAFT_VOTER, "valid", updated(), is_valid=True),
]
QUORUM: Final[list[Template]] = [*RAFT, *VOTERS]


def own_id(scene: Scene) -> int:
    """Of a broker that only this case knows."""
    return 1_000 + scene.number


def registration(_: int, scene: Scene) -> Tree:
    """A broker that is new."""
    features = [{"name": name, "min_supported_version": 0, "max_supported_version": 1_000} for name in (*WIDE, *MORE)]
    return {
        "broker_id": own_id(scene),
        "cluster_id": CLUSTER,
        "incarnation_id": b"incarnation ".ljust(12) + scene.number.to_bytes(4),
        "listeners": [{"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9, "security_protocol": 0}],
        "features": features,
        "rack": "r",
        "log_dirs": [b"a directory ".ljust(12) + scene.number.to_bytes(4)],
        "previous_broker_epoch": -1,
    }


REGISTERED: Final = (Template(ApiKey.BROKER_REGISTRATION, "before", registration, tells="broker_epoch"),)


def of_broker(api: ApiKey, name: str, fields: Any, *, is_known: bool = True, **given: Any) -> Template:
    """What a broker asks that has just registered; or one that has not."""

    def build(_: int, scene: Scene) -> Tree:
        broker_epoch = told("broker_epoch") if is_known else 5
        return {"broker_id": own_id(scene), "broker_epoch": broker_epoch, **fields(scene)}

    before = REGISTERED if is_known else ()
    return Template(api, name, build, listeners=(CONTROLLER,), before=before, **given)


def heartbeat(_: Scene) -> Tree:
    """It wants to stay fenced."""
    return {"current_metadata_offset": 0, "want_fence": True, "want_shut_down": False}


def heartbeat_with(**fields: Any) -> Any:
    """With other fields."""
    return lambda scene: heartbeat(scene) | fields


def in_sync(scene: Scene) -> Tree:
    """A partition that somebody else leads."""
    wanted = {
        "partition_index": 0,
        "leader_epoch": 0,
        "new_isr": [1],
        "new_isr_with_epochs": [{"broker_id": 1, "broker_epoch": -1}],
        "leader_recovery_state": 0,
        "partition_epoch": 0,
    }
    return {"topics": [{"topic_id": scene.topic_id, "partitions": [wanted]}]}


def assignment(scene: Scene) -> Tree:
    """A replica that somebody else has."""
    topics = [{"topic_id": scene.topic_id, "partitions": [{"partition_index": 0}]}]
    return {"directories": [{"id": b"a directory ".ljust(12) + scene.number.to_bytes(4), "topics": topics}]}


def controller(_: int, scene: Scene) -> Tree:
    """One that is new."""
    asked = registration(_, scene)
    return {
        "controller_id": own_id(scene),
        "zk_migration_ready": False,
        **{name: asked[name] for name in ("incarnation_id", "listeners", "features")},
    }


BROKERS: Final = [
    Template(ApiKey.BROKER_REGISTRATION, "valid", registration, listeners=(CONTROLLER,), is_valid=True),
    Template(
        ApiKey.BROKER_REGISTRATION,
        "twice",
        registration,
        listeners=(CONTROLLER,),
        then=(Template(ApiKey.BROKER_REGISTRATION, "again", registration),),
    ),
    of_broker(ApiKey.BROKER_HEARTBEAT, "valid", heartbeat, is_valid=True),
    of_broker(ApiKey.BROKER_HEARTBEAT, "behind", heartbeat_with(want_fence=False)),
    of_broker(ApiKey.BROKER_HEARTBEAT, "shuts down", heartbeat_with(want_shut_down=True)),
    of_broker(ApiKey.BROKER_HEARTBEAT, "unknown", heartbeat, is_known=False),
    of_broker(ApiKey.ALTER_PARTITION, "valid", in_sync, fresh=EMPTY, is_valid=True),
    of_broker(ApiKey.ALTER_PARTITION, "unknown", in_sync, is_known=False),
    of_broker(ApiKey.ASSIGN_REPLICAS_TO_DIRS, "valid", assignment, fresh=EMPTY, is_valid=True),
    of_broker(ApiKey.ASSIGN_REPLICAS_TO_DIRS, "unknown", assignment, is_known=False),
    of_broker(ApiKey.ALLOCATE_PRODUCER_IDS, "valid", lambda _: {}, is_valid=True),
    of_broker(ApiKey.ALLOCATE_PRODUCER_IDS, "unknown", lambda _: {}, is_known=False),
    Template(
        ApiKey.UNREGISTER_BROKER,
        "one that there is",
        lambda _, scene: {"broker_id": own_id(scene)},
        before=REGISTERED,
        listeners=(CONTROLLER,),
    ),
]


def enveloped(api: ApiKey, version: int, tree: Tree, name: str = "alice") -> Tree:
    """A client's request, handed on."""
    owner = request_class(api)
    body = message_of(owner, completed(owner, owner.schema(), tree, version)).to_bytes(version)
    principal = DefaultPrincipalData(type="User", name=name, token_authenticated=False).to_bytes(0)
    return {
        "request_data": write_request_header(api, version, 7, "client") + body,
        "request_principal": bytes(2) + principal,
        "client_host_address": bytes((10, 0, 0, 1)),
    }


MOVING: Final = enveloped(ApiKey.LIST_PARTITION_REASSIGNMENTS, 0, {"topics": None})
TOO_HIGH: Final = write_request_header(ApiKey.LIST_PARTITION_REASSIGNMENTS, 0, 7, "client").replace(
    b"\0\x2e\0\0", b"\0\x2e\0\x63", 1
)
ENVELOPES: Final = [
    at_controller(ApiKey.ENVELOPE, "valid", MOVING, is_valid=True),
    at_controller(ApiKey.ENVELOPE, "what is not forwarded", enveloped(ApiKey.API_VERSIONS, 0, {})),
    at_controller(ApiKey.ENVELOPE, "another envelope", enveloped(ApiKey.ENVELOPE, 0, MOVING)),
    at_controller(ApiKey.ENVELOPE, "what a broker does", enveloped(ApiKey.METADATA, 9, {"topics": None})),
    at_controller(ApiKey.ENVELOPE, "a version too high", {**MOVING, "request_data": TOO_HIGH}),
]

TEMPLATES: Final[list[Template]] = [
    *BROKERS,
    *ENVELOPES,
    Template(ApiKey.CONTROLLER_REGISTRATION, "valid", controller, listeners=(CONTROLLER,), is_valid=True),
]
