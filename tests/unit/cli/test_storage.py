"""The commands `ottla storage`, `ottla format` and `ottla random-uuid`: what they print, and how they end."""

from pathlib import Path

import pytest

from ottla.cli.main import main
from ottla.protocol.uuids import parse_uuid

CLUSTER = "u4e0zS6uTUKVIN2DqDsXjg"


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A server.properties of a node with one directory."""
    file = tmp_path / "server.properties"
    file.write_text(
        f"node.id=1\nprocess.roles=broker,controller\ncontroller.listener.names=CONTROLLER\n"
        f"listeners=PLAINTEXT://localhost:9092,CONTROLLER://localhost:9093\nlog.dirs={tmp_path}/data\n"
        f"controller.quorum.bootstrap.servers=localhost:9093\n"
    )
    return str(file)


def test_formatting(config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Info before, format, info after, format again: words and exit status are those of Kafka's tool."""
    data = f"{tmp_path}/data"
    assert main(["storage", "info", "-c", config]) == 1
    assert capsys.readouterr().out == f"Found problem:\n  {data} does not exist\n\n"
    assert main(["format", "-t", CLUSTER, "-c", config, "--standalone"]) == 0
    assert capsys.readouterr().out == (
        "Bootstrap metadata: metadata.version=30, eligible.leader.replicas.version=1, group.version=1, "
        "share.version=1, streams.version=1, transaction.version=2.\n"
        f"Formatting dynamic metadata voter directory {data} with metadata.version 4.3-IV0.\n"
    )
    assert main(["storage", "info", "-c", config]) == 0
    first, second, _, metadata, _, _ = capsys.readouterr().out.split("\n")
    assert (first, second) == ("Found log directory:", f"  {data}")
    assert metadata.startswith(f"Found metadata: {{cluster.id={CLUSTER}, directory.id=")
    assert metadata.endswith(", node.id=1, version=1}")
    assert main(["storage", "format", "-t", CLUSTER, "-c", config, "-s"]) == 1
    assert f"ottla storage: Log directory {data} is already formatted." in capsys.readouterr().err
    assert main(["storage", "format", "-t", CLUSTER, "-c", config, "-s", "-g"]) == 0
    assert capsys.readouterr().out == "All of the log directories are already formatted.\n"


def test_what_is_passed_over_is_told(config: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory that cannot be read is named, and the command fails if there is no other."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data/meta.properties").write_text("version=7\n")
    assert main(["format", "-t", CLUSTER, "-c", config, "-s"]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said[0].endswith("passed over.")
    assert said[1].startswith("ottla format: No log directory can be formatted")


def test_a_user_to_begin_with(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A credential is written, and its password shown nowhere."""
    arguments = ["--add-scram", "SCRAM-SHA-256=[name=alice,password=hunter2]"]
    assert main(["format", "-t", CLUSTER, "-c", config, "-s", *arguments]) == 0
    printed = capsys.readouterr().out
    assert "and credentials" in printed
    assert "hunter2" not in printed


def test_wrong_words_end_with_1(config: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Flags that are missing or exclude each other are a usage error, with the status of Kafka's tools."""
    for words, said in (
        (["format", "-c", config], "--cluster-id/-t"),
        (["format", "-t", CLUSTER, "-c", config, "-s", "-N"], "not allowed with argument"),
        (["storage", "bogus"], "invalid choice: 'bogus'"),
        (["storage", "feature-dependencies"], "--feature/-f"),
        (["bogus"], "invalid choice: 'bogus'"),
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 1
        assert said in capsys.readouterr().err
    assert main(["format", "-t", CLUSTER, "-c", f"{config}.not", "-s"]) == 1
    assert "No such file" in capsys.readouterr().err


def test_new_ids(capsys: pytest.CaptureFixture[str]) -> None:
    """Each is another, and no word that a command line takes for a flag."""
    for words in (["random-uuid"], ["storage", "random-uuid"]):
        assert main(words) == 0
    first, second = capsys.readouterr().out.split()
    assert parse_uuid(first) != parse_uuid(second)


def test_features_of_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    """A release, or its newest, is shown with the features that it brings (as Kafka's tool showed them)."""
    assert main(["storage", "version-mapping", "-r", "4.0"]) == 0
    assert capsys.readouterr().out == (
        "metadata.version=25 (4.0)\nkraft.version=1\ntransaction.version=2\ngroup.version=1\n"
        "eligible.leader.replicas.version=0\nshare.version=0\nstreams.version=0\n"
    )
    assert main(["storage", "version-mapping"]) == 0
    assert capsys.readouterr().out.startswith("metadata.version=30 (4.3-IV0)\n")
    assert main(["storage", "version-mapping", "-r", "2.8"]) == 1
    assert "Unknown metadata.version '2.8'" in capsys.readouterr().err


def test_what_features_need(capsys: pytest.CaptureFixture[str]) -> None:
    """Each level is shown with what it needs; unknown features and levels are errors."""
    words = ["storage", "feature-dependencies"]
    assert main([*words, "-f", "eligible.leader.replicas.version=1", "-f", "metadata.version=25"]) == 0
    assert capsys.readouterr().out == (
        "eligible.leader.replicas.version=1 requires:\n    metadata.version=23 (4.0-IV1)\n"
        "metadata.version=25 (4.0-IV3) has no dependencies.\n"
    )
    for wrong, said in (
        ("bogus=1", "Unknown feature: bogus"),
        ("group.version=7", "Feature level 7 is not supported for feature group.version"),
        ("metadata.version=99", "no level 99"),
    ):
        assert main([*words, "-f", wrong]) == 1
        assert said in capsys.readouterr().err
