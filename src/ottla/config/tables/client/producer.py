"""Settings of the producer: serializers, batching, acknowledgement, idempotence, transactions.

The defaults lose nothing and repeat nothing: acks=all and idempotence. What belongs together, such as
`delivery.timeout.ms` and its parts, is checked in `ottla.config.rules.clients`.
"""

from ottla.config.formats import GzipLevel
from ottla.config.setting import BOOLEAN, CLASS, HIGH, INT, LIST, LONG, LOW, MEDIUM, REQUIRED, STRING, Setting, table
from ottla.config.tables.client.connection import CONNECTION_SETTINGS
from ottla.config.tables.security.oauthbearer import OAUTHBEARER_CLIENT_SETTINGS, OAUTHBEARER_SETTINGS
from ottla.config.tables.security.sasl import sasl_settings
from ottla.config.tables.security.tls import tls_settings
from ottla.config.validators import NON_EMPTY, at_least, between, list_of, one_of
from ottla.config.values import INT_MAX

# fmt: off
PRODUCER_SETTINGS = (
    Setting("bootstrap.servers", LIST, REQUIRED, HIGH, valid=list_of(),
            doc="Brokers to ask first, as a list of `host:port`; all others are learnt from them. Name two or "
                "three, in case one is down."),
    Setting("client.id", STRING, "", MEDIUM,
            doc="A name that brokers write into their logs, and that quotas may be set for."),
    Setting("key.serializer", CLASS, REQUIRED, HIGH,
            doc="What turns a record's key into bytes."),
    Setting("value.serializer", CLASS, REQUIRED, HIGH,
            doc="What turns a record's value into bytes."),
    Setting("acks", STRING, "all", LOW, valid=one_of("all", "-1", "0", "1"),
            doc="Who must have a record before it counts as sent: all replicas in sync (`all` or `-1`), the leader "
                "alone (`1`), nobody (`0`)."),
    Setting("batch.size", INT, 16_384, MEDIUM, valid=at_least(0),
            doc="Up to which size records for one partition are collected into a batch. A larger record travels "
                "alone."),
    Setting("linger.ms", LONG, 5, MEDIUM, valid=at_least(0),
            doc="How long a batch that is not full waits for more records. A little waiting makes much larger "
                "batches."),
    Setting("buffer.memory", LONG, 33_554_432, HIGH, valid=at_least(0),
            doc="How much memory may hold records that are not sent yet. When it is used up, `send` waits for "
                "`max.block.ms` and then fails."),
    Setting("max.block.ms", LONG, 60_000, MEDIUM, valid=at_least(0),
            doc="How long `send` and the calls for transactions may wait for memory or metadata."),
    Setting("max.request.size", INT, 1_048_576, MEDIUM, valid=at_least(0),
            doc="The largest request, and with it the largest record before compression."),
    Setting("compression.type", STRING, "none", HIGH, valid=one_of("none", "gzip", "snappy", "lz4", "zstd"),
            doc="The codec that batches are compressed by. Larger batches compress better."),
    Setting("compression.gzip.level", INT, -1, MEDIUM, valid=GzipLevel(),
            doc="How hard gzip tries: 1 is fast, 9 is small, -1 leaves it to zlib."),
    Setting("compression.lz4.level", INT, 9, MEDIUM, valid=between(1, 17),
            doc="How hard lz4 tries: larger is slower and smaller."),
    Setting("compression.zstd.level", INT, 3, MEDIUM, valid=between(-131_072, 22),
            doc="How hard zstd tries: larger is slower and smaller, below zero is faster still."),
    Setting("connections.max.idle.ms", LONG, 540_000, MEDIUM,
            doc="After how long a silent connection is closed."),
    Setting("delivery.timeout.ms", INT, 120_000, MEDIUM, valid=at_least(0),
            doc="How long a record may take from `send` to its acknowledgement, all repetitions included. At least "
                "`linger.ms` and `request.timeout.ms` together."),
    Setting("enable.idempotence", BOOLEAN, True, LOW,
            doc="Whether each record is written exactly once and in order, however often a request had to be "
                "repeated. Needs acks=all, retries, and at most five requests in flight."),
    Setting("enable.metrics.push", BOOLEAN, True, LOW,
            doc="Whether the client sends its metrics to brokers that ask for them (KIP-714)."),
    Setting("interceptor.classes", LIST, (), LOW, valid=list_of(may_be_empty=True),
            doc="Classes that see each record before it is serialised, and its acknowledgement."),
    Setting("max.in.flight.requests.per.connection", INT, 5, LOW, valid=at_least(1),
            doc="How many requests may be on their way to one broker. More than one without idempotence may change "
                "the order when a request is repeated."),
    Setting("metadata.max.idle.ms", LONG, 300_000, LOW, valid=at_least(5_000),
            doc="How long the client remembers a topic that it does not write to."),
    Setting("partitioner.class", CLASS, None, MEDIUM,
            doc="A class that chooses the partition of a record. Without it, records with a key go by the key's "
                "hash, others stick to a partition until a batch is full."),
    Setting("partitioner.adaptive.partitioning.enable", BOOLEAN, True, LOW,
            doc="Whether records without a key go more often to brokers that answer faster."),
    Setting("partitioner.availability.timeout.ms", LONG, 0, LOW, valid=at_least(0),
            doc="After how long a partition whose broker does not answer gets no more records without a key; zero "
                "means never."),
    Setting("partitioner.ignore.keys", BOOLEAN, False, MEDIUM,
            doc="Whether records with a key are spread like those without."),
    Setting("receive.buffer.bytes", INT, 32_768, MEDIUM, valid=at_least(-1),
            doc="SO_RCVBUF of the client's sockets; -1 leaves it to the operating system."),
    Setting("retries", INT, INT_MAX, HIGH, valid=between(0, INT_MAX),
            doc="How often a request is repeated. Best left alone, in favour of `delivery.timeout.ms`."),
    Setting("transaction.timeout.ms", INT, 60_000, LOW,
            doc="How long a transaction may be open before the coordinator aborts it. At most the broker's "
                "`transaction.max.timeout.ms`."),
    Setting("transaction.two.phase.commit.enable", BOOLEAN, False, LOW,
            doc="Whether transactions never time out, since somebody else directs a two-phase commit (KIP-939)."),
    Setting("transactional.id", STRING, None, LOW, valid=NON_EMPTY,
            doc="The name that transactions are made under. Whoever starts with the same name fences its "
                "predecessor, so that a restarted program cannot be disturbed by its former self."),
)

PRODUCER = table(
    PRODUCER_SETTINGS,
    CONNECTION_SETTINGS,
    tls_settings(on_broker=False),
    sasl_settings(on_broker=False),
    OAUTHBEARER_SETTINGS,
    OAUTHBEARER_CLIENT_SETTINGS,
)
