"""Clients as old as Kafka 4.3 serves them: Apache's Java clients 2.1, which speak the lowest versions that are left."""

import fcntl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.integration.peer.programs import home, program
from tests.integration.peer.server import Server

OLDEST = "2.1.1"
PROGRAM = Path(__file__).with_name("OldClient.java")
COUNT = 100
FETCHED_WITHIN_S = 600
RAN_WITHIN_S = 120


def old_jars() -> Path:
    """The folder with the jars of the old clients; Maven fetches them once."""
    folder = home() / f"clients-{OLDEST}"
    with (home() / "old.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            pom = home() / "old-pom.xml"
            pom.write_text(
                '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
                "<groupId>ottla</groupId><artifactId>old</artifactId><version>1</version><packaging>pom</packaging>"
                "<dependencies><dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-clients</artifactId>"
                f"<version>{OLDEST}</version></dependency></dependencies></project>"
            )
            command = [program("mvn"), "--batch-mode", "--quiet", "--file", str(pom), "dependency:copy-dependencies"]
            done = subprocess.run(
                [*command, f"-DoutputDirectory={folder}"],
                check=False, capture_output=True, text=True, timeout=FETCHED_WITHIN_S,
            )  # fmt: skip
            assert done.returncode == 0, f"Maven could not fetch the old clients:\n{done.stdout}\n{done.stderr}"
            (folder / "done").touch()
    return folder


@pytest.mark.parametrize(("codec", "is_idempotent"), [("none", "false"), ("lz4", "true"), ("gzip", "false")])
def test_what_an_old_client_writes_it_reads(
    broker: Server, new_topic: Callable[..., str], codec: str, is_idempotent: str
) -> None:
    """Records of a 2.1 producer are acknowledged in order, and a 2.1 consumer gets them back."""
    topic = new_topic()
    command = [program("java"), "-cp", f"{old_jars()}/*", str(PROGRAM), broker.address, topic, codec, str(COUNT)]
    done = subprocess.run([*command, is_idempotent], check=False, capture_output=True, text=True, timeout=RAN_WITHIN_S)
    assert done.returncode == 0, done.stderr
    expected = [str(number) for number in range(COUNT)] + [f"value {number}" for number in range(COUNT)]
    assert done.stdout.splitlines() == expected
