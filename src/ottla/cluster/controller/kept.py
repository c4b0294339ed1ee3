"""Metadata that nothing here decides on yet: client quotas, SCRAM credentials, ACLs and delegation tokens.

It is kept as the records say it, so that a controller which takes over a log with such records has lost nothing of it,
and whoever will decide on them finds the state here.

Always true: each thing is known by its own name; what was removed is gone.
"""

from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import (
    AccessControlEntryRecord,
    ClientQuotaRecord,
    DelegationTokenRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from ottla.replicated.timeline import Journal, TimelineDict

Entity = tuple[tuple[str, str | None], ...]  # sorted (type, name); None: the default


class Kept:
    """State of duties that are still to come."""

    def __init__(self, journal: Journal) -> None:
        self.client_quotas: TimelineDict[tuple[Entity, str], float] = TimelineDict(journal)
        self.scram: TimelineDict[tuple[str, int], UserScramCredentialRecord] = TimelineDict(journal)
        self.acls: TimelineDict[Uuid, AccessControlEntryRecord] = TimelineDict(journal)
        self.delegation_tokens: TimelineDict[str, DelegationTokenRecord] = TimelineDict(journal)

    def replay_client_quota(self, record: ClientQuotaRecord) -> None:
        """A quota is set, or is no more."""
        entity = tuple(sorted(((each.entity_type, each.entity_name) for each in record.entity), key=lambda e: e[0]))
        if record.remove:
            self.client_quotas.pop((entity, record.key), None)
        else:
            self.client_quotas[entity, record.key] = record.value

    def replay_scram(self, record: UserScramCredentialRecord) -> None:
        """A user has a credential."""
        self.scram[record.name, record.mechanism] = record

    def replay_scram_removal(self, record: RemoveUserScramCredentialRecord) -> None:
        """A user has it no longer."""
        self.scram.pop((record.name, record.mechanism), None)

    def replay_acl(self, record: AccessControlEntryRecord) -> None:
        """There is an ACL."""
        self.acls[record.id] = record

    def replay_acl_removal(self, record: RemoveAccessControlEntryRecord) -> None:
        """It is gone."""
        self.acls.pop(record.id, None)

    def replay_token(self, record: DelegationTokenRecord) -> None:
        """There is a token, or it is valid for longer."""
        self.delegation_tokens[record.token_id] = record

    def replay_token_removal(self, record: RemoveDelegationTokenRecord) -> None:
        """It is gone."""
        self.delegation_tokens.pop(record.token_id, None)
