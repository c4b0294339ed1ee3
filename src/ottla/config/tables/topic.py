"""Settings of a topic, each with the broker's settings that speak for it when the topic has none of its own.

A topic's own value wins over the broker's, and the broker's over the default: see `ottla.config.describe`. Of several
synonyms the first that is set speaks, in its own unit.
"""

from ottla.config.formats import GzipLevel, ThrottledReplicas
from ottla.config.setting import BOOLEAN, DOUBLE, INT, LIST, LONG, MEDIUM, STRING, Setting, Synonym, table
from ottla.config.validators import at_least, between, list_of, one_of
from ottla.config.values import LONG_MAX

# fmt: off
TOPIC_SETTINGS = (
    Setting("cleanup.policy", LIST, ("delete",), MEDIUM, valid=list_of("compact", "delete", may_be_empty=True),
            synonyms=(Synonym("log.cleanup.policy"),),
            doc="What happens to old segments: `delete` them, `compact` them to the last record of each key, or "
                "both. An empty list keeps everything."),
    Setting("compression.type", STRING, "producer", MEDIUM,
            valid=one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"),
            synonyms=(Synonym("compression.type"),),
            doc="How record batches are stored: as the producer compressed them (`producer`), or compressed anew "
                "by this codec."),
    Setting("compression.gzip.level", INT, -1, MEDIUM, valid=GzipLevel(),
            synonyms=(Synonym("compression.gzip.level"),),
            doc="How hard gzip tries when `compression.type` is gzip: 1 is fast, 9 is small, -1 leaves it to zlib."),
    Setting("compression.lz4.level", INT, 9, MEDIUM, valid=between(1, 17),
            synonyms=(Synonym("compression.lz4.level"),),
            doc="How hard lz4 tries when `compression.type` is lz4: larger is slower and smaller."),
    Setting("compression.zstd.level", INT, 3, MEDIUM, valid=between(-131_072, 22),
            synonyms=(Synonym("compression.zstd.level"),),
            doc="How hard zstd tries when `compression.type` is zstd: larger is slower and smaller, below zero is "
                "faster still."),
    Setting("delete.retention.ms", LONG, 86_400_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.cleaner.delete.retention.ms"),),
            doc="How long the mark of a deleted key is kept when the topic is compacted. A reader that begins at "
                "the start has to be done by then to see all deletions."),
    Setting("file.delete.delay.ms", LONG, 60_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.segment.delete.delay.ms"),),
            doc="How long a deleted segment's file remains, for readers that are still in it."),
    Setting("flush.messages", LONG, LONG_MAX, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("log.flush.interval.messages"),),
            doc="After how many records a partition is flushed to disk. Best left alone: replication is what makes "
                "records durable."),
    Setting("flush.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.flush.interval.ms"), Synonym("log.flush.scheduler.interval.ms")),
            doc="How long a record may wait to be flushed to disk. Best left alone, as above."),
    Setting("follower.replication.throttled.replicas", LIST, (), MEDIUM, valid=ThrottledReplicas(),
            doc="Replicas whose fetching is throttled by `follower.replication.throttled.rate`, as a list of "
                "`partition:broker`, or `*` for all."),
    Setting("leader.replication.throttled.replicas", LIST, (), MEDIUM, valid=ThrottledReplicas(),
            doc="Replicas whose sending is throttled by `leader.replication.throttled.rate`, as a list of "
                "`partition:broker`, or `*` for all."),
    Setting("index.interval.bytes", INT, 4_096, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.index.interval.bytes"),),
            doc="How many bytes of records lie between two entries of the offset index."),
    Setting("internal.segment.bytes", INT, None, MEDIUM, internal=True,
            doc="Overrides `segment.bytes` with sizes that it would refuse. For tests."),
    Setting("local.retention.ms", LONG, -2, MEDIUM, valid=at_least(-2),
            synonyms=(Synonym("log.local.retention.ms"),),
            doc="How long copied segments of a tiered topic stay on local disk too; -2 means as long as "
                "`retention.ms`, which it may not exceed."),
    Setting("local.retention.bytes", LONG, -2, MEDIUM, valid=at_least(-2),
            synonyms=(Synonym("log.local.retention.bytes"),),
            doc="How much of a tiered partition stays on local disk too once it is copied; -2 means as much as "
                "`retention.bytes`, which it may not exceed."),
    Setting("max.compaction.lag.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("log.cleaner.max.compaction.lag.ms"),),
            doc="After how long a record is compacted even if little of the log is dirty."),
    Setting("min.compaction.lag.ms", LONG, 0, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.cleaner.min.compaction.lag.ms"),),
            doc="How long a record stays as it is before it may be compacted away."),
    Setting("max.message.bytes", INT, 1_048_588, MEDIUM, valid=at_least(0), synonyms=(Synonym("message.max.bytes"),),
            doc="The largest record batch that is accepted, after compression."),
    Setting("message.timestamp.type", STRING, "CreateTime", MEDIUM, valid=one_of("CreateTime", "LogAppendTime"),
            synonyms=(Synonym("log.message.timestamp.type"),),
            doc="Whose clock stamps the records: the producer's (`CreateTime`) or the broker's (`LogAppendTime`)."),
    Setting("message.timestamp.before.max.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.message.timestamp.before.max.ms"),),
            doc="How far a record's timestamp may lie in the past of the broker's clock. Not looked at with "
                "`LogAppendTime`."),
    Setting("message.timestamp.after.max.ms", LONG, 3_600_000, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.message.timestamp.after.max.ms"),),
            doc="How far a record's timestamp may lie in the future of the broker's clock. Not looked at with "
                "`LogAppendTime`."),
    Setting("min.cleanable.dirty.ratio", DOUBLE, 0.5, MEDIUM, valid=between(0, 1),
            synonyms=(Synonym("log.cleaner.min.cleanable.ratio"),),
            doc="Which part of the log has to be dirty before it is compacted: a half means that at most half of "
                "it is waste."),
    Setting("min.insync.replicas", INT, 1, MEDIUM, valid=at_least(1), synonyms=(Synonym("min.insync.replicas"),),
            doc="How many replicas must have a record for acks=all to succeed. With fewer in sync, producers get "
                "NOT_ENOUGH_REPLICAS."),
    Setting("preallocate", BOOLEAN, False, MEDIUM, synonyms=(Synonym("log.preallocate"),),
            doc="Whether a new segment's file gets its full size at once."),
    Setting("remote.storage.enable", BOOLEAN, False, MEDIUM,
            doc="Whether closed segments are copied to the remote store. Turning it off again needs "
                "`remote.log.delete.on.disable` or `remote.log.copy.disable`."),
    Setting("remote.log.copy.disable", BOOLEAN, False, MEDIUM,
            doc="Whether copying stops while what was copied remains readable. The local retention then has to be "
                "the whole one."),
    Setting("remote.log.delete.on.disable", BOOLEAN, False, MEDIUM,
            doc="Whether what was copied is deleted when `remote.storage.enable` is turned off."),
    Setting("retention.ms", LONG, 604_800_000, MEDIUM, valid=at_least(-1),
            synonyms=(Synonym("log.retention.ms"), Synonym("log.retention.minutes", 60_000),
                      Synonym("log.retention.hours", 3_600_000)),
            doc="How long records are kept with the policy `delete`; -1 means for ever."),
    Setting("retention.bytes", LONG, -1, MEDIUM, synonyms=(Synonym("log.retention.bytes"),),
            doc="How large a partition may become before its oldest segments are deleted; -1 means as large as it "
                "will."),
    Setting("segment.bytes", INT, 1_073_741_824, MEDIUM, valid=at_least(1_048_576),
            synonyms=(Synonym("log.segment.bytes"),),
            doc="At which size a segment is closed and a new one begun. Retention and compaction work on closed "
                "segments only."),
    Setting("segment.ms", LONG, 604_800_000, MEDIUM, valid=at_least(1),
            synonyms=(Synonym("log.roll.ms"), Synonym("log.roll.hours", 3_600_000)),
            doc="At which age a segment is closed even if it is small."),
    Setting("segment.jitter.ms", LONG, 0, MEDIUM, valid=at_least(0),
            synonyms=(Synonym("log.roll.jitter.ms"), Synonym("log.roll.jitter.hours", 3_600_000)),
            doc="Up to how much earlier than its age demands a segment is closed, drawn at random, so that not all "
                "are closed at once."),
    Setting("segment.index.bytes", INT, 10_485_760, MEDIUM, valid=at_least(4),
            synonyms=(Synonym("log.index.size.max.bytes"),),
            doc="The largest index of a segment. A full index closes the segment."),
    Setting("unclean.leader.election.enable", BOOLEAN, False, MEDIUM,
            synonyms=(Synonym("unclean.leader.election.enable"),),
            doc="Whether a replica that was not in sync may lead when no other is left. That brings a partition "
                "back at the price of records that had been acknowledged."),
)

TOPIC = table(TOPIC_SETTINGS)
