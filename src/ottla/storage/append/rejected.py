"""What is said of records that break a topic's rules: which, and why (KIP-467).

One record that breaks a rule costs the whole batch; the response names each of them by its index, so that the producer
can fail those for what they did, and the others for the company they were in.
"""

from collections.abc import Sequence
from typing import Final

from ottla.errors import RejectedRecords
from ottla.protocol.error_codes import ErrorCode
from ottla.protocol.records.batch import RecordBatch
from ottla.protocol.records.kernel import Reason, Rejected

# A batch of tiny records may have so many of them that naming all would make a response far larger than the request.
RECORD_ERRORS_MAX: Final = 10_000

_NO_KEY: Final = "the topic is compacted, and the record has no key"


def rejected_records(rejected: Sequence[Rejected], earliest: int, latest: int) -> RejectedRecords:
    """The error for a batch with records that have no key, or a timestamp outside of these bounds."""
    return _error(
        [
            (index, _NO_KEY)
            if reason == Reason.NO_KEY
            else (index, f"the timestamp {timestamp} is not within {earliest} to {latest}")
            for index, reason, timestamp in rejected[:RECORD_ERRORS_MAX]
        ],
        count=len(rejected),
        of_timestamp=any(record.reason == Reason.TIMESTAMP for record in rejected),
    )


def claimed_log_append_time(batch: RecordBatch, rejected: Sequence[Rejected]) -> RejectedRecords:
    """The error for a batch that says LogAppendTime, on a topic where that is for the log to say: all are wrong."""
    keyless = {record.batch_index for record in rejected}
    return _error(
        [
            (index, _NO_KEY if index in keyless else "a producer must not set the timestamp type LogAppendTime")
            for index in range(min(batch.count, RECORD_ERRORS_MAX))
        ],
        count=batch.count,
        of_timestamp=len(keyless) < batch.count,
    )


def _error(record_errors: list[tuple[int, str]], *, count: int, of_timestamp: bool) -> RejectedRecords:
    index, reason = record_errors[0]
    others = f" {count - 1} more are wrong." if count > 1 else ""
    return RejectedRecords(
        f"record {index} of the batch is rejected: {reason}.{others}",
        code=ErrorCode.INVALID_TIMESTAMP if of_timestamp else ErrorCode.INVALID_RECORD,
        record_errors=tuple(record_errors),
    )
