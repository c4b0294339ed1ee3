"""The metadata log as `ottla.replicated` wants it: records for the controller's state machine, one after the other.

Records become values in the version that the caller's `encode` chooses; an append is one batch. Reading knows batches:
those of the quorum itself are stepped over, and what was read is kept for the next slice, so that a batch of ten
thousand records is unpacked once.

Always true: a slice holds offsets below the end that was asked for, without a gap; what is kept is forgotten when the
log was cut meanwhile.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from ottla.cluster.metadata.records import VersionedRecord, parse_record
from ottla.cluster.metadata.snapshot_file import SnapshotReader
from ottla.cluster.raft.log import BOOTSTRAP_SNAPSHOT
from ottla.cluster.raft.shell import RaftShell
from ottla.protocol.codec.message import Message
from ottla.protocol.records.batch import RecordBatch, batches
from ottla.protocol.records.record import records_of
from ottla.replicated.log import LogSlice

READ_BYTES: Final = 262_144  # of the log at a time; a larger batch is read all the same


class RaftReplicatedLog:
    """`ottla.replicated.log.ReplicatedLog` on the quorum's log."""

    __slots__ = ("_batches", "_encode", "_shell", "_truncations", "_values")

    def __init__(self, shell: RaftShell, encode: Callable[[Message], bytes]) -> None:
        """`encode` knows the metadata.version that records are written at."""
        self._shell, self._encode = shell, encode
        self._batches: list[RecordBatch] = []  # what was read and is not stepped over yet
        self._values: list[bytes | None] = []  # of the first of them, once somebody wants it
        self._truncations = -1

    @property
    def start_offset(self) -> int:
        """The first offset that is in the log itself."""
        return self._shell.log.start_offset

    @property
    def end_offset(self) -> int:
        """The offset that the next record gets."""
        return self._shell.end_offset

    @property
    def committed_offset(self) -> int:
        """Every record below this offset is kept for good."""
        return self._shell.high_watermark

    @property
    def leadership_epoch(self) -> int | None:
        """The epoch in which this node leads; None while it does not."""
        return self._shell.epoch if self._shell.is_leader else None

    def append(self, epoch: int, expected_offset: int, records: Sequence[Message]) -> int:
        """Append them all in one batch, and return the offset behind them."""
        return self._shell.append(epoch, expected_offset, [self._encode(record) for record in records])

    def read(self, offset: int, max_records: int) -> LogSlice[Message]:
        """The records of at most so many offsets from one on; none at the end of the log."""
        end_offset = min(offset + max_records, self._shell.end_offset)
        records: list[Message] = []
        while offset < end_offset:
            batch = self._batch_at(offset)
            if batch.is_control:
                if records:
                    break
                offset = batch.next_offset
                continue
            if not self._values:
                self._values = [record.value for record in records_of(batch)]
            first, last = offset - batch.base_offset, end_offset - batch.base_offset
            values = self._values[first:last]
            records += [parse_record(value, offset + at).message for at, value in enumerate(values)]
            offset += len(values)
        return LogSlice(offset - len(records), records, offset)

    def _batch_at(self, offset: int) -> RecordBatch:
        """The batch with this offset: of what was read, or out of the log."""
        log = self._shell.log
        if self._truncations != log.truncations or (self._batches and offset < self._batches[0].base_offset):
            self._truncations = log.truncations
            self._batches, self._values = [], []
        while self._batches and self._batches[0].next_offset <= offset:
            del self._batches[0]
            self._values = []
        if not self._batches:
            self._batches = list(batches(self._shell.read(offset, READ_BYTES)))
            assert self._batches, f"no batch at {offset}, below the log's end {log.end_offset}"
        return self._batches[0]

    async def snapshot(self) -> tuple[Iterator[Message], int] | None:
        """The records of the newest snapshot, and the offset that the log goes on at; None if there is none."""
        log = self._shell.log
        latest = log.latest_snapshot
        if latest is None or latest == BOOTSTRAP_SNAPSHOT:
            return None
        data = await self._shell.world.threads.run(log.read_snapshot, latest, 0, log.snapshot_size(latest) or 0)
        return _messages(SnapshotReader(memoryview(data)).records()), latest.offset


def _messages(records: Iterator[VersionedRecord]) -> Iterator[Message]:
    for record in records:
        yield record.message
