"""Blocks of producer ids, which brokers hand out to producers (KIP-730).

Always true: no id is given twice, since the next one is written before a block is answered.
"""

from typing import Final

from ottla.cluster.controller.brokers import Brokers
from ottla.errors import RequestRefused
from ottla.protocol.codec.message import Message
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.messages.controller import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from ottla.protocol.messages.metadata_records import ProducerIdsRecord
from ottla.replicated.decision import Decision
from ottla.replicated.timeline import Journal, TimelineValue

BLOCK_SIZE: Final = 1_000
LAST_PRODUCER_ID: Final = 2**63 - 1


class ProducerIds:
    """The next producer id that nobody has."""

    def __init__(self, journal: Journal, brokers: Brokers) -> None:
        self._brokers = brokers
        self._next: TimelineValue[int] = TimelineValue(journal, 0)

    def allocate(
        self, request: AllocateProducerIdsRequest, now_ms: int
    ) -> Decision[Message, AllocateProducerIdsResponse]:
        """Give a broker a block."""
        del now_ms
        self._brokers.of_epoch(request.broker_id, request.broker_epoch)
        start = self._next.get()
        if start > LAST_PRODUCER_ID - BLOCK_SIZE:
            raise RequestRefused(ErrorCode.UNKNOWN_SERVER_ERROR, f"No producer ids are left behind {start}.")
        record = ProducerIdsRecord(request.broker_id, request.broker_epoch, start + BLOCK_SIZE)
        return Decision([record], AllocateProducerIdsResponse(producer_id_start=start, producer_id_len=BLOCK_SIZE))

    def replay(self, record: ProducerIdsRecord) -> None:
        """Everything below this id is taken."""
        self._next.set(record.next_producer_id)
