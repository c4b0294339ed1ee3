"""What a stop left half-way through a deletion or a compaction, and what a start makes of it, as Kafka does."""

import pytest

from ottla.protocol.records.builder import BatchFields
from ottla.storage.names import FileKind, FileName, FileState
from ottla.storage.recovery.leftovers import resolve_leftovers
from ottla.storage.recovery.report import RecoveryReport
from ottla.world.api import World
from tests.unit.storage.logs import produced, run

KINDS = {".log": FileKind.LOG, ".index": FileKind.OFFSET_INDEX, ".timeindex": FileKind.TIME_INDEX}
STATES = {".cleaned": FileState.CLEANED, ".swap": FileState.SWAP, ".deleted": FileState.DELETED, "": FileState.LIVE}


def name_of(short: str) -> str:
    """The name of a file: `5.log.swap` is that of the segment 5."""
    offset, kind, *state = short.split(".")
    return str(FileName(int(offset), KINDS["." + kind], STATES["".join("." + each for each in state)]))


def put(world: World, short: str, last_offset: int | None = None) -> None:
    """A file; a .log has a batch up to its last offset, and says in it who it is."""
    offset = int(short.split(".", maxsplit=1)[0])
    data = b""
    if last_offset is not None:
        count = last_offset - offset + 1
        data = bytes(produced(count, value=short.encode(), fields=BatchFields(base_offset=offset)))
    world.disk.open(f"/d/{name_of(short)}", create=True).write(0, [data or short.encode()])


CASES: dict[str, tuple[dict[str, int | None], dict[str, str]]] = {
    "deleted files go": (
        {"0.log.deleted": 4, "0.index.deleted": None, "5.log": 9, "5.index": None},
        {"5.log": "5.log", "5.index": "5.index"},
    ),
    "a compaction that was being written goes": (
        {"0.log": 4, "0.index": None, "0.log.cleaned": 4, "0.index.cleaned": None},
        {"0.log": "0.log", "0.index": "0.index"},
    ),
    "one that was whole takes its place": (
        {"0.log": 4, "0.index": None, "5.log": 9, "5.index": None, "10.log": 14, "0.log.swap": 9, "0.index.swap": None},
        {"0.log": "0.log.swap", "0.index": "0.index.swap", "10.log": "10.log"},
    ),
    "one that was not whole goes, since it is renamed from its last segment on": (
        {"0.log": 4, "5.log": 9, "0.log.cleaned": 2, "3.log.swap": 9, "0.index.cleaned": None, "3.index.swap": None},
        {"0.log": "0.log", "5.log": "5.log"},
    ),
    "half of the names of a segment were changed": (
        {"0.log": 4, "5.log": 9, "0.log.swap": 9, "0.index.cleaned": None},
        {"0.log": "0.log", "5.log": "5.log"},
    ),
    "the .log had its name already": (
        {"0.log": 9, "0.index.swap": None, "0.timeindex.swap": None},
        {"0.log": "0.log", "0.index": "0.index.swap", "0.timeindex": "0.timeindex.swap"},
    ),
    "the old ones were deleted already": (
        {"0.log.deleted": 4, "5.log.deleted": 9, "0.log.swap": 9, "0.index.swap": None},
        {"0.log": "0.log.swap", "0.index": "0.index.swap"},
    ),
    "two new ones for three old ones": (
        {"0.log": 4, "5.log": 9, "10.log": 14, "15.log": 19, "0.log.swap": 7, "8.log.swap": 14},
        {"0.log": "0.log.swap", "8.log": "8.log.swap", "15.log": "15.log"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_leftovers_are_resolved(case: str) -> None:
    """Whatever was interrupted, the old segments are there or the new ones, each with its own bytes; twice is once."""
    before, after = CASES[case]

    async def main(world: World) -> None:
        world.disk.make_directory("/d")
        for short, last_offset in before.items():
            put(world, short, last_offset)
        contents = {entry.name: read(world, entry.name) for entry in world.disk.list("/d")}
        world.disk.open("/d/leader-epoch-checkpoint", create=True).close()
        report = RecoveryReport()
        resolve_leftovers(world.disk, "/d", report)
        found = {entry.name: read(world, entry.name) for entry in world.disk.list("/d")}
        assert found.pop("leader-epoch-checkpoint") == b""
        assert found == {name_of(short): contents[name_of(origin)] for short, origin in after.items()}
        assert report.notes
        again = RecoveryReport()
        resolve_leftovers(world.disk, "/d", again)
        assert not again.notes

    run(main)


def read(world: World, name: str) -> bytes:
    """The content of a file."""
    return world.disk.open(f"/d/{name}").read(0, 10**6)
