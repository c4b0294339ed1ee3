"""Kafka's jars, fetched once by Maven into a cache, and a way to run the programs in them.

The cache belongs to the pom beside this file and is made anew when that changes.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from tests.integration.peer.programs import home, program

POM = Path(__file__).with_name("pom.xml")
FETCHED_WITHIN_S = 900
RAN_WITHIN_S = 120


def jars() -> Path:
    """The folder with the jars; fetches them if they are not there."""
    wanted = hashlib.sha256(POM.read_bytes()).hexdigest()
    folder, stamp = home() / "libs", home() / "pom.sha256"
    with (home() / "lock").open("w") as lock:  # several test processes may come at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            _fetch(folder)
            stamp.write_text(wanted)
    return folder


def run_class(name: str, *arguments: str) -> str:
    """Run a class out of the jars and return what it prints; its failure is ours."""
    command = [
        program("java"), "-Xmx256M", "-Dfile.encoding=UTF-8", "-Dlog4j2.level=ERROR",
        "-cp", f"{jars()}/*", name, *arguments,
    ]  # fmt: skip
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    answer = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", env=environment, timeout=RAN_WITHIN_S
    )
    assert answer.returncode == 0, f"{name} failed:\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


def _fetch(folder: Path) -> None:
    program("java")
    command = [
        program("mvn"), "--batch-mode", "--quiet", "--file", str(POM),
        "dependency:copy-dependencies", f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    answer = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=POM.parent, timeout=FETCHED_WITHIN_S
    )
    assert answer.returncode == 0, f"Maven could not fetch Kafka's jars:\n{answer.stdout}\n{answer.stderr}"
