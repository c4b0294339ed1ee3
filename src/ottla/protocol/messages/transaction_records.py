"""What `__transaction_state` holds.

Generated from `schema/transaction_records.schema` by `make docs`; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ottla.protocol.codec.message import Message, Struct

if TYPE_CHECKING:
    from collections.abc import Sequence


class TransactionLogKey(Message):
    """Which transactional id.

    Key of record type 0, version 0.
    """

    KEY = 0
    VERSIONS = range(0, 1)
    __slots__ = ("transactional_id",)

    def __init__(
        self, transactional_id: str = ""
    ) -> None:
        self.transactional_id = transactional_id
        self.unknown_tags = ()


class TransactionLogValue_PartitionsSchema(Struct):
    __qualname__ = "TransactionLogValue.PartitionsSchema"
    __slots__ = ("topic", "partition_ids",)

    def __init__(
        self, topic: str = "", partition_ids: Sequence[int] = ()
    ) -> None:
        self.topic = topic
        self.partition_ids = partition_ids
        self.unknown_tags = ()


class TransactionLogValue(Message):
    """A transactional id's producer, and how far its transaction is (KIP-98).

    Value of record type 0, versions 0-1.
    Statuses: 0 empty, 1 ongoing, 2 prepare commit, 3 prepare abort, 4 complete commit, 5 complete abort, 6 dead,
    7 prepare epoch fence.
    Version 1: written from `transaction.version` 1 on; what transactions v2 need (KIP-890).
    """

    KEY = 0
    VERSIONS = range(0, 2)
    PartitionsSchema = TransactionLogValue_PartitionsSchema
    __slots__ = (
        "producer_id", "previous_producer_id", "next_producer_id", "producer_epoch", "next_producer_epoch",
        "transaction_timeout_ms", "transaction_status", "transaction_partitions",
        "transaction_last_update_timestamp_ms", "transaction_start_timestamp_ms", "client_transaction_version",
    )

    def __init__(
        self, producer_id: int = 0, previous_producer_id: int = -1, next_producer_id: int = -1, producer_epoch:
        int = 0, next_producer_epoch: int = -1, transaction_timeout_ms: int = 0, transaction_status: int = 0,
        transaction_partitions: Sequence[TransactionLogValue_PartitionsSchema] | None = (),
        transaction_last_update_timestamp_ms: int = 0, transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions = transaction_partitions
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version
        self.unknown_tags = ()
