"""The controller as one state machine: all duties on one journal, and which record goes to whom.

    shell ---- Submit(partial(controller.topics.create, request)) ----> Runtime ----> decision, records, replay here

Each duty is an attribute, and its decisions are methods `(request, now_ms) -> Decision`. The records are messages; in
which version they are written follows the metadata version, and is the log's matter. Heartbeats alone come through
`broker_heartbeat`, since what a broker says of itself has to be remembered before it is decided on, and is no state.

Records between BeginTransactionRecord and EndTransactionRecord count when the transaction ends (KIP-868): they are put
aside until then. Only Kafka's bootstrap records come so; our decisions are one append each, and need none.

Always true: state is a function of the records; `check` holds after each of them that is not inside of a transaction.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from ottla.cluster.controller.alter_configs import AlterConfigs
from ottla.cluster.controller.brokers import Brokers
from ottla.cluster.controller.configs import Configs
from ottla.cluster.controller.controllers import Controllers
from ottla.cluster.controller.deletion import Deletion
from ottla.cluster.controller.features import ELR_FEATURE, Features
from ottla.cluster.controller.finalised import Finalised
from ottla.cluster.controller.heartbeats import Heartbeats
from ottla.cluster.controller.kept import Kept
from ottla.cluster.controller.partitions.assignment import Assignment
from ottla.cluster.controller.partitions.directories import Directories
from ottla.cluster.controller.partitions.elections import Elections, again_at
from ottla.cluster.controller.partitions.isr import Isr
from ottla.cluster.controller.partitions.reassignment import Reassignment
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.cluster.controller.producer_ids import ProducerIds
from ottla.cluster.controller.registration import Registration
from ottla.cluster.controller.topics import Topics
from ottla.cluster.metadata.records import versioned
from ottla.protocol.codec.message import Message
from ottla.protocol.messages import metadata_records as records
from ottla.protocol.messages.controller import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from ottla.replicated.decision import Decision, TimerChange
from ottla.replicated.timeline import Journal, TimelineValue

Replay = Callable[[Any], None]


class Chance(Protocol):
    """What is drawn: where placement begins, and the ids of topics. A world's randomness is one."""

    def randrange(self, stop: int, /) -> int:
        """An integer in [0, stop)."""

    def randbytes(self, count: int, /) -> bytes:
        """So many bytes."""


class Controller:
    """All controls. `static` are the texts of this node's file, `bootstrap` the first records of a new log."""

    def __init__(
        self,
        static: Mapping[str, str],
        cluster_id: str,
        chance: Chance,
        *,
        bootstrap: Sequence[Message] = (),
        is_expression: Callable[[str], bool] | None = None,
    ) -> None:
        self._bootstrap = tuple(bootstrap)
        self._arguments = (dict(static), cluster_id, chance, is_expression or compiles)
        self.reset()

    def reset(self) -> None:
        """Be empty again, with an empty journal."""
        static, cluster_id, chance, is_expression = self._arguments
        journal = self.journal = Journal()
        self._transaction: TimelineValue[tuple[Message, ...] | None] = TimelineValue(journal, None)
        self.finalised = Finalised(journal)
        self.configs = Configs(journal, static, self.finalised)
        self.brokers = Brokers(journal)
        self.controllers = Controllers(journal, self.finalised)
        self.table = PartitionTable(journal)
        self.kept = Kept(journal)
        self.elections = Elections(self.table, self.brokers, self.configs)
        self.features = Features(self.configs, self.brokers, self.controllers)
        node = self.configs.node
        self.heartbeats = Heartbeats(
            node.integer("broker.session.timeout.ms"), self.finalised, self.brokers, self.table, self.elections
        )
        self.registration = Registration(
            journal, cluster_id, self.finalised, self.brokers, self.elections, is_alive=self.heartbeats.is_alive
        )
        assignment = Assignment(self.brokers, chance.randrange)
        self.topics = Topics(self.table, self.configs, assignment, chance.randbytes)
        self.deletion = Deletion(self.table, is_enabled=node.boolean("delete.topic.enable"))
        self.isr = Isr(self.table, self.brokers, self.elections)
        self.reassignment = Reassignment(self.table, self.configs, assignment, self.elections)
        self.alter_configs = AlterConfigs(self.configs, self.table, self.brokers, is_expression)
        self.producer_ids = ProducerIds(journal, self.brokers)
        self.directories = Directories(self.finalised, self.table, self.brokers, self.elections)
        self._replays = self._dispatch()

    # Decisions

    def broker_heartbeat(
        self, request: BrokerHeartbeatRequest, now_ms: int
    ) -> Callable[[int], Decision[Message, BrokerHeartbeatResponse]]:
        """The decision about a heartbeat that has come now, to be submitted."""
        self.heartbeats.heard(request, now_ms)
        return lambda at_ms: self.heartbeats.heartbeat(request, at_ms)

    def begin(self, now_ms: int) -> Decision[Message, None]:
        """Write the first records, if there are none: levels of features, and what was given when formatting.

        Where eligible leaders are kept from the start, so is one min.insync.replicas for all brokers (KIP-966).
        """
        del now_ms
        if self.finalised.is_begun:
            return Decision((), None)
        keeps_elr = any(
            isinstance(each, records.FeatureLevelRecord) and each.name == ELR_FEATURE and each.feature_level
            for each in self._bootstrap
        )
        return Decision([*self._bootstrap, *(self.configs.elr_safety_records() if keeps_elr else ())], None)

    def leads(self, now_ms: int) -> Sequence[TimerChange[Message]]:
        """A new log's first records, the sessions of brokers, and what has to be looked at now and then."""
        node = self.configs.node
        timers = [TimerChange("bootstrap", now_ms, self.begin), *self.heartbeats.leads(now_ms)]
        interval_ms = node.integer("unclean.leader.election.interval.ms")
        timers.append(again_at("elections", now_ms + 1, self.elections.elect_leaderless, interval_ms))
        if node.boolean("auto.leader.rebalance.enable"):
            interval_ms = node.integer("leader.imbalance.check.interval.seconds") * 1_000
            timers.append(again_at("balance", now_ms + interval_ms, self.elections.balance, interval_ms))
        if idle_ms := node.integer("metadata.max.idle.interval.ms"):
            timers.append(again_at("no-op", now_ms + idle_ms, no_op, idle_ms))
        return timers

    def encode(self, record: Message) -> bytes:
        """A record as it is written at the metadata version that holds when it is appended."""
        return versioned(record, self.finalised.metadata_version).to_bytes()

    # Replay

    def replay(self, record: Message) -> None:
        """Change the state as the record says."""
        pending = self._transaction.get()
        if pending is None or type(record) in _TRANSACTION_ENDS:
            self._replays[type(record)](record)
        else:
            self._transaction.set((*pending, record))

    def check(self) -> None:
        """Assert what is always true."""
        self.table.check()
        self.brokers.check()
        self.configs.check()

    def _dispatch(self) -> dict[type[Message], Replay]:
        table, brokers, kept = self.table, self.brokers, self.kept
        return {
            records.RegisterBrokerRecord: brokers.replay_registration,
            records.UnregisterBrokerRecord: brokers.replay_unregistration,
            records.TopicRecord: table.replay_topic,
            records.PartitionRecord: table.replay_partition,
            records.ConfigRecord: self.configs.replay,
            records.PartitionChangeRecord: table.replay_change,
            records.FenceBrokerRecord: brokers.replay_fencing,
            records.UnfenceBrokerRecord: brokers.replay_unfencing,
            records.RemoveTopicRecord: self._remove_topic,
            records.DelegationTokenRecord: kept.replay_token,
            records.UserScramCredentialRecord: kept.replay_scram,
            records.FeatureLevelRecord: self.finalised.replay,
            records.ClientQuotaRecord: kept.replay_client_quota,
            records.ProducerIdsRecord: self.producer_ids.replay,
            records.BrokerRegistrationChangeRecord: brokers.replay_change,
            records.AccessControlEntryRecord: kept.replay_acl,
            records.RemoveAccessControlEntryRecord: kept.replay_acl_removal,
            records.NoOpRecord: _nothing,
            records.ZkMigrationStateRecord: _nothing,
            records.RemoveUserScramCredentialRecord: kept.replay_scram_removal,
            records.BeginTransactionRecord: self._begin,
            records.EndTransactionRecord: self._end,
            records.AbortTransactionRecord: self._abort,
            records.RemoveDelegationTokenRecord: kept.replay_token_removal,
            records.RegisterControllerRecord: self.controllers.replay,
            records.ClearElrRecord: table.replay_clear_elr,
        }

    def _remove_topic(self, record: records.RemoveTopicRecord) -> None:
        self.configs.forget_topic(self.table.topics[record.topic_id].name)
        self.table.replay_removal(record)

    def _begin(self, record: records.BeginTransactionRecord) -> None:
        del record
        self._transaction.set(())

    def _end(self, record: records.EndTransactionRecord) -> None:
        del record
        pending = self._transaction.get() or ()
        self._transaction.set(None)
        for each in pending:
            self._replays[type(each)](each)

    def _abort(self, record: records.AbortTransactionRecord) -> None:
        del record
        self._transaction.set(None)


_TRANSACTION_ENDS = (records.EndTransactionRecord, records.AbortTransactionRecord)


def compiles(expression: str) -> bool:
    """Whether this is a regular expression."""
    try:
        re.compile(expression)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _nothing(record: Message) -> None:
    """A record that says nothing to us."""
    del record


def no_op(now_ms: int) -> Decision[Message, bool]:
    """A record so that the log moves, and brokers can tell a quiet log from one that is stuck (KIP-835)."""
    del now_ms
    return Decision([records.NoOpRecord()], response=False)
