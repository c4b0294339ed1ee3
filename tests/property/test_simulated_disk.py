"""The simulated disk against models: whatever is done to it, a loss of power leaves only what it may leave."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors import DiskError
from ottla.world.simulated.disk.crash import SECTOR_BYTES
from tests.unit.world.simulated.disk.machines import Machine, names, read

SIZES = st.integers(0, 5 * SECTOR_BYTES)
WRITES = st.tuples(st.just("write"), SIZES, st.integers(1, 3 * SECTOR_BYTES))
TRUNCATIONS = st.tuples(st.just("truncate"), SIZES, st.just(0))
SYNCS = st.tuples(st.just("sync"), st.just(0), st.just(0))
STEPS = st.lists(st.one_of(WRITES, WRITES, TRUNCATIONS, SYNCS), max_size=12)

FOLDERS = ("a", "b")
PATHS = st.sampled_from([f"/{folder}/{name}" for folder in FOLDERS for name in "xyz"])
NAME_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("make"), PATHS, PATHS),
        st.tuples(st.just("rename"), PATHS, PATHS),
        st.tuples(st.just("rename"), PATHS, PATHS),
        st.tuples(st.just("unlink"), PATHS, PATHS),
        st.tuples(st.just("sync"), PATHS, PATHS),
    ),
    max_size=20,
)


def sector(content: bytes, number: int) -> bytes:
    """A sector of a file, zeros behind its end."""
    return content[number * SECTOR_BYTES : (number + 1) * SECTOR_BYTES].ljust(SECTOR_BYTES, b"\0")


@given(seed=st.integers(0, 1_000), steps=STEPS)
def test_a_file_after_a_loss_of_power(seed: int, steps: list[tuple[str, int, int]]) -> None:
    """What was synced last is there byte for byte; where it was changed since, every sector is one that the file had
    since then, and its size is one that it had, or where a write was torn.
    """
    machine = Machine(seed)
    file = machine.disk.open("/file", create=True)
    machine.disk.sync_directory("/")
    since = [b""]  # what the file held when it was synced last, and after every change since
    for number, (step, position, size) in enumerate(steps):
        content = since[-1]
        if step == "write":
            data = bytes([number + 1]) * size
            file.write(position, [data])
            since.append(content[:position].ljust(position, b"\0") + data + content[position + size :])
        elif step == "truncate":
            file.truncate(position)
            since.append(content[:position].ljust(position, b"\0"))
        else:
            file.sync()
            since = [content]
    assert read(machine.disk, "/file") == since[-1]
    machine.crash()
    left = read(machine.disk, "/file")
    sizes = {len(content) for content in since}
    assert len(left) in sizes or (len(left) % SECTOR_BYTES == 0 and min(sizes) < len(left) < max(sizes))
    for number in range(-(-len(left) // SECTOR_BYTES)):
        size = min(SECTOR_BYTES, len(left) - number * SECTOR_BYTES)
        assert sector(left, number)[:size] in [sector(content, number)[:size] for content in since]
    machine.crash()
    assert read(machine.disk, "/file") == left, "what is there after a loss of power stays"


@settings(max_examples=300)
@given(seed=st.integers(0, 1_000), steps=NAME_STEPS)
def test_names_after_a_loss_of_power(seed: int, steps: list[tuple[str, str, str]]) -> None:
    """A file has one of the names that it had since its directory was synced; it is gone only if its making was not
    synced, or it was unlinked or replaced since; and where everything was synced, everything is as it was.
    """
    machine = Machine(seed)
    disk = machine.disk
    for folder in FOLDERS:
        disk.make_directory(f"/{folder}")
    disk.sync_directory("/")
    now: dict[str, int] = {}  # files by path
    possible: list[list[str | None]] = []  # of each file: where it may be, None if it may be nowhere
    touched: list[set[str]] = []  # of each file: the directories that were part of its newest change
    for step, path, target in steps:
        if step == "make" and path not in now:
            file = disk.open(path, create=True)
            file.write(0, [bytes([len(possible)])])
            file.sync()
            now[path] = len(possible)
            possible.append([None, path])
            touched.append({path[1]})
        elif step == "rename" and path in now and path != target:
            disk.rename(path, target)
            if (replaced := now.pop(target, None)) is not None:
                possible[replaced].append(None)
                touched[replaced] = {target[1], path[1]}
            number = now[target] = now.pop(path)
            possible[number].append(target)
            touched[number] = {path[1], target[1]}
        elif step == "unlink" and path in now:
            disk.unlink(path)
            number = now.pop(path)
            possible[number].append(None)
            touched[number] = {path[1]}
        elif step == "sync":
            disk.sync_directory(f"/{path[1]}")
            for number, folders in enumerate(touched):
                if path[1] in folders:
                    del possible[number][:-1]
    machine.crash()
    left: dict[int, list[str]] = {}
    for folder in FOLDERS:
        for name in names(machine.disk, f"/{folder}"):
            left.setdefault(read(machine.disk, f"/{folder}/{name}")[0], []).append(f"/{folder}/{name}")
    for number, places in enumerate(possible):
        found = left.get(number, [])
        assert len(found) <= 1, "a file has one name"
        assert (found[0] if found else None) in places


@given(seed=st.integers(0, 1_000), steps=NAME_STEPS)
def test_a_kill_loses_nothing(seed: int, steps: list[tuple[str, str, str]]) -> None:
    """What a killed process has written and named is there for the next one, synced or not."""
    machine = Machine(seed)
    for folder in FOLDERS:
        machine.disk.make_directory(f"/{folder}")
    for number, (step, path, target) in enumerate(steps):
        try:
            if step == "make":
                machine.disk.open(path, create=True).write(0, [bytes([number])])
            elif step == "rename":
                machine.disk.rename(path, target)
            elif step == "unlink":
                machine.disk.unlink(path)
        except DiskError:
            continue  # it is not there
    before = {folder: machine.disk.list(f"/{folder}") for folder in FOLDERS}
    content = {path: bytes(file.content) for path, file in machine.hardware.tree.files()}
    machine.kill()
    assert {folder: machine.disk.list(f"/{folder}") for folder in FOLDERS} == before
    assert {path: read(machine.disk, path) for path in content} == content
