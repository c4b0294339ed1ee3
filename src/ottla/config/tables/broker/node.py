"""Settings of the broker as a process: who it is, what it does, how many requests it takes on at once.

A node is a broker, a controller, or both (`process.roles`); its id is the one thing that must never be given to two
nodes. Thread counts size pools for calls that leave the event loop, see docs/architecture.md.
"""

from ottla.config.setting import (
    BOOLEAN,
    CLASS,
    CLUSTER_WIDE,
    HIGH,
    INT,
    LIST,
    LONG,
    LOW,
    MEDIUM,
    REQUIRED,
    STRING,
    Setting,
)
from ottla.config.validators import at_least, list_of
from ottla.config.values import LONG_MAX

# fmt: off
NODE_SETTINGS = (
    Setting("process.roles", LIST, REQUIRED, HIGH, valid=list_of("broker", "controller"),
            doc="What this node is: `broker`, `controller`, or both in one process. Both is handy for development "
                "and small clusters; apart, a busy broker cannot slow the quorum down."),
    Setting("node.id", INT, REQUIRED, HIGH, valid=at_least(0),
            doc="The number that the cluster knows this node by. No two nodes may have the same one, and a node "
                "keeps it for life, since replicas are assigned to it."),
    Setting("broker.id", INT, -1, HIGH,
            doc="The older name of `node.id`. Whoever sets both has to give them the same value."),
    Setting("broker.rack", STRING, None, MEDIUM,
            doc="Where the broker stands: a rack, a zone, a machine. Replicas of a partition are spread over "
                "racks, and a consumer with the same `client.rack` may read from its neighbour."),
    Setting("broker.heartbeat.interval.ms", INT, 2_000, MEDIUM,
            doc="How often a broker tells the active controller that it is alive."),
    Setting("broker.session.timeout.ms", INT, 9_000, MEDIUM,
            doc="How long the controller goes on believing in a broker that it does not hear from. After that the "
                "broker is fenced, and others lead its partitions."),
    Setting("initial.broker.registration.timeout.ms", INT, 60_000, MEDIUM,
            doc="How long a starting broker keeps trying to register with the controller before it gives up and "
                "exits."),
    Setting("controlled.shutdown.enable", BOOLEAN, True, MEDIUM,
            doc="Whether a stopping broker first hands its leaderships to others, so that clients notice little."),
    Setting("server.max.startup.time.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(0), internal=True,
            doc="How long a node may take to start before it gives up. Meant for tests; there is no limit by "
                "default."),
    Setting("background.threads", INT, 10, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="Size of the pool that does housekeeping, such as deleting files and flushing."),
    Setting("num.io.threads", INT, 8, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="Size of the pool for calls of a request that may have to wait for the disk."),
    Setting("queued.max.requests", INT, 500, HIGH, valid=at_least(1),
            doc="How many requests may be parked at once before the broker stops reading from data connections."),
    Setting("queued.max.request.bytes", LONG, -1, MEDIUM,
            doc="How many bytes of requests may be parked at once before the broker stops reading from data "
                "connections; without a positive value there is no such limit."),
    Setting("request.timeout.ms", INT, 30_000, HIGH,
            doc="How long the broker waits for an answer to a request that it sent to another node before it tries "
                "again or fails."),
    Setting("auto.create.topics.enable", BOOLEAN, True, HIGH,
            doc="Whether asking for a topic that does not exist creates it. Convenient for trying out; in "
                "production a mistyped name then becomes a topic."),
    Setting("delete.topic.enable", BOOLEAN, True, HIGH,
            doc="Whether topics can be deleted at all. If not, requests to delete one are refused."),
    Setting("num.partitions", INT, 1, MEDIUM, valid=at_least(1),
            doc="How many partitions a new topic gets when whoever creates it does not say."),
    Setting("create.topic.policy.class.name", CLASS, None, LOW,
            doc="A class that may refuse the creation of a topic. It is asked on the controller."),
    Setting("alter.config.policy.class.name", CLASS, None, LOW,
            doc="A class that may refuse a change of settings. It is asked on the controller."),
    Setting("max.request.partition.size.limit", INT, 2_000, MEDIUM, valid=at_least(1),
            doc="How many partitions an answer to a request such as DescribeTopicPartitions may cover; the client "
                "asks again for the rest."),
    Setting("config.providers", LIST, (), LOW, valid=list_of(may_be_empty=True), dynamic=CLUSTER_WIDE,
            doc="Names of providers that look values up elsewhere, such as a file of secrets; each is set up by "
                "`config.providers.NAME.class` and `config.providers.NAME.param.*`."),
    Setting("unstable.api.versions.enable", BOOLEAN, False, HIGH, internal=True,
            doc="Whether versions of requests that are still being designed are offered to clients. For the "
                "development of the protocol only."),
    Setting("unstable.feature.versions.enable", BOOLEAN, False, HIGH, internal=True,
            doc="Whether levels of features that are still being designed can be turned on. For the development of "
                "features only; there is no way back."),
)
