"""Clients in Go and JavaScript, fetched by their own package managers into the tests' cache, by package name."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from tests.integration.peer.programs import home, program

HERE = Path(__file__).parent
FETCHED_WITHIN_S = 600


def kafkajs() -> Path:
    """The folder whose `node_modules` has kafkajs and the codecs that it takes from others."""
    folder = home() / "npm"
    folder.mkdir(exist_ok=True)
    with (home() / "npm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        stamp = folder / "package.json"
        wanted = (HERE / "package.json").read_bytes()
        if not stamp.exists() or stamp.read_bytes() != wanted or not (folder / "node_modules").exists():
            stamp.write_bytes(wanted)
            _run([program("npm"), "install", "--no-audit", "--no-fund", "--silent"], folder)
    return folder


def franz_go() -> Path:
    """Our program that drives franz-go, compiled."""
    folder = home() / "go"
    folder.mkdir(exist_ok=True)
    with (home() / "go.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for source in (HERE / "franz_go").iterdir():
            copied = folder / source.name
            if not copied.exists() or copied.read_bytes() != source.read_bytes():
                shutil.copyfile(source, copied)
        _run([program("go"), "build", "-mod=mod", "-o", "franz", "."], folder)
    return folder / "franz"


def _run(command: list[str], folder: Path) -> None:
    environment = os.environ | {"GOFLAGS": "-modcacherw", "GOPATH": str(home() / "gopath")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=FETCHED_WITHIN_S
    )
    assert done.returncode == 0, f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}"
