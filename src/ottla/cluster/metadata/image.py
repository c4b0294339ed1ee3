"""The image of a cluster: everything that its metadata says at one offset, as a value.

An image never changes, so whoever holds one can read it for as long as it likes, and an answer never mixes two states.
The next image shares with it every part, topic and partition that did not change.

Always true: `records` writes the image back as the records of a snapshot, in an order that follows from the image
alone: equal images give the same bytes. What a metadata version has no records for is an `UnwritableMetadata`, never
left out. (Kafka leaves out eligible leaders while their feature is off; a controller clears them then, so there are
none.) The image knows no cluster id: that is in `meta.properties`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from ottla.cluster.metadata.parts.acls import AclsImage
from ottla.cluster.metadata.parts.client_quotas import ClientQuotasImage
from ottla.cluster.metadata.parts.cluster import ClusterImage
from ottla.cluster.metadata.parts.configs import ConfigsImage
from ottla.cluster.metadata.parts.delegation_tokens import DelegationTokensImage
from ottla.cluster.metadata.parts.features import FeaturesImage
from ottla.cluster.metadata.parts.producer_ids import ProducerIdsImage
from ottla.cluster.metadata.parts.scram import ScramImage
from ottla.cluster.metadata.parts.topics import TopicsImage
from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.features import MetadataVersion


@dataclass(frozen=True, slots=True)
class Provenance:
    """Up to where in the log an image reaches: the last offset that it contains, that one's epoch and timestamp.

    A snapshot may be written only where `is_batch_aligned`: its name must be the end of a batch.
    """

    last_contained_offset: int = -1
    last_contained_epoch: int = -1
    last_contained_log_timestamp: int = -1
    is_batch_aligned: bool = False


@dataclass(frozen=True, slots=True)
class MetadataImage:
    """All parts, and where they come from."""

    provenance: Provenance = field(default_factory=Provenance)
    features: FeaturesImage = field(default_factory=FeaturesImage)
    cluster: ClusterImage = field(default_factory=ClusterImage)
    topics: TopicsImage = field(default_factory=TopicsImage)
    configs: ConfigsImage = field(default_factory=ConfigsImage)
    client_quotas: ClientQuotasImage = field(default_factory=ClientQuotasImage)
    producer_ids: ProducerIdsImage = field(default_factory=ProducerIdsImage)
    acls: AclsImage = field(default_factory=AclsImage)
    scram: ScramImage = field(default_factory=ScramImage)
    delegation_tokens: DelegationTokensImage = field(default_factory=DelegationTokensImage)

    def records(self, metadata_version: MetadataVersion | None = None) -> Iterator[VersionedRecord]:
        """The image as records at a metadata version: by default at its own, which it must have then."""
        version = self.features.metadata_version if metadata_version is None else metadata_version
        assert version is not None, "an image without a metadata version cannot be written"
        yield from self.features.records(version)
        yield from self.cluster.records(version)
        yield from self.topics.records(version)
        yield from self.configs.records()
        yield from self.client_quotas.records()
        yield from self.producer_ids.records()
        yield from self.acls.records()
        yield from self.scram.records(version)
        yield from self.delegation_tokens.records(version)


EMPTY: Final = MetadataImage()
