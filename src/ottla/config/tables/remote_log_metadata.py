"""Settings of the topic that lists remote segments, `__remote_log_metadata`, for those who keep the list there.

A broker hands them over with the prefix that `remote.log.metadata.manager.impl.prefix` names. What the manager's own
producer and consumer need is set by the further prefixes `common.client.`, `producer.` and `consumer.` of
`remote.log.metadata.`.
"""

from ottla.config.setting import INT, LONG, LOW, SHORT, Setting, table
from ottla.config.validators import at_least

# fmt: off
REMOTE_LOG_METADATA_SETTINGS = (
    Setting("remote.log.metadata.topic.num.partitions", INT, 50, LOW, valid=at_least(1),
            doc="How many partitions the topic is created with. It cannot be changed later."),
    Setting("remote.log.metadata.topic.replication.factor", SHORT, 3, LOW, valid=at_least(1),
            doc="How many replicas the topic is created with."),
    Setting("remote.log.metadata.topic.min.isr", SHORT, 2, LOW, valid=at_least(1),
            doc="`min.insync.replicas` of the topic."),
    Setting("remote.log.metadata.topic.retention.ms", LONG, -1, LOW,
            doc="How long records of the topic are kept; -1 means for ever. It has to be longer than any tiered "
                "topic keeps its own."),
    Setting("remote.log.metadata.consume.wait.ms", LONG, 120_000, LOW, valid=at_least(0),
            doc="How long a broker waits to read back what it has written to the topic."),
    Setting("remote.log.metadata.initialization.retry.interval.ms", LONG, 100, LOW, valid=at_least(0),
            doc="How long a broker waits before it tries again to set the list up."),
    Setting("remote.log.metadata.initialization.retry.max.timeout.ms", LONG, 120_000, LOW, valid=at_least(0),
            doc="After how long a broker gives up setting the list up."),
)

REMOTE_LOG_METADATA = table(REMOTE_LOG_METADATA_SETTINGS)
