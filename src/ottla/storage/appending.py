"""Appending to a log: what refuses a batch and what remembers it, and appends that cannot be made at once.

`Log.append` is the way of nearly every batch: check, write, remember, in one step of the loop. An append takes its turn
instead (`turns`) if its batch is validated in a thread, if others have the log to themselves, if what it asks is not in
memory (`readiness`), or if the log's directory is slow (`pace`). At its turn it makes the same steps; on a slow
directory `write` has those that touch the disk made in a thread, one after the other.

Always true: at its turn an append has the log to itself, so what was checked is still so when the bytes are written.
The log end moves when all that belongs to the batches is written, in one step with what readers look at. An error of
the disk ends the log, in a thread as on the loop.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from ottla.errors import DecompressedTooLarge, DiskError, NoRoom, PeerError
from ottla.protocol.records.batch import CONTROL_BIT
from ottla.protocol.records.compression import DECOMPRESSED_MAX_BYTES
from ottla.protocol.records.control import EndTransaction
from ottla.storage import rolling
from ottla.storage.append.info import AppendOrigin, LogAppendInfo
from ottla.storage.append.leader import THREAD_DECOMPRESSED_MAX_BYTES, Produced, place, validate_produced
from ottla.storage.append.replica import analyze_from_raft_leader, analyze_replicated
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import Appended
from ottla.storage.producers.entry import AppendedBatch
from ottla.storage.producers.replay import aborted_transaction, marker_of
from ottla.storage.producers.verification import NO_GUARD, VerificationGuard
from ottla.storage.readiness import make_ready
from ottla.storage.segments.indexes import write_file
from ottla.storage.segments.transaction_index import AbortedTransaction

if TYPE_CHECKING:
    from ottla.storage.log import Log
    from ottla.storage.segments.segment import Segment
    from ottla.world.api import Future

Markers = dict[int, EndTransaction]  # how control batches end transactions, by their base offsets


class LeaderAppend(NamedTuple):
    """What a leader is asked to append."""

    section: memoryview
    leader_epoch: int
    origin: AppendOrigin
    guard: VerificationGuard
    transaction_version: int
    zstd_allowed: bool


# The two halves around the write


def check(
    log: "Log", info: LogAppendInfo, origin: AppendOrigin, guard: VerificationGuard, transaction_version: int
) -> tuple[AppendedBatch | None, Markers | None]:
    """Refuse what does not follow its producer's last batch, and everything once the disk has refused something.
    Answers the batch that lies there already, if this one is a duplicate, and the markers among the batches.
    """
    markers = None
    for batch in info.batches:
        if batch.producer_id >= 0:
            marker = marker_of(batch) if batch.attributes & CONTROL_BIT else None
            if marker is not None:
                markers = {batch.base_offset: marker, **(markers or {})}
            duplicate = log.producer_state.check(
                batch,
                origin,
                marker=marker,
                transaction_version=transaction_version,
                guard=guard,
                is_verification_required=log.services.is_verification_required,
            )
            if duplicate is not None:
                return duplicate, None
    if log.failure is not None:
        raise log.failure
    return None, markers


def remember(log: "Log", info: LogAppendInfo, markers: Markers | None) -> Sequence[AbortedTransaction]:
    """Tell producers and epochs what was written. Answers the transactions that are aborted by it."""
    found: Sequence[AbortedTransaction] = ()
    for batch in info.batches:
        epoch = batch.partition_leader_epoch
        if epoch != log.epochs.latest_epoch and epoch >= 0 and log.epochs.assign(epoch, batch.base_offset):
            log.is_epochs_file_stale = True
        completed = log.producer_state.update(batch, markers.get(batch.base_offset) if markers else None)
        if completed is not None and completed.is_aborted:
            found = (*found, aborted_transaction(completed))
    return found


# Turns. What is appended is copied before its turn comes, since a receive buffer does not last so long.


async def as_leader(log: "Log", wanted: LeaderAppend, may_append: Callable[[], None]) -> Appended:
    """Validate a batch in a thread, and append it when its turn comes, unless `may_append` raises then."""
    return await begin_as_leader(log, wanted, may_append)


def begin_as_leader(log: "Log", wanted: LeaderAppend, may_append: Callable[[], None]) -> "Future[Appended]":
    """The same for who is no coroutine: the batch is copied and takes its turn in this step. If too much waits already
    it is refused: whoever sent it tries again.
    """
    section, leader_epoch, origin, guard, transaction_version, zstd_allowed = wanted
    services, room, size_bytes = log.services, log.services.room, len(section)
    if not room.take(size_bytes):
        raise NoRoom(f"too much waits to be appended for another batch of {size_bytes} bytes")
    copy = memoryview(bytearray(section))

    async def validate_within(limit_bytes: int) -> Produced:
        may_append()  # who will be refused is not worth the work: a node that stops would be held up by all that waits
        world, now_ms = log.services.world, log.services.world.clock.wall_ms()
        call = partial(_validated, copy, log.config, now_ms, origin, zstd_allowed=zstd_allowed, limit_bytes=limit_bytes)
        outcome = await world.threads.run(call)
        if isinstance(outcome, PeerError):
            raise outcome
        return outcome

    async def validate() -> Produced:
        try:
            return await services.validating.run(partial(validate_within, THREAD_DECOMPRESSED_MAX_BYTES))
        except DecompressedTooLarge:
            return await services.decompressing_much.run(partial(validate_within, DECOMPRESSED_MAX_BYTES))

    async def append(produced: Produced) -> Appended:
        may_append()
        info = place(produced, log.config, log.log_end_offset, leader_epoch)
        duplicate = await write(log, info, origin, guard, transaction_version)
        if duplicate is not None:
            return Appended.before(duplicate, log.log_start_offset)
        return Appended(info.first_offset, info.last_offset, info.log_append_time_ms, log.log_start_offset)

    return log.turns.begin(validate, append, partial(room.leave, size_bytes))


def _validated(
    section: memoryview, config: LogConfig, now_ms: int, origin: AppendOrigin, *, zstd_allowed: bool, limit_bytes: int
) -> Produced | PeerError:
    """In a thread. What is refused is a value: the frames of an error that is raised would hold the records, which may
    be a hundred times as large as the batch, until all batches before it are in the log.
    """
    try:
        return validate_produced(section, config, now_ms, origin, zstd_allowed=zstd_allowed, limit_bytes=limit_bytes)
    except PeerError as error:
        error.__context__ = None
        return error.with_traceback(None)


async def as_follower(
    log: "Log", section: memoryview, leader_epoch: int, may_append: Callable[[], None]
) -> LogAppendInfo:
    """Append what the leader has when the turn comes."""
    copy = memoryview(bytearray(section))

    async def append() -> LogAppendInfo:
        may_append()
        info = analyze_replicated(copy, log.config, log.log_end_offset, leader_epoch)
        if info.batches:
            await write(log, info, AppendOrigin.REPLICATION)
        return info

    return await log.turns.alone(append)


async def as_raft_leader(
    log: "Log", section: memoryview, leader_epoch: int, may_append: Callable[[], None]
) -> LogAppendInfo:
    """Append what the quorum's leader made when the turn comes."""
    copy = memoryview(bytearray(section))

    async def append() -> LogAppendInfo:
        may_append()
        info = analyze_from_raft_leader(copy, log.config, leader_epoch)
        assert not info.batches or info.first_offset == log.log_end_offset, f"{info} does not follow {log}"
        if info.batches:
            await write(log, info, AppendOrigin.RAFT_LEADER)
        return info

    return await log.turns.alone(append)


# The write of who has the log to himself


async def write(
    log: "Log",
    info: LogAppendInfo,
    origin: AppendOrigin,
    guard: VerificationGuard = NO_GUARD,
    transaction_version: int = 0,
) -> AppendedBatch | None:
    """`Log.append`, with the disk's part in a thread if the log's directory is slow. What is not in memory is brought
    before, in a thread in any case.
    """
    try:
        await make_ready(log)
    except DiskError as error:
        raise log.fail(error) from None
    if not log.services.pace.is_slow:
        return log.append(info, origin, guard, transaction_version)
    duplicate, markers = check(log, info, origin, guard, transaction_version)
    if duplicate is not None:
        return duplicate
    try:
        segment = log.segments.active
        now_ms = log.services.world.clock.wall_ms()
        if segment.should_roll(len(info.data), info.max_timestamp, info.last_offset, log.config, now_ms):
            segment = await rolling.roll_in_thread(log, info.first_offset)
        await _write_in_thread(log, segment, info, markers)
    except DiskError as error:
        raise log.fail(error) from None
    if log.is_flush_due:
        log.request_flush()
    return None


async def _write_in_thread(log: "Log", segment: "Segment", info: LogAppendInfo, markers: Markers | None) -> None:
    """The batches, then the transactions that they abort; the producers have to be told before, and tell which."""
    world, files, pace = log.services.world, log.services.files, log.services.pace
    handle = segment.file
    if handle.file is None:
        files.adopt(handle, await pace.write(world, world.disk.open, handle.path))
    file = files.pin(handle)
    try:
        await pace.write(world, file.write, segment.size_bytes, (info.data,))
        for aborted in remember(log, info, markers):
            await pace.write(world, write_file, world.disk, *segment.aborted_entry(aborted))
            segment.aborted_written(aborted)
            log.has_aborted = True
        segment.written(info, log.config.index_interval_bytes)
        log.log_end_offset = info.last_offset + 1
    finally:
        files.unpin(handle)
