"""Run the tests and the fuzz of the compiled kernel under AddressSanitizer and UndefinedBehaviorSanitizer.

    python -m tools.fuzz_kernel [--rounds 200000]

Builds the kernel with both sanitizers in a copy of the tree (the one that is installed stays as it is) and runs the
kernel's unit and property tests against it, with Python's own memory taken from malloc, so that each buffer has guarded
edges. A byte read or written outside of any buffer ends the run with a report. Needs gcc and its sanitizer libraries.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
TESTS = ["tests/unit/protocol/records", "tests/property/records"]
# The one test that measures memory, which means nothing here.
LEFT_OUT = "not costs_the_process_no_more"


def library(name: str) -> str:
    """Where gcc keeps one of its libraries."""
    found = subprocess.run(["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)  # noqa: S603, S607
    return str(Path(found.stdout.strip()).resolve())


def build(folder: Path) -> None:
    """Build the kernel with the sanitizers, beside a copy of the sources."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    environment = os.environ | {"CFLAGS": FLAGS, "LDFLAGS": "-fsanitize=address,undefined"}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(command, cwd=folder, env=environment, check=True)  # noqa: S603 - our own build


def main() -> None:
    """Build, run, and say how it ended."""
    parser = argparse.ArgumentParser(description="Fuzz the compiled kernel under AddressSanitizer.")
    parser.add_argument("--rounds", type=int, default=200_000, help="damaged batches in each fuzz test")
    rounds: int = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        environment = os.environ | {
            "PYTHONPATH": str(folder / "src"),
            "PYTHONMALLOC": "malloc",
            "LD_PRELOAD": f"{library('libasan.so')} {library('libubsan.so')}",
            "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
            "UBSAN_OPTIONS": "print_stacktrace=1",
            "OTTLA_FUZZ_ROUNDS": str(rounds),
        }
        program = "from ottla.protocol.records.kernel import compiled; print(compiled.__file__)"
        used = subprocess.run(  # noqa: S603 - our own program
            [sys.executable, "-c", program], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
        assert used.stdout.startswith(name), used.stdout
        command = [
            sys.executable,
            "-m",
            "pytest",
            *TESTS,
            "-s",
            "-k",
            LEFT_OUT,
            "-o",
            "timeout=7200",
            "-p",
            "no:randomly",
        ]
        sys.exit(subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode)  # noqa: S603


if __name__ == "__main__":
    main()
