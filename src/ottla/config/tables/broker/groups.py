"""Settings of the group coordinator: classic and consumer groups, and the topic with their committed offsets.

Classic groups (JoinGroup, SyncGroup) are timed by their members within bounds set here; in consumer groups (KIP-848)
the broker decides, and a group may have its own values (`ottla.config.tables.group`) within the same bounds.
"""

from ottla.config.setting import CLUSTER_WIDE, HIGH, INT, LIST, LONG, MEDIUM, SHORT, STRING, Setting
from ottla.config.validators import at_least, list_of, one_of_ignoring_case
from ottla.config.values import INT_MAX

# fmt: off
GROUPS_SETTINGS = (
    Setting("group.coordinator.rebalance.protocols", LIST, ("classic", "consumer", "streams"), MEDIUM,
            valid=list_of("consumer", "classic", "share", "streams"),
            doc="Which kinds of groups are served. Classic groups always are; the setting is deprecated and goes "
                "away with Kafka 5.0."),
    Setting("group.coordinator.threads", INT, 4, HIGH, valid=at_least(1),
            doc="How many threads Kafka's coordinator has; accepted for compatibility, as partitions of the "
                "coordinator are served by the event loop."),
    Setting("group.coordinator.background.threads", INT, 2, HIGH, valid=at_least(1),
            doc="Size of the pool for the coordinator's long computations, such as regular expressions over all "
                "topics and assignments that are computed apart."),
    Setting("group.coordinator.append.linger.ms", INT, -1, MEDIUM, valid=at_least(-1),
            doc="How long writes of a partition of the coordinator are collected into one batch: -1 adapts to the "
                "load, 0 writes at once."),
    Setting("group.coordinator.cached.buffer.max.bytes", INT, 1_048_588, MEDIUM, valid=at_least(524_288),
            dynamic=CLUSTER_WIDE,
            doc="Up to which size the coordinator keeps a buffer for the next batch instead of a new one."),
    Setting("group.initial.rebalance.delay.ms", INT, 3_000, MEDIUM,
            doc="How long the first rebalance of an empty classic group waits for more members to come."),
    Setting("group.min.session.timeout.ms", INT, 6_000, MEDIUM,
            doc="The shortest session timeout that a member of a classic group may ask for."),
    Setting("group.max.session.timeout.ms", INT, 1_800_000, MEDIUM,
            doc="The longest session timeout that a member of a classic group may ask for."),
    Setting("group.max.size", INT, INT_MAX, MEDIUM, valid=at_least(1),
            doc="How many members a classic group may have."),
    Setting("group.consumer.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            doc="How long a member of a consumer group may be silent before it is taken out."),
    Setting("group.consumer.min.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            doc="The shortest session timeout that a consumer group may be given."),
    Setting("group.consumer.max.session.timeout.ms", INT, 60_000, MEDIUM, valid=at_least(1),
            doc="The longest session timeout that a consumer group may be given."),
    Setting("group.consumer.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            doc="How often members of a consumer group are told to send a heartbeat."),
    Setting("group.consumer.min.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            doc="The shortest heartbeat interval that a consumer group may be given."),
    Setting("group.consumer.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, valid=at_least(1),
            doc="The longest heartbeat interval that a consumer group may be given."),
    Setting("group.consumer.max.size", INT, INT_MAX, MEDIUM, valid=at_least(1),
            doc="How many members a consumer group may have; classic groups have `group.max.size`."),
    Setting("group.consumer.assignors", LIST, ("uniform", "range"), MEDIUM, valid=list_of(),
            doc="The assignors that consumer groups may use: `uniform`, `range`, or classes. The first is the "
                "default."),
    Setting("group.consumer.assignment.interval.ms", INT, 1_000, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long the coordinator waits at least between two assignments of a consumer group, so that "
                "members that come together are assigned together."),
    Setting("group.consumer.min.assignment.interval.ms", INT, 0, MEDIUM, valid=at_least(0),
            doc="The shortest interval between assignments that a consumer group may be given."),
    Setting("group.consumer.max.assignment.interval.ms", INT, 15_000, MEDIUM, valid=at_least(0),
            doc="The longest interval between assignments that a consumer group may be given."),
    Setting("group.consumer.migration.policy", STRING, "bidirectional", MEDIUM,
            valid=one_of_ignoring_case("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL"),
            doc="Which ways a group may go between the classic and the consumer protocol while it has members: "
                "`upgrade`, `downgrade`, both (`bidirectional`) or neither (`disabled`)."),
    Setting("group.consumer.regex.refresh.interval.ms", INT, 600_000, MEDIUM, valid=at_least(10_000), internal=True,
            doc="How often the regular expressions that members subscribed by are matched with new topics."),
    Setting("group.streams.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            doc="How long a member of a streams group may be silent before it is taken out."),
    Setting("group.streams.min.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            doc="The shortest session timeout that a streams group may be given."),
    Setting("group.streams.max.session.timeout.ms", INT, 60_000, MEDIUM, valid=at_least(1),
            doc="The longest session timeout that a streams group may be given."),
    Setting("group.streams.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            doc="How often members of a streams group are told to send a heartbeat."),
    Setting("group.streams.min.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            doc="The shortest heartbeat interval that a streams group may be given."),
    Setting("group.streams.max.heartbeat.interval.ms", INT, 15_000, MEDIUM, valid=at_least(1),
            doc="The longest heartbeat interval that a streams group may be given."),
    Setting("group.streams.max.size", INT, INT_MAX, MEDIUM, valid=at_least(1),
            doc="How many members a streams group may have."),
    Setting("group.streams.num.standby.replicas", INT, 0, MEDIUM, valid=at_least(0),
            doc="How many standby copies of its state each task of a streams group has."),
    Setting("group.streams.max.standby.replicas", INT, 2, MEDIUM, valid=at_least(0),
            doc="The most standby copies that a streams group may be given."),
    Setting("group.streams.initial.rebalance.delay.ms", INT, 3_000, MEDIUM, valid=at_least(0),
            doc="How long the first rebalance of an empty streams group waits for more members to come."),
    Setting("group.streams.assignment.interval.ms", INT, 1_000, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long the coordinator waits at least between two assignments of a streams group."),
    Setting("group.streams.min.assignment.interval.ms", INT, 0, MEDIUM, valid=at_least(0),
            doc="The shortest interval between assignments that a streams group may be given."),
    Setting("group.streams.max.assignment.interval.ms", INT, 15_000, MEDIUM, valid=at_least(0),
            doc="The longest interval between assignments that a streams group may be given."),
    Setting("offset.metadata.max.bytes", INT, 4_096, HIGH,
            doc="How long the text may be that a client stores with a committed offset."),
    Setting("offsets.commit.timeout.ms", INT, 5_000, HIGH, valid=at_least(1),
            doc="How long a commit waits for the replicas of `__consumer_offsets` before it fails; so do all "
                "writes of the coordinator."),
    Setting("offsets.load.buffer.size", INT, 5_242_880, HIGH, valid=at_least(1),
            doc="How much of `__consumer_offsets` is read at once while groups are loaded. A larger batch is read "
                "all the same."),
    Setting("offsets.retention.minutes", INT, 10_080, HIGH, valid=at_least(1),
            doc="How long committed offsets are kept once their group is empty, or nobody in it reads the topic "
                "any more."),
    Setting("offsets.retention.check.interval.ms", LONG, 600_000, HIGH, valid=at_least(1),
            doc="How often the coordinator looks for offsets that have outlived their retention."),
    Setting("offsets.topic.num.partitions", INT, 50, HIGH, valid=at_least(1),
            doc="How many partitions `__consumer_offsets` is created with. It cannot be changed later: the group's "
                "partition follows from it."),
    Setting("offsets.topic.replication.factor", SHORT, 3, HIGH, valid=at_least(1),
            doc="How many replicas `__consumer_offsets` is created with. With fewer brokers than that it is not "
                "created, and groups do not work."),
    Setting("offsets.topic.segment.bytes", INT, 104_857_600, HIGH, valid=at_least(1),
            doc="Size of a segment of `__consumer_offsets`. Small ones are compacted early, and load fast."),
    Setting("offsets.topic.compression.codec", INT, 0, HIGH,
            doc="The number of the codec for `__consumer_offsets`: 0 none, 1 gzip, 2 snappy, 3 lz4, 4 zstd."),
)
