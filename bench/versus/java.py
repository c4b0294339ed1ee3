"""Apache's own Java clients as processes: the performance tool, and a reader without a group."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from tests.integration.peer.jars import jars
from tests.integration.peer.programs import program

READER = Path(__file__).with_name("Reader.java")
RAN_WITHIN_S = 600
LINES = 10_000  # of a payload file
CLIENT_HEAP = "-Xmx512M"


def payload(size: int) -> Path:
    """A file of lines, of letters that hardly compress, so that the tool throws no dice while it measures."""
    path = Path(tempfile.gettempdir(), f"ottla-bench-payload-{size}")
    if not path.exists():
        letters = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
        table = bytes(letters[number % 64] for number in range(256))
        lines = max(10, min(LINES, (1 << 26) // size))
        with path.open("wb") as file:
            for _ in range(lines):
                file.write(os.urandom(size).translate(table) + b"\n")
    return path


def producer_performance(address: str, topic: str, records: int, size: int, **settings: str) -> float:
    """MB/s (10^6 bytes) of kafka-producer-perf-test."""
    given = [f"{name.replace('_', '.')}={value}" for name, value in settings.items()]
    printed = _run(
        "org.apache.kafka.tools.ProducerPerformance",
        "--topic", topic, "--num-records", str(records), "--throughput", "-1", "--payload-file", str(payload(size)),
        "--bootstrap-server", address, "--command-property", *given,
    )  # fmt: skip
    found = re.findall(r"(\d+) records sent, ([\d.]+) records/sec", printed)
    assert found, printed
    assert int(found[-1][0]) == records, printed
    return float(found[-1][1]) * size / 1e6


def read(address: str, topic: str, partitions: int, records: int, size: int) -> float:
    """MB/s of a Java consumer that has assigned itself all partitions, from their start."""
    printed = _run(str(READER), address, topic, str(partitions), str(records))
    return records * size / float(printed.split()[-1]) / 1e6


def _run(*arguments: str) -> str:
    command = [program("java"), CLIENT_HEAP, "-Dlog4j2.level=ERROR", "-cp", f"{jars()}/*", *arguments]
    answer = subprocess.run(  # noqa: S603 - Kafka's own tools
        command, check=False, capture_output=True, text=True, timeout=RAN_WITHIN_S
    )
    assert answer.returncode == 0, f"{arguments[0]} failed:\n{answer.stdout}\n{answer.stderr}"
    return answer.stdout
