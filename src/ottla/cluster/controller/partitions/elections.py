"""Which partitions change when a broker goes or comes, who is elected on request, and who takes its place again.

Every duty that changes partitions asks `change` for a `PartitionChange` that knows the rules of its topic, and collects
records in a `Draft`, in which later changes of a decision see the earlier ones.

A broker's going or coming may concern more partitions than a decision may change. Then `partial` says that some are
left: whoever asked does as much as fits, and goes on with the next decision (a timer, or the next heartbeat).

Always true: a draft has at most MAX_RECORDS records. Elections on request do not touch partitions that do not need one.
"""

from collections.abc import Callable, Iterable
from typing import Final

from ottla.cluster.controller.brokers import Broker, Brokers
from ottla.cluster.controller.configs import Configs
from ottla.cluster.controller.finalised import Finalised
from ottla.cluster.controller.partitions.change import Election, PartitionChange, Rules
from ottla.cluster.controller.partitions.partition import NO_LEADER, Partition, TopicPartition, changed
from ottla.cluster.controller.partitions.table import PartitionTable
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.metadata_records import PartitionChangeRecord
from ottla.protocol.messages.topics import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    ElectLeadersResponse_PartitionResult,
)
from ottla.replicated.decision import Decision, TimerChange

MAX_RECORDS: Final = 10_000  # of one decision, as in Kafka
MAX_ELECTIONS: Final = 1_000  # of one round of balancing, as in Kafka
RESERVED: Final = 10  # records that a decision has besides the partitions'

PREFERRED, UNCLEAN = 0, 1  # of ElectLeaders

_TopicResult = ElectLeadersResponse.ReplicaElectionResult
_Result = ElectLeadersResponse_PartitionResult


class Draft:
    """The records of a decision, and the partitions as they will be; and what holds for all of them, looked up once."""

    def __init__(self, table: PartitionTable, finalised: Finalised, configs: Configs) -> None:
        self.records: list[Message] = []
        self.metadata_version, self.keeps_elr = finalised.metadata_version, finalised.keeps_elr
        self._configs = configs
        self._topic_rules: dict[Uuid, tuple[int, bool]] = {}
        self._table = table
        self._changed: dict[TopicPartition, Partition] = {}

    def partition(self, key: TopicPartition) -> Partition | None:
        """The partition after the changes so far."""
        return self._changed.get(key) or self._table.partition(key)

    def rules_of(self, topic_id: Uuid) -> tuple[int, bool]:
        """A topic's min.insync.replicas, and whether it elects uncleanly."""
        found = self._topic_rules.get(topic_id)
        if found is None:
            name = self._table.topics[topic_id].name
            found = self._configs.min_isr(name), self._configs.elects_uncleanly(name)
            self._topic_rules[topic_id] = found
        return found

    def add(self, key: TopicPartition, record: PartitionChangeRecord) -> Partition:
        """One more change; the partition after it."""
        before = self.partition(key)
        assert before is not None
        self.records.append(record)
        after = self._changed[key] = changed(before, record)
        return after

    @property
    def is_full(self) -> bool:
        """Whether no more partitions may change in this decision."""
        return len(self.records) >= MAX_RECORDS - RESERVED

    def check_size(self) -> None:
        """POLICY_VIOLATION if somebody asked for more than a decision may do."""
        if len(self.records) > MAX_RECORDS:
            raise too_large(len(self.records))


def too_large(records: int) -> RequestRefused:
    """What is told to somebody who wants too much at once."""
    return RequestRefused(
        ErrorCode.POLICY_VIOLATION, f"The request needs {records} records, and {MAX_RECORDS} are allowed at once."
    )


class Elections:
    """Changes of partitions, and whom they make leader."""

    def __init__(self, table: PartitionTable, brokers: Brokers, configs: Configs) -> None:
        self._table, self._brokers, self._configs = table, brokers, configs
        self._finalised = configs.levels

    # Changes

    def draft(self) -> Draft:
        """An empty draft."""
        return Draft(self._table, self._finalised, self._configs)

    def change(
        self, draft: Draft, key: TopicPartition, is_alive: Callable[[int], bool] | None = None
    ) -> PartitionChange:
        """A change of a partition, by the rules of its topic; an unclean election if the topic allows it."""
        partition = draft.partition(key)
        assert partition is not None
        min_isr, elects_uncleanly = draft.rules_of(key.topic_id)
        alive = is_alive or self._brokers.is_active

        def may_lead(broker_id: int) -> bool:
            if not alive(broker_id):
                return False
            broker = self._brokers.get(broker_id)
            return broker is not None and (
                broker_id not in partition.replicas or broker.has_online(partition.directory_of(broker_id))
            )

        rules = Rules(
            metadata_version=draft.metadata_version,
            keeps_elr=draft.keeps_elr,
            min_isr=min(min_isr, len(partition.replicas)),
            may_lead=may_lead,
            default_directory=self._brokers.default_directory,
        )
        election = Election.UNCLEAN if elects_uncleanly else Election.CLEAN
        return PartitionChange(key, partition, rules, election)

    def _apply(self, draft: Draft, change: PartitionChange) -> bool:
        record = change.record()
        if record is not None:
            draft.add(change.key, record)
        return record is not None

    # Brokers that go and come; each answers whether all that had to change fitted

    def broker_goes(self, draft: Draft, broker_id: int, keys: Iterable[TopicPartition] | None = None) -> bool:
        """A broker leads no more and is in no ISR; `keys`: only of these partitions."""
        return self._remove(draft, broker_id, self._table.in_isr.of(broker_id) if keys is None else keys)

    def broker_is_forgotten(self, draft: Draft, broker_id: int) -> bool:
        """A broker is in no ISR, and not eligible either."""
        return self._remove(draft, broker_id, self._table.in_isr.of(broker_id), is_unclean=True) and self._remove(
            draft, broker_id, self._table.in_elr.of(broker_id), is_unclean=True
        )

    def _remove(
        self, draft: Draft, broker_id: int, keys: Iterable[TopicPartition], *, is_unclean: bool = False
    ) -> bool:
        for key in keys:
            if draft.is_full:
                return False
            change = self.change(draft, key, lambda each: each != broker_id and self._brokers.is_active(each))
            change.isr = tuple(each for each in change.partition.isr if each != broker_id)
            change.unclean_shutdown = broker_id if is_unclean else None
            self._apply(draft, change)
        return True

    def broker_comes(self, draft: Draft, broker: Broker) -> bool:
        """A broker is about to be unfenced: it may lead what has no leader."""
        for key in self._table.leaderless:
            if draft.is_full:
                return False
            partition = draft.partition(key)
            if partition is not None and broker.broker_id in partition.replicas:
                self._apply(
                    draft,
                    self.change(draft, key, lambda each: each == broker.broker_id or self._brokers.is_active(each)),
                )
        return True

    # By timers

    def elect_leaderless(self, now_ms: int) -> Decision[Message, bool]:
        """Elect wherever there is no leader and somebody may be; answers whether some are left to look at."""
        del now_ms
        draft = self.draft()
        for key in self._table.leaderless:
            if len(draft.records) >= MAX_ELECTIONS:
                return Decision(draft.records, response=True)
            self._apply(draft, self.change(draft, key))
        return Decision(draft.records, response=False)

    def balance(self, now_ms: int) -> Decision[Message, bool]:
        """Have preferred leaders lead again where they can; answers whether some are left to look at."""
        del now_ms
        draft = self.draft()
        for key in self._table.imbalanced:
            if len(draft.records) >= MAX_ELECTIONS:
                return Decision(draft.records, response=True)
            change = self.change(draft, key)
            change.election = Election.PREFERRED
            self._apply(draft, change)
        return Decision(draft.records, response=False)

    # On request

    def elect(self, request: ElectLeadersRequest, now_ms: int) -> Decision[Message, ElectLeadersResponse]:
        """Preferred or unclean elections of some partitions, or of all that need one."""
        del now_ms
        if request.election_type not in (PREFERRED, UNCLEAN):
            raise RequestRefused(ErrorCode.INVALID_REQUEST, f"There is no election type {request.election_type}.")
        draft = self.draft()
        asked = request.topic_partitions
        results = []
        if asked is None:
            wanted = [(topic.name, list(topic.partitions)) for topic in self._table.topics.values()]
        else:
            wanted = [(each.topic, list(each.partitions)) for each in asked]
        for name, partition_ids in wanted:
            rows = []
            for partition_id in partition_ids:
                code, message = self._elect_one(draft, name, partition_id, request.election_type)
                if asked is not None or code != ErrorCode.ELECTION_NOT_NEEDED:
                    rows.append(_Result(partition_id, code, message))
            results.append(_TopicResult(name, rows))
        draft.check_size()
        return Decision(draft.records, ElectLeadersResponse(replica_election_results=results))

    def _elect_one(self, draft: Draft, name: str, partition_id: int, kind: int) -> tuple[int, str | None]:
        topic = self._table.topic(name)
        key = TopicPartition(topic.topic_id if topic else Uuid(b""), partition_id)
        partition = draft.partition(key)
        if partition is None:
            return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"There is no partition {name}-{partition_id}."
        if partition.is_balanced if kind == PREFERRED else partition.leader != NO_LEADER:
            return ErrorCode.ELECTION_NOT_NEEDED, f"{name}-{partition_id} is led by {partition.leader} already."
        change = self.change(draft, key)
        change.election = Election.PREFERRED if kind == PREFERRED else Election.UNCLEAN
        if self._apply(draft, change):
            return ErrorCode.NONE, None
        if kind == PREFERRED:
            return (
                ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE,
                f"{name}-{partition_id}: broker {partition.preferred_leader} is not in sync, or not there.",
            )
        return ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, f"{name}-{partition_id}: no replica of it is there."


def again_at(
    key: str, deadline_ms: int, decide: Callable[[int], Decision[Message, bool]], interval_ms: int
) -> TimerChange[Message]:
    """A timer that makes a decision now and then: after an interval, or at once when some of its work is left."""

    def run(now_ms: int) -> Decision[Message, None]:
        decision = decide(now_ms)
        after = again_at(key, now_ms + (1 if decision.response else interval_ms), decide, interval_ms)
        return Decision(decision.records, None, [after])

    return TimerChange(key, deadline_ms, run)
