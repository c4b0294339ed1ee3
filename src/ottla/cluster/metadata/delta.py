"""What records do to an image: replayed one after the other, looked at by whoever has to act, applied at the end.

Always true: the base does not change; a part that is false has not changed, and `apply` hands on that part of the base
itself. `replay` decides nothing: a record either changes its part or, if it cannot follow those before it, raises
`DamagedMetadata` and has changed nothing, so that a caller may go on with the next one, as Kafka's brokers do.
Transactions are not known here: their three records are the loader's.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from ottla.cluster.metadata.image import EMPTY, MetadataImage, Provenance
from ottla.cluster.metadata.parts.acls import AclsDelta
from ottla.cluster.metadata.parts.client_quotas import ClientQuotasDelta
from ottla.cluster.metadata.parts.cluster import ClusterDelta
from ottla.cluster.metadata.parts.configs import ConfigsDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.parts.delegation_tokens import DelegationTokensDelta
from ottla.cluster.metadata.parts.features import FeaturesDelta
from ottla.cluster.metadata.parts.producer_ids import ProducerIdsDelta
from ottla.cluster.metadata.parts.scram import ScramDelta
from ottla.cluster.metadata.parts.topics import TopicsDelta
from ottla.protocol.codec.message import Message
from ottla.protocol.messages import metadata_records as records


class MetadataDelta:
    """Changes on top of an image, part by part."""

    __slots__ = (
        "acls",
        "base",
        "client_quotas",
        "cluster",
        "configs",
        "delegation_tokens",
        "features",
        "producer_ids",
        "scram",
        "topics",
    )

    def __init__(self, base: MetadataImage) -> None:
        self.base = base
        self.features = FeaturesDelta(base.features)
        self.cluster = ClusterDelta(base.cluster)
        self.topics = TopicsDelta(base.topics)
        self.configs = ConfigsDelta(base.configs)
        self.client_quotas = ClientQuotasDelta(base.client_quotas)
        self.producer_ids = ProducerIdsDelta(base.producer_ids)
        self.acls = AclsDelta(base.acls)
        self.scram = ScramDelta(base.scram)
        self.delegation_tokens = DelegationTokensDelta(base.delegation_tokens)

    @classmethod
    def between(cls, base: MetadataImage, image: MetadataImage) -> "MetadataDelta":
        """What makes one image into another: after a snapshot, and for whoever knows nothing yet (of `EMPTY`)."""
        delta = cls(base)
        delta.features.become(image.features)
        delta.cluster.become(image.cluster)
        delta.topics.become(image.topics)
        delta.configs.become(image.configs)
        delta.client_quotas.become(image.client_quotas)
        delta.producer_ids.become(image.producer_ids)
        delta.acls.become(image.acls)
        delta.scram.become(image.scram)
        delta.delegation_tokens.become(image.delegation_tokens)
        return delta

    def __bool__(self) -> bool:
        """Whether anything has changed."""
        return any(
            (
                self.features,
                self.cluster,
                self.topics,
                self.configs,
                self.client_quotas,
                self.producer_ids,
                self.acls,
                self.scram,
                self.delegation_tokens,
            )
        )

    def replay(self, record: Message) -> None:
        """Do what a record says."""
        replay = _REPLAYS.get(type(record))
        if replay is None:
            raise damaged(record, "not a record that changes an image")
        replay(self, record)

    def apply(self, provenance: Provenance) -> MetadataImage:
        """The image with all changes made, as the one at this place of the log."""
        return MetadataImage(
            provenance,
            self.features.apply(),
            self.cluster.apply(),
            self.topics.apply(),
            self.configs.apply(),
            self.client_quotas.apply(),
            self.producer_ids.apply(),
            self.acls.apply(),
            self.scram.apply(),
            self.delegation_tokens.apply(),
        )


def _remove_topic(delta: MetadataDelta, record: records.RemoveTopicRecord) -> None:
    delta.configs.forget_topic(delta.topics.remove(record))


def _nothing(delta: MetadataDelta, record: Message) -> None:
    """For what moves the log, and says nothing about the cluster."""


_REPLAYS: Final[dict[type[Message], Callable[[MetadataDelta, Any], None]]] = {
    records.RegisterBrokerRecord: lambda delta, record: delta.cluster.register_broker(record),
    records.UnregisterBrokerRecord: lambda delta, record: delta.cluster.unregister_broker(record),
    records.TopicRecord: lambda delta, record: delta.topics.create(record),
    records.PartitionRecord: lambda delta, record: delta.topics.set_partition(record),
    records.ConfigRecord: lambda delta, record: delta.configs.change(record),
    records.PartitionChangeRecord: lambda delta, record: delta.topics.change_partition(record),
    records.FenceBrokerRecord: lambda delta, record: delta.cluster.fence(record),
    records.UnfenceBrokerRecord: lambda delta, record: delta.cluster.unfence(record),
    records.RemoveTopicRecord: _remove_topic,
    records.DelegationTokenRecord: lambda delta, record: delta.delegation_tokens.set_token(record),
    records.UserScramCredentialRecord: lambda delta, record: delta.scram.set_credential(record),
    records.FeatureLevelRecord: lambda delta, record: delta.features.set_level(record),
    records.ClientQuotaRecord: lambda delta, record: delta.client_quotas.change(record),
    records.ProducerIdsRecord: lambda delta, record: delta.producer_ids.give(record),
    records.BrokerRegistrationChangeRecord: lambda delta, record: delta.cluster.change_broker(record),
    records.AccessControlEntryRecord: lambda delta, record: delta.acls.add(record),
    records.RemoveAccessControlEntryRecord: lambda delta, record: delta.acls.remove(record),
    records.NoOpRecord: _nothing,
    records.ZkMigrationStateRecord: _nothing,
    records.RemoveUserScramCredentialRecord: lambda delta, record: delta.scram.remove(record),
    records.RemoveDelegationTokenRecord: lambda delta, record: delta.delegation_tokens.remove(record),
    records.RegisterControllerRecord: lambda delta, record: delta.cluster.register_controller(record),
    records.ClearElrRecord: lambda delta, record: delta.topics.clear_eligible_leaders(record),
}


def image_of(messages: Iterable[Message], provenance: Provenance) -> MetadataImage:
    """The image that a snapshot's records say."""
    delta = MetadataDelta(EMPTY)
    for message in messages:
        delta.replay(message)
    return delta.apply(provenance)
