"""TLS on listeners, with every kind of key store: clients come in by their certificate, and nobody else does."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from tests.integration.commands import ENDED_WITHIN_S, node_here, ottla
from tests.integration.peer.jars import run_class
from tests.integration.peer.programs import program
from tests.integration.peer.server import free_ports
from tests.integration.world.certificates import Authority, new_authority

SECRET = "correct horse"
REFUSED_WITHIN_S = 2


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that has signed the node and a client; its certificates as PKCS12 and JKS too."""
    folder = tmp_path_factory.mktemp("ours")
    authority = new_authority(folder, "ours")
    for owner in ("server", "client"):
        words = f"openssl pkcs12 -export -in ours-{owner}.pem -inkey ours-{owner}.key -out ours-{owner}.p12 -name us"
        run([*words.split(), "-passout", f"pass:{SECRET}"], folder)
    keytool = str(Path(program("java")).with_name("keytool")) if "/" in program("java") else "keytool"
    for kind in ("PKCS12", "JKS"):
        words = f"-importcert -noprompt -alias us -file ours.pem -keystore trust.{kind.lower()} -storetype {kind}"
        run([keytool, *words.split(), "-storepass", SECRET], folder)
    return authority


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that nobody here believes."""
    return new_authority(tmp_path_factory.mktemp("theirs"), "theirs")


def run(command: list[str], folder: Path) -> None:
    """Run a program to its end."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"


def stores(authority: Authority, kind: str) -> dict[str, str]:
    """The settings of a node's stores of this kind."""
    folder = authority.folder
    chain, key, trusted = (folder / name for name in ("ours-server.pem", "ours-server.key", "ours.pem"))
    if kind == "PEM files":
        both = folder / "both.pem"
        both.write_text(key.read_text() + chain.read_text())
        return types("PEM") | {"ssl.keystore.location": str(both), "ssl.truststore.location": str(trusted)}
    if kind == "PEM text":
        lines = {
            "ssl.keystore.key": key, "ssl.keystore.certificate.chain": chain, "ssl.truststore.certificates": trusted,
        }  # fmt: skip
        return types("PEM") | {name: "\\n".join(path.read_text().splitlines()) for name, path in lines.items()}
    passwords = {"ssl.keystore.password": SECRET, "ssl.truststore.password": SECRET}
    return (
        (types("PKCS12") if kind == "PKCS12" else {})
        | passwords
        | {
            "ssl.keystore.location": str(folder / "ours-server.p12"),
            "ssl.truststore.location": str(folder / ("trust.jks" if kind == "JKS" else "trust.pkcs12")),
        }
    )


def types(kind: str) -> dict[str, str]:
    """Both stores are of this kind."""
    return {"ssl.keystore.type": kind, "ssl.truststore.type": kind}


def properties(folder: Path, given: dict[str, str]) -> tuple[Path, int]:
    """A formatted node's server.properties with a listener of its own name, and that listener's port."""
    port, plain, controller = free_ports(3)
    settings = {
        "node.id": "1",
        "process.roles": "broker,controller",
        "listeners": f"OUTSIDE://127.0.0.1:{port},INSIDE://127.0.0.1:{plain},CONTROLLER://127.0.0.1:{controller}",
        "listener.security.protocol.map": "OUTSIDE:SSL,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "INSIDE",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller}",
        "log.dirs": str(folder / "data"),
        "listener.name.outside.ssl.client.auth": "required",
    } | given
    file = folder / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    assert ottla("format", "-t", "cluster", "-c", str(file), "--standalone").status == 0
    return file, port


@contextmanager
def node(folder: Path, given: dict[str, str]) -> Iterator[int]:
    """A node with these settings; the port of its listener with TLS."""
    file, port = properties(folder, given)
    with node_here(str(file)):
        yield port


def client(port: int, trusted: Authority, own: Authority | None) -> AdminClient:
    """A client of librdkafka that believes one authority, and shows a certificate of another."""
    settings: dict[str, Any] = {
        "bootstrap.servers": f"127.0.0.1:{port}",
        "security.protocol": "SSL",
        "ssl.ca.location": trusted.trusted,
        "log_level": 0,
    }
    if own is not None:
        name = own.folder / f"{own.name}-client"
        settings |= {"ssl.certificate.location": f"{name}.pem", "ssl.key.location": f"{name}.key"}
    return AdminClient(settings)


@pytest.mark.parametrize("kind", ["PEM files", "PEM text", "PKCS12", "PKCS12 that is called JKS"])
def test_clients_come_in_by_their_certificate(tmp_path: Path, ours: Authority, theirs: Authority, kind: str) -> None:
    """With `ssl.client.auth=required` a client of our authority is served; without a certificate, or with one that
    another authority has signed, nobody is; and a client that does not believe our authority does not come.
    """
    with node(tmp_path, stores(ours, kind)) as port:
        found = client(port, ours, ours).list_topics(timeout=ENDED_WITHIN_S)
        assert [f"{each.host}:{each.port}" for each in found.brokers.values()] == [f"127.0.0.1:{port}"]
        for trusted, own in ((ours, None), (ours, theirs), (theirs, ours)):
            with pytest.raises(KafkaException):
                client(port, trusted, own).list_topics(timeout=REFUSED_WITHIN_S)
        assert client(port, ours, ours).list_topics(timeout=ENDED_WITHIN_S).brokers


def test_javas_clients_and_their_stores(tmp_path: Path, ours: Authority) -> None:
    """Kafka's own tool comes in with a key store and a trust store as keytool makes them."""
    folder = ours.folder
    config = tmp_path / "client.properties"
    config.write_text(
        f"security.protocol=SSL\nssl.keystore.type=PKCS12\nssl.keystore.location={folder}/ours-client.p12\n"
        f"ssl.keystore.password={SECRET}\nssl.key.password={SECRET}\nssl.truststore.type=PKCS12\n"
        f"ssl.truststore.location={folder}/trust.pkcs12\nssl.truststore.password={SECRET}\n"
    )
    with node(tmp_path, stores(ours, "PKCS12")) as port:
        where = ("--bootstrap-server", f"127.0.0.1:{port}", "--command-config", str(config))
        run_class("org.apache.kafka.tools.TopicCommand", *where, "--create", "--topic", "orders", "--partitions", "3")
        assert run_class("org.apache.kafka.tools.TopicCommand", *where, "--list").split() == ["orders"]


def test_javas_own_format_is_refused(tmp_path: Path, ours: Authority) -> None:
    """A store in the format JKS is one line that says how to convert it."""
    file, _ = properties(tmp_path, stores(ours, "JKS"))
    said = ottla("server", "start", str(file))
    assert said.status == 1
    assert "trust.jks: it is in Java's own format JKS" in said.err
    assert "keytool -importkeystore" in said.err
    assert "Traceback" not in said.err
    assert SECRET not in said.err


def test_a_missing_certificate(tmp_path: Path, ours: Authority) -> None:
    """A listener with TLS and no certificate is one line that names the setting and the listener."""
    shutil.rmtree(tmp_path / "data", ignore_errors=True)
    file, _ = properties(tmp_path, {"ssl.truststore.type": "PEM", "ssl.truststore.location": ours.trusted})
    said = ottla("server", "start", str(file))
    assert (said.status, said.out) == (1, "")
    assert "ssl.keystore.location is missing" in said.err
    assert "(listener OUTSIDE)" in said.err
