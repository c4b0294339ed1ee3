"""Directories of ours and of Kafka's own tool: the same bytes, read by either, and a real Kafka starts on ours."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ottla.cli.main import main
from ottla.protocol.records.batch import batches
from tests.integration.peer.jars import run_class
from tests.integration.peer.kafka import Kafka
from tests.integration.peer.server import CLUSTER_ID

TOOL = "kafka.tools.StorageTool"
VOTERS = "1@localhost:9093:gQV4gAmyTqu6QDq_dTMSDw,2@[::1]:9095:hQV4gAmyTqu6QDq_dTMSDw"
SNAPSHOT_TIME = slice(73, 81)  # of the log below, in the first record of a snapshot
PROPERTIES = """\
process.roles=broker,controller
node.id={node_id}
listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
controller.quorum.{quorum}
log.dirs={data}/a,{data}/b
metadata.log.dir={data}/metadata
"""
DYNAMIC = "bootstrap.servers=127.0.0.1:9093"
STATIC = "voters=1@127.0.0.1:9093"


def format_twice(folder: Path, arguments: list[str], node_id: int = 1, quorum: str = DYNAMIC) -> Iterator[Path]:
    """The data of two nodes with the same settings, one formatted by Kafka's tool and one by ours."""
    for name in ("kafka", "ottla"):
        data = folder / name
        file = folder / f"{name}.properties"
        file.write_text(PROPERTIES.format(node_id=node_id, data=data, quorum=quorum))
        words = ["format", "--cluster-id", CLUSTER_ID, "--config", str(file), *arguments]
        if name == "kafka":
            run_class(TOOL, *words)
        else:
            assert main(["storage", *words]) == 0
        yield data


def timeless(path: Path) -> bytes:
    """A file of batches without its times, and the checksums over them; of properties, without times and ids."""
    data = bytearray(path.read_bytes())
    if path.suffix == ".properties":
        lines = data.decode().splitlines()
        return "\n".join(line for line in lines if not line.startswith(("#", "directory.id="))).encode()
    ends = [0]
    for batch in batches(memoryview(bytes(data))):
        start = ends[-1]
        data[start + 17 : start + 21] = bytes(4)  # CRC
        data[start + 27 : start + 43] = bytes(16)  # first and last timestamp
        ends.append(start + batch.size_bytes)
    data[SNAPSHOT_TIME] = bytes(8)
    return bytes(data)


def contents(data: Path) -> dict[str, bytes]:
    """Every file of a node."""
    return {str(path.relative_to(data)): timeless(path) for path in sorted(data.rglob("*")) if path.is_file()}


@pytest.mark.parametrize(
    ("arguments", "node_id", "quorum"),
    [
        (["--initial-controllers", VOTERS], 1, DYNAMIC),
        (["--initial-controllers", VOTERS], 7, DYNAMIC),
        (["--no-initial-controllers", "--feature", "group.version=0"], 1, DYNAMIC),
        (["--release-version", "3.9"], 1, STATIC),
        (
            [
                "--initial-controllers", VOTERS, "--add-scram",
                'SCRAM-SHA-256=[name=alice,salt="MWx2NHBkbnc0ZndxN25vdGN4bTB5Y2hpMnQ=",password=secret]',
            ],
            1,
            DYNAMIC,
        ),
    ],
    ids=["voter", "no-voter", "told-later", "static", "scram"],
)  # fmt: skip
def test_the_same_files(tmp_path: Path, arguments: list[str], node_id: int, quorum: str) -> None:
    """What `ottla format` writes is what `kafka-storage format` writes, but for times and the ids of directories."""
    theirs, ours = format_twice(tmp_path, arguments, node_id, quorum)
    assert contents(theirs).keys() == contents(ours).keys()
    assert contents(theirs) == contents(ours)


def test_either_is_read_by_the_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`kafka-storage info` and `ottla storage info` say the same about a directory, whoever formatted it."""
    list(format_twice(tmp_path, ["--initial-controllers", VOTERS]))
    capsys.readouterr()
    for name in ("kafka", "ottla"):
        words = ["info", "--config", str(tmp_path / f"{name}.properties")]
        assert main(["storage", *words]) == 0
        assert capsys.readouterr().out == run_class(TOOL, *words)


def test_kafka_starts_on_a_directory_of_ours(tmp_path: Path) -> None:
    """A real Kafka takes a directory that we formatted as a standalone node's for its own, and serves."""
    kafka = Kafka(tmp_path)
    shutil.rmtree(kafka.data)
    assert main(["format", "-t", CLUSTER_ID, "-c", str(tmp_path / "server.properties"), "--standalone"]) == 0
    with kafka.start():
        kafka.create_topics({"made": {}})
        assert "made" in kafka.admin().list_topics(timeout=10).topics
        kafka.stop()
