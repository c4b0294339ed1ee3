"""What is installed: everything that the program needs, nothing else, and with or without a C compiler."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import ottla

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

# What an installed Ottla must be able to do besides being imported; it prints which twin of the kernel it uses.
PROGRAM = """
import ottla
from ottla.cli.main import main
from ottla.protocol.messages.produce_fetch import FetchRequest
from ottla.protocol.records.kernel import KERNEL
assert FetchRequest.read(FetchRequest(max_wait_ms=5).to_bytes(17), 17).max_wait_ms == 5
assert main([]) == 0
print(ottla.__file__)
print(KERNEL)
"""


def wheel(folder: Path, environment: dict[str, str]) -> Path:
    """Build a wheel out of a copy of what a release holds, fetching nothing."""
    ours = shutil.ignore_patterns("*.so", "__pycache__", "*.egg-info")
    shutil.copytree(SOURCE, folder / "src", ignore=ours)
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--quiet", "."]
    build = subprocess.run(
        command, cwd=folder, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
    )
    assert build.returncode == 0, build.stdout.decode()
    (file,) = folder.glob("*.whl")
    return file


def test_without_a_compiler_the_twin_is_installed_and_works(tmp_path: Path) -> None:
    """Where no C compiler is at hand the install succeeds, holds every file of the package, and uses the pure twin."""
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel(tmp_path, {"CC": "no-such-compiler"})) as content:
        content.extractall(installed)
        names = {name for name in content.namelist() if not name.startswith("ottla-")}
    sources = {
        path.relative_to(SOURCE).as_posix()
        for path in (SOURCE / "ottla").rglob("*")
        if path.is_file() and path.suffix not in (".so", ".pyc")
    }
    assert names == sources
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[-2:] == [str(installed / "ottla" / "__init__.py"), "pure"]


def test_there_is_one_version() -> None:
    """The package and its metadata say the same version, and the changelog speaks of it or of what is unreleased."""
    assert ottla.__version__ == PROJECT["version"]
    released = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert released[0] == ("Unreleased" if "dev" in ottla.__version__ else ottla.__version__)


def test_what_is_promised_is_tested() -> None:
    """Every Python that the metadata names is at least the lowest one, and the lowest is the one that tools aim at."""
    lowest = PROJECT["requires-python"].removeprefix(">=")
    named = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert named[0] == lowest
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert tools["mypy"]["python_version"] == lowest
    assert tools["ruff"]["target-version"] == f"py{lowest.replace('.', '')}"


def test_nothing_is_imported_before_it_is_needed() -> None:
    """Importing the package loads no part of it, and the command that starts first loads no codec."""
    program = "import sys, ottla.cli.main; print(*sorted(name for name in sys.modules if name.startswith('ottla')))"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert loaded == ["ottla", "ottla.cli", "ottla.cli.main", "ottla.cli.parsing", "ottla.errors"]


def test_asking_about_apis_reads_no_schema() -> None:
    """Keys, versions, error codes and features are known without reading or compiling anything of the schema."""
    program = (
        "import sys, ottla.protocol.api_keys, ottla.protocol.error_codes, ottla.protocol.features;"
        "print(*(name for name in sys.modules if name.startswith('ottla.protocol.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {f"ottla.protocol.{name}" for name in ("api_keys", "error_codes", "features")}
