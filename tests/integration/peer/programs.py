"""Other people's programs: found on the path, or installed where they are missing and we are root.

Elsewhere their absence is a failure that says what to install, not a skip.
"""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

# By the program's name, Debian's package that has it.
PACKAGES = {
    "java": "openjdk-17-jdk-headless",  # not the jre: Java programs of ours are compiled as they are started
    "mvn": "maven",
    "kcat": "kcat",
    "openssl": "openssl",
    "go": "golang-go",
    "node": "nodejs",
    "npm": "npm",
}
INSTALLED_WITHIN_S = 900


def home() -> Path:
    """A folder of the tests' own for what they fetch: ~/.cache/ottla-peer, or where OTTLA_PEER_HOME says."""
    folder = Path(os.environ.get("OTTLA_PEER_HOME", "~/.cache/ottla-peer")).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def program(name: str) -> str:
    """Where a program is, having installed it if that is needed and allowed."""
    if shutil.which(name) is None and os.geteuid() == 0 and shutil.which("apt-get"):
        with (home() / "apt.lock").open("w") as lock:  # several test processes may come at once
            fcntl.flock(lock, fcntl.LOCK_EX)
            for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-q", "-y", PACKAGES[name]]):
                subprocess.run(command, check=False, timeout=INSTALLED_WITHIN_S, capture_output=True)
    found = shutil.which(name)
    assert found, f"the integration tests need `{name}` on the path: install {PACKAGES[name]}"
    return found
