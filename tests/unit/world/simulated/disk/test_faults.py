"""What goes wrong while a machine is up: each kind of fault, where it strikes, and where it does not."""

import errno
from collections.abc import Callable

import pytest

from ottla.errors import DiskError, DiskFull
from ottla.world.simulated.disk import DiskFault, DiskFaultKind, SimulatedDisk
from tests.unit.world.simulated.disk.machines import Machine, names, read, write

SEEDS = 50
MILLISECOND_NS = 1_000_000


def sick(kind: DiskFaultKind, path: str = "/sick", **options: float) -> Machine:
    """A machine with a good directory, and one that this is wrong with; each holds a file."""
    machine = Machine()
    for folder in ("/good", "/sick", "/sicker"):
        machine.disk.make_directory(folder)
        write(machine.disk, f"{folder}/file", b"old", synced=True)
        machine.disk.sync_directory(folder)
    machine.disk.sync_directory("/")
    machine.hardware.faults.begin(DiskFault(kind, path, **options))  # type: ignore[arg-type]
    return machine


Call = Callable[[SimulatedDisk, str], object]

READS: dict[str, Call] = {
    "read": lambda disk, folder: disk.open(f"{folder}/file", read_only=True).read(0, 9),
    "list": lambda disk, folder: disk.list(folder),
}
SYNCS: dict[str, Call] = {
    "sync": lambda disk, folder: disk.open(f"{folder}/file").sync(),
    "sync_directory": lambda disk, folder: disk.sync_directory(folder),
}
CHANGES: dict[str, Call] = {
    "write": lambda disk, folder: disk.open(f"{folder}/file").write(0, [b"x"]),
    "truncate": lambda disk, folder: disk.open(f"{folder}/file").truncate(0),
    "make": lambda disk, folder: disk.open(f"{folder}/new", create=True),
    "make_directory": lambda disk, folder: disk.make_directory(f"{folder}/new"),
    "rename": lambda disk, folder: disk.rename(f"{folder}/file", f"{folder}/new"),
    "unlink": lambda disk, folder: disk.unlink(f"{folder}/file"),
}


def cases(calls: dict[str, Call], kind: DiskFaultKind, number: int) -> list[tuple[Call, DiskFaultKind, int]]:
    """These calls fail with this number under this fault."""
    return [(call, kind, number) for call in calls.values()]


@pytest.mark.parametrize(
    ("call", "kind", "number"),
    [
        *cases(READS, DiskFaultKind.READ_ERROR, errno.EIO),
        *cases(SYNCS, DiskFaultKind.SYNC_ERROR, errno.EIO),
        *cases(CHANGES, DiskFaultKind.WRITE_ERROR, errno.EIO),
        *cases(CHANGES, DiskFaultKind.READ_ONLY, errno.EROFS),
    ],
)
def test_a_sick_directory_refuses_and_others_do_not(call: Call, kind: DiskFaultKind, number: int) -> None:
    """A fault strikes the calls that it is about, in its directory alone, and every strike is counted."""
    machine = sick(kind)
    with pytest.raises(DiskError) as refused:
        call(machine.disk, "/sick")
    assert refused.value.errno == number
    assert refused.value.path.startswith("/sick")
    assert machine.struck == {kind: 1}
    call(machine.disk, "/good")
    call(machine.disk, "/sicker")
    machine.hardware.faults.heal()
    call(machine.disk, "/sick")
    assert machine.struck == {kind: 1}


@pytest.mark.parametrize("kind", [DiskFaultKind.READ_ONLY, DiskFaultKind.WRITE_ERROR, DiskFaultKind.FULL])
def test_what_is_refused_changes_no_name(kind: DiskFaultKind) -> None:
    """A change of names that fails has not happened."""
    machine = sick(kind)
    for name in ("make", "make_directory", *(() if kind is DiskFaultKind.FULL else ("rename", "unlink"))):
        with pytest.raises(DiskError):
            CHANGES[name](machine.disk, "/sick")
    assert names(machine.disk, "/sick") == ["file"]


def test_one_file_can_be_sick() -> None:
    """A fault on a file strikes that file."""
    machine = sick(DiskFaultKind.READ_ERROR, "/good/file")
    with pytest.raises(DiskError):
        read(machine.disk, "/good/file")
    assert read(machine.disk, "/sick/file") == b"old"


def test_a_fault_strikes_at_its_rate() -> None:
    """A fault with a rate of a fifth strikes about every fifth call."""
    machine = sick(DiskFaultKind.SYNC_ERROR, rate=0.2)
    for _ in range(500):
        try:
            machine.disk.sync_directory("/sick")
        except DiskError:
            continue
    assert 60 < machine.struck[DiskFaultKind.SYNC_ERROR] < 140


def test_a_slow_disk_keeps_its_node_busy() -> None:
    """A call on a slow disk takes its delay more of the node's time, and does what it should."""
    machine = sick(DiskFaultKind.SLOW, delay_ms=100)
    for folder, least_ms, most_ms in (("/good", 0, 1), ("/sick", 50, 151)):
        start_ns = machine.loop.now_ns()
        machine.disk.exists(f"{folder}/file")
        assert least_ms * MILLISECOND_NS <= machine.loop.now_ns() - start_ns <= most_ms * MILLISECOND_NS
    assert read(machine.disk, "/sick/file") == b"old"


def test_a_full_disk_takes_a_part() -> None:
    """A write that does not fit is DiskFull, any prefix of it is there, and what needs no more room goes on."""
    machine = sick(DiskFaultKind.FULL)
    left = set()
    file = machine.disk.open("/sick/file")
    for _ in range(SEEDS):
        with pytest.raises(DiskFull) as refused:
            file.write(0, [b"new", b"er"])
        assert (refused.value.errno, refused.value.path) == (errno.ENOSPC, "/sick/file")
        left.add(read(machine.disk, "/sick/file"))
        file.truncate(0)
        file.truncate(3)
        assert file.write(0, [b"abc"]) == 3
        machine.disk.rename("/sick/file", "/sick/name")
        machine.disk.rename("/sick/name", "/sick/file")
    assert left == {b"new", b"newe"}
    assert machine.disk.free_bytes("/sick") == 0
    assert machine.disk.free_bytes("/good") > 0


def test_a_disk_has_room_for_what_it_has_room_for() -> None:
    """The room of a disk is used up by files and given back by unlinking, cutting and replacing them."""
    machine = Machine()
    machine.hardware.capacity_bytes = 100
    write(machine.disk, "/a", b"a" * 60)
    assert machine.disk.free_bytes("/") == 40
    with pytest.raises(DiskFull):
        write(machine.disk, "/b", b"b" * 50)
    assert read(machine.disk, "/b") == b"b" * 40
    machine.disk.unlink("/b")
    machine.disk.open("/a").truncate(10)
    assert machine.disk.free_bytes("/") == 90
    write(machine.disk, "/b", b"b" * 50)
    machine.disk.rename("/b", "/a")
    assert machine.disk.free_bytes("/") == 50
    machine.kill()
    assert machine.disk.free_bytes("/") == 50
    machine.crash()
    assert machine.disk.free_bytes("/") == 100 - sum(entry.size for entry in machine.disk.list("/"))


def test_a_failed_write_leaves_any_prefix() -> None:
    """After EIO some of a write may be there, and nothing but its prefix."""
    machine = sick(DiskFaultKind.WRITE_ERROR)
    left = set()
    for _ in range(SEEDS):
        with pytest.raises(DiskError):
            machine.disk.open("/sick/file").write(0, [b"new"])
        left.add(read(machine.disk, "/sick/file"))
        machine.hardware.faults.heal()
        write(machine.disk, "/sick/file", b"old")
        machine.hardware.faults.begin(DiskFault(DiskFaultKind.WRITE_ERROR))
    assert left == {b"old", b"nld", b"ned", b"new"}


def test_a_failed_sync_may_drop_what_it_should_have_written() -> None:
    """After a failed sync the next one succeeds, and what was written before may be gone after a crash all the same:
    seen until then or not even that. This is what Linux does, and why a failed sync is never tried again.
    """
    fates = set()
    for seed in range(SEEDS):
        machine = Machine(seed)
        write(machine.disk, "/file", b"old", synced=True)
        machine.disk.sync_directory("/")
        file = machine.disk.open("/file")
        file.write(0, [b"new"])
        fault = DiskFault(DiskFaultKind.SYNC_ERROR)
        machine.hardware.faults.begin(fault)
        with pytest.raises(DiskError):
            file.sync()
        machine.hardware.faults.end(fault)
        seen = read(machine.disk, "/file")
        file.sync()
        machine.crash()
        fates.add((seen, read(machine.disk, "/file")))
    assert fates == {(b"new", b"new"), (b"new", b"old"), (b"old", b"old")}


def test_bits_flip_in_what_is_at_rest() -> None:
    """One bit of a synced file changes, for good, in the directory that was asked for."""
    machine = sick(DiskFaultKind.SLOW)
    path = machine.hardware.flip_bit("/sick")
    assert path == "/sick/file"
    damaged = read(machine.disk, path)
    assert sum((left ^ right).bit_count() for left, right in zip(damaged, b"old", strict=True)) == 1
    machine.crash()
    assert read(machine.disk, path) == damaged
    assert [read(machine.disk, f"{folder}/file") for folder in ("/good", "/sicker")] == [b"old", b"old"]
    assert machine.struck["bit-flip"] == 1


def test_nothing_flips_where_nothing_may() -> None:
    """Files that are not to be damaged, and directories without files, are left alone."""
    machine = sick(DiskFaultKind.SLOW)
    assert machine.hardware.flip_bit("/sick", lambda path: path.endswith(".index")) is None
    assert machine.hardware.flip_bit("/nowhere") is None
    assert read(machine.disk, "/sick/file") == b"old"
    assert machine.struck["bit-flip"] == 0


def test_cached_reads_are_answered_sometimes() -> None:
    """Some cached reads give the bytes and some None, on every machine."""
    for seed in range(5):
        machine = Machine(seed)
        write(machine.disk, "/file", b"x")
        file = machine.disk.open("/file")
        assert {file.read_cached(0, 9) for _ in range(1_000)} == {b"x", None}


def test_what_was_written_stays_while_the_process_is_killed() -> None:
    """A kill frees locks and loses nothing; the power's loss afterwards does."""
    machine = Machine(1)
    write(machine.disk, "/file", b"x")
    machine.disk.lock("/.lock")
    machine.kill()
    machine.disk.lock("/.lock").release()
    assert read(machine.disk, "/file") == b"x"
    assert machine.hardware.content("/file") == b"x"
    assert machine.hardware.stable_content("/file") == b""
