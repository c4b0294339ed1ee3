"""Who votes: replicas known by id and directory, where they are reached, and the set of them.

A voter is a node id and, from kraft.version 1 on, the id of the directory that its log lies in (KIP-853): a node that
lost its disk comes back as another replica, whose vote was never asked for and which has promised nothing. With
kraft.version 0 directories are unknown (`ZERO_UUID`), and the id alone must do.

Always true: a voter set is a value, never changed; ids in it are unique; `adding` and `removing` differ from the set
by one voter, so that majorities before and after have a voter in common.
"""

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final, NamedTuple, Self

from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.messages.control_records import (
    VotersRecord,
    VotersRecord_Endpoint,
    VotersRecord_KRaftVersionFeature,
    VotersRecord_Voter,
)
from ottla.protocol.uuids import uuid_text

NO_NODE: Final = -1


class ReplicaKey(NamedTuple):
    """One life of a replica: its node's id, and its directory's (zero where nobody knows it)."""

    node_id: int
    directory_id: Uuid = ZERO_UUID

    @property
    def has_directory(self) -> bool:
        """Whether the directory is known."""
        return self.directory_id != ZERO_UUID

    def matches(self, other: "ReplicaKey") -> bool:
        """Whether `other` is this replica, as far as we know our own directory."""
        return self.node_id == other.node_id and (not self.has_directory or self.directory_id == other.directory_id)

    def __str__(self) -> str:
        """As log lines and error messages show it."""
        return f"{self.node_id}:{uuid_text(self.directory_id)}" if self.has_directory else str(self.node_id)


class Endpoint(NamedTuple):
    """One listener of a controller."""

    name: str
    host: str
    port: int


class Node(NamedTuple):
    """Where a request goes. Bootstrap servers, whose ids nobody knows, have ids below -1."""

    node_id: int
    host: str
    port: int


class VersionRange(NamedTuple):
    """The kraft.versions that a replica can run."""

    min_version: int = 0
    max_version: int = 0

    def supports(self, version: int) -> bool:
        """Whether a version lies in the range."""
        return self.min_version <= version <= self.max_version


NO_VERSIONS: Final = VersionRange()


@dataclass(frozen=True, slots=True)
class Voter:
    """One who votes."""

    key: ReplicaKey
    endpoints: tuple[Endpoint, ...]
    kraft_versions: VersionRange = NO_VERSIONS

    def node(self, listener_name: str) -> Node | None:
        """Where it is reached by those who use this listener."""
        for name, host, port in self.endpoints:
            if name == listener_name:
                return Node(self.key.node_id, host, port)
        return None


class VoterSet:
    """All who vote, by id."""

    __slots__ = ("_voters",)

    def __init__(self, voters: Iterable[Voter] = ()) -> None:
        self._voters: Mapping[int, Voter] = {
            voter.key.node_id: voter for voter in sorted(voters, key=lambda voter: voter.key.node_id)
        }

    def __len__(self) -> int:
        return len(self._voters)

    def __iter__(self) -> Iterator[Voter]:
        return iter(self._voters.values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VoterSet) and self._voters == other._voters

    def __hash__(self) -> int:
        return hash(tuple(self._voters.values()))

    def __repr__(self) -> str:
        return f"VoterSet({', '.join(str(voter.key) for voter in self)})"

    @property
    def ids(self) -> AbstractSet[int]:
        """Their node ids, in order."""
        return self._voters.keys()

    @property
    def majority(self) -> int:
        """How many votes win: more than half."""
        return len(self._voters) // 2 + 1

    def get(self, node_id: int) -> Voter | None:
        """The voter with this id."""
        return self._voters.get(node_id)

    def is_voter(self, key: ReplicaKey) -> bool:
        """Whether this replica votes: with its directory, where the set knows it."""
        voter = self._voters.get(key.node_id)
        return voter is not None and voter.key.matches(key)

    def is_only_voter(self, key: ReplicaKey) -> bool:
        """Whether nobody else votes."""
        return len(self) == 1 and self.is_voter(key)

    def adding(self, voter: Voter) -> Self:
        """The set with one more."""
        assert voter.key.node_id not in self._voters, f"{voter.key} votes already"
        return type(self)((*self, voter))

    def removing(self, key: ReplicaKey) -> Self | None:
        """The set without this replica; None if it is not in it, or alone in it."""
        voter = self._voters.get(key.node_id)
        if voter is None or voter.key != key or len(self) == 1:
            return None
        return type(self)(other for other in self if other is not voter)

    def updating(self, voter: Voter) -> Self | None:
        """The set with new endpoints and versions of a replica that is in it; None if it is not."""
        if not self.is_voter(voter.key):
            return None
        return type(self)(voter if other.key.node_id == voter.key.node_id else other for other in self)

    def with_directories(self, keys: Mapping[int, ReplicaKey]) -> Self:
        """The set with the directories that voters have told since."""
        return type(self)(replace(voter, key=keys.get(voter.key.node_id, voter.key)) for voter in self)

    # As a record of the log

    @classmethod
    def from_record(cls, record: VotersRecord) -> Self:
        """The set that a record of the log says."""
        return cls(
            Voter(
                ReplicaKey(voter.voter_id, Uuid(bytes(voter.voter_directory_id))),
                tuple(Endpoint(listener.name, listener.host, listener.port) for listener in voter.endpoints),
                VersionRange(
                    voter.kraft_version_feature.min_supported_version, voter.kraft_version_feature.max_supported_version
                ),
            )
            for voter in record.voters
        )

    def to_record(self) -> VotersRecord:
        """The record that says this set."""
        return VotersRecord(
            voters=[
                VotersRecord_Voter(
                    voter.key.node_id,
                    voter.key.directory_id,
                    [VotersRecord_Endpoint(*endpoint) for endpoint in voter.endpoints],
                    VotersRecord_KRaftVersionFeature(*voter.kraft_versions),
                )
                for voter in self
            ]
        )


def static_voters(nodes: Iterable[Node], listener_name: str) -> VoterSet:
    """The set that `controller.quorum.voters` names (kraft.version 0): no directories, one listener."""
    return VoterSet(Voter(ReplicaKey(node_id), (Endpoint(listener_name, host, port),)) for node_id, host, port in nodes)
