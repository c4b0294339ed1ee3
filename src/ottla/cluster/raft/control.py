"""The quorum's own records in the log: who leads an epoch (KIP-595), who votes, and by which rules (KIP-853).

A leader's first batch of an epoch is a control batch of its LeaderChange; sets of voters and the kraft.version are
control records too, and are in force as soon as they are in the log, committed or not. This module makes such batches
and finds them in what was appended. A control record that does not parse is an `InvalidRecord` or a `MalformedMessage`:
nobody of ours writes one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ottla.cluster.raft.voters import VoterSet
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.control_records import (
    KRaftVersionRecord,
    LeaderChangeMessage,
    LeaderChangeMessage_Voter,
    VotersRecord,
)
from ottla.protocol.records.batch import whole_batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.columns import Bytes
from ottla.protocol.records.control import ControlRecordType, control_key, control_type
from ottla.protocol.records.record import records_of

TYPES = {
    LeaderChangeMessage: ControlRecordType.LEADER_CHANGE,
    KRaftVersionRecord: ControlRecordType.KRAFT_VERSION,
    VotersRecord: ControlRecordType.KRAFT_VOTERS,
}


@dataclass(frozen=True, slots=True)
class VotersAt:
    """From this offset on, these vote."""

    offset: int
    voters: VoterSet


@dataclass(frozen=True, slots=True)
class KRaftVersionAt:
    """From this offset on, this kraft.version is in force."""

    offset: int
    version: int


def control_batch(records: Sequence[Message], base_offset: int, epoch: int, timestamp: int) -> bytearray:
    """A control batch of these records, whole, for the leader's log."""
    builder = BatchBuilder(BatchFields(base_offset, epoch, is_control=True))
    for record in records:
        builder.append(timestamp, control_key(TYPES[type(record)]), record.to_bytes(0))
    return builder.build()


def leader_change(leader_id: int, voters: VoterSet, granting: Sequence[int]) -> LeaderChangeMessage:
    """The first record of an epoch: version 0 has ids only, and is what Kafka writes."""
    return LeaderChangeMessage(
        0,
        leader_id,
        [LeaderChangeMessage_Voter(voter_id) for voter_id in voters.ids],
        [LeaderChangeMessage_Voter(voter_id) for voter_id in granting],
    )


def voter_changes(section: Bytes) -> tuple[list[VotersAt | KRaftVersionAt], int]:
    """What the whole batches of a section say about voters, and the offset behind them.

    Only control batches are looked into: the others are stepped over by their headers.
    """
    changes: list[VotersAt | KRaftVersionAt] = []
    whole, _ = whole_batches(memoryview(section))
    for batch in whole:
        if not batch.is_control:
            continue
        for record in records_of(batch):
            kind, value = control_type(record.key), record.value or b""
            if kind == ControlRecordType.KRAFT_VOTERS:
                changes.append(VotersAt(record.offset, VoterSet.from_record(VotersRecord.read(value, 0))))
            elif kind == ControlRecordType.KRAFT_VERSION:
                changes.append(KRaftVersionAt(record.offset, KRaftVersionRecord.read(value, 0).kraft_version))
    return changes, whole[-1].next_offset if whole else 0
