"""The controller under any sequence of requests, failures and losses of office, against its own log.

The office makes every decision twice, to see that it changes nothing, and checks the state after every step. Here the
log is folded into partitions by itself: what a record may do to a partition is judged record by record.
"""

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ottla.cluster.controller.partitions.partition import (
    NO_LEADER,
    RECOVERING,
    Partition,
    TopicPartition,
    changed,
    created,
    is_sound,
)
from ottla.cluster.controller.topics import DEFAULT
from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, Provenance
from ottla.errors import RequestRefused
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.features import MetadataVersion
from ottla.protocol.messages.cluster import (
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
    UpdateFeaturesRequest_FeatureUpdateKey,
)
from ottla.protocol.messages.configs import (
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsRequest_AlterableConfig,
    IncrementalAlterConfigsRequest_AlterConfigsResource,
)
from ottla.protocol.messages.metadata_records import (
    ClearElrRecord,
    PartitionChangeRecord,
    PartitionRecord,
    RemoveTopicRecord,
)
from ottla.protocol.messages.topics import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsRequest_ReassignablePartition,
    AlterPartitionReassignmentsRequest_ReassignableTopic,
    CreatePartitionsRequest,
    CreatePartitionsRequest_CreatePartitionsTopic,
    CreateTopicsRequest,
    CreateTopicsRequest_CreatableTopic,
    DeleteTopicsRequest,
    DeleteTopicsRequest_DeleteTopicState,
    ElectLeadersRequest,
)
from ottla.replicated.runtime import Submit, Turn
from tests.unit.cluster.controller.office import Office, refused, replayed, state_of, uuid

BROKERS = (1, 2, 3, 4)
NAMES = ("a", "b.c", "b_c")
ELR = "eligible.leader.replicas.version"

brokers = st.sampled_from(BROKERS)
names = st.sampled_from(NAMES)
sets_of_brokers = st.lists(brokers, unique=True, min_size=1, max_size=4)


class AnyCourse(RuleBasedStateMachine):
    """Brokers come and go, topics are made and moved, controllers fail over."""

    @initialize(
        version=st.sampled_from(
            [
                MetadataVersion.IBP_3_3_IV3,
                MetadataVersion.IBP_3_7_IV2,
                MetadataVersion.IBP_4_0_IV1,
                MetadataVersion.IBP_4_3_IV0,
            ]
        )
    )
    def begin(self, version: MetadataVersion) -> None:
        """A cluster of some age, with its brokers."""
        quiet = {"metadata.max.idle.interval.ms": "0"}  # a record every 500 ms would be most of what happens
        self.office = Office(version=version, racks={1: "r", 2: "r", 3: "s"}, static=quiet)
        self.epoch = 1
        self.checked = 0
        self.partitions: dict[TopicPartition, Partition] = {}
        for broker_id in BROKERS:
            self.start(broker_id, is_clean=True)
            self.beat(broker_id, "nothing")
        self.create("a", 3, 3)

    @property
    def keys(self) -> list[tuple[str, int]]:
        """All partitions."""
        topics = self.office.controller.table.topics.values()
        return [(topic.name, partition_id) for topic in topics for partition_id in topic.partitions]

    # Brokers

    @rule(broker_id=brokers, is_clean=st.booleans())
    def start(self, broker_id: int, *, is_clean: bool) -> None:
        """A broker starts anew; refused while its earlier life has a session."""
        fields: dict[str, Any] = {"log_dirs": [uuid(broker_id), uuid(broker_id + 100)]}
        if not is_clean:
            fields["previous_broker_epoch"] = -1
        broker = self.office.controller.brokers.get(broker_id)
        if broker is not None and self.office.controller.heartbeats.is_alive(broker, self.office.now_ms):
            code, _ = refused(lambda: self.office.register(broker_id, **fields))
            assert code == ErrorCode.DUPLICATE_BROKER_REGISTRATION
            self.office.incarnations[broker_id] -= 1
        else:
            self.office.register(broker_id, **fields)

    @rule(broker_id=brokers, wants=st.sampled_from(["nothing", "nothing", "want_fence", "want_shut_down"]))
    def beat(self, broker_id: int, wants: str) -> None:
        """A heartbeat."""
        if self.office.controller.brokers.get(broker_id) is not None:
            self.office.heartbeat(broker_id, **({} if wants == "nothing" else {wants: True}))

    @rule(broker_id=brokers)
    def lose_directory(self, broker_id: int) -> None:
        """A broker's first directory fails."""
        if self.office.controller.brokers.get(broker_id) is not None:
            self.office.heartbeat(broker_id, offline_log_dirs=[uuid(broker_id)])

    @rule(broker_id=brokers)
    def unregister(self, broker_id: int) -> None:
        """Somebody has a broker forgotten."""
        request = UnregisterBrokerRequest(broker_id)
        self.ask(lambda now_ms: self.office.controller.registration.unregister(request, now_ms))

    @rule(silent=st.sets(brokers, max_size=2))
    def go_on(self, silent: set[int]) -> None:
        """Ten seconds pass, and some brokers send no heartbeats: they are fenced. The others return."""
        for _ in range(4):
            self.office.advance(2_500)
            for broker_id in BROKERS:
                if broker_id not in silent:
                    self.beat(broker_id, "nothing")

    @rule()
    def silence(self) -> None:
        """Nobody is heard of until the next balancing."""
        self.office.advance(300_001)

    # Topics

    def ask(self, decide: Any) -> Any:
        """A decision that may be refused as a whole."""
        try:
            return self.office.ask(decide)
        except RequestRefused:
            return None

    @rule(name=names, partitions=st.integers(1, 3), replication_factor=st.sampled_from([DEFAULT, 2, 3]))
    def create(self, name: str, partitions: int, replication_factor: int) -> None:
        """A topic is made, if its name is free and brokers are there."""
        request = CreateTopicsRequest([CreateTopicsRequest_CreatableTopic(name, partitions, replication_factor)])
        self.ask(lambda now_ms: self.office.controller.topics.create(request, now_ms))

    @rule(name=names, count=st.integers(1, 4))
    def grow(self, name: str, count: int) -> None:
        """A topic gets more partitions, if it has fewer."""
        request = CreatePartitionsRequest([CreatePartitionsRequest_CreatePartitionsTopic(name, count, None)])
        self.ask(lambda now_ms: self.office.controller.topics.create_partitions(request, now_ms))

    @rule(name=st.sampled_from(NAMES[1:]))
    def delete(self, name: str) -> None:
        """A topic is deleted."""
        request = DeleteTopicsRequest([DeleteTopicsRequest_DeleteTopicState(name)])
        self.ask(lambda now_ms: self.office.controller.deletion.delete(request, now_ms))

    @rule(
        name=st.sampled_from([*NAMES, ""]),
        change=st.sampled_from(
            [
                ("unclean.leader.election.enable", "true"),
                ("unclean.leader.election.enable", "false"),
                ("min.insync.replicas", "1"),
                ("min.insync.replicas", "2"),
                ("min.insync.replicas", "3"),
            ]
        ),
    )
    def configure(self, name: str, change: tuple[str, str]) -> None:
        """A setting of a topic, or of all brokers, changes."""
        row = IncrementalAlterConfigsRequest_AlterableConfig(change[0], 0, change[1])
        resource = IncrementalAlterConfigsRequest_AlterConfigsResource(2 if name else 4, name, [row])
        request = IncrementalAlterConfigsRequest([resource])
        self.ask(lambda now_ms: self.office.controller.alter_configs.incremental(request, now_ms))

    @rule(level=st.integers(0, 1))
    def keep_elr(self, level: int) -> None:
        """Eligible leaders are kept from now on, or no longer."""
        row = UpdateFeaturesRequest_FeatureUpdateKey(ELR, level, upgrade_type=1 if level else 2)
        request = UpdateFeaturesRequest(feature_updates=[row])
        self.ask(lambda now_ms: self.office.controller.features.update(request, now_ms))

    # Partitions

    @precondition(lambda self: self.keys)
    @rule(data=st.data())
    def catch_up(self, data: st.DataObject) -> None:
        """Everybody who can has caught up with a leader."""
        name, partition_id = data.draw(st.sampled_from(self.keys))
        partition = self.office.partition(name, partition_id)
        if partition.leader != NO_LEADER:
            isr = [each for each in partition.replicas if self.office.controller.brokers.is_active(each)]
            self.office.alter_isr(name, isr, partition_id=partition_id)

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), members=sets_of_brokers, is_late=st.booleans())
    def alter_isr(self, data: st.DataObject, members: list[int], *, is_late: bool) -> None:
        """A leader asks for an ISR, sometimes going by an older state."""
        name, partition_id = data.draw(st.sampled_from(self.keys))
        partition = self.office.partition(name, partition_id)
        if partition.leader == NO_LEADER:
            return
        fields: dict[str, Any] = {"partition_epoch": partition.partition_epoch - 1} if is_late else {}
        isr = dict.fromkeys([partition.leader, *(each for each in members if each in partition.replicas)])
        row = self.office.alter_isr(name, list(isr), partition_id=partition_id, **fields)
        assert not is_late or row.error_code == ErrorCode.INVALID_UPDATE_VERSION

    @precondition(lambda self: self.keys)
    @rule(data=st.data(), replicas=st.none() | sets_of_brokers)
    def move(self, data: st.DataObject, replicas: list[int] | None) -> None:
        """A partition is moved, or no longer."""
        name, partition_id = data.draw(st.sampled_from(self.keys))
        row = AlterPartitionReassignmentsRequest_ReassignablePartition(partition_id, replicas)
        request = AlterPartitionReassignmentsRequest(
            topics=[AlterPartitionReassignmentsRequest_ReassignableTopic(name, [row])]
        )
        self.ask(lambda now_ms: self.office.controller.reassignment.alter(request, now_ms))

    @rule(kind=st.integers(0, 1))
    def elect(self, kind: int) -> None:
        """Somebody asks for elections everywhere."""
        request = ElectLeadersRequest(kind, None)
        self.ask(lambda now_ms: self.office.controller.elections.elect(request, now_ms))

    # Office

    @rule(name=names, is_appended=st.booleans())
    def fail_over(self, name: str, *, is_appended: bool) -> None:
        """A decision is made and never committed; the controller loses office, and takes it again."""
        office = self.office
        before = state_of(office.controller)
        request = CreateTopicsRequest([CreateTopicsRequest_CreatableTopic(name, 1, 1)])
        office.step(Submit(lambda now_ms: office.controller.topics.create(request, now_ms), "lost"))
        if is_appended:
            office.step(Turn())
        office.resign()
        assert state_of(office.controller) == before
        self.epoch += 1
        office.elect(self.epoch)

    # What is always true

    @invariant()
    def records_do_what_they_may(self) -> None:
        """Epochs only grow, a leader is in the ISR, and whoever leads without having been in sync recovers."""
        records = self.office.log.records
        for record in records[self.checked :]:
            match record:
                case PartitionRecord():
                    self.partitions[TopicPartition(record.topic_id, record.partition_id)] = created(record)
                case PartitionChangeRecord():
                    key = TopicPartition(record.topic_id, record.partition_id)
                    before, self.partitions[key] = self.partitions[key], changed(self.partitions[key], record)
                    judge(before, self.partitions[key])
                case RemoveTopicRecord():
                    self.partitions = {
                        key: each for key, each in self.partitions.items() if key.topic_id != record.topic_id
                    }
                case ClearElrRecord():
                    self.clear_elr(record.topic_name)
                case _:
                    pass
        self.checked = len(records)
        table = self.office.controller.table
        assert self.partitions == {
            TopicPartition(topic.topic_id, partition_id): partition
            for topic in table.topics.values()
            for partition_id, partition in topic.partitions.items()
        }

    @invariant()
    def whoever_can_leads(self) -> None:
        """Leaders are active, and a partition without leader has nobody in sync, or eligible, who is."""
        brokers = self.office.controller.brokers
        for partition in self.table_partitions():
            if partition.leader != NO_LEADER:
                assert brokers.is_active(partition.leader), partition
                continue
            for broker_id in partition.isr or partition.elr:
                broker = brokers.get(broker_id)
                may_lead = broker and broker.is_active and broker.has_online(partition.directory_of(broker_id))
                assert not may_lead, partition

    def clear_elr(self, name: str) -> None:
        """Nobody of a topic, or of all, is eligible any more."""
        topic_id = self.office.controller.table.topic_ids.get(name)
        for key, partition in self.partitions.items():
            if (not name or key.topic_id == topic_id) and (partition.elr or partition.last_known_elr):
                epoch = partition.partition_epoch + 1
                self.partitions[key] = partition._replace(elr=(), last_known_elr=(), partition_epoch=epoch)

    def teardown(self) -> None:
        """State is what the log says; and when all brokers are back, everybody is where he should be."""
        if not hasattr(self, "office"):
            return
        self.same_as_replayed()
        self.same_as_image()
        self.heal()
        self.records_do_what_they_may()
        self.same_as_replayed()
        self.same_as_image()
        for name, partition_id in self.keys:
            partition = self.office.partition(name, partition_id)
            assert partition.is_balanced, (name, partition_id, partition)
            assert set(partition.isr) == set(partition.replicas)
            assert not partition.is_reassigning

    def same_as_replayed(self) -> None:
        """Another controller that reads the log is in the same state."""
        assert state_of(replayed(self.office.log.records)) == state_of(self.office.controller)

    def same_as_image(self) -> None:
        """Brokers, whose images are made of the same records, know the same partitions, epochs and brokers."""
        delta = MetadataDelta(EMPTY)
        for record in self.office.log.records:
            delta.replay(record)
        image = delta.apply(Provenance())
        assert {
            TopicPartition(topic.topic_id, index): (
                partition.replicas, partition.isr, partition.leader_id, partition.leader_epoch,
                partition.partition_epoch,
                partition.adding_replicas, partition.removing_replicas, partition.eligible_leader_replicas,
                partition.last_known_elr, partition.directories,
            )
            for topic in image.topics.by_id.values()
            for index, partition in topic.partitions.items()
        } == {
            key: (
                each.replicas, each.isr, each.leader, each.leader_epoch, each.partition_epoch, each.adding,
                each.removing, each.elr, each.last_known_elr, each.directories,
            )
            for key, each in self.partitions.items()
        }  # fmt: skip
        assert {
            (each.node_id, each.broker_epoch, each.fenced, each.in_controlled_shutdown)
            for each in image.cluster.brokers.values()
        } == {
            (each.broker_id, each.epoch, each.fenced, each.in_controlled_shutdown)
            for each in self.office.controller.brokers
        }

    def heal(self) -> None:
        """All brokers return, everybody catches up, moves end, and leaders are balanced."""
        office = self.office
        office.advance(9_001)
        for broker_id in BROKERS:
            self.start(broker_id, is_clean=True)
            assert not office.heartbeat(broker_id).is_fenced
        office.advance(2)
        if any(partition.leader == NO_LEADER for partition in self.table_partitions()):
            self.elect(1)  # who was eligible had been forgotten by a change of min.insync.replicas
        for _ in range(2):  # a completed move may have changed the leader, which then asks anew
            for name, partition_id in self.keys:
                partition = office.partition(name, partition_id)
                office.alter_isr(name, partition.replicas, partition_id=partition_id)
        while office.ask(office.controller.elections.balance):
            pass

    def table_partitions(self) -> list[Partition]:
        """All partitions as they are."""
        return [self.office.partition(name, partition_id) for name, partition_id in self.keys]


def judge(before: Partition, after: Partition) -> None:
    """Whether a change may be."""
    assert is_sound(after), after
    assert after.partition_epoch == before.partition_epoch + 1
    assert after.leader_epoch - before.leader_epoch in (0, 1)
    if after.leader == before.leader:
        return
    assert after.leader_epoch == before.leader_epoch + 1, "another leader without another epoch"
    if after.leader != NO_LEADER:
        completes_move = before.is_reassigning and not after.is_reassigning
        was_in_sync = after.leader in before.isr or after.leader in before.elr or completes_move
        assert was_in_sync or after.recovery == RECOVERING, f"an unclean election that is not said: {before} {after}"


TestController = AnyCourse.TestCase
TestController.settings = settings(max_examples=60, stateful_step_count=40)
