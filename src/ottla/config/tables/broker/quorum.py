"""Settings of the controllers: who votes, how elections are timed, how the metadata log is kept.

The controllers replicate the cluster's metadata by Raft (KIP-500, KIP-595, KIP-630); with
`controller.quorum.bootstrap.servers` their set can change while they run (KIP-853). A broker uses the same settings
to find and follow them.
"""

from ottla.config.formats import BootstrapServers, QuorumVoters
from ottla.config.setting import BOOLEAN, HIGH, INT, LIST, LONG, LOW, MEDIUM, REQUIRED, STRING, Setting
from ottla.config.validators import at_least, list_of

# fmt: off
QUORUM_SETTINGS = (
    Setting("controller.listener.names", LIST, REQUIRED, HIGH, valid=list_of(),
            doc="Names of the listeners that controllers serve. A broker uses the first of them to reach the "
                "controllers, and must not listen on any itself unless it is a controller too."),
    Setting("controller.quorum.voters", LIST, (), HIGH, valid=QuorumVoters(),
            doc="The controllers of a quorum whose members never change, as a list of `id@host:port`. A quorum "
                "whose members may change uses `controller.quorum.bootstrap.servers` instead."),
    Setting("controller.quorum.bootstrap.servers", LIST, (), HIGH, valid=BootstrapServers(),
            doc="Addresses to find the quorum of controllers by, as a list of `host:port`; some of them are "
                "enough. For quorums whose members may change."),
    Setting("controller.quorum.auto.join.enable", BOOLEAN, False, LOW,
            doc="Whether a controller that starts outside of the set of voters adds itself to it."),
    Setting("controller.quorum.election.timeout.ms", INT, 1_000, HIGH, valid=at_least(0),
            doc="How long a voter without a leader waits before it stands for election itself."),
    Setting("controller.quorum.fetch.timeout.ms", INT, 2_000, HIGH, valid=at_least(0),
            doc="How long a follower goes without a successful fetch from the leader before it stands for "
                "election; and how long a leader goes without fetches from a majority before it resigns."),
    Setting("controller.quorum.election.backoff.max.ms", INT, 1_000, HIGH, valid=at_least(0),
            doc="The longest that a candidate waits after an election without winner. The random wait makes it "
                "unlikely that the next one ends the same way."),
    Setting("controller.quorum.append.linger.ms", INT, 25, MEDIUM, valid=at_least(0),
            doc="How long the leader collects records before it writes them to disk together."),
    Setting("controller.quorum.request.timeout.ms", INT, 2_000, MEDIUM, valid=at_least(0),
            doc="How long a node waits for an answer of another voter before it tries again."),
    Setting("controller.quorum.retry.backoff.ms", INT, 20, LOW, valid=at_least(0),
            doc="How long a node waits after a failed request to the quorum before it repeats it."),
    Setting("controller.quorum.fetch.max.bytes", INT, 1_048_576, LOW, valid=at_least(1),
            doc="How many bytes of the metadata log one fetch may return. A larger first batch is returned all the "
                "same."),
    Setting("controller.quorum.fetch.snapshot.max.bytes", INT, 1_048_576, LOW, valid=at_least(1),
            doc="How many bytes of a snapshot one fetch may return."),
    Setting("controller.socket.timeout.ms", INT, 30_000, MEDIUM,
            doc="How long a broker waits on its connection to the controller."),
    Setting("controller.performance.sample.period.ms", LONG, 60_000, MEDIUM, valid=at_least(100), internal=True,
            doc="How often the controller logs how long its events took."),
    Setting("controller.performance.always.log.threshold.ms", LONG, 2_000, MEDIUM, valid=at_least(0), internal=True,
            doc="An event of the controller that takes longer than this is always logged."),
    Setting("metadata.log.dir", STRING, None, HIGH,
            doc="The directory of the metadata log. Without it, the first of `log.dirs`."),
    Setting("metadata.log.segment.bytes", INT, 1_073_741_824, HIGH, valid=at_least(8_388_608),
            doc="At which size a segment of the metadata log is closed and a new one begun."),
    Setting("metadata.log.segment.ms", LONG, 604_800_000, HIGH,
            doc="At which age a segment of the metadata log is closed and a new one begun."),
    Setting("internal.metadata.log.segment.bytes", INT, None, LOW, internal=True,
            doc="Overrides `metadata.log.segment.bytes` with sizes that it would refuse. For tests."),
    Setting("internal.metadata.max.batch.size.in.bytes", INT, 8_388_608, LOW, internal=True,
            doc="The largest batch of the metadata log. For tests."),
    Setting("internal.metadata.delete.delay.millis", LONG, 60_000, LOW, internal=True,
            doc="How long files of the metadata log remain before they are deleted. For tests."),
    Setting("metadata.max.retention.bytes", LONG, 104_857_600, HIGH,
            doc="How large the metadata log and its snapshots may become together before old ones are deleted. The "
                "newest snapshot is always kept, so at least one has to exist first."),
    Setting("metadata.max.retention.ms", LONG, 604_800_000, HIGH,
            doc="How long segments and snapshots of the metadata log are kept. The newest snapshot is always kept."),
    Setting("metadata.log.max.record.bytes.between.snapshots", LONG, 20_971_520, HIGH, valid=at_least(1),
            doc="How many bytes of new records make a node write a snapshot."),
    Setting("metadata.log.max.snapshot.interval.ms", LONG, 3_600_000, HIGH, valid=at_least(0),
            doc="After how long a node writes a snapshot if there are records that the last one lacks; zero means "
                "by size only."),
    Setting("metadata.max.idle.interval.ms", INT, 500, LOW, valid=at_least(0),
            doc="How often the active controller writes an empty record when nothing happens, so that lag can be "
                "measured; zero means never."),
    Setting("leader.imbalance.check.interval.seconds", LONG, 300, HIGH, valid=at_least(1),
            doc="How often the controller looks for partitions that are not led by their preferred replica."),
    Setting("unclean.leader.election.interval.ms", LONG, 300_000, MEDIUM, valid=at_least(1), internal=True,
            doc="How often the controller looks for partitions without leader that an unclean election may help."),
)
