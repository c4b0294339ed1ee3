"""Delegation tokens, by their ids. Read and written back; nothing issues or checks them yet.

Always true: a token's HMAC is not in the metadata, it follows from its id and the cluster's secret; removing a token
that is not there is no fault, as in Kafka.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.records import VersionedRecord
from ottla.errors import UnwritableMetadata
from ottla.protocol.features import SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import DelegationTokenRecord, RemoveDelegationTokenRecord


@dataclass(frozen=True, slots=True)
class DelegationToken:
    """Who has it, who may renew it, how long it lives. Principals as `User:alice`."""

    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp: int
    max_timestamp: int
    expiration_timestamp: int


@dataclass(frozen=True, slots=True)
class DelegationTokensImage:
    """All tokens."""

    tokens: ChunkedMap[str, DelegationToken] = field(default_factory=ChunkedMap)

    def records(self, metadata_version: MetadataVersion) -> Iterator[VersionedRecord]:
        """A record for each token."""
        if self.tokens and metadata_version < SINCE["delegation tokens"]:
            raise UnwritableMetadata(f"{metadata_version.text} has no delegation tokens, {len(self.tokens)} exist")
        for token_id in sorted(self.tokens):
            token = self.tokens[token_id]
            yield VersionedRecord(
                DelegationTokenRecord(
                    token.owner,
                    token.requester,
                    token.renewers,
                    token.issue_timestamp,
                    token.max_timestamp,
                    token.expiration_timestamp,
                    token_id,
                )
            )


class DelegationTokensDelta:
    """Tokens that came or changed, and None for those that went."""

    __slots__ = ("base", "tokens")

    def __init__(self, base: DelegationTokensImage) -> None:
        self.base = base
        self.tokens = MapDelta(base.tokens)

    def __bool__(self) -> bool:
        return bool(self.tokens)

    def set_token(self, record: DelegationTokenRecord) -> None:
        """A token is issued or renewed."""
        self.tokens[record.token_id] = DelegationToken(
            record.owner,
            record.requester,
            tuple(record.renewers),
            record.issue_timestamp,
            record.max_timestamp,
            record.expiration_timestamp,
        )

    def remove(self, record: RemoveDelegationTokenRecord) -> None:
        """A token is gone."""
        del self.tokens[record.token_id]

    def become(self, image: DelegationTokensImage) -> None:
        """Change to what another image says."""
        self.tokens.become(image.tokens)

    def apply(self) -> DelegationTokensImage:
        """The image with the changes made."""
        return DelegationTokensImage(self.tokens.apply()) if self else self.base
