"""Apache Kafka and Ottla keep each other out of a log directory, and read each other's meta.properties."""

import pytest

from ottla.errors import LockHeld
from ottla.storage.directories.directory import open_log_directories
from ottla.world.real.disk import RealDisk
from tests.integration.peer.jars import jars
from tools.golden_logs.broker import Broker


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Broker:
    """A Kafka that is formatted, and not started."""
    formatted = Broker(jars(), tmp_path_factory.mktemp("kafka"))
    formatted.format()
    return formatted


def test_we_refuse_what_kafka_uses(broker: Broker) -> None:
    """A directory that a running Kafka uses is refused, and the message says whose it is; later it is free."""
    with broker, pytest.raises(LockHeld, match=r"another process.*node 1 of cluster Z29sZGVuLmxvZy5kaXIuMQ"):
        open_log_directories(RealDisk(), [str(broker.data)])
    (directory,) = open_log_directories(RealDisk(), [str(broker.data)])
    directory.close()


def test_kafka_refuses_what_we_use(broker: Broker) -> None:
    """Kafka does not start on a directory that we use, and starts again when we have left it."""
    (directory,) = open_log_directories(RealDisk(), [str(broker.data)])
    with pytest.raises(SystemExit, match="the broker did not start"), broker:
        pytest.fail("Kafka has started")
    assert "lockLogDirs" in broker.log.read_text()
    directory.close()
    with broker:
        pass


def test_kafka_reads_the_meta_properties_that_we_write(broker: Broker) -> None:
    """Kafka starts on a directory whose meta.properties we have written anew."""
    (directory,) = open_log_directories(RealDisk(), [str(broker.data)])
    assert directory.properties is not None
    directory.write_properties(directory.properties, now_ms=0)
    directory.close()
    with broker:
        pass
    assert "1970" in (broker.data / "meta.properties").read_text()
