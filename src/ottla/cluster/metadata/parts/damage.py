"""What is said of a record that cannot follow those before it.

Kafka raises where a record names a broker, topic, partition or ACL that is not there: its brokers count the error and
go on with the next record, its controllers stop. Here the parts raise, and whoever loads decides.
"""

from ottla.errors import DamagedMetadata
from ottla.protocol.codec.message import Message


def damaged(record: Message, why: str) -> DamagedMetadata:
    """The error that names the record. Messages show bytes by their length, so that no secret is in it."""
    return DamagedMetadata(f"{why}: {record!r}")
