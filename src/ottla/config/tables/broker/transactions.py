"""Settings of transactions and idempotent producers: timeouts, expiry, and the topic with the coordinator's state.

An id that is not used expires, and with it the fencing that it gave; partitions remember idempotent producers for
`producer.id.expiration.ms` only.
"""

from ottla.config.setting import BOOLEAN, CLUSTER_WIDE, HIGH, INT, LOW, SHORT, Setting
from ottla.config.validators import at_least

# fmt: off
TRANSACTIONS_SETTINGS = (
    Setting("transaction.max.timeout.ms", INT, 900_000, HIGH, valid=at_least(1),
            doc="The longest timeout that a producer may ask for. An open transaction holds up everybody who reads "
                "committed records only."),
    Setting("transactional.id.expiration.ms", INT, 604_800_000, HIGH, valid=at_least(1),
            doc="How long the coordinator remembers a transactional id that nobody uses."),
    Setting("transaction.state.log.num.partitions", INT, 50, HIGH, valid=at_least(1),
            doc="How many partitions `__transaction_state` is created with. It cannot be changed later: the "
                "coordinator of an id follows from it."),
    Setting("transaction.state.log.replication.factor", SHORT, 3, HIGH, valid=at_least(1),
            doc="How many replicas `__transaction_state` is created with. With fewer brokers than that it is not "
                "created, and transactions do not work."),
    Setting("transaction.state.log.min.isr", INT, 2, HIGH, valid=at_least(1),
            doc="`min.insync.replicas` of `__transaction_state`."),
    Setting("transaction.state.log.segment.bytes", INT, 104_857_600, HIGH, valid=at_least(1),
            doc="Size of a segment of `__transaction_state`. Small ones are compacted early, and load fast."),
    Setting("transaction.state.log.load.buffer.size", INT, 5_242_880, HIGH, valid=at_least(1),
            doc="How much of `__transaction_state` is read at once while transactions are loaded. A larger batch "
                "is read all the same."),
    Setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", INT, 10_000, LOW, valid=at_least(1),
            doc="How often the coordinator looks for transactions that have outlived their timeout, and aborts "
                "them."),
    Setting("transaction.remove.expired.transaction.cleanup.interval.ms", INT, 3_600_000, LOW, valid=at_least(1),
            doc="How often the coordinator forgets transactional ids that have expired."),
    Setting("transaction.partition.verification.enable", BOOLEAN, True, LOW, dynamic=CLUSTER_WIDE,
            doc="Whether a partition asks the coordinator that a transaction is really open before it takes its "
                "first records (KIP-890). That keeps out late records of a finished one."),
    Setting("transaction.two.phase.commit.enable", BOOLEAN, False, LOW,
            doc="Whether producers may open transactions that never time out, as the participants of a two-phase "
                "commit that somebody else directs (KIP-939)."),
    Setting("add.partitions.to.txn.retry.backoff.ms", INT, 20, HIGH, valid=at_least(1),
            doc="How long the broker waits before it asks the coordinator again about a transaction that is still "
                "being finished."),
    Setting("add.partitions.to.txn.retry.backoff.max.ms", INT, 100, HIGH, valid=at_least(0),
            doc="The longest that the broker waits before it asks the coordinator again about a transaction that "
                "is still being finished."),
    Setting("producer.id.expiration.ms", INT, 86_400_000, LOW, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How long a partition remembers an idempotent producer that does not write. A producer that comes "
                "back later than that is a new one, and its repetitions are not recognised."),
    Setting("producer.id.expiration.check.interval.ms", INT, 600_000, LOW, valid=at_least(1), internal=True,
            doc="How often partitions forget producers that have expired. For tests."),
)
