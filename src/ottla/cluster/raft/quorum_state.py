"""What a replica must not forget: the epoch that it is in, whom it voted for, and who leads; the file `quorum-state`.

It is on the disk before anybody hears of it: a vote that is forgotten is given twice. The file is one line of JSON, as
Kafka writes it: without spaces, fields in the order of its schema, and `data_version` at the end. Version 0 belongs to
kraft.version 0 and names the voters, version 1 the directory of whom we voted for (KIP-853).

A file that says anything else is a `CorruptFile`. Unknown fields are no fault, since Kafka's reader steps over them.
"""

import json
from dataclasses import dataclass
from typing import Final

from ottla.cluster.raft.voters import NO_NODE, ReplicaKey
from ottla.errors import CorruptFile
from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.uuids import parse_uuid, uuid_text

FILE_NAME: Final = "quorum-state"
VERSIONS: Final = range(2)
_LARGEST = {"leaderId": 2**31 - 1, "leaderEpoch": 2**31 - 1, "votedId": 2**31 - 1, "data_version": 2**15 - 1}


@dataclass(frozen=True, slots=True)
class ElectionState:
    """An epoch, who leads in it if that is known, and whom this replica voted for in it."""

    epoch: int = 0
    leader_id: int | None = None
    voted: ReplicaKey | None = None

    def to_bytes(self, version: int, voter_ids: tuple[int, ...] = ()) -> bytes:
        """The file's content."""
        assert version in VERSIONS
        leader_id = NO_NODE if self.leader_id is None else self.leader_id
        voted_id = NO_NODE if self.voted is None else self.voted.node_id
        fields: dict[str, object] = {"leaderId": leader_id, "leaderEpoch": self.epoch, "votedId": voted_id}
        if version == 0:
            voters = [{"voterId": voter_id} for voter_id in voter_ids]
            fields = {"clusterId": ""} | fields | {"appliedOffset": 0, "currentVoters": voters}
        else:
            fields["votedDirectoryId"] = uuid_text(ZERO_UUID if self.voted is None else self.voted.directory_id)
        return json.dumps(fields | {"data_version": version}, separators=(",", ":")).encode()

    @classmethod
    def from_bytes(cls, path: str, data: bytes) -> "ElectionState":
        """What a file's content says; the path is for the error. Only the first line counts."""
        try:
            fields = json.loads(data.decode().partition("\n")[0])
        except (ValueError, RecursionError):
            raise CorruptFile(f"{path} is not a line of JSON", path=path) from None
        if not isinstance(fields, dict):
            raise CorruptFile(f"{path} holds no JSON object", path=path)
        version = _number(path, fields, "data_version", least=0)
        if version not in VERSIONS:
            raise CorruptFile(f"{path} has data_version {version}; 0 and 1 are known", path=path)
        leader_id, voted_id = (_number(path, fields, name, least=NO_NODE) for name in ("leaderId", "votedId"))
        voted = None
        if voted_id != NO_NODE:
            voted = ReplicaKey(voted_id, _directory(path, fields) if version == 1 else ZERO_UUID)
        epoch = _number(path, fields, "leaderEpoch", least=0)
        return cls(epoch, None if leader_id == NO_NODE else leader_id, voted)


def _number(path: str, fields: dict[str, object], name: str, least: int) -> int:
    value = fields.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= _LARGEST[name]:
        raise CorruptFile(f"{path}: {name} is {str(value)[:40]}, and should be a number from {least} on", path=path)
    return value


def _directory(path: str, fields: dict[str, object]) -> Uuid:
    """The directory of whom we voted for."""
    text = fields.get("votedDirectoryId")
    try:
        return parse_uuid(text if isinstance(text, str) else "")
    except ValueError as error:
        raise CorruptFile(f"{path}: votedDirectoryId: {error}", path=path) from None
