"""`ottla server start` and `stop` as people use them: how a node begins and ends, and what is said when it cannot."""

import re
import signal
import socket
from pathlib import Path

import pytest
from confluent_kafka.admin import AdminClient

from ottla.cluster.formatting import METADATA_FOLDER
from ottla.world.real.disk import RealDisk
from tests.integration.commands import ENDED_WITHIN_S, listeners, node_and_line, node_here, node_in_background, ottla
from tests.integration.peer.server import free_ports

CLEAN = ".kafka_cleanshutdown"
CLUSTER = "u4e0zS6uTUKVIN2DqDsXjg"
LINE = re.compile(r"ottla server: .+\n")


def brokers(port: int) -> list[str]:
    """The brokers that a client is told of."""
    found = AdminClient({"bootstrap.servers": f"127.0.0.1:{port}"}).list_topics(timeout=ENDED_WITHIN_S)
    return [f"{broker.host}:{broker.port}" for broker in found.brokers.values()]


def test_a_first_start_needs_nothing(tmp_path: Path) -> None:
    """Without any file a node formats its directory and serves; SIGTERM leaves everything clean; it starts again."""
    data = tmp_path / "data"
    override, port = listeners()
    for _ in range(2):
        with node_here("--data", str(data), "--override", override) as process:
            assert brokers(port) == [f"127.0.0.1:{port}"]
            assert (data / METADATA_FOLDER).is_dir()
            assert not (data / CLEAN).exists()
            process.send_signal(signal.SIGTERM)
            assert process.stderr is not None
            assert " stopped took_ms=" in process.stderr.read().splitlines()[-1]
            assert process.wait(ENDED_WITHIN_S) == 0
        assert re.search(r'"?brokerEpoch"?\s*:\s*\d+', (data / CLEAN).read_text())
        assert not (data / "ottla.pid").exists()
        RealDisk().lock(str(data / ".lock")).release()


def test_control_c_is_a_clean_end(tmp_path: Path) -> None:
    """Control-C in the terminal stops a node as SIGTERM does."""
    override, _ = listeners()
    with node_here("--data", str(tmp_path), "--override", override) as process:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=ENDED_WITHIN_S)
        assert process.returncode == 0
    assert (tmp_path / CLEAN).exists()


def test_in_the_background(tmp_path: Path) -> None:
    """`--daemon` comes back when the node serves and says where; `stop` waits for its end, and then finds nobody."""
    override, port = listeners()
    words = ("--data", str(tmp_path), "--override", override)
    with node_in_background(tmp_path, "--override", override) as process:
        assert brokers(port) == [f"127.0.0.1:{port}"]
        second = ottla("server", "start", *words)
        assert second.status == 1
        assert f"{tmp_path}: process {process.number} runs a node on it" in second.err
        assert brokers(port)
        stopped = ottla("server", "stop", *words)
        assert (stopped.status, stopped.out) == (0, f"Stopped the node on {tmp_path}.\n")
        assert not process.is_running()
    assert (tmp_path / CLEAN).exists()
    again = ottla("server", "stop", *words)
    assert (again.status, again.err) == (1, f"ottla server: no node runs on {tmp_path}.\n")


def test_after_a_kill(tmp_path: Path) -> None:
    """A node that was killed leaves a pid file that stands in nobody's way, and starts again with its topics."""
    override, port = listeners()
    with node_in_background(tmp_path, "--override", override) as process:
        process.kill()
    assert (tmp_path / "ottla.pid").exists()
    assert not (tmp_path / CLEAN).exists()
    assert ottla("server", "stop", "--data", str(tmp_path)).status == 1
    with node_in_background(tmp_path, "--override", override):
        assert brokers(port) == [f"127.0.0.1:{port}"]


def test_a_node_of_a_file(tmp_path: Path) -> None:
    """A server.properties is a node whose directories are formatted first; `stop` finds it by its file."""
    override, port = listeners()
    file = tmp_path / "server.properties"
    file.write_text(
        f"process.roles=broker,controller\nnode.id=7\n{override}\ncontroller.listener.names=CONTROLLER\n"
        f"controller.quorum.bootstrap.servers=127.0.0.1:{override.rpartition(':')[2]}\nlog.dirs={tmp_path}/data\n"
    )
    refused = ottla("server", "start", str(file))
    assert refused.status == 1
    assert "is not formatted" in refused.err
    assert "ottla format" in refused.err
    assert ottla("format", "-t", CLUSTER, "-c", str(file), "--standalone").status == 0
    with node_here(str(file)) as process:
        assert brokers(port) == [f"127.0.0.1:{port}"]
        assert ottla("server", "stop", str(file)).status == 0
        assert process.wait(ENDED_WITHIN_S) == 0


@pytest.mark.parametrize("daemon", [(), ("--daemon",)], ids=["here", "in the background"])
def test_a_port_that_somebody_has(tmp_path: Path, daemon: tuple[str, ...]) -> None:
    """A port that is taken is one line that names it, and leaves nothing running."""
    override, port = listeners()
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        said = ottla("server", "start", "--data", str(tmp_path), "--override", override, *daemon)
    assert (said.status, said.out) == (1, "")
    assert f"cannot listen on 127.0.0.1:{port}" in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "ottla.pid").exists()
    with node_here("--data", str(tmp_path), "--override", override):
        assert brokers(port)


def test_a_directory_that_somebody_has(tmp_path: Path) -> None:
    """A directory that another process has locked, be it Kafka's, is one line that names it."""
    override, _ = listeners()
    lock = RealDisk().lock(f"{tmp_path}/.lock")
    try:
        said = ottla("server", "start", "--data", str(tmp_path), "--override", override)
    finally:
        lock.release()
    assert said.status == 1
    assert f"{tmp_path}: another process" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--override", "log.retention.hours=soon"], "log.retention.hours"),
        (["--override", "listeners=PLAIN://:1"], "listener.security.protocol.map does not say"),
        (["--override", "advertised.listeners=PLAINTEXT://0.0.0.0:1"], "advertised.listeners"),
        (["--override", "early.start.listeners=OTHER"], "early.start.listeners has OTHER"),
        (["--override", "log.retention.hours"], "--override wants NAME=VALUE"),
        (["missing.properties"], "missing.properties: No such file"),
    ],
)
def test_settings_that_cannot_be(tmp_path: Path, words: list[str], said: str) -> None:
    """A setting that cannot be is one line that names it, before anything is written."""
    found = ottla("server", "start", *words, folder=tmp_path)
    assert (found.status, found.out) == (1, "")
    assert LINE.fullmatch(found.err), found.err
    assert said in found.err
    assert list(tmp_path.iterdir()) == []


def test_a_listener_on_every_interface(tmp_path: Path) -> None:
    """Who is told of no host is told of this machine's name, and of the port that was bound where 0 was said."""
    (controller,) = free_ports(1)
    override = f"listeners=PLAINTEXT://:0,CONTROLLER://127.0.0.1:{controller}"
    with node_and_line("--data", str(tmp_path), "--override", override) as (_, line):
        found = re.search(r"listeners=PLAINTEXT://:(\d+),", line)
        assert found is not None, line
        port = int(found[1])
        (told,) = brokers(port)
        host, _, told_port = told.rpartition(":")
        assert int(told_port) == port
        with socket.create_connection((host, port), timeout=ENDED_WITHIN_S):
            assert host not in ("", "0.0.0.0")
