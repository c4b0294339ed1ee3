"""Kafka's jars, fetched once by Maven into a cache, and a way to run the programs in them.

The cache is ~/.cache/ottla-peer, or where OTTLA_PEER_HOME says; it belongs to the pom beside this file and is made anew
when that changes. Java and Maven are found on the path; where they are missing and we are root they are installed, and
elsewhere their absence is a failure that says so, not a skip.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

POM = Path(__file__).with_name("pom.xml")
PACKAGES = {"java": "openjdk-17-jre-headless", "mvn": "maven"}
FETCHED_WITHIN_S = 900
RAN_WITHIN_S = 120


def jars() -> Path:
    """The folder with the jars; fetches them if they are not there."""
    home = Path(os.environ.get("OTTLA_PEER_HOME", "~/.cache/ottla-peer")).expanduser()
    wanted = hashlib.sha256(POM.read_bytes()).hexdigest()
    folder, stamp = home / "libs", home / "pom.sha256"
    home.mkdir(parents=True, exist_ok=True)
    with (home / "lock").open("w") as lock:  # several test processes may come at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != wanted:
            shutil.rmtree(folder, ignore_errors=True)
            _fetch(folder)
            stamp.write_text(wanted)
    return folder


def run_class(name: str, *arguments: str) -> str:
    """Run a class out of the jars and return what it prints; its failure is ours."""
    command = [
        _program("java"), "-Xmx256M", "-Dfile.encoding=UTF-8", "-Dlog4j2.level=ERROR",
        "-cp", f"{jars()}/*", name, *arguments,
    ]  # fmt: skip
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    answer = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", env=environment, timeout=RAN_WITHIN_S
    )
    assert answer.returncode == 0, f"{name} failed:\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout


def _fetch(folder: Path) -> None:
    _program("java")
    command = [
        _program("mvn"), "--batch-mode", "--quiet", "--file", str(POM),
        "dependency:copy-dependencies", f"-DoutputDirectory={folder}",
    ]  # fmt: skip
    answer = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=POM.parent, timeout=FETCHED_WITHIN_S
    )
    assert answer.returncode == 0, f"Maven could not fetch Kafka's jars:\n{answer.stdout}\n{answer.stderr}"


def _program(name: str) -> str:
    """Where a program is, having installed it if that is needed and allowed."""
    if shutil.which(name) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", PACKAGES[name]]):
            subprocess.run(command, check=False, timeout=FETCHED_WITHIN_S, capture_output=True)
    found = shutil.which(name)
    assert found, f"the integration tests need `{name}` on the path: install {PACKAGES[name]}"
    return found
