"""Control records: markers inside a partition's log, and the quorum's own records.

Generated from `schema/control_records.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct
from ottla.protocol.codec.wire import ZERO_UUID, Uuid

if TYPE_CHECKING:
    from collections.abc import Sequence


class ControlRecordTypeSchema(Message):
    """The key of a control record, behind its int16 version.

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("type",)

    def __init__(
        self, type: int = 0
    ) -> None:
        self.type = type
        self.unknown_tags = ()


class EndTxnMarker(Message):
    """The value of an abort or commit, behind an int16 version: the end of a transaction in a partition (KIP-98).

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("coordinator_epoch",)

    def __init__(
        self, coordinator_epoch: int = 0
    ) -> None:
        self.coordinator_epoch = coordinator_epoch
        self.unknown_tags = ()


class LeaderChangeMessage_Voter(Struct):
    __qualname__ = "LeaderChangeMessage.Voter"
    __slots__ = ("voter_id", "voter_directory_id",)

    def __init__(
        self, voter_id: int = 0, voter_directory_id: Uuid = ZERO_UUID
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tags = ()


class LeaderChangeMessage(Message):
    """The value of a leader change: the first record of every epoch of the quorum (KIP-595).

    Data, versions 0-1.
    Version 1: directories of the voters (KIP-853).
    """

    VERSIONS = range(0, 2)
    Voter = LeaderChangeMessage_Voter
    __slots__ = ("version", "leader_id", "voters", "granting_voters",)

    def __init__(
        self, version: int = 0, leader_id: int = 0, voters: Sequence[LeaderChangeMessage_Voter] = (),
        granting_voters: Sequence[LeaderChangeMessage_Voter] = ()
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters = voters
        self.granting_voters = granting_voters
        self.unknown_tags = ()


class SnapshotHeaderRecord(Message):
    """The value at the start of a snapshot (KIP-630).

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("version", "last_contained_log_timestamp",)

    def __init__(
        self, version: int = 0, last_contained_log_timestamp: int = 0
    ) -> None:
        self.version = version
        self.last_contained_log_timestamp = last_contained_log_timestamp
        self.unknown_tags = ()


class SnapshotFooterRecord(Message):
    """The value at the end of a snapshot: it is complete (KIP-630).

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("version",)

    def __init__(
        self, version: int = 0
    ) -> None:
        self.version = version
        self.unknown_tags = ()


class KRaftVersionRecord(Message):
    """The value that says how voters are kept (KIP-853).

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    __slots__ = ("version", "kraft_version",)

    def __init__(
        self, version: int = 0, kraft_version: int = 0
    ) -> None:
        self.version = version
        self.kraft_version = kraft_version
        self.unknown_tags = ()


class VotersRecord_Endpoint(Struct):
    __qualname__ = "VotersRecord.Endpoint"
    __slots__ = ("name", "host", "port",)

    def __init__(
        self, name: str = "", host: str = "", port: int = 0
    ) -> None:
        self.name = name
        self.host = host
        self.port = port
        self.unknown_tags = ()


class VotersRecord_KRaftVersionFeature(Struct):
    __qualname__ = "VotersRecord.KRaftVersionFeature"
    __slots__ = ("min_supported_version", "max_supported_version",)

    def __init__(
        self, min_supported_version: int = 0, max_supported_version: int = 0
    ) -> None:
        self.min_supported_version = min_supported_version
        self.max_supported_version = max_supported_version
        self.unknown_tags = ()


class VotersRecord_Voter(Struct):
    __qualname__ = "VotersRecord.Voter"
    __slots__ = ("voter_id", "voter_directory_id", "endpoints", "kraft_version_feature",)

    def __init__(
        self, voter_id: int = 0, voter_directory_id: Uuid = ZERO_UUID, endpoints:
        Sequence[VotersRecord_Endpoint] = (), kraft_version_feature: VotersRecord_KRaftVersionFeature =
        VotersRecord_KRaftVersionFeature.default()
    ) -> None:
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.endpoints = endpoints
        self.kraft_version_feature = kraft_version_feature
        self.unknown_tags = ()


class VotersRecord(Message):
    """The value that says who votes from here on (KIP-853).

    Data, version 0.
    """

    VERSIONS = range(0, 1)
    Voter = VotersRecord_Voter
    Endpoint = VotersRecord_Endpoint
    KRaftVersionFeature = VotersRecord_KRaftVersionFeature
    __slots__ = ("version", "voters",)

    def __init__(
        self, version: int = 0, voters: Sequence[VotersRecord_Voter] = ()
    ) -> None:
        self.version = version
        self.voters = voters
        self.unknown_tags = ()
