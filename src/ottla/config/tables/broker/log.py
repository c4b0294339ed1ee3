"""Settings of the log: directories, segments, retention, flushing, and the cleaner that compacts.

Almost all of them are the default of a topic's setting (`ottla.config.tables.topic`), and reach topics that do not
have their own at once when they are changed while the broker runs. Of the three retention times the finest wins: ms,
minutes, hours.
"""

from ottla.config.formats import GzipLevel
from ottla.config.setting import (
    BOOLEAN,
    CLUSTER_WIDE,
    DOUBLE,
    HIGH,
    INT,
    LIST,
    LONG,
    LOW,
    MEDIUM,
    PER_BROKER,
    STRING,
    Setting,
)
from ottla.config.validators import at_least, between, list_of, one_of
from ottla.config.values import DOUBLE_MAX, LONG_MAX

# fmt: off
LOG_SETTINGS = (
    Setting("log.dirs", LIST, None, HIGH, valid=list_of(may_be_null=True),
            doc="The directories that hold the partitions, best one for each disk. Without it, `log.dir`."),
    Setting("log.dir", LIST, ("/tmp/kafka-logs",), HIGH, valid=list_of(),  # noqa: S108 - as Kafka has it
            doc="The directory that holds the partitions, for whoever has only one; `log.dirs` comes first."),
    Setting("cordoned.log.dirs", LIST, (), MEDIUM, valid=list_of(may_be_empty=True, may_be_null=True),
            dynamic=PER_BROKER,
            doc="Directories that get no new partitions, for instance because their disk is to be taken out; `*` "
                "means all. They have to be among `log.dirs`."),
    Setting("log.dir.failure.timeout.ms", LONG, 30_000, LOW, valid=at_least(1),
            doc="How long a broker may be unable to tell the controller about a failed directory. Then it stops, "
                "so that others lead the partitions in there."),
    Setting("log.segment.bytes", INT, 1_073_741_824, HIGH, valid=at_least(1_048_576), dynamic=CLUSTER_WIDE,
            doc="At which size a segment is closed and a new one begun. Retention and compaction work on closed "
                "segments only."),
    Setting("log.roll.ms", LONG, None, HIGH, dynamic=CLUSTER_WIDE,
            doc="At which age a segment is closed even if it is small. Without it, `log.roll.hours`."),
    Setting("log.roll.hours", INT, 168, HIGH, valid=at_least(1),
            doc="At which age a segment is closed even if it is small; `log.roll.ms` comes first."),
    Setting("log.roll.jitter.ms", LONG, None, HIGH, dynamic=CLUSTER_WIDE,
            doc="Up to how much earlier than its age demands a segment is closed, drawn at random, so that not all "
                "are closed at once. Without it, `log.roll.jitter.hours`."),
    Setting("log.roll.jitter.hours", INT, 0, HIGH, valid=at_least(0),
            doc="Up to how much earlier than its age demands a segment is closed; `log.roll.jitter.ms` comes "
                "first."),
    Setting("log.retention.ms", LONG, None, HIGH, dynamic=CLUSTER_WIDE,
            doc="How long records are kept, -1 for ever. Without it, `log.retention.minutes`."),
    Setting("log.retention.minutes", INT, None, HIGH,
            doc="How long records are kept; `log.retention.ms` comes first. Without it, `log.retention.hours`."),
    Setting("log.retention.hours", INT, 168, HIGH,
            doc="How long records are kept; `log.retention.ms` and `log.retention.minutes` come first."),
    Setting("log.retention.bytes", LONG, -1, HIGH, dynamic=CLUSTER_WIDE,
            doc="How large a partition may become before its oldest segments are deleted; -1 means as large as it "
                "will. It counts for one partition, not for the topic."),
    Setting("log.retention.check.interval.ms", LONG, 300_000, MEDIUM, valid=at_least(1),
            doc="How often the broker looks for segments that have outlived their retention."),
    Setting("log.segment.delete.delay.ms", LONG, 60_000, HIGH, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long a deleted segment's file remains, for readers that are still in it."),
    Setting("log.cleanup.policy", LIST, ("delete",), MEDIUM, valid=list_of("compact", "delete", may_be_empty=True),
            dynamic=CLUSTER_WIDE,
            doc="What happens to old segments: `delete` them, `compact` them to the last record of each key, or "
                "both. An empty list keeps everything."),
    Setting("log.preallocate", BOOLEAN, False, MEDIUM, dynamic=CLUSTER_WIDE,
            doc="Whether a new segment's file gets its full size at once. Some filesystems like it."),
    Setting("log.index.size.max.bytes", INT, 10_485_760, MEDIUM, valid=at_least(4), dynamic=CLUSTER_WIDE,
            doc="The largest index of a segment. A full index closes the segment."),
    Setting("log.index.interval.bytes", INT, 4_096, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many bytes of records lie between two entries of the offset index. More entries find a record "
                "faster and take more space."),
    Setting("log.flush.interval.messages", LONG, LONG_MAX, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="After how many records a partition is flushed to disk. Best left alone: replication is what makes "
                "records durable."),
    Setting("log.flush.interval.ms", LONG, None, HIGH, dynamic=CLUSTER_WIDE,
            doc="How long a record may wait to be flushed to disk. Without it, `log.flush.scheduler.interval.ms`."),
    Setting("log.flush.scheduler.interval.ms", LONG, LONG_MAX, HIGH,
            doc="How often the broker looks for partitions that are due to be flushed."),
    Setting("log.flush.offset.checkpoint.interval.ms", INT, 60_000, HIGH, valid=at_least(0),
            doc="How often the points up to which partitions are flushed are written down; recovery after a crash "
                "begins there."),
    Setting("log.flush.start.offset.checkpoint.interval.ms", INT, 60_000, HIGH, valid=at_least(0),
            doc="How often the first offsets of partitions are written down, so that deleted records do not come "
                "back."),
    Setting("log.initial.task.delay.ms", LONG, 30_000, LOW, valid=at_least(0), internal=True,
            doc="How long after its start the broker begins to flush, to delete and to write checkpoints. For "
                "tests."),
    Setting("num.recovery.threads.per.data.dir", INT, 2, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many threads read each directory's logs after a crash and flush them at shutdown."),
    Setting("message.max.bytes", INT, 1_048_588, HIGH, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="The largest record batch that is accepted, after compression. A consumer gets a first batch that "
                "is larger than it asked for all the same."),
    Setting("log.message.timestamp.type", STRING, "CreateTime", MEDIUM, valid=one_of("CreateTime", "LogAppendTime"),
            dynamic=CLUSTER_WIDE,
            doc="Whose clock stamps the records: the producer's (`CreateTime`) or the broker's (`LogAppendTime`)."),
    Setting("log.message.timestamp.before.max.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How far a record's timestamp may lie in the past of the broker's clock. Not looked at with "
                "`LogAppendTime`."),
    Setting("log.message.timestamp.after.max.ms", LONG, 3_600_000, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How far a record's timestamp may lie in the future of the broker's clock. Not looked at with "
                "`LogAppendTime`."),
    Setting("compression.type", STRING, "producer", HIGH,
            valid=one_of("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"), dynamic=CLUSTER_WIDE,
            doc="How record batches are stored: as the producer compressed them (`producer`), or compressed anew "
                "by this codec."),
    Setting("compression.gzip.level", INT, -1, MEDIUM, valid=GzipLevel(), dynamic=CLUSTER_WIDE,
            doc="How hard gzip tries when `compression.type` is gzip: 1 is fast, 9 is small, -1 leaves it to zlib."),
    Setting("compression.lz4.level", INT, 9, MEDIUM, valid=between(1, 17), dynamic=CLUSTER_WIDE,
            doc="How hard lz4 tries when `compression.type` is lz4: larger is slower and smaller."),
    Setting("compression.zstd.level", INT, 3, MEDIUM, valid=between(-131_072, 22), dynamic=CLUSTER_WIDE,
            doc="How hard zstd tries when `compression.type` is zstd: larger is slower and smaller, below zero is "
                "faster still."),
    Setting("log.cleaner.enable", BOOLEAN, True, MEDIUM,
            doc="Whether the cleaner runs. Without it, compacted topics grow for ever, the one with the committed "
                "offsets among them; there is hardly a reason to turn it off."),
    Setting("log.cleaner.threads", INT, 1, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How many logs are compacted at the same time."),
    Setting("log.cleaner.io.max.bytes.per.second", DOUBLE, DOUBLE_MAX, MEDIUM, dynamic=CLUSTER_WIDE,
            doc="How many bytes the cleaner reads and writes in a second, all of its threads together."),
    Setting("log.cleaner.dedupe.buffer.size", LONG, 134_217_728, MEDIUM, dynamic=CLUSTER_WIDE,
            doc="Memory for the map of keys to offsets, shared by the cleaner's threads. A larger one compacts "
                "more of a log in one go; each thread needs more than 1 MiB."),
    Setting("log.cleaner.io.buffer.size", INT, 524_288, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="Memory for reading and writing, shared by the cleaner's threads."),
    Setting("log.cleaner.io.buffer.load.factor", DOUBLE, 0.9, MEDIUM, dynamic=CLUSTER_WIDE,
            doc="How full the map of keys may become. Fuller means more of the log in one go and more collisions."),
    Setting("log.cleaner.backoff.ms", LONG, 15_000, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long the cleaner sleeps when nothing is worth compacting."),
    Setting("log.cleaner.min.cleanable.ratio", DOUBLE, 0.5, MEDIUM, valid=between(0, 1), dynamic=CLUSTER_WIDE,
            doc="Which part of a log has to be dirty before it is compacted: a half means that at most half of it "
                "is waste."),
    Setting("log.cleaner.delete.retention.ms", LONG, 86_400_000, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long the mark of a deleted key is kept in a compacted log. A reader that begins at the start "
                "has to be done by then to see all deletions."),
    Setting("log.cleaner.min.compaction.lag.ms", LONG, 0, MEDIUM, valid=at_least(0), dynamic=CLUSTER_WIDE,
            doc="How long a record stays as it is before it may be compacted away."),
    Setting("log.cleaner.max.compaction.lag.ms", LONG, LONG_MAX, MEDIUM, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="After how long a record is compacted even if little of the log is dirty."),
)
