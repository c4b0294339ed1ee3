"""The producer ids that have been given away: brokers get them in blocks, and the image knows the next free one.

Always true: the number is what the last record said, and -1 where none ever was; a snapshot of a cluster that has given
none away has no record of it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ottla.cluster.metadata.records import VersionedRecord
from ottla.protocol.messages.metadata_records import ProducerIdsRecord

NONE_YET: Final = -1
NOBODY: Final = -1  # in a snapshot the record is no broker's


@dataclass(frozen=True, slots=True)
class ProducerIdsImage:
    """The first producer id that nobody has."""

    next_producer_id: int = NONE_YET

    def records(self) -> Iterator[VersionedRecord]:
        """One record, if ids have been given away."""
        if self.next_producer_id >= 0:
            yield VersionedRecord(ProducerIdsRecord(NOBODY, NOBODY, self.next_producer_id))


class ProducerIdsDelta:
    """A block has been given away, or not."""

    __slots__ = ("base", "next_producer_id")

    def __init__(self, base: ProducerIdsImage) -> None:
        self.base = base
        self.next_producer_id = base.next_producer_id

    def __bool__(self) -> bool:
        return self.next_producer_id != self.base.next_producer_id

    def give(self, record: ProducerIdsRecord) -> None:
        """A block has been given to a broker."""
        self.next_producer_id = record.next_producer_id

    def become(self, image: ProducerIdsImage) -> None:
        """Change to what another image says."""
        self.next_producer_id = image.next_producer_id

    def apply(self) -> ProducerIdsImage:
        """The image with the change made."""
        return ProducerIdsImage(self.next_producer_id) if self else self.base
