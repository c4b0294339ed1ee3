"""Limits that are set while a cluster runs: for users and clients, for addresses, for replication by a broker.

They exist only as dynamic settings: of a broker (throttled replication), or of a quota's entity, where
AlterClientQuotas sets them. A limit holds for one broker, not for the cluster, except that of changes to topics.
"""

from ottla.config.setting import CLUSTER_WIDE, DOUBLE, INT, LONG, MEDIUM, STRING, Setting, table
from ottla.config.validators import at_least
from ottla.config.values import INT_MAX, LONG_MAX

# fmt: off
BROKER_QUOTAS = (
    Setting("follower.replication.throttled.rate", LONG, LONG_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many bytes a second a broker fetches for its throttled replicas."),
    Setting("leader.replication.throttled.rate", LONG, LONG_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many bytes a second a broker sends to throttled followers."),
    Setting("replica.alter.log.dirs.io.max.bytes.per.second", LONG, LONG_MAX, MEDIUM, valid=at_least(0),
            dynamic=CLUSTER_WIDE,
            doc="How many bytes a second a broker moves between its directories."),
)

CLIENT_QUOTAS = (
    Setting("consumer_byte_rate", LONG, LONG_MAX, MEDIUM,
            doc="How many bytes a second the user or client may read from a broker."),
    Setting("controller_mutation_rate", DOUBLE, 2147483647.0, MEDIUM,
            doc="How many partitions a second the user or client may create or delete."),
    Setting("producer_byte_rate", LONG, LONG_MAX, MEDIUM,
            doc="How many bytes a second the user or client may write to a broker."),
    Setting("request_percentage", DOUBLE, 2147483647.0, MEDIUM,
            doc="How much of a broker's time the user or client may take up; 100 is one thread's."),
)

IP_QUOTAS = (
    Setting("connection_creation_rate", INT, INT_MAX, MEDIUM, valid=at_least(0),
            doc="How many connections a second may come from the address."),
)

USER_CREDENTIALS = (
    Setting("SCRAM-SHA-256", STRING, None, MEDIUM,
            doc="The user's credential for SCRAM-SHA-256."),
    Setting("SCRAM-SHA-512", STRING, None, MEDIUM,
            doc="The user's credential for SCRAM-SHA-512."),
)

BROKER_QUOTA = table(BROKER_QUOTAS)
CLIENT_QUOTA = table(CLIENT_QUOTAS)
IP_QUOTA = table(IP_QUOTAS)
USER = table(CLIENT_QUOTAS, USER_CREDENTIALS)
