"""Loading a log: a clean start trusts, an unclean one looks through what was not flushed, and damage ends the log."""

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from ottla.protocol.checksum import crc32c
from ottla.protocol.records.batch import HEADER_SIZE
from ottla.storage.append.info import AppendOrigin
from ottla.storage.log import Log
from ottla.storage.names import FileKind
from ottla.storage.recovery.recovery import StartingPoint, load_log
from ottla.world.api import World
from tests.unit.storage.log_checks import check_log, check_producers, told
from tests.unit.storage.logs import (
    CONFIG,
    DIRECTORY,
    ORDERS,
    Shelf,
    batches_from,
    idempotent,
    marker,
    offsets_from,
    produced,
    run,
)

UNCLEAN = StartingPoint(is_clean=False)
LARGE = replace(CONFIG, segment_bytes=2**20)


def shelf_in(world: World) -> Shelf:
    """A log directory where producers are never forgotten, and transactions need no vouching."""
    shelf = Shelf(world)
    shelf.services = replace(shelf.services, is_verification_required=False, producer_id_expiration_ms=2**62)
    return shelf


def fill(log: Log, count: int = 40) -> None:
    """Plain, idempotent and transactional batches of several leaders, aborted transactions among them."""
    sequence = 0
    for at in range(count):
        epoch = at // 8
        log.append_as_leader(produced(1 + at % 3, timestamp=1_000 + 37 * at % 400), epoch)
        log.append_as_leader(idempotent(sequence, 2, open_=True), epoch)
        sequence += 2
        if at % 4 == 3:
            log.append_as_leader(marker(committed=at % 8 == 3), epoch, AppendOrigin.COORDINATOR)
    log.update_high_watermark(log.log_end_offset)


def copied(world: World, source: str, target: str, change: Callable[[str, bytearray], None] = lambda *_: None) -> None:
    """Copy a partition's directory; `change` may do something to each file."""
    world.disk.make_directory(target)
    for entry in world.disk.list(source):
        data = bytearray(world.disk.open(f"{source}/{entry.name}").read(0, entry.size))
        change(entry.name, data)
        file = world.disk.open(f"{target}/{entry.name}", create=True)
        file.truncate(0)
        file.write(0, [data])


def loaded(test: Callable[[World, Shelf, Log], Awaitable[None]], *, size: int = 40) -> None:
    """Run a test on a log that was filled and closed."""

    async def main(world: World) -> None:
        shelf = shelf_in(world)
        log = await shelf.log()
        fill(log, size)
        await log.close()
        await test(world, shelf, log)

    run(main)


def test_a_clean_start_reads_little_and_knows_all() -> None:
    """After a clean stop nothing is looked through, and log end, producers, epochs and timestamps are as before."""

    async def look(_: World, shelf: Shelf, before: Log) -> None:
        log, report = await shelf.load()
        assert (report.checked_segments, report.notes) == (0, [])
        assert (log.log_end_offset, log.recovery_point) == (before.log_end_offset, before.log_end_offset)
        assert told(log.producer_state) == told(before.producer_state)
        assert log.epochs.entries() == before.epochs.entries()
        log.update_high_watermark(log.log_end_offset)
        check_producers(log, check_log(log))
        again = await log.append_in_turn(produced(), 9)
        assert again.first_offset == before.log_end_offset

    loaded(look)


def test_closing_a_log_that_nobody_touched_writes_nothing() -> None:
    """Ten thousand idle partitions are closed without a write: loading and closing leaves every file as it is."""

    async def look(world: World, shelf: Shelf, _: Log) -> None:
        def content() -> dict[str, bytes]:
            return {
                entry.name: world.disk.open(f"{DIRECTORY}/{entry.name}").read(0, entry.size)
                for entry in world.disk.list(DIRECTORY)
            }

        before = content()
        log = await shelf.log()
        await log.close()
        assert content() == before

    loaded(look)


def test_an_unclean_start_finds_the_same_log() -> None:
    """Whatever the recovery point is, looking through the rest gives the log, its indexes and its producers."""

    async def look(world: World, shelf: Shelf, before: Log) -> None:
        for recovery_point in (0, 1, 17, 60, before.log_end_offset):
            copied(world, DIRECTORY, f"/{recovery_point}")
            log, report = await shelf.load(
                start=StartingPoint(is_clean=False, recovery_point=recovery_point), directory=f"/{recovery_point}"
            )
            assert log.log_end_offset == before.log_end_offset
            assert (report.truncated_bytes, report.deleted_segments) == (0, 0)
            log.update_high_watermark(log.log_end_offset)
            check_producers(log, check_log(log))

    loaded(look)


def test_recovery_begins_at_the_recovery_point() -> None:
    """What lies below the recovery point is not looked through again: neither whole segments nor the part of one."""

    async def main(world: World) -> None:
        shelf = shelf_in(world)
        log = await shelf.log(LARGE)
        fill(log)
        recovery_point, size = log.log_end_offset, log.size_bytes
        await log.flush()
        fill_again = [produced(3) for _ in range(5)]
        for section in fill_again:
            log.append_as_leader(section, 9)
        log, report = await shelf.load(LARGE, StartingPoint(is_clean=False, recovery_point=recovery_point))
        assert log.log_end_offset == recovery_point + 15
        assert report.checked_bytes == sum(map(len, fill_again))
        assert log.size_bytes == size + report.checked_bytes
        log.update_high_watermark(log.log_end_offset)
        check_producers(log, check_log(log))

    run(main)


def test_every_flipped_byte_leaves_a_prefix() -> None:
    """A byte that was changed above the recovery point ends the log before its batch, and no other record is served.

    Two fields lie outside of the checksum: another base offset is told, as a gap or a step back; another leader epoch
    cannot be known from a new leader's.
    """

    async def main(world: World) -> None:
        shelf = shelf_in(world)
        log = await shelf.log(LARGE)
        fill(log, 4)
        await log.close()
        whole = [bytes(batch.view) for batch in await batches_from(log)]
        name = f"{0:020d}.log"
        starts = {sum(map(len, whole[:at])) for at in range(len(whole))}
        offsets = {start + at for start in starts for at in range(8)}
        epochs = {start + at for start in starts for at in range(12, 16)}
        for position in range(log.size_bytes):

            def flip(file: str, data: bytearray, position: int = position) -> None:
                if file == name:
                    data[position] ^= 0x15

            copied(world, DIRECTORY, "/flipped", flip)
            damaged, report = await shelf.load(LARGE, UNCLEAN, "/flipped")
            found = [bytes(batch.view) for batch in await batches_from(damaged)]
            if position in epochs:
                assert [data[:12] + data[16:] for data in found] == [data[:12] + data[16:] for data in whole]
            elif position in offsets:
                assert report.notes, f"byte {position}: a gap, or an offset that falls"
            else:
                assert found == whole[: len(found)], f"byte {position}"
                assert len(found) < len(whole)
                assert report.truncated_bytes > 0
            await damaged.close()

    run(main)


def test_every_length_leaves_a_prefix() -> None:
    """A log that was cut off anywhere above the recovery point has its whole batches, and goes on behind them."""

    async def main(world: World) -> None:
        shelf = shelf_in(world)
        log = await shelf.log(LARGE)
        fill(log, 4)
        await log.close()
        whole = [bytes(batch.view) for batch in await batches_from(log)]
        for length in range(log.size_bytes):

            def cut(file: str, data: bytearray, length: int = length) -> None:
                if file.endswith(".log"):
                    del data[length:]

            copied(world, DIRECTORY, "/cut", cut)
            shorter, _ = await shelf.load(LARGE, UNCLEAN, "/cut")
            found = [bytes(batch.view) for batch in await batches_from(shorter)]
            assert found == whole[: len(found)]
            assert sum(map(len, found)) <= length < sum(map(len, whole[: len(found) + 1]))
            appended = shorter.append_as_leader(produced(), 5)
            assert appended is not None
            assert appended.first_offset == shorter.log_end_offset - 1
            await shorter.close()

    run(main)


def test_a_torn_index_entry_is_not_believed() -> None:
    """What was written of an index entry above the recovery point never passes for one below it, wherever it ends.

    Seed 90 of the logs suite: the disk refused in the middle of an entry, whose offset then was 0.
    """

    async def main(world: World) -> None:
        shelf, config = shelf_in(world), replace(CONFIG, segment_bytes=9_000, index_interval_bytes=1_200)
        log = await shelf.log(config)
        for at in range(20):
            log.append_as_leader(produced(70, timestamp=1_000 + 1_000 * at, value=b""), 0)
        await log.close()
        assert len(log.segments) > 2
        torn = 0
        for batch in await batches_from(log, max_bytes=2**20):
            for name, sound, entry_bytes in unflushed_entries(log, batch.base_offset):
                for length in range(sound, sound + entry_bytes):

                    def tear(file: str, data: bytearray, name: str = name, length: int = length) -> None:
                        if file == name:
                            data[length:] = bytes(len(data) - length)

                    copied(world, DIRECTORY, f"/{torn}", tear)
                    start = StartingPoint(is_clean=False, recovery_point=batch.base_offset)
                    found, report = await shelf.load(config, start, f"/{torn}")
                    assert (found.log_end_offset, report.truncated_bytes) == (log.log_end_offset, 0)
                    check_log(found)
                    torn += 1
        assert torn > 200

    run(main)


def unflushed_entries(log: Log, recovery_point: int) -> list[tuple[str, int, int]]:
    """The first index entries that need not be on the disk: the file, where they begin, their size.

    Of a segment that ends at the recovery point it is the one that the time index got when the segment was closed.
    """
    found: list[tuple[str, int, int]] = []
    for segment in log.segments.from_offset(max(recovery_point - 1, 0))[:2]:
        offsets, times = segment.loaded_indexes()
        is_behind = segment.end_offset_bound == recovery_point
        offset_count = sum(offsets.entry(at)[0] < recovery_point for at in range(len(offsets)))
        time_count = sum(times.entry(at).offset < recovery_point for at in range(len(times))) - is_behind
        if offset_count < len(offsets):
            found.append((segment.path(FileKind.OFFSET_INDEX).rpartition("/")[2], 8 * offset_count, 8))
        if time_count < len(times):
            found.append((segment.path(FileKind.TIME_INDEX).rpartition("/")[2], 12 * time_count, 12))
    return found


@pytest.mark.parametrize("kind", [".index", ".timeindex", ".txnindex", ".snapshot"])
@pytest.mark.parametrize("is_clean", [True, False])
def test_damaged_and_missing_files_are_made_anew(kind: str, *, is_clean: bool) -> None:
    """An index or a snapshot that is missing, cut off, or full of anything costs time and nothing else.

    The index of aborted transactions is the exception after a clean stop: without its file nobody knows of it, in Kafka
    neither.
    """

    async def look(world: World, shelf: Shelf, before: Log) -> None:
        changes: list[Callable[[bytearray], None]] = [
            lambda data: data.__delitem__(slice(len(data) // 2 + 1, None)),
            lambda data: data.__setitem__(slice(0, None), b"\xff" * (len(data) + 5)),
            lambda data: data.__setitem__(slice(0, None), bytes(len(data) or 24)),
        ]
        for number, change in enumerate(changes):

            def spoil(name: str, data: bytearray, change: Callable[[bytearray], None] = change) -> None:
                if name.endswith(kind) and data:
                    change(data)

            directory = f"/{number}"
            copied(world, DIRECTORY, directory, spoil)
            log, _ = await shelf.load(
                start=StartingPoint(is_clean=is_clean, recovery_point=before.log_end_offset if is_clean else 0),
                directory=directory,
            )
            log.update_high_watermark(log.log_end_offset)
            check_producers(log, check_log(log))
            await log.close()
        copied(world, DIRECTORY, "/missing")
        for entry in world.disk.list("/missing"):
            if entry.name.endswith(kind) and kind != ".txnindex":
                world.disk.unlink(f"/missing/{entry.name}")
        log, _ = await shelf.load(start=StartingPoint(is_clean=False), directory="/missing")
        log.update_high_watermark(log.log_end_offset)
        check_producers(log, check_log(log))

    loaded(look, size=24)


def test_damage_drops_what_lies_behind_it() -> None:
    """A segment behind a damaged one goes with the rest: offsets have no hole."""

    async def look(world: World, shelf: Shelf, before: Log) -> None:
        bases = [segment.base_offset for segment in before.segments]
        victim = f"{bases[1]:020d}.log"

        def spoil(name: str, data: bytearray) -> None:
            if name == victim:
                data[HEADER_SIZE + 5] ^= 1

        copied(world, DIRECTORY, "/damaged", spoil)
        log, report = await shelf.load(start=UNCLEAN, directory="/damaged")
        assert log.log_end_offset == bases[1]
        assert [segment.base_offset for segment in log.segments] == bases[:2]
        assert report.deleted_segments == len(bases) - 2
        assert await offsets_from(log) == list(range(bases[1]))
        assert not [entry for entry in world.disk.list("/damaged") if entry.name.startswith(f"{bases[2]:020d}.log")]

    loaded(look)


@pytest.mark.parametrize(
    ("delta", "why"),
    [
        (-1, "ends before it begins"),
        (-(2**31), "ends before it begins"),
        (2**31 - 1, "too far from the segment's base"),
    ],
)
def test_offsets_that_cannot_be_end_the_log(delta: int, why: str) -> None:
    """A last offset before the first, or too far for an index, ends the log though the checksum is right."""

    async def main(world: World) -> None:
        shelf = shelf_in(world)
        log = await shelf.log(LARGE)
        for _ in range(5):
            log.append_as_leader(produced(2), 0)
        position = log.segments.active.size_bytes // 5 * 3
        await log.close()
        file = world.disk.open(log.segments.active.file.path)
        batch = bytearray(file.read(position, log.segments.active.size_bytes // 5))
        batch[23:27] = delta.to_bytes(4, "big", signed=True)
        batch[17:21] = crc32c(batch[21:]).to_bytes(4, "big")
        file.write(position, [batch])
        again, report = await shelf.load(LARGE, UNCLEAN)
        assert again.log_end_offset == 6
        assert [note for note in report.notes if why in note]
        check_log(again)

    run(main)


def test_a_hole_between_segments_ends_the_log() -> None:
    """A segment that does not begin where the one before ends is dropped above the recovery point, unless the topic is
    compacted.
    """

    async def look(world: World, shelf: Shelf, before: Log) -> None:
        bases = [segment.base_offset for segment in before.segments]

        def last_batch_of_first(name: str, data: bytearray) -> None:
            if name == f"{0:020d}.log":
                batches = list(range(0))
                position = 0
                while position < len(data):
                    batches.append(position)
                    position += int.from_bytes(data[position + 8 : position + 12], "big") + 12
                del data[batches[-1] :]

        for compact, segments in ((False, 1), (True, len(bases))):
            copied(world, DIRECTORY, f"/{compact}", last_batch_of_first)
            log, report = await shelf.load(replace(CONFIG, compact=compact), UNCLEAN, f"/{compact}")
            assert len(log.segments) == segments
            assert any("missing" in note for note in report.notes)

    loaded(look)


def test_the_log_start_is_the_checkpoints() -> None:
    """A log begins where the checkpoint says; one that ends before that begins anew there, empty."""

    async def look(world: World, shelf: Shelf, before: Log) -> None:
        start = StartingPoint(is_clean=True, log_start_offset=11)
        copied(world, DIRECTORY, "/some")
        log, _ = await shelf.load(start=start, directory="/some")
        assert (log.log_start_offset, log.high_watermark) == (11, 11)
        far = before.log_end_offset + 100
        copied(world, DIRECTORY, "/none")
        log, report = await shelf.load(start=StartingPoint(is_clean=True, log_start_offset=far), directory="/none")
        assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (far, far, 0)
        assert report.notes
        assert not log.producer_state.producers
        assert not log.epochs.entries()

    loaded(look)


def test_progress_is_told() -> None:
    """Whoever starts a broker sees how many segments and bytes are still to be looked through."""

    async def look(_: World, shelf: Shelf, before: Log) -> None:
        told_: list[tuple[int, int]] = []
        await load_log(shelf.services, ORDERS, DIRECTORY, CONFIG, UNCLEAN, progress=lambda *left: told_.append(left))
        sizes = [segment.size_bytes for segment in before.segments]
        assert told_ == [(len(sizes) - at, sum(sizes[at:])) for at in range(len(sizes))] + [(0, 0)]

    loaded(look)
