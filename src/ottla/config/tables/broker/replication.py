"""Settings of replication between brokers: how followers fetch, when they count as in sync, who may lead.

What was acknowledged with acks=all is on every replica in sync; `min.insync.replicas` says how many those have to be.
A follower that has not caught up for `replica.lag.time.max.ms` leaves the set (KIP-16: time, not a count of records).
"""

from ottla.config.setting import BOOLEAN, CLUSTER_WIDE, HIGH, INT, LONG, MEDIUM, STRING, Setting
from ottla.config.validators import at_least

# fmt: off
REPLICATION_SETTINGS = (
    Setting("default.replication.factor", INT, 1, MEDIUM,
            doc="How many replicas a new topic's partitions get when whoever creates it does not say, automatic "
                "creation included."),
    Setting("min.insync.replicas", INT, 1, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many replicas must have a record for acks=all to succeed. With fewer in sync, producers get "
                "NOT_ENOUGH_REPLICAS: three replicas and a minimum of two survive any one broker."),
    Setting("unclean.leader.election.enable", BOOLEAN, False, HIGH, dynamic=CLUSTER_WIDE,
            doc="Whether a replica that was not in sync may lead when no other is left. That brings the partition "
                "back at the price of records that had been acknowledged."),
    Setting("auto.leader.rebalance.enable", BOOLEAN, True, HIGH,
            doc="Whether the controller moves leadership back to the preferred replicas by itself."),
    Setting("num.replica.fetchers", INT, 1, HIGH, valid=at_least(1), dynamic=CLUSTER_WIDE,
            doc="How many connections a broker fetches by from each other broker."),
    Setting("replica.fetch.max.bytes", INT, 1_048_576, MEDIUM, valid=at_least(0),
            doc="How many bytes of a partition a follower asks for in one fetch. A larger first batch is returned "
                "all the same, so that replication never gets stuck."),
    Setting("replica.fetch.response.max.bytes", INT, 10_485_760, MEDIUM, valid=at_least(0),
            doc="How many bytes a follower asks for in one fetch altogether."),
    Setting("replica.fetch.min.bytes", INT, 1, HIGH,
            doc="How many bytes a follower wants to be there before its fetch is answered."),
    Setting("replica.fetch.wait.max.ms", INT, 500, HIGH,
            doc="How long a follower's fetch waits for `replica.fetch.min.bytes`. Has to be shorter than "
                "`replica.lag.time.max.ms`, so that partitions with little traffic stay in sync."),
    Setting("replica.fetch.backoff.ms", INT, 1_000, MEDIUM, valid=at_least(0),
            doc="How long a follower waits after an error before it fetches that partition again."),
    Setting("replica.lag.time.max.ms", LONG, 30_000, HIGH,
            doc="How long a follower may go without having caught up with its leader before it counts as out of "
                "sync."),
    Setting("replica.socket.timeout.ms", INT, 30_000, HIGH,
            doc="How long a follower waits for an answer of its leader. At least `replica.fetch.wait.max.ms`."),
    Setting("replica.socket.receive.buffer.bytes", INT, 65_536, HIGH,
            doc="SO_RCVBUF of the sockets that followers fetch by; -1 leaves it to the operating system."),
    Setting("replica.high.watermark.checkpoint.interval.ms", LONG, 5_000, HIGH,
            doc="How often the high watermarks are written down."),
    Setting("replica.selector.class", STRING, None, MEDIUM,
            doc="A class that chooses which replica a consumer reads from. Without it, always the leader."),
    Setting("num.replica.alter.log.dirs.threads", INT, None, HIGH,
            doc="How many threads move replicas from one directory to another. Without it, one a directory."),
    Setting("fetch.max.bytes", INT, 57_671_680, MEDIUM, valid=at_least(1_024),
            doc="The most that one fetch returns, whatever the client asked for."),
    Setting("max.incremental.fetch.session.cache.slots", INT, 1_000, MEDIUM, valid=at_least(0),
            doc="How many incremental fetch sessions are remembered (KIP-227). Clients beyond that send their "
                "whole list of partitions each time."),
    Setting("fetch.purgatory.purge.interval.requests", INT, 1_000, MEDIUM,
            doc="After how many finished fetches the list of waiting ones is cleared of them."),
    Setting("producer.purgatory.purge.interval.requests", INT, 1_000, MEDIUM,
            doc="After how many finished produce requests the list of waiting ones is cleared of them."),
    Setting("delete.records.purgatory.purge.interval.requests", INT, 1, MEDIUM,
            doc="After how many finished requests to delete records the list of waiting ones is cleared of them."),
    Setting("share.fetch.purgatory.purge.interval.requests", INT, 1_000, MEDIUM,
            doc="After how many finished share fetches the list of waiting ones is cleared of them."),
)
