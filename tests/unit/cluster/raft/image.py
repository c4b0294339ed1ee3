"""The state machine of a replica in the simulation: replayed records, and nothing else.

An image is what the records so far say: the last value of each key, and a fingerprint of all batches in their order, so
that two images are equal only if the same records made them. It comes of replay alone, or of a snapshot and the records
behind it; which of both is not to be seen in it.
"""

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Self

from ottla.protocol.records.batch import whole_batches
from ottla.protocol.records.builder import BatchBuilder
from ottla.protocol.records.columns import Bytes
from ottla.protocol.records.record import Record, records_of
from tests.unit.cluster.raft.memory_log import Stored

FINGERPRINT, PADDING = b"fingerprint", b"padding"  # keys in a snapshot that no client uses


def fingerprint(batch: Stored, before: bytes) -> bytes:
    """Of a batch, on top of those before it."""
    return blake2b(before + batch.data, digest_size=16).digest()


def client_records(data: Bytes) -> list[Record]:
    """The records of clients: not those that the quorum writes for itself."""
    whole, _ = whole_batches(memoryview(data))
    return [record for batch in whole if not batch.is_control for record in records_of(batch)]


@dataclass(slots=True)
class Image:
    """What has been replayed."""

    offset: int = 0  # behind the last record
    fingerprint: bytes = b""
    values: dict[bytes, bytes] = field(default_factory=dict)

    def replay(self, batch: Stored) -> None:
        """One batch more."""
        assert batch.base_offset == self.offset, f"batch {batch.base_offset} is replayed at {self.offset}"
        self.offset, self.fingerprint = batch.next_offset, fingerprint(batch, self.fingerprint)
        for record in client_records(batch.data):
            self.values[bytes(record.key or b"")] = bytes(record.value or b"")

    def copy(self) -> "Image":
        """As it is now."""
        return Image(self.offset, self.fingerprint, dict(self.values))

    def to_bytes(self, padding: int) -> bytes:
        """The image as the records of a snapshot, of at least this many bytes."""
        body = BatchBuilder()
        body.append(0, FINGERPRINT, self.fingerprint)
        body.append(0, PADDING, bytes(padding))
        for key, value in sorted(self.values.items()):
            body.append(0, key, value)
        return bytes(body.build())

    @classmethod
    def from_bytes(cls, offset: int, data: Bytes) -> Self:
        """The image of a snapshot that ends at this offset."""
        values = {bytes(record.key or b""): bytes(record.value or b"") for record in client_records(data)}
        values.pop(PADDING, None)
        return cls(offset, values.pop(FINGERPRINT, b""), values)
