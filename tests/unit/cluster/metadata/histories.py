"""Histories of clusters: records in an order that a controller could write them in, drawn from a seed.

A history uses only what its metadata version can say, and every kind of record that exists at it.
"""

import random
from collections.abc import Callable, Sequence

from ottla.cluster.metadata.delta import MetadataDelta
from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.cluster.metadata.loader import Loader
from ottla.cluster.metadata.publisher import Publisher
from ottla.cluster.metadata.records import version_for
from ottla.protocol.codec.message import Message
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import LATEST, SINCE, MetadataVersion
from ottla.protocol.internal_records import write_metadata_record
from ottla.protocol.messages import metadata_records as records
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.builder import BatchBuilder, BatchFields

NODES = range(1, 6)
TOPICS = ("a", "b", "c", "__consumer_offsets")
SETTINGS = ("retention.ms", "segment.bytes", "no.such.setting")


def uuid(number: int) -> Uuid:
    """An id."""
    return Uuid(number.to_bytes(16))


class History:
    """Draws one record after the other; knows what is there."""

    def __init__(self, rng: random.Random, metadata_version: MetadataVersion = LATEST) -> None:
        self.rng, self.metadata_version = rng, metadata_version
        self.epochs: dict[int, int] = {}
        self.topics: dict[str, tuple[Uuid, int]] = {}  # id, number of partitions
        self.entries: set[int] = set()
        self.drawn = 100
        self.kinds: list[Callable[[], list[Message]]] = [
            self.broker, self.broker_change, self.broker_gone, self.topic, self.topic_gone, self.partition,
            self.config, self.quota, self.producer_ids, self.entry, self.entry_gone, self.feature, self.nothing,
        ]  # fmt: skip
        self.kinds += [self.partition_change] * 5
        for capability, kind in {
            "scram": self.scram,
            "delegation tokens": self.token,
            "controller registration": self.controller,
            "eligible leader replicas": self.clear_elr,
        }.items():
            if self.can(capability):
                self.kinds.append(kind)

    def can(self, capability: str) -> bool:
        """Whether the metadata version has something."""
        return self.metadata_version >= SINCE[capability]

    def messages(self, count: int) -> list[Message]:
        """At least this many records; the metadata version comes first."""
        drawn: list[Message] = [records.FeatureLevelRecord("metadata.version", self.metadata_version)]
        while len(drawn) < count:
            drawn += self.rng.choice(self.kinds)()
        return drawn

    def fresh(self) -> Uuid:
        """An id that nothing has."""
        self.drawn += 1
        return uuid(self.drawn)

    def nodes(self) -> list[int]:
        """Some nodes, in some order."""
        return self.rng.sample(NODES, self.rng.randint(1, 3))

    def broker(self) -> list[Message]:
        """A broker registers."""
        rng, node_id = self.rng, self.rng.choice(NODES)
        self.epochs[node_id] = self.epochs.get(node_id, 0) + 1
        return [
            records.RegisterBrokerRecord(
                node_id,
                incarnation_id=self.fresh(),
                broker_epoch=self.epochs[node_id],
                end_points=[
                    records.RegisterBrokerRecord.BrokerEndpoint(name, "host", rng.randint(1, 65535), 0)
                    for name in rng.sample(["B", "A", "C"], rng.randint(0, 3))
                ],
                features=[records.RegisterBrokerRecord.BrokerFeature("group.version", 0, 1)],
                rack=rng.choice([None, "", "r1"]),
                fenced=rng.random() < 0.5,
                in_controlled_shutdown=rng.random() < 0.2,
                log_dirs=[self.fresh()] if self.can("directory assignment") else [],
                cordoned_log_dirs=rng.choice([None, []]) if self.can("cordoned log directories") else None,
            )
        ]

    def broker_change(self) -> list[Message]:
        """Something about a broker changes."""
        rng = self.rng
        if not self.epochs:
            return []
        node_id = rng.choice(sorted(self.epochs))
        epoch = self.epochs[node_id]
        change = records.BrokerRegistrationChangeRecord(
            node_id,
            epoch,
            rng.choice([-1, 0, 1]),
            rng.choice([0, 1]),
            [self.fresh(), self.fresh()] if self.can("directory assignment") and rng.random() < 0.5 else [],
            [self.fresh()] if self.can("cordoned log directories") and rng.random() < 0.5 else None,
        )
        fence, unfence = records.FenceBrokerRecord(node_id, epoch), records.UnfenceBrokerRecord(node_id, epoch)
        return [rng.choice([change, fence, unfence])]

    def broker_gone(self) -> list[Message]:
        """A broker is forgotten."""
        if not self.epochs or self.rng.random() < 0.7:
            return []
        node_id = self.rng.choice(sorted(self.epochs))
        return [records.UnregisterBrokerRecord(node_id, self.epochs.pop(node_id))]

    def controller(self) -> list[Message]:
        """A controller registers."""
        end_point = records.RegisterControllerRecord.ControllerEndpoint("CONTROLLER", "host", 9093, 0)
        feature = records.RegisterControllerRecord.ControllerFeature("metadata.version", 7, 30)
        node_id = self.rng.choice(NODES)
        return [records.RegisterControllerRecord(node_id, self.fresh(), False, [end_point], [feature])]

    def topic(self) -> list[Message]:
        """A topic is made, if there is a name for it."""
        free = [name for name in TOPICS if name not in self.topics]
        if not free:
            return []
        name, count, topic_id = self.rng.choice(free), self.rng.choice([0, 1, 3, 70]), self.fresh()
        self.topics[name] = (topic_id, count)
        return [records.TopicRecord(name, topic_id), *(self._partition(topic_id, index) for index in range(count))]

    def topic_gone(self) -> list[Message]:
        """A topic is deleted, and its name may come again."""
        if not self.topics or self.rng.random() < 0.5:
            return []
        return [records.RemoveTopicRecord(self.topics.pop(self.rng.choice(sorted(self.topics)))[0])]

    def partition(self) -> list[Message]:
        """A topic grows."""
        if not self.topics:
            return []
        name = self.rng.choice(sorted(self.topics))
        topic_id, count = self.topics[name]
        self.topics[name] = (topic_id, count + 1)
        return [self._partition(topic_id, count)]

    def _partition(self, topic_id: Uuid, index: int) -> Message:
        nodes = self.nodes()
        says_directories = self.can("directory assignment") and self.rng.random() < 0.7
        return records.PartitionRecord(
            index, topic_id, nodes, nodes, [], [], nodes[0], 0, 0, 0,
            directories=[uuid(node_id) for node_id in nodes] if says_directories else [],
            eligible_leader_replicas=self.rng.choice([None, [1]]) if self.can("eligible leader replicas") else None,
        )  # fmt: skip

    def partition_change(self) -> list[Message]:
        """Something about a partition changes."""
        rng = self.rng
        grown = [name for name in sorted(self.topics) if self.topics[name][1]]
        if not grown:
            return []
        topic_id, count = self.topics[rng.choice(grown)]
        change = records.PartitionChangeRecord(rng.randrange(count), topic_id)
        change.leader = rng.choice([-2, -1, 1, 2])
        change.leader_recovery_state = rng.choice([-1, 0, 1])
        if rng.random() < 0.5:
            change.isr = self.nodes()
        if rng.random() < 0.3:
            change.replicas = self.nodes()
            change.adding_replicas, change.removing_replicas = [1], []
            if self.can("directory assignment"):
                change.directories = [uuid(node_id) for node_id in change.replicas]
        if self.can("eligible leader replicas") and rng.random() < 0.3:
            change.eligible_leader_replicas, change.last_known_elr = self.nodes(), rng.choice([None, [], [4]])
        return [change]

    def clear_elr(self) -> list[Message]:
        """Eligible leaders are forgotten."""
        if not self.topics or self.rng.random() < 0.5:
            return []
        return [records.ClearElrRecord(self.rng.choice(["", *sorted(self.topics)]))]

    def config(self) -> list[Message]:
        """A setting is set or reset."""
        rng = self.rng
        kind, resource = rng.choice(
            [(4, ""), (4, "1"), (32, "group"), (16, "metrics"), *((2, name) for name in TOPICS)]
        )
        name = {32: "consumer.session.timeout.ms", 16: "interval.ms"}.get(kind) or rng.choice(SETTINGS)
        if kind == 2 and resource not in self.topics:
            return []
        return [records.ConfigRecord(kind, resource, name, rng.choice([None, "1", "2", ""]))]

    def quota(self) -> list[Message]:
        """A quota is set or removed."""
        rng = self.rng
        parts = [("user", rng.choice([None, "u"])), ("client-id", rng.choice([None, "c"])), ("ip", "1.2.3.4")]
        entity = [records.ClientQuotaRecord.EntityData(*part) for part in rng.sample(parts, rng.randint(1, 2))]
        return [records.ClientQuotaRecord(entity, rng.choice(["x", "y"]), rng.random(), rng.random() < 0.3)]

    def producer_ids(self) -> list[Message]:
        """A block of producer ids is given away."""
        self.drawn += 1000
        return [records.ProducerIdsRecord(1, 1, self.drawn)]

    def entry(self) -> list[Message]:
        """An ACL is added."""
        entry_id = self.fresh()
        self.entries.add(self.drawn)
        return [records.AccessControlEntryRecord(entry_id, 2, "a", 3, "User:alice", "*", 3, 3)]

    def entry_gone(self) -> list[Message]:
        """An ACL is removed."""
        if not self.entries:
            return []
        number = self.rng.choice(sorted(self.entries))
        self.entries.remove(number)
        return [records.RemoveAccessControlEntryRecord(uuid(number))]

    def scram(self) -> list[Message]:
        """A credential is set or removed."""
        user, mechanism = self.rng.choice(["alice", "bob"]), self.rng.choice([1, 2])
        credential = records.UserScramCredentialRecord(user, mechanism, b"salt", b"stored", self.fresh(), 4096)
        return [self.rng.choice([credential, records.RemoveUserScramCredentialRecord(user, mechanism)])]

    def token(self) -> list[Message]:
        """A token is set or removed."""
        token_id = self.rng.choice(["t1", "t2"])
        token = records.DelegationTokenRecord("User:a", "User:b", ["User:c"], 1, 2, self.rng.randint(3, 9), token_id)
        return [self.rng.choice([token, records.RemoveDelegationTokenRecord(token_id)])]

    def feature(self) -> list[Message]:
        """A level is finalised, or a feature ended."""
        name = self.rng.choice(["group.version", "share.version", "kraft.version"])
        return [records.FeatureLevelRecord(name, self.rng.choice([0, 1]))]

    def nothing(self) -> list[Message]:
        """Records that change nothing."""
        return [self.rng.choice([records.NoOpRecord(), records.ZkMigrationStateRecord(1)])]


def batch_of(
    messages: list[Message], base_offset: int = 0, epoch: int = 1, version: MetadataVersion = LATEST
) -> RecordBatch:
    """Records as a batch of the log."""
    building = BatchBuilder(BatchFields(base_offset, epoch))
    for message in messages:
        building.append(1, None, write_metadata_record(message, version_for(message, version)))
    return RecordBatch(memoryview(building.build()))


def loaded(messages: list[Message], sizes: Callable[[], int], version: MetadataVersion = LATEST) -> MetadataImage:
    """The image that a loader makes of these records in batches, published after each."""
    publisher = Publisher()
    loader = Loader(publisher)
    offset = 0
    while offset < len(messages):
        batch = batch_of(messages[offset : offset + sizes()], offset, version=version)
        loader.load_batch(batch)
        loader.publish()
        offset = batch.next_offset
    return loader.image


def replayed(
    messages: Sequence[Message], base: MetadataImage = EMPTY, provenance: Provenance | None = None
) -> MetadataImage:
    """The image that these records make of another one, all at once."""
    delta = MetadataDelta(base)
    for message in messages:
        delta.replay(message)
    return delta.apply(base.provenance if provenance is None else provenance)
