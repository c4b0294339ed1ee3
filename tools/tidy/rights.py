"""Rules about rooms and their rights: what may touch the world outside of the process.

Only `src/ottla/world/real` may ask for the time, for randomness, a file, a socket, a thread or a process; everything
else is handed a world. Only `src/ottla/world` knows asyncio. That is what lets whole clusters run in one process from
one seed, so a single forgotten `time.time()` is a fault that no other test would see.

Tests may do all of it, except wait: a test that sleeps is slow when it passes and wrong when the machine is busy.
"""

import sys
from collections.abc import Iterator

from tools.tidy.source import Finding, Source

WORLD = "src/ottla/world/"
REAL_WORLD = "src/ottla/world/real/"
SIMULATED_WORLD = "src/ottla/world/simulated/"
VIRTUAL_TIME = "tests/unit/world/simulated/"

# Modules that are a door to the outside. `os` is not among them: it is needed for names and flags, see CALLS.
MODULES = {
    "time": "the clock",
    "sched": "the clock",
    "random": "randomness",
    "secrets": "randomness",
    "socket": "the network",
    "socketserver": "the network",
    "select": "the network",
    "selectors": "the network",
    "ssl.SSLSocket": "the network",
    "urllib.request": "the network",
    "http.client": "the network",
    "http.server": "the network",
    "threading": "threads",
    "_thread": "threads",
    "concurrent": "threads",
    "multiprocessing": "processes",
    "subprocess": "processes",
    "signal": "processes",
    "mmap": "files",
    "io.open": "files",
    "io.FileIO": "files",
    "pathlib.Path": "files",
    "tempfile": "files",
    "shutil": "files",
    "glob": "files",
    "fileinput": "files",
    "uuid.uuid1": "randomness",
    "uuid.uuid4": "randomness",
}

CALLS = {
    "open": "files",
    "io.open": "files",
    "pathlib.Path": "files",
    "uuid.uuid1": "randomness",
    "uuid.uuid4": "randomness",
    "os.urandom": "randomness",
    "os.getrandom": "randomness",
    "os.times": "the clock",
    "os.fork": "processes",
    "os.kill": "processes",
    "os.system": "processes",
    "os.popen": "processes",
    "datetime.now": "the clock",
    "datetime.utcnow": "the clock",
    "datetime.today": "the clock",
    "date.today": "the clock",
    "datetime.datetime.now": "the clock",
    "datetime.datetime.utcnow": "the clock",
    "datetime.date.today": "the clock",
}
OS_FILE_CALLS = (
    "open close read write readv writev pread pwrite preadv pwritev sendfile fsync fdatasync ftruncate truncate fdopen "
    "stat lstat fstat access listdir scandir walk mkdir makedirs rmdir remove unlink rename replace link symlink chmod"
)
UNSEEDED_CALLS = (
    "random randint randrange getrandbits randbytes choice choices sample shuffle uniform seed SystemRandom"
)
CALLS |= {f"os.{call}": "files" for call in OS_FILE_CALLS.split()}
CALLS |= {f"random.{call}": "randomness" for call in UNSEEDED_CALLS.split()}
CALLS |= {f"os.path.{call}": "files" for call in ("exists", "isfile", "isdir", "getsize", "getmtime")}

# Methods of paths. Package data has them too, so a module that reads package data may use the reading ones.
READING_METHODS = {"read_text", "read_bytes", "iterdir", "is_file"}
WRITING_METHODS = {"write_text", "write_bytes", "unlink", "touch", "rglob"}

# Other people's packages, and where they may be known. Each has its reason in docs/dependencies.md.
THIRD_PARTY = {
    "crc32c": "src/ottla/protocol/",
    "cramjam": "src/ottla/protocol/",
    "cryptography": "src/ottla/world/real/",
}

ASYNC_MODULES = {"asyncio", "uvloop"}


def _named(module: str, doors: dict[str, str]) -> str | None:
    """What a dotted name opens: the name itself or one of the modules that it lies in."""
    parts = module.split(".")
    return next((doors[name] for n in range(len(parts)) if (name := ".".join(parts[: n + 1])) in doors), None)


def _is_seeded(source: Source, name: str) -> bool:
    """Whether this is the simulation's own chance: `random.Random`, which it seeds."""
    return source.path.startswith(SIMULATED_WORLD) and name in ("random", "random.Random")


def outside(source: Source) -> Iterator[Finding]:
    """Clock, randomness, files, sockets, threads and processes are touched in world/real alone."""
    if not source.is_product or source.path.startswith(REAL_WORLD):
        return
    package_data, known = False, {""}
    for line, module in source.imports():
        package_data |= module.startswith("importlib.resources")
        known |= {module.split(".")[0], module.rpartition(".")[2]}
        if (thing := _named(module, MODULES | CALLS)) and not _is_seeded(source, module):
            yield line, f"import of {module}: {thing} belong{'s' * (thing[-1] != 's')} to world/real"
    for line, call in source.calls():
        method = call.rpartition(".")[2]
        owner = (
            call.split(".")[0] if "." in call else ""
        )  # a module only if it is imported: `random` may be a parameter
        if (thing := CALLS.get(call)) and owner in known:
            yield line, f"{call}(): {thing} belong{'s' * (thing[-1] != 's')} to world/real"
        elif "." in call and call.split(".")[-2].lstrip("_") == "disk":
            continue  # a world's disk, which is handed in, has some of these methods too
        elif "." in call and (method in WRITING_METHODS or (method in READING_METHODS and not package_data)):
            yield line, f"{call}(): files belong to world/real"


def event_loop(source: Source) -> Iterator[Finding]:
    """Asyncio is known in world alone: tasks are started by `world.spawn`."""
    if source.is_product and not source.path.startswith(WORLD):
        for line, module in source.imports():
            if module.split(".")[0] in ASYNC_MODULES:
                yield line, f"import of {module}: only the world knows asyncio"


def third_party(source: Source) -> Iterator[Finding]:
    """Other people's packages are known where their job is done, and nowhere else."""
    if not source.is_product:
        return
    for line, module in source.imports():
        package = module.split(".")[0]
        if package in sys.stdlib_module_names or package in ("", "ottla") or package in ASYNC_MODULES:
            continue
        if package not in THIRD_PARTY:
            yield line, f"import of {module}: no dependency of ours (THIRD_PARTY in tools/tidy/rights.py)"
        elif not source.path.startswith(THIRD_PARTY[package]):
            yield line, f"import of {module}: known below {THIRD_PARTY[package]} alone"


def waiting(source: Source) -> Iterator[Finding]:
    """A unit or property test neither sleeps nor mocks our own code."""
    if not source.path.startswith(("tests/unit/", "tests/property/", "tests/scripts/")):
        return
    if source.path.startswith(VIRTUAL_TIME):
        return  # there a sleep takes no time, and is what the test is about
    for line, module in source.imports():
        if module.startswith(("unittest.mock", "mock.")) or module in ("time.sleep", "asyncio.sleep"):
            yield line, f"import of {module}: no test below integration sleeps or mocks"
    for line, call in source.calls():
        if call in ("time.sleep", "asyncio.sleep"):
            yield line, f"{call}(): a test waits for what it wants, not for a time"
