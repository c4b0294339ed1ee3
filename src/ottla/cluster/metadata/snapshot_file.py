"""Snapshots as files (KIP-630): batches with a header in front and a footer behind, named by where the log goes on.

    %020d-%010d.checkpoint     end offset and epoch; `.part` behind it while it is being written
    first batch (control)      SnapshotHeader; with kraft.version 1 also KRaftVersion and Voters (KIP-853)
    batches of records         offsets begin at 0 with the header and have nothing to do with those of the log
    last batch (control)       SnapshotFooter: without it the snapshot is not whole

Here are bytes only: `write_snapshot` makes chunks of a batch each, `SnapshotReader` takes the whole file and reads it
batch by batch. Always true: a snapshot that is written can be read; one whose checksums are wrong, that does not begin
with a header or end with its footer, is an error before the last record is out.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ottla.cluster.metadata.records import VersionedRecord, records_in
from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message
from ottla.protocol.messages.control_records import (
    KRaftVersionRecord,
    SnapshotFooterRecord,
    SnapshotHeaderRecord,
    VotersRecord,
)
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.builder import BatchBuilder, BatchFields
from ottla.protocol.records.control import ControlRecordType, control_key, control_type
from ottla.protocol.records.record import Record, records_of

BATCH_BYTES: Final = 32 * 1024  # a few hundred records: what is read in one go takes a few milliseconds
CONTROL_VERSION: Final = 0  # of all control records of a snapshot

_NAME = re.compile(r"(\d{20})-(\d{10})\.checkpoint")


class SnapshotId(NamedTuple):
    """Where a snapshot stands: it holds everything below the end offset, the last of it written in this epoch."""

    end_offset: int
    epoch: int

    @property
    def file_name(self) -> str:
        """The name of its file."""
        return f"{self.end_offset:020d}-{self.epoch:010d}.checkpoint"

    @classmethod
    def parse(cls, file_name: str) -> "SnapshotId | None":
        """What a file's name says; None if it is no finished snapshot's."""
        found = _NAME.fullmatch(file_name)
        return None if found is None else cls(int(found[1]), int(found[2]))


@dataclass(frozen=True, slots=True)
class SnapshotHead:
    """What stands before the records: the newest timestamp of the log below, and the quorum's own state."""

    last_contained_log_timestamp: int = 0
    kraft_version: int = 0
    voters: VotersRecord | None = None

    def control_records(self) -> Iterator[tuple[ControlRecordType, Message]]:
        """The head as control records."""
        assert self.kraft_version or self.voters is None, "voters are in the log from kraft.version 1 on"
        yield (
            ControlRecordType.SNAPSHOT_HEADER,
            SnapshotHeaderRecord(CONTROL_VERSION, self.last_contained_log_timestamp),
        )
        if self.kraft_version:
            yield ControlRecordType.KRAFT_VERSION, KRaftVersionRecord(CONTROL_VERSION, self.kraft_version)
        if self.voters is not None:
            yield ControlRecordType.KRAFT_VOTERS, self.voters


def write_snapshot(
    epoch: int, head: SnapshotHead, records: Iterable[VersionedRecord], now_ms: int
) -> Iterator[bytearray]:
    """The file, batch by batch."""
    batch = control_batch(0, epoch, head.control_records(), now_ms)
    yield batch
    building = BatchBuilder(BatchFields(RecordBatch(memoryview(batch)).next_offset, epoch))
    for record in records:
        if building.size_bytes >= BATCH_BYTES:
            batch = building.build()
            yield batch
            building = BatchBuilder(BatchFields(RecordBatch(memoryview(batch)).next_offset, epoch))
        building.append(now_ms, None, record.to_bytes())
    offset = building.fields.base_offset + len(building)
    if len(building):
        yield building.build()
    footer = SnapshotFooterRecord(CONTROL_VERSION)
    yield control_batch(offset, epoch, [(ControlRecordType.SNAPSHOT_FOOTER, footer)], now_ms)


def control_batch(
    base_offset: int, epoch: int, records: Iterable[tuple[ControlRecordType, Message]], now_ms: int
) -> bytearray:
    """A batch of control records. They carry their version as their first field, so their bodies stand bare."""
    building = BatchBuilder(BatchFields(base_offset, epoch, is_control=True))
    for record_type, message in records:
        building.append(now_ms, control_key(record_type), message.to_bytes(CONTROL_VERSION))
    return building.build()


class SnapshotReader:
    """A snapshot's bytes. Its head is read at once, its records as they are asked for."""

    __slots__ = ("_batches", "head")

    def __init__(self, data: memoryview) -> None:
        self._batches = batches(data)
        first = next(self._batches, None)
        if first is None:
            raise DamagedMetadata("a snapshot without a single batch")
        self.head = _head(first)

    def records(self) -> Iterator[VersionedRecord]:
        """The records, each once; an error if the snapshot turns out not to be whole."""
        for batch in self._batches:
            batch.check()
            if batch.is_control:
                self._expect_footer(batch)
                return
            for _, record in records_in(batch):
                yield record
        raise DamagedMetadata("a snapshot without a footer: it was not written to its end")

    def _expect_footer(self, batch: RecordBatch) -> None:
        """Nothing but the footer may stand behind the records, and nothing behind the footer."""
        types = [control_type(record.key) for record in records_of(batch)]
        if types != [ControlRecordType.SNAPSHOT_FOOTER]:
            raise DamagedMetadata(f"{[each.name for each in types]} where a snapshot has its footer")
        if next(self._batches, None) is not None:
            raise DamagedMetadata("a snapshot with batches behind its footer")


def _head(batch: RecordBatch) -> SnapshotHead:
    """What the first batch says."""
    batch.check()
    control = {control_type(record.key): record for record in records_of(batch)} if batch.is_control else {}
    if next(iter(control), None) != ControlRecordType.SNAPSHOT_HEADER:
        raise DamagedMetadata("a snapshot that does not begin with its header")
    header = SnapshotHeaderRecord.read(_value(control[ControlRecordType.SNAPSHOT_HEADER]), CONTROL_VERSION)
    version, voters = control.get(ControlRecordType.KRAFT_VERSION), control.get(ControlRecordType.KRAFT_VOTERS)
    return SnapshotHead(
        header.last_contained_log_timestamp,
        0 if version is None else KRaftVersionRecord.read(_value(version), CONTROL_VERSION).kraft_version,
        None if voters is None else VotersRecord.read(_value(voters), CONTROL_VERSION),
    )


def _value(record: Record) -> bytes:
    return record.value or b""
