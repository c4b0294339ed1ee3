"""SCRAM credentials of users, by mechanism. Read and written back; authentication will ask for them.

Always true: no secret is shown where a credential is printed; removing one that is not there is no fault, as in Kafka.
A mechanism that this release does not have is damage.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ottla.cluster.metadata.chunked_map import ChunkedMap, MapDelta
from ottla.cluster.metadata.parts.damage import damaged
from ottla.cluster.metadata.records import VersionedRecord
from ottla.errors import UnwritableMetadata
from ottla.protocol.features import SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import RemoveUserScramCredentialRecord, UserScramCredentialRecord

MECHANISMS: Final = {1: "SCRAM-SHA-256", 2: "SCRAM-SHA-512"}


class ScramUser(NamedTuple):
    """Whose credential it is, and for which mechanism."""

    mechanism: int
    name: str


@dataclass(frozen=True, slots=True)
class ScramCredential:
    """What a password is checked against; never the password."""

    salt: bytes = field(repr=False)
    stored_key: bytes = field(repr=False)
    server_key: bytes = field(repr=False)
    iterations: int


@dataclass(frozen=True, slots=True)
class ScramImage:
    """All credentials."""

    credentials: ChunkedMap[ScramUser, ScramCredential] = field(default_factory=ChunkedMap)

    def records(self, metadata_version: MetadataVersion) -> Iterator[VersionedRecord]:
        """A record for each credential."""
        if self.credentials and metadata_version < SINCE["scram"]:
            raise UnwritableMetadata(f"{metadata_version.text} has no SCRAM credentials, {len(self.credentials)} exist")
        for user in sorted(self.credentials):
            each = self.credentials[user]
            yield VersionedRecord(
                UserScramCredentialRecord(
                    user.name, user.mechanism, each.salt, each.stored_key, each.server_key, each.iterations
                )
            )


class ScramDelta:
    """Changes of credentials; None in `changes` is one that is gone."""

    __slots__ = ("base", "credentials")

    def __init__(self, base: ScramImage) -> None:
        self.base = base
        self.credentials = MapDelta(base.credentials)

    def __bool__(self) -> bool:
        return bool(self.credentials)

    def set_credential(self, record: UserScramCredentialRecord) -> None:
        """A user has a credential."""
        self.credentials[_user(record)] = ScramCredential(
            bytes(record.salt), bytes(record.stored_key), bytes(record.server_key), record.iterations
        )

    def remove(self, record: RemoveUserScramCredentialRecord) -> None:
        """A user's credential is gone."""
        del self.credentials[_user(record)]

    def become(self, image: ScramImage) -> None:
        """Change to what another image says."""
        self.credentials.become(image.credentials)

    def apply(self) -> ScramImage:
        """The image with the changes made."""
        return ScramImage(self.credentials.apply()) if self else self.base


def _user(record: UserScramCredentialRecord | RemoveUserScramCredentialRecord) -> ScramUser:
    if record.mechanism not in MECHANISMS:
        raise damaged(record, f"there is no SCRAM mechanism {record.mechanism}")
    return ScramUser(record.mechanism, record.name)
