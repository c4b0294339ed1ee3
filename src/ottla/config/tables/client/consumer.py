"""Settings of the consumer, share consumers included: deserializers, group, fetching, position.

The settings for share groups are in here as well, as they are with Kafka. Settings that only one of the two group
protocols knows say so.
"""

from ottla.config.formats import Mode, OffsetResetForm
from ottla.config.setting import BOOLEAN, CLASS, HIGH, INT, LIST, LONG, LOW, MEDIUM, REQUIRED, STRING, Setting, table
from ottla.config.tables.client.connection import CONNECTION_SETTINGS
from ottla.config.tables.security.oauthbearer import OAUTHBEARER_CLIENT_SETTINGS, OAUTHBEARER_SETTINGS
from ottla.config.tables.security.sasl import sasl_settings
from ottla.config.tables.security.tls import tls_settings
from ottla.config.validators import NON_EMPTY, at_least, list_of, one_of, one_of_ignoring_case

# fmt: off
CONSUMER_SETTINGS = (
    Setting("bootstrap.servers", LIST, REQUIRED, HIGH, valid=list_of(),
            doc="Brokers to ask first, as a list of `host:port`; all others are learnt from them. Name two or "
                "three, in case one is down."),
    Setting("client.id", STRING, "", LOW,
            doc="A name that brokers write into their logs, and that quotas may be set for."),
    Setting("client.rack", STRING, "", LOW,
            doc="Where the consumer stands. With it, it may read from a replica nearby, if the brokers have a "
                "`replica.selector.class`."),
    Setting("key.deserializer", CLASS, REQUIRED, HIGH,
            doc="What turns a record's bytes into its key."),
    Setting("value.deserializer", CLASS, REQUIRED, HIGH,
            doc="What turns a record's bytes into its value."),
    Setting("group.id", STRING, None, HIGH,
            doc="The group that the consumer belongs to. Needed to subscribe and to commit offsets."),
    Setting("group.instance.id", STRING, None, MEDIUM, valid=NON_EMPTY,
            doc="A name that the member keeps over restarts. If it is back within its session timeout, nothing is "
                "rebalanced."),
    Setting("group.protocol", STRING, "classic", HIGH, valid=one_of_ignoring_case("CONSUMER", "CLASSIC"),
            doc="`classic`, where a member computes the assignment, or `consumer`, where the broker does "
                "(KIP-848)."),
    Setting("group.remote.assignor", STRING, None, MEDIUM,
            doc="The broker's assignor to use, with the protocol `consumer`. Without it, the first that the broker "
                "has."),
    Setting("partition.assignment.strategy", LIST,
            ("org.apache.kafka.clients.consumer.RangeAssignor",
             "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"),
            MEDIUM, valid=list_of(may_be_empty=True),
            doc="Assignors in order of preference, with the protocol `classic`. One that all members have is used."),
    Setting("session.timeout.ms", INT, 45_000, HIGH,
            doc="How long the member may be silent before the coordinator takes it out, with the protocol "
                "`classic`."),
    Setting("heartbeat.interval.ms", INT, 3_000, HIGH,
            doc="How often a heartbeat is sent, with the protocol `classic`; best a third of `session.timeout.ms`."),
    Setting("max.poll.interval.ms", INT, 300_000, MEDIUM, valid=at_least(1),
            doc="How long the program may take between two polls. Beyond that the member leaves, so that others "
                "get its partitions."),
    Setting("max.poll.records", INT, 500, MEDIUM, valid=at_least(1),
            doc="How many records one poll returns at most. Fetching goes on independently of it."),
    Setting("enable.auto.commit", BOOLEAN, True, MEDIUM,
            doc="Whether offsets are committed by and by without being asked."),
    Setting("auto.commit.interval.ms", INT, 5_000, LOW, valid=at_least(0),
            doc="How often offsets are committed, with `enable.auto.commit`."),
    Setting("auto.offset.reset", STRING, "latest", MEDIUM, valid=OffsetResetForm(("latest", "earliest", "none")),
            doc="Where to begin without a valid committed offset: at the `earliest`, at the `latest`, "
                "`by_duration:` ago, or with an error (`none`)."),
    Setting("allow.auto.create.topics", BOOLEAN, True, MEDIUM,
            doc="Whether subscribing to a topic that does not exist may create it, if the broker does so."),
    Setting("exclude.internal.topics", BOOLEAN, True, MEDIUM,
            doc="Whether a pattern leaves out internal topics such as `__consumer_offsets`."),
    Setting("isolation.level", STRING, "read_uncommitted", MEDIUM,
            valid=one_of("read_committed", "read_uncommitted"),
            doc="Whether records of open and aborted transactions are seen (`read_uncommitted`) or not "
                "(`read_committed`)."),
    Setting("check.crcs", BOOLEAN, True, LOW,
            doc="Whether the checksum of each batch is looked at. Leaving it out saves a little time."),
    Setting("fetch.min.bytes", INT, 1, HIGH, valid=at_least(0),
            doc="How many bytes a broker should have before it answers a fetch. More means fewer and larger "
                "answers."),
    Setting("fetch.max.wait.ms", INT, 500, LOW, valid=at_least(0),
            doc="How long a broker waits for `fetch.min.bytes`."),
    Setting("fetch.max.bytes", INT, 52_428_800, MEDIUM, valid=at_least(0),
            doc="How many bytes one fetch returns at most. A larger first batch is returned all the same."),
    Setting("max.partition.fetch.bytes", INT, 1_048_576, HIGH, valid=at_least(0),
            doc="How many bytes of one partition one fetch returns at most. A larger first batch is returned all "
                "the same."),
    Setting("connections.max.idle.ms", LONG, 540_000, MEDIUM,
            doc="After how long a silent connection is closed."),
    Setting("default.api.timeout.ms", INT, 60_000, MEDIUM, valid=at_least(0),
            doc="How long a call may take that is not given a time of its own."),
    Setting("enable.metrics.push", BOOLEAN, True, LOW,
            doc="Whether the client sends its metrics to brokers that ask for them (KIP-714)."),
    Setting("interceptor.classes", LIST, (), LOW, valid=list_of(may_be_empty=True),
            doc="Classes that see records before the program does, and offsets when they are committed."),
    Setting("receive.buffer.bytes", INT, 65_536, MEDIUM, valid=at_least(-1),
            doc="SO_RCVBUF of the client's sockets; -1 leaves it to the operating system."),
    Setting("share.acknowledgement.mode", STRING, "implicit", MEDIUM, valid=Mode(("implicit", "explicit")),
            doc="Whether a share consumer acknowledges records by polling again (`implicit`), or each by a call "
                "(`explicit`)."),
    Setting("share.acquire.mode", STRING, "BATCH_OPTIMIZED", MEDIUM,
            valid=Mode(("batch_optimized", "record_limit"), ignoring_case=True),
            doc="Whether a share consumer gets whole batches, and so perhaps more records than asked for "
                "(`batch_optimized`), or no more than asked for (`record_limit`)."),
    Setting("internal.throw.on.fetch.stable.offset.unsupported", BOOLEAN, False, LOW, internal=True,
            doc="Whether reading stable offsets fails on brokers that are too old for it, instead of going "
                "without. For Streams."),
)

CONSUMER = table(
    CONSUMER_SETTINGS,
    CONNECTION_SETTINGS,
    tls_settings(on_broker=False),
    sasl_settings(on_broker=False),
    OAUTHBEARER_SETTINGS,
    OAUTHBEARER_CLIENT_SETTINGS,
)
