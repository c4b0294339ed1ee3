"""A log: what is appended is read, where it begins and ends, and what it says of timestamps and epochs."""

from dataclasses import replace

import pytest

from ottla.errors import (
    CorruptBatch,
    DiskFull,
    InvalidRecord,
    NoRoom,
    OffsetOutOfRange,
    PeerError,
    RequestRefused,
    UnexpectedOffset,
)
from ottla.protocol.records.batch import CompressionType, RecordBatch, TimestampType, batches
from ottla.protocol.records.builder import BatchFields
from ottla.protocol.records.compression import DECOMPRESSED_MAX_BYTES
from ottla.storage.append.info import AppendOrigin
from ottla.storage.append.leader import THREAD_DECOMPRESSED_MAX_BYTES
from ottla.storage.appending import LeaderAppend, as_leader
from ottla.storage.log_config import LogConfig
from ottla.storage.log_values import WAITING_MAX_BYTES
from ottla.storage.producers.verification import NO_GUARD
from ottla.storage.reading import FetchIsolation
from ottla.world.api import FileRange, World
from ottla.world.simulated.disk import DiskFault, DiskFaultKind
from ottla.world.simulated.simulation import Simulation
from ottla.world.simulated.world import SimulatedWorld
from tests.unit.storage.logs import (
    CONFIG,
    Shelf,
    batches_from,
    idempotent,
    marker,
    offsets_from,
    produced,
    run,
)


def test_what_is_appended_is_read() -> None:
    """Batches get the offsets that follow each other and the leader's epoch, over several segments."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        for at in range(60):
            appended = log.append_as_leader(produced(3, timestamp=1_000 + at), leader_epoch=5)
            assert appended is not None
            assert (appended.first_offset, appended.last_offset) == (3 * at, 3 * at + 2)
        assert len(log.segments) > 3
        found = await batches_from(log)
        assert [batch.base_offset for batch in found] == list(range(0, 180, 3))
        assert {batch.partition_leader_epoch for batch in found} == {5}
        assert [batch.base_offset for batch in await batches_from(log, 100)] == list(range(99, 180, 3))
        assert log.log_end_offset == 180

    run(main)


def test_a_read_gives_whole_batches_within_its_size() -> None:
    """As many batches as fit; one that is larger only if one is wanted at least, and nothing then otherwise."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(CONFIG, segment_bytes=2**20))
        size = len(produced(2))
        for _ in range(50):
            log.append_as_leader(produced(2), 0)

        async def count(offset: int, max_bytes: int, *, min_one_message: bool = True) -> int:
            fetched = await log.read_cold(offset, max_bytes, min_one_message=min_one_message)
            assert not isinstance(fetched.records, FileRange)
            found = list(batches(memoryview(fetched.records)))
            assert not found or found[0].base_offset <= offset <= found[0].last_offset
            return len(found)

        for offset in (0, 1, 2, 37, 60):
            for wanted in (1, 2, 7, 19):
                assert await count(offset, wanted * size) == wanted
                assert await count(offset, wanted * size + size - 1) == wanted
            assert await count(offset, size - 1) == 1
            assert await count(offset, 0) == 1
            assert await count(offset, size - 1, min_one_message=False) == 0
        assert await count(98, 10**6) == 1
        assert await count(100, 10**6) == 0

    run(main)


def test_a_read_as_a_range_is_the_same_bytes() -> None:
    """A range of the file has the bytes that a read gives, and stays readable when its segment was deleted."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        for _ in range(60):
            log.append_as_leader(produced(3), 0)
        for offset in (0, 17, 100, 179):
            records = (await log.read_cold(offset, 700)).records
            part = (await log.read_cold(offset, 700, as_range=True)).records
            assert isinstance(part, FileRange)
            assert part.file.read(part.position, part.size) == records
        part = (await log.read_cold(0, 700, as_range=True)).records
        assert isinstance(part, FileRange)
        log.update_high_watermark(180)
        log.maybe_increment_log_start_offset(150)
        assert await log.delete_old_segments() > 0
        assert len(part.file.read(part.position, part.size)) == part.size

    run(main)


def test_an_offset_out_of_range_names_the_range() -> None:
    """Before the log's start and behind its end is OFFSET_OUT_OF_RANGE; the end itself is an empty read."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        for _ in range(10):
            log.append_as_leader(produced(), 0)
        log.update_high_watermark(10)
        log.maybe_increment_log_start_offset(4)
        for offset in (-1, 3, 11):
            with pytest.raises(OffsetOutOfRange, match="4 to 10") as refused:
                log.read(offset, 100)
            assert refused.value.code == 1
        assert log.read(10, 100).records == b""
        assert await offsets_from(log, 4) == [4, 5, 6, 7, 8, 9]

    run(main)


def test_consumers_see_up_to_the_high_watermark() -> None:
    """W19, W20: what lies at or above the high watermark is not read by consumers; followers read all."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        for _ in range(15):
            log.append_as_leader(produced(), 0)
        for high_watermark in (0, 1, 8, 14, 15):
            log.update_high_watermark(high_watermark)
            assert await offsets_from(log, isolation=FetchIsolation.HIGH_WATERMARK) == list(range(high_watermark))
            assert await offsets_from(log) == list(range(15))

    run(main)


def test_the_high_watermark_stays_within_the_log() -> None:
    """It is at least the log's start and at most its end, and is incremented forwards only."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        log.append_as_leader(produced(10), 0)
        assert log.update_high_watermark(50) == 10
        assert log.maybe_increment_log_start_offset(3)
        assert log.update_high_watermark(0) == 3
        assert log.maybe_increment_high_watermark(7)
        assert not log.maybe_increment_high_watermark(7)
        assert not log.maybe_increment_high_watermark(5)
        assert log.high_watermark == 7
        assert not log.maybe_increment_log_start_offset(3)
        with pytest.raises(OffsetOutOfRange):
            log.maybe_increment_log_start_offset(8)

    run(main)


def test_a_follower_has_its_leaders_bytes() -> None:
    """A follower writes what it fetched as it is, gaps included, leaves out a batch that was cut off, and refuses
    what lies before its end.
    """

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        first = produced(3, fields=BatchFields(base_offset=10, partition_leader_epoch=2))
        second = produced(2, fields=BatchFields(base_offset=20, partition_leader_epoch=4))
        section = memoryview(bytearray(first) + bytearray(second) + bytearray(first)[:70])
        info = log.append_as_follower(section, leader_epoch=4)
        assert info is not None
        assert (info.first_offset, info.last_offset, log.log_end_offset) == (10, 21, 22)
        assert [bytes(batch.view) for batch in await batches_from(log)] == [bytes(first), bytes(second)]
        assert [(entry.epoch, entry.offset) for entry in log.epochs.entries()] == [(2, 10), (4, 20)]
        with pytest.raises(UnexpectedOffset):
            log.append_as_follower(second, leader_epoch=4)
        assert log.log_end_offset == 22

    run(main)


def test_a_refused_batch_leaves_no_trace() -> None:
    """A batch that breaks a rule is answered with its error, and the log is as before."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        log.append_as_leader(produced(), 0)
        with pytest.raises(InvalidRecord):
            log.append_as_leader(produced(fields=BatchFields(base_offset=7)), 0)
        assert log.log_end_offset == 1
        assert await offsets_from(log) == [0]

    run(main)


def test_what_takes_long_is_for_a_thread_and_keeps_its_turn() -> None:
    """A large compressed batch is validated in a thread; what comes behind it is appended behind it, and an error of
    one does not hold up the others.
    """

    async def main(world: World) -> None:
        log = await Shelf(world).log(LogConfig(message_timestamp_after_max_ms=2**62))
        zstd = BatchFields(compression_type=CompressionType.ZSTD)
        large = produced(value=world.rng.randbytes(400_000), fields=zstd)
        broken = memoryview(bytearray(large))
        broken[-1] ^= 1
        assert log.append_as_leader(memoryview(bytearray(large)), 0) is None

        async def append(section: memoryview) -> int | type[Exception]:
            try:
                return (await log.append_in_turn(section, 0)).first_offset
            except CorruptBatch as error:
                return error.__class__

        tasks = []
        for section in (large, produced(3), broken, produced(2)):
            tasks.append(world.spawn(append(section), "append"))
            await world.clock.sleep(0)
            assert log.append_as_leader(produced(), 0) is None, "others wait for their turn"
        assert [await task for task in tasks] == [0, 1, CorruptBatch, 4]
        appended = log.append_as_leader(produced(), 0)
        assert appended is not None
        assert appended.first_offset == 6

    run(main)


def test_what_decompresses_to_much_goes_one_by_one() -> None:
    """A batch that becomes very large is appended as any other; a bomb is refused, and what waits for it keeps no more
    than the batches as they came.
    """

    async def main(world: World) -> None:
        log = await Shelf(world).log(LogConfig(message_timestamp_after_max_ms=2**62))
        zstd = BatchFields(compression_type=CompressionType.ZSTD)
        large = produced(value=bytes(THREAD_DECOMPRESSED_MAX_BYTES), fields=zstd)
        bomb = produced(value=bytes(DECOMPRESSED_MAX_BYTES), fields=zstd)
        broken = memoryview(bytearray(produced(value=bytes(THREAD_DECOMPRESSED_MAX_BYTES // 2), fields=zstd)))
        broken[60] += 1  # there are fewer records
        RecordBatch(broken).stamp_timestamp(TimestampType.CREATE_TIME, 7)
        tasks, outcomes = [], []

        async def append(section: memoryview) -> None:
            try:
                outcomes.append((await log.append_in_turn(section, 0)).first_offset)
            except PeerError as error:
                outcomes.append(error.code)

        for section in (large, bomb, broken, produced(1)):
            assert len(section) < 100_000
            tasks.append(world.spawn(append(section), "append"))
        for task in tasks:
            await task
        assert outcomes == [0, 10, 87, 1]

    run(main)


def test_only_so_much_waits_for_its_turn() -> None:
    """What waits to be appended is copied, so there is an end to it: who sends more is told so at once, with an error
    after which clients try again, and there is room again when the others are in the log.
    """

    async def main(world: World) -> None:
        log = await Shelf(world).log(LogConfig(message_timestamp_after_max_ms=2**62, max_message_bytes=2**30))
        large = produced(
            value=world.rng.randbytes(WAITING_MAX_BYTES // 3), fields=BatchFields(compression_type=CompressionType.LZ4)
        )
        outcomes: list[int] = []

        async def append() -> None:
            try:
                outcomes.append((await log.append_in_turn(large, 0)).first_offset)
            except NoRoom as error:
                outcomes.append(-error.code)

        for expected in ([-7, 0, 1], [-7, 0, 1, -7, 2, 3]):
            tasks = [world.spawn(append(), "append") for _ in range(3)]
            for task in tasks:
                await task
            assert outcomes == expected

    run(main)


def test_what_may_not_be_appended_is_not_looked_at() -> None:
    """A batch whose leader has gone before a thread had time for it is refused, whatever is in it."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        broken = produced(value=world.rng.randbytes(40_000), fields=BatchFields(compression_type=CompressionType.ZSTD))
        broken[-1] ^= 1

        def may_append() -> None:
            raise RequestRefused(6, "others lead")

        with pytest.raises(RequestRefused, match="others lead"):
            await as_leader(log, LeaderAppend(broken, 0, AppendOrigin.CLIENT, NO_GUARD, 0, True), may_append)

    run(main)


def test_a_duplicate_is_answered_with_its_old_offsets() -> None:
    """W35: a batch that an idempotent producer sends again is not written again."""

    async def main(world: World) -> None:
        log = await Shelf(world).log()
        log.append_as_leader(produced(4), 0)
        first = log.append_as_leader(idempotent(0, 3), 0)
        assert first is not None
        log.append_as_leader(idempotent(3, 2), 0)
        again = log.append_as_leader(idempotent(0, 3), 0)
        assert again is not None
        assert (again.first_offset, again.last_offset, again.is_duplicate) == (4, 6, True)
        assert not first.is_duplicate
        assert log.log_end_offset == 9

    run(main)


def test_read_committed_stops_at_open_transactions() -> None:
    """The last stable offset is the first record of the first open transaction, and moves when its marker is
    replicated; aborted transactions are listed to who reads over them.
    """

    async def main(world: World) -> None:
        shelf = Shelf(world)
        shelf.services = replace(shelf.services, is_verification_required=False)
        log = await shelf.log()
        log.append_as_leader(produced(2), 0)
        log.append_as_leader(idempotent(0, 3, open_=True), 0)
        log.append_as_leader(idempotent(0, 2, producer_id=8, open_=True), 0)
        log.append_as_leader(produced(1), 0)
        log.update_high_watermark(8)
        assert log.last_stable_offset == 2
        log.append_as_leader(marker(committed=False), 0, AppendOrigin.COORDINATOR)
        log.update_high_watermark(9)
        assert log.last_stable_offset == 5
        fetched = await log.read_cold(0, 10_000, FetchIsolation.TXN_COMMITTED)
        assert fetched.aborted_transactions is not None
        assert [(each.producer_id, each.first_offset) for each in fetched.aborted_transactions] == [(7, 2)]
        log.append_as_leader(marker(committed=True, producer_id=8), 0, AppendOrigin.COORDINATOR)
        assert log.last_stable_offset == 5
        log.update_high_watermark(10)
        assert log.last_stable_offset == 10
        assert [each.last_offset for each in log.aborted_transactions(0, 10)] == [8]
        assert (await log.read_cold(0, 10_000, FetchIsolation.LOG_END)).aborted_transactions is None

    run(main)


def test_a_full_disk_ends_the_log_and_shows_nothing() -> None:
    """An append that the disk refuses is told to the directory's owner, leaves nothing to read, and is the last."""

    async def scenario(world: SimulatedWorld) -> None:
        shelf = Shelf(world)
        log = await shelf.log()
        log.append_as_leader(produced(3), 0)
        fault = DiskFault(DiskFaultKind.FULL)
        simulation.nodes["scenario"].disk.faults.begin(fault)
        with pytest.raises(DiskFull):
            log.append_as_leader(produced(3), 0)
        simulation.nodes["scenario"].disk.faults.end(fault)
        assert [error.__class__ for error in shelf.errors] == [DiskFull]
        assert log.log_end_offset == 3
        assert await offsets_from(log) == [0, 1, 2]
        with pytest.raises(DiskFull):
            log.append_as_leader(produced(3), 0)
        assert len(shelf.errors) == 1
        assert (await Shelf(world).log()).log_end_offset == 3

    simulation = Simulation(0)
    simulation.run(scenario)


def test_many_who_wait_share_one_fsync() -> None:
    """A hundred appends that wait for the disk cost a handful of passes; then all lies below the flushed offset."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(CONFIG, segment_bytes=2**20))
        finished: list[int] = []

        async def append(at: int) -> None:
            log.append_as_leader(produced(), 0)
            await log.sync()
            finished.append(at)

        started_ms = world.clock.monotonic_ms()
        async with world.group() as group:
            for at in range(100):
                group.spawn(append(at), f"append {at}")
        assert finished == list(range(100))
        assert log.flushed_offset == 100
        assert log.recovery_point == 0
        assert world.clock.monotonic_ms() - started_ms < 30, "a hundred fsyncs take 75 ms of virtual time"
        await log.flush()
        assert log.recovery_point == 100

    run(main)


def test_flush_messages_moves_the_recovery_point() -> None:
    """With flush.messages a flush is begun as soon as so many records are not on the disk."""

    async def main(world: World) -> None:
        log = await Shelf(world).log(replace(CONFIG, flush_messages=10))
        for _ in range(9):
            log.append_as_leader(produced(), 0)
        await world.clock.sleep(1_000)
        assert log.recovery_point == 0
        log.append_as_leader(produced(), 0)
        await world.clock.sleep(1_000)
        assert log.recovery_point == 10

    run(main)
