"""Settings of a single group, each with the broker's setting that speaks for it when the group has none of its own.

They may be set for a group that does not exist yet. What a group may have is bounded by the broker's settings with
`min` and `max` in their names, see `ottla.config.rules.groups`.
"""

from ottla.config.formats import OffsetResetForm
from ottla.config.setting import BOOLEAN, INT, MEDIUM, STRING, Setting, Synonym, table
from ottla.config.validators import at_least, one_of

# fmt: off
GROUP_SETTINGS = (
    Setting("consumer.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.consumer.session.timeout.ms"),),
            doc="How long a member of this consumer group may be silent before it is taken out."),
    Setting("consumer.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.consumer.heartbeat.interval.ms"),),
            doc="How often members of this consumer group are told to send a heartbeat."),
    Setting("consumer.assignment.interval.ms", INT, 1_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("group.consumer.assignment.interval.ms"),),
            doc="How long the coordinator waits at least between two assignments of this consumer group."),
    Setting("share.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.share.session.timeout.ms"),),
            doc="How long a member of this share group may be silent before it is taken out."),
    Setting("share.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.share.heartbeat.interval.ms"),),
            doc="How often members of this share group are told to send a heartbeat."),
    Setting("share.assignment.interval.ms", INT, 1_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("group.share.assignment.interval.ms"),),
            doc="How long the coordinator waits at least between two assignments of this share group."),
    Setting("share.auto.offset.reset", STRING, "latest", MEDIUM, valid=OffsetResetForm(("latest", "earliest")),
            doc="Where this share group begins with a partition that it has no state for: at the `earliest`, the "
                "`latest`, or `by_duration:` ago."),
    Setting("share.isolation.level", STRING, "read_uncommitted", MEDIUM,
            valid=one_of("read_committed", "read_uncommitted"),
            doc="Whether this share group gets records of open and aborted transactions (`read_uncommitted`) or "
                "not (`read_committed`)."),
    Setting("share.delivery.count.limit", INT, 5, MEDIUM, valid=at_least(2),
            synonyms=(Synonym("group.share.delivery.count.limit"),),
            doc="How many times a record is delivered to this share group before it is given up."),
    Setting("share.partition.max.record.locks", INT, 2_000, MEDIUM, valid=at_least(100),
            synonyms=(Synonym("group.share.partition.max.record.locks"),),
            doc="How many records of a partition may be out with the members of this share group at once."),
    Setting("share.record.lock.duration.ms", INT, 30_000, MEDIUM, valid=at_least(1_000),
            synonyms=(Synonym("group.share.record.lock.duration.ms"),),
            doc="How long a member of this share group may keep a record before somebody else gets it."),
    Setting("share.renew.acknowledge.enable", BOOLEAN, True, MEDIUM,
            doc="Whether members of this share group may prolong their lock on a record."),
    Setting("streams.session.timeout.ms", INT, 45_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.streams.session.timeout.ms"),),
            doc="How long a member of this streams group may be silent before it is taken out."),
    Setting("streams.heartbeat.interval.ms", INT, 5_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("group.streams.heartbeat.interval.ms"),),
            doc="How often members of this streams group are told to send a heartbeat."),
    Setting("streams.assignment.interval.ms", INT, 1_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("group.streams.assignment.interval.ms"),),
            doc="How long the coordinator waits at least between two assignments of this streams group."),
    Setting("streams.initial.rebalance.delay.ms", INT, 3_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("group.streams.initial.rebalance.delay.ms"),),
            doc="How long the first rebalance of this streams group waits for more members to come while it is "
                "empty."),
    Setting("streams.num.standby.replicas", INT, 0, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("group.streams.num.standby.replicas"),),
            doc="How many standby copies of its state each task of this streams group has."),
)

GROUP = table(GROUP_SETTINGS)
