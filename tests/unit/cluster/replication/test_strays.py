"""Which logs a broker does not take up."""

from typing import cast

from ottla.cluster.metadata.delta import image_of
from ottla.cluster.metadata.image import Provenance
from ottla.cluster.replication.strays import stray_by
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.metadata_records import TopicRecord
from ottla.storage.directories.directory import LogDirectory
from ottla.storage.manager.loading import FoundLog
from ottla.storage.names import TopicPartition
from tests.unit.broker.handlers.data_broker import ORDERS, partition

HERE = cast("LogDirectory", None)  # nothing depends on where it is


def found(index: int, topic_id: Uuid | None = ORDERS, topic: str = "orders") -> FoundLog:
    """A log on the disk."""
    return FoundLog(TopicPartition(topic, index), f"/a/{topic}-{index}", topic_id, is_future=False)


def test_what_the_cluster_does_not_want_here_is_a_stray() -> None:
    """Another broker's replica, a partition or topic that is gone, one made anew under its name, one without an id."""
    image = image_of(
        [TopicRecord("orders", ORDERS), partition(0, replicas=(1, 2)), partition(1, replicas=(2, 3))],
        Provenance(3, 1, 0),
    )
    is_stray = stray_by(image, 1)
    assert not is_stray(found(0), HERE)
    assert is_stray(found(1), HERE)
    assert is_stray(found(2), HERE)
    assert is_stray(found(0, Uuid(b"another".ljust(16, b"\1"))), HERE)
    assert is_stray(found(0, None), HERE)
