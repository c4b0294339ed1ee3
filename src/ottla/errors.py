"""The one tree of errors.

    OttlaError
    ├── PeerError                  what somebody sent us is wrong; carries the Kafka error code it is answered with
    │   ├── MalformedMessage, UnsupportedVersion, OversizedFrame   bytes that are no message; not one of ours; too many
    │   ├── AuthenticationFailed   a SASL exchange goes no further; the text may be told to whoever tried
    │   ├── RequestRefused, NoRoom   a request that the cluster's state or settings do not allow; carries its code
    │   ├── OffsetOutOfRange, UnexpectedOffset   a read outside of a log; an append that does not follow its end
    │   ├── ProducerError          what a producer or its coordinator wrote does not follow what it wrote before
    │   │   └── OutOfOrderSequence, InvalidProducerEpoch, InvalidTransactionState, TransactionCoordinatorFenced
    │   └── RecordError            a record batch that we must not keep
    │       ├── CorruptBatch, InvalidRecord   header or checksum are wrong; the batch is sound, its records break a rule
    │       ├── RejectedRecords      some records break the topic's rules; says which (KIP-467)
    │       ├── UnsupportedMagic, UnsupportedCodec   message format 0 or 1; a compression unknown, or not allowed
    │       └── BatchTooLarge (or DecompressedTooLarge), RecordListTooLarge   larger than allowed; than a segment
    ├── ConfigError                a setting that cannot be what it is set to; names the setting
    ├── DiskError                  a disk refused; carries the path and the system's error number
    │   └── NoSuchFile, DiskFull, LockHeld, CorruptFile
    ├── MetadataError              DamagedMetadata: a record fits nothing before it; UnwritableMetadata: no record fits
    ├── NetworkError               a connection that does not come about, or ended by itself
    │   └── AddressInUse, ConnectFailed, ConnectionLost, ChannelFull
    └── JobFailed, SimulationError, NodeDown   a helper process died; a simulated run cannot go on; its node is dead

The peer's fault costs the sender an answer with `code`, and nobody else anything; the environment's fault is any other
`OttlaError`; our own is an `assert`, which stays on. Codes are plain integers, since this module lies below all others.
"""


class OttlaError(Exception):
    """The root: everything that Ottla raises on purpose."""


class PeerError(OttlaError):
    """A peer's fault, answered with a Kafka error code."""

    code = -1  # UNKNOWN_SERVER_ERROR; each subclass has its own


class MalformedMessage(PeerError):
    """Bytes that are not the message they claim to be: says message, version, field and position."""

    code = 42  # INVALID_REQUEST


class UnsupportedVersion(PeerError):
    """A version that we do not speak, or a value that this version cannot carry."""

    code = 35  # UNSUPPORTED_VERSION


class OversizedFrame(PeerError):
    """A frame that announces more bytes than its receiver is willing to hold."""

    code = 42  # INVALID_REQUEST


class AuthenticationFailed(PeerError):
    """A SASL exchange goes no further. The text is what the client is told, so it says nothing about who exists."""

    code = 58  # SASL_AUTHENTICATION_FAILED


class RequestRefused(PeerError):
    """What is asked for goes against the cluster's state or settings; the message names the thing."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class OffsetOutOfRange(PeerError):
    """A read before the log's start or behind its end; the message names the range."""

    code = 1  # OFFSET_OUT_OF_RANGE


class UnexpectedOffset(PeerError):
    """A leader sent a follower batches that do not follow its log's end, or not each other.

    A follower whose log is empty may begin it anew at `first_offset`, if its end lies inside of the batches.
    """

    def __init__(self, message: str, *, first_offset: int = -1, last_offset: int = -1) -> None:
        super().__init__(message)
        self.first_offset, self.last_offset = first_offset, last_offset


class ProducerError(PeerError):
    """What a producer or its coordinator wrote does not follow what it wrote before."""


class OutOfOrderSequence(ProducerError):
    """A sequence that is not the next one, and no duplicate that is still known."""

    code = 45  # OUT_OF_ORDER_SEQUENCE_NUMBER


class InvalidProducerEpoch(ProducerError):
    """An epoch older than the newest that the partition has seen of this producer."""

    code = 47  # INVALID_PRODUCER_EPOCH


class InvalidTransactionState(ProducerError):
    """A write outside of a transaction that the coordinator knows of, or none of one that is open."""

    code = 48  # INVALID_TXN_STATE


class TransactionCoordinatorFenced(ProducerError):
    """A marker of a coordinator that has been replaced by a newer one."""

    code = 52  # TRANSACTION_COORDINATOR_FENCED


class RecordError(PeerError):
    """A record batch that must not be kept."""


class CorruptBatch(RecordError):
    """The batch's header, length or checksum is wrong."""

    code = 2  # CORRUPT_MESSAGE


class InvalidRecord(RecordError):
    """The batch is sound and its records break one of Kafka's rules."""

    code = 87  # INVALID_RECORD


class RejectedRecords(RecordError):
    """The batch is sound, and some of its records break the topic's rules.

    `record_errors` says which (their index in the batch) and why, for a Produce response (KIP-467). The code is
    INVALID_TIMESTAMP if a timestamp is among the reasons, else INVALID_RECORD.
    """

    code = 87  # INVALID_RECORD

    def __init__(self, message: str, *, code: int, record_errors: "tuple[tuple[int, str], ...]") -> None:
        super().__init__(message)
        self.code, self.record_errors = code, record_errors


class NoRoom(PeerError):
    """More is sent than can be worked off; the sender tries again a little later, as clients do with this code."""

    code = 7  # REQUEST_TIMED_OUT


class RecordListTooLarge(RecordError):
    """An append of more bytes than a segment may hold."""

    code = 18  # RECORD_LIST_TOO_LARGE


class UnsupportedMagic(RecordError):
    """Message format 0 or 1: recognised, and no longer accepted.

    The code is what Kafka 4.3 answers a Produce request with; UNSUPPORTED_FOR_MESSAGE_FORMAT is about old topics.
    """

    code = 87  # INVALID_RECORD


class UnsupportedCodec(RecordError):
    """A compression codec that Kafka does not know, or that this request may not use."""

    code = 76  # UNSUPPORTED_COMPRESSION_TYPE


class BatchTooLarge(RecordError):
    """Larger than allowed."""

    code = 10  # MESSAGE_TOO_LARGE


class DecompressedTooLarge(BatchTooLarge):
    """Decompressing to more than allowed."""


class ConfigError(OttlaError):
    """A setting that cannot be what it is set to. The message names the setting."""


class DiskError(OttlaError):
    """A disk refused: carries the path, and the operating system's error number."""

    def __init__(self, message: str, *, path: str, errno: int = 0) -> None:
        super().__init__(message)
        self.path, self.errno = path, errno


class NoSuchFile(DiskError):
    """A file or directory that is not there."""


class DiskFull(DiskError):
    """No room is left on the file system, or a quota is used up."""


class LockHeld(DiskError):
    """Another process, or another node in this one, holds the lock."""


class CorruptFile(DiskError):
    """A file of ours holds what we would never have written: says which file, and what is wrong in it."""


class MetadataError(OttlaError):
    """The cluster's metadata cannot be read from records, or not be written as such."""


class DamagedMetadata(MetadataError):
    """A record of `__cluster_metadata` that cannot follow those before it, or that we do not know; names the record."""


class UnwritableMetadata(MetadataError):
    """What the image holds has no place in the records of a metadata version; says what would be lost."""


class NetworkError(OttlaError):
    """A connection that does not come about, or that ended by itself."""


class AddressInUse(NetworkError):
    """The port belongs to somebody else, or may not be bound."""


class ConnectFailed(NetworkError):
    """Nobody is there, nobody answered in time, or TLS could not be agreed on."""


class ConnectionLost(NetworkError):
    """The connection was there, and broke."""


class ChannelFull(NetworkError):
    """More requests wait for a connection than its channel holds."""


class JobFailed(OttlaError):
    """A helper process died, or what it ran raised; says which function, and what it said."""


class SimulationError(OttlaError):
    """A simulated run cannot go on: nothing can happen any more, or too much did."""


class NodeDown(OttlaError):
    """A simulated node that a scenario asked for something is dead, or died before it answered."""
