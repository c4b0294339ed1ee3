"""Settings of tiered storage (KIP-405): whether closed segments are copied to a remote store, and how.

The store and the list of what is in it are plugins; settings for them carry the prefixes named here. Topics take part
by `remote.storage.enable`.
"""

from ottla.config.setting import BOOLEAN, CLUSTER_WIDE, DOUBLE, INT, LONG, LOW, MEDIUM, STRING, Setting
from ottla.config.validators import NON_EMPTY, at_least, between
from ottla.config.values import LONG_MAX

# fmt: off
REMOTE_LOG_SETTINGS = (
    Setting("remote.log.storage.system.enable", BOOLEAN, False, MEDIUM,
            doc="Whether this broker can keep segments in a remote store at all."),
    Setting("remote.log.storage.manager.class.name", STRING, None, MEDIUM, valid=NON_EMPTY,
            doc="The class that copies segments to the store and reads them back."),
    Setting("remote.log.storage.manager.class.path", STRING, None, MEDIUM,
            doc="Where that class is found, if it is not part of the installation."),
    Setting("remote.log.storage.manager.impl.prefix", STRING, "rsm.config.", MEDIUM, valid=NON_EMPTY,
            doc="Settings with this prefix are handed, without it, to the class that copies segments."),
    Setting("remote.log.metadata.manager.class.name", STRING,
            "org.apache.kafka.server.log.remote.metadata.storage.TopicBasedRemoteLogMetadataManager", MEDIUM,
            valid=NON_EMPTY,
            doc="The class that keeps the list of remote segments. Kafka's own keeps it in the topic "
                "`__remote_log_metadata`."),
    Setting("remote.log.metadata.manager.class.path", STRING, None, MEDIUM,
            doc="Where that class is found, if it is not part of the installation."),
    Setting("remote.log.metadata.manager.impl.prefix", STRING, "rlmm.config.", MEDIUM, valid=NON_EMPTY,
            doc="Settings with this prefix are handed, without it, to the class that keeps the list."),
    Setting("remote.log.metadata.manager.listener.name", STRING, None, MEDIUM, valid=NON_EMPTY,
            doc="The listener by which the class that keeps the list connects to this cluster."),
    Setting("remote.log.metadata.custom.metadata.max.bytes", INT, 128, LOW, valid=at_least(0),
            doc="How many bytes of its own a store may add to the description of a segment. With more, copying "
                "stops for that segment."),
    Setting("remote.log.index.file.cache.total.size.bytes", LONG, 1_073_741_824, LOW, valid=at_least(1),
            dynamic=CLUSTER_WIDE,
            doc="How much local disk indexes of remote segments may take."),
    Setting("remote.log.index.file.cache.ttl.ms", LONG, 900_000, LOW, valid=at_least(-1), internal=True,
            doc="How long an unused index of a remote segment stays on local disk; -1 means until room is needed."),
    Setting("remote.log.manager.thread.pool.size", INT, 2, MEDIUM, valid=at_least(1),
            doc="How many threads schedule the copying and expiring of segments."),
    Setting("remote.log.manager.copier.thread.pool.size", INT, 10, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many threads copy segments to the store."),
    Setting("remote.log.manager.expiration.thread.pool.size", INT, 10, MEDIUM, valid=at_least(1),
            dynamic=CLUSTER_WIDE,
            doc="How many threads delete expired segments from the store."),
    Setting("remote.log.manager.follower.thread.pool.size", INT, 2, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many threads keep followers up to date about what was copied."),
    Setting("remote.log.manager.task.interval.ms", LONG, 30_000, LOW, valid=at_least(1),
            doc="How often the broker looks for segments to copy or to delete."),
    Setting("remote.log.manager.task.retry.backoff.ms", LONG, 500, LOW, valid=at_least(1), internal=True,
            doc="How long the broker waits before it tries again after a failure of the store."),
    Setting("remote.log.manager.task.retry.backoff.max.ms", LONG, 30_000, LOW, valid=at_least(1), internal=True,
            doc="The longest that the broker waits before it tries again after a failure of the store."),
    Setting("remote.log.manager.task.retry.jitter", DOUBLE, 0.2, LOW, valid=between(0, 0.5), internal=True,
            doc="By how much these waits vary at random, as a part of one."),
    Setting("remote.log.reader.threads", INT, 10, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many threads read from the store for consumers."),
    Setting("remote.log.reader.max.pending.tasks", INT, 100, MEDIUM, valid=at_least(1),
            doc="How many reads from the store may wait. Fetches beyond that are refused."),
    Setting("remote.log.manager.copy.max.bytes.per.second", LONG, LONG_MAX, MEDIUM, valid=at_least(1),
            dynamic=CLUSTER_WIDE,
            doc="How many bytes a second a broker copies to the store."),
    Setting("remote.log.manager.copy.quota.window.num", INT, 11, MEDIUM, valid=at_least(1),
            doc="Over how many windows that rate is measured."),
    Setting("remote.log.manager.copy.quota.window.size.seconds", INT, 1, MEDIUM, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("remote.log.manager.fetch.max.bytes.per.second", LONG, LONG_MAX, MEDIUM, valid=at_least(1),
            dynamic=CLUSTER_WIDE,
            doc="How many bytes a second a broker reads from the store."),
    Setting("remote.log.manager.fetch.quota.window.num", INT, 11, MEDIUM, valid=at_least(1),
            doc="Over how many windows that rate is measured."),
    Setting("remote.log.manager.fetch.quota.window.size.seconds", INT, 1, MEDIUM, valid=at_least(1),
            doc="How long each of those windows is."),
    Setting("remote.fetch.max.wait.ms", INT, 500, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How long a fetch waits for the store before it is answered with what there is."),
    Setting("remote.list.offsets.request.timeout.ms", LONG, 30_000, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How long a search for an offset by time waits for the store."),
    Setting("log.local.retention.ms", LONG, -2, MEDIUM, valid=at_least(-2), dynamic=CLUSTER_WIDE,
            doc="How long copied segments stay on local disk too; -2 means as long as `log.retention.ms`, which it "
                "may not exceed."),
    Setting("log.local.retention.bytes", LONG, -2, MEDIUM, valid=at_least(-2), dynamic=CLUSTER_WIDE,
            doc="How much of a partition stays on local disk too once it is copied; -2 means as much as "
                "`log.retention.bytes`, which it may not exceed."),
    Setting("follower.fetch.last.tiered.offset.enable", BOOLEAN, False, MEDIUM, dynamic=CLUSTER_WIDE,
            doc="Whether an empty follower of a tiered topic begins where copying ended, instead of at the first "
                "local record (KIP-1023)."),
)
