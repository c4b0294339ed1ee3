"""What a loss of power leaves, and that everything that may happen does."""

from collections import Counter
from collections.abc import Callable

import pytest

from ottla.world.simulated.disk import SimulatedDisk
from ottla.world.simulated.disk.crash import SECTOR_BYTES
from ottla.world.simulated.loop import NodeDied
from tests.unit.world.simulated.disk.machines import Machine, names, read, write

SEEDS = 200


def outcomes(before: Callable[[SimulatedDisk], object], after: Callable[[SimulatedDisk], object]) -> set[object]:
    """What is found after a loss of power, under many seeds."""
    found = set()
    for seed in range(SEEDS):
        machine = Machine(seed)
        before(machine.disk)
        machine.crash()
        found.add(after(machine.disk))
    return found


def test_an_unsynced_write_is_there_torn_or_absent() -> None:
    """Of three sectors any may be new while the others are old, and the size stays."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"o" * 3 * SECTOR_BYTES, synced=True)
        disk.sync_directory("/")
        disk.open("/file").write(0, [b"n" * 3 * SECTOR_BYTES])

    found = outcomes(before, lambda disk: read(disk, "/file")[::SECTOR_BYTES])
    assert found == {bytes(code, "ascii") for code in ("ooo", "oon", "ono", "onn", "noo", "non", "nno", "nnn")}


def test_an_unsynced_append_may_leave_zeros() -> None:
    """A file may have its new size and not what was written: zeros stand there."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"o" * 10, synced=True)
        disk.sync_directory("/")
        disk.open("/file").write(10, [b"n" * 10])

    kept, lost = b"o" * 10 + b"n" * 10, b"o" * 10
    assert outcomes(before, lambda disk: read(disk, "/file")) == {kept, lost, lost + bytes(10)}


def test_an_unsynced_truncation_may_not_have_happened() -> None:
    """What was cut may be there again; what was not cut always is."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"o" * 20, synced=True)
        disk.sync_directory("/")
        disk.open("/file").truncate(5)

    found = outcomes(before, lambda disk: read(disk, "/file"))
    assert {b"o" * 20, b"o" * 5} <= found <= {b"o" * 20, b"o" * 5, b"o" * 5 + bytes(15)}


def test_a_file_whose_directory_was_not_synced_may_be_gone() -> None:
    """A synced file has content, but no name, before its directory is synced."""
    found = outcomes(lambda disk: write(disk, "/file", b"x", synced=True), lambda disk: tuple(names(disk)))
    assert found == {(), ("file",)}


def test_replacing_a_file_is_all_or_nothing() -> None:
    """The pattern that all checkpoints use leaves the old file or the new one, whole."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"old", synced=True)
        disk.sync_directory("/")
        write(disk, "/file.tmp", b"new", synced=True)
        disk.rename("/file.tmp", "/file")

    assert outcomes(before, lambda disk: read(disk, "/file")) == {b"old", b"new"}


def test_replacing_a_file_without_a_sync_may_lose_both() -> None:
    """Who renames before syncing may find an empty file: the mistake that this disk is there to show."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"old", synced=True)
        disk.sync_directory("/")
        write(disk, "/file.tmp", b"new")
        disk.rename("/file.tmp", "/file")

    assert outcomes(before, lambda disk: read(disk, "/file")) == {b"old", b"new", b"", bytes(3)}


def test_a_rename_into_another_directory_loses_nothing() -> None:
    """A file that is moved is at one place or the other, also if only the directory that it left was synced."""

    def before(disk: SimulatedDisk) -> None:
        disk.make_directory("/a")
        write(disk, "/a/file", b"x", synced=True)
        disk.sync_directory("/a")
        disk.sync_directory("/")
        disk.make_directory("/b/c")
        disk.rename("/a/file", "/b/c/file")

    def places(disk: SimulatedDisk) -> tuple[bool, bool]:
        return disk.exists("/a/file"), disk.exists("/b/c/file")

    assert outcomes(before, places) == {(True, False), (False, True)}

    def before_and_sync(disk: SimulatedDisk) -> None:
        before(disk)
        disk.sync_directory("/a")

    assert outcomes(before_and_sync, places) == {(False, True)}


def test_a_directory_is_not_gone_before_what_was_moved_out_of_it_is_out() -> None:
    """Removing an emptied directory never loses what was moved out of it."""

    def before(disk: SimulatedDisk) -> None:
        disk.make_directory("/a")
        disk.make_directory("/b")
        write(disk, "/a/file", b"x", synced=True)
        for path in ("/a", "/"):
            disk.sync_directory(path)
        disk.rename("/a/file", "/b/file")
        disk.remove_directory("/a")

    def before_and_sync(disk: SimulatedDisk) -> None:
        before(disk)
        disk.sync_directory("/")

    def places(disk: SimulatedDisk) -> tuple[bool, bool, bool]:
        return disk.exists("/a"), disk.exists("/a/file"), disk.exists("/b/file")

    assert outcomes(before, places) == {(True, True, False), (True, False, True), (False, False, True)}
    assert outcomes(before_and_sync, places) == {(False, False, True)}


def test_a_renamed_directory_keeps_its_files() -> None:
    """A topic's directory that is renamed for deletion holds its files under either name."""

    def before(disk: SimulatedDisk) -> None:
        disk.make_directory("/t-0")
        write(disk, "/t-0/log", b"x", synced=True)
        disk.sync_directory("/t-0")
        disk.sync_directory("/")
        disk.rename("/t-0", "/t-0-delete")

    found = outcomes(before, lambda disk: (disk.exists("/t-0/log"), disk.exists("/t-0-delete/log")))
    assert found == {(True, False), (False, True)}


def test_an_unlinked_file_may_come_back() -> None:
    """An unlink that was not synced may not have happened."""

    def before(disk: SimulatedDisk) -> None:
        write(disk, "/file", b"x", synced=True)
        disk.sync_directory("/")
        disk.unlink("/file")

    assert outcomes(before, lambda disk: disk.exists("/file")) == {True, False}


def test_independent_changes_survive_in_any_combination() -> None:
    """Directory entries are written in no order: the second of two may be there without the first."""

    def before(disk: SimulatedDisk) -> None:
        for name in "ab":
            write(disk, f"/{name}", b"x", synced=True)

    assert outcomes(before, lambda disk: "".join(names(disk))) == {"", "a", "b", "ab"}


def test_a_crash_says_what_it_did() -> None:
    """The trace of a run tells how much was at stake."""
    machine = Machine(3)
    write(machine.disk, "/file", b"x")
    machine.disk.sync_directory("/")
    machine.disk.make_directory("/a")
    text = machine.crash()
    assert text.startswith("1 files had unsynced writes, ")
    assert text.endswith(" of 1 changes of names are lost")


def test_what_is_open_when_the_power_goes_is_closed() -> None:
    """Nothing of the old life reaches the disk of the new one."""
    machine = Machine()
    write(machine.disk, "/file", b"x", synced=True)
    machine.disk.sync_directory("/")
    lock = machine.disk.lock("/file")
    old = machine.disk.open("/file")
    machine.crash()
    with pytest.raises(NodeDied):
        old.write(0, [b"y"])
    old.close()
    again = machine.disk.lock("/file")
    lock.release()
    assert len(machine.hardware.locks) == 1, "the dead release nobody's lock"
    again.release()
    assert read(machine.disk, "/file") == b"x"


def test_what_is_older_than_a_thousand_changes_has_been_written_back() -> None:
    """A file that is never synced is on the disk in the end, but for its newest writes."""
    machine = Machine()
    machine.disk.open("/file", create=True)
    machine.disk.sync_directory("/")
    file = machine.disk.open("/file")
    for number in range(3_000):
        file.write(number, [b"x"])
    machine.crash()
    assert read(machine.disk, "/file")[:2_000] == b"x" * 2_000


def test_all_kinds_of_luck_occur() -> None:
    """Of five changes of names all, none and some are lost, each now and then."""
    counts: Counter[int] = Counter()
    for seed in range(SEEDS):
        machine = Machine(seed)
        for number in range(5):
            machine.disk.make_directory(f"/{number}")
        machine.crash()
        counts[len(names(machine.disk))] += 1
    assert set(counts) == {0, 1, 2, 3, 4, 5}
    assert min(counts[0], counts[5]) > SEEDS / 20
