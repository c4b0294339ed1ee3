"""What goes into a log when it is made, and what comes out of an append: plain values.

`LogServices` is shared by all logs of a log directory, so that a log of its own costs little; `LoadedLog` is what
recovery found, and becomes the log's own.

Always true: a `LoadedLog` has a segment at least, and its offsets are those of what is on the disk.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from ottla.errors import DiskError
from ottla.storage.leader_epochs import LeaderEpochs
from ottla.storage.names import TopicPartition
from ottla.storage.pace import DiskPace
from ottla.storage.producers.entry import AppendedBatch
from ottla.storage.producers.snapshots import ProducerSnapshots
from ottla.storage.producers.state import ProducerState
from ottla.storage.segments.open_files import OpenFiles
from ottla.storage.segments.segments import Segments
from ottla.storage.turns import Room, Slots
from ottla.world.api import World

# What producers send may wait for threads, for its turn, or for a slow disk; who sends more is told to try again.
WAITING_MAX_BYTES: Final = 128 * 1024 * 1024
VALIDATING_MOST: Final = 2


async def nobody_keeps_it(_topic_partition: TopicPartition, _offset: int) -> None:
    """There is no checkpoint of recovery points: after an unclean stop all of a log is looked through."""


@dataclass(frozen=True, slots=True)
class LogServices:
    """What all logs of one log directory share.

    `recovery_point_lowered` writes a log's recovery point into its checkpoint, and returns when it is on the disk:
    before a truncation, and when a log is loaded that ends before the one that the checkpoint says.
    """

    world: World
    files: OpenFiles
    failed: Callable[[DiskError], None]  # the directory's owner: it takes the directory out of service
    recovery_point_lowered: Callable[[TopicPartition, int], Awaitable[None]] = nobody_keeps_it
    is_verification_required: bool = True  # transaction.partition.verification.enable
    producer_id_expiration_ms: int = 86_400_000
    marked_directory: str | None = None  # where it is noted that the disk has refused (recovery.doubted_tails)
    pace: DiskPace = field(default_factory=DiskPace)  # whether the directory is slow
    flush_took: Callable[[int], object] = lambda duration_ms: None  # told of every pass of a flusher
    # In threads, since they take long; few at once: bombs must not have all processors and all memory to themselves.
    validating: Slots = field(init=False)
    decompressing_much: Slots = field(init=False)
    room: Room = field(default_factory=lambda: Room(WAITING_MAX_BYTES))  # for batches that wait for their turns

    def __post_init__(self) -> None:
        """Nobody is at work."""
        object.__setattr__(self, "validating", Slots(self.world, VALIDATING_MOST))
        object.__setattr__(self, "decompressing_much", Slots(self.world, 1))


@dataclass(slots=True)
class LoadedLog:
    """What recovery found in a directory."""

    segments: Segments
    producer_state: ProducerState
    snapshots: ProducerSnapshots
    epochs: LeaderEpochs
    log_start_offset: int
    log_end_offset: int
    recovery_point: int
    is_epochs_file_stale: bool = False  # the file must be written


class Appended(NamedTuple):
    """Where a batch lies now, as a Produce response says it."""

    first_offset: int
    last_offset: int
    log_append_time_ms: int
    log_start_offset: int
    is_duplicate: bool = False  # it lay there before: the producer sent it again

    @classmethod
    def before(cls, batch: AppendedBatch, log_start_offset: int) -> "Appended":
        """The answer to a batch that lay there before."""
        return cls(batch.first_offset, batch.last_offset, batch.timestamp, log_start_offset, is_duplicate=True)
