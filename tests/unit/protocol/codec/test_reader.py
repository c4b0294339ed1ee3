"""What reading promises beyond giving the right values."""

import pytest

from ottla.errors import MalformedMessage
from ottla.protocol.messages.groups import JoinGroupRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, ProduceRequest


def produce_request(records: bytes) -> ProduceRequest:
    """A request with one partition."""
    data = ProduceRequest.PartitionProduceData(index=1, records=records)
    return ProduceRequest(topic_data=[ProduceRequest.TopicProduceData(name="t", partition_data=[data])])


def test_records_stay_views_into_the_buffer() -> None:
    """The bytes of records are not copied: they change with the buffer that they were read from."""
    buffer = bytearray(produce_request(b"records").to_bytes(9))
    message = ProduceRequest.read(memoryview(buffer), 9)
    records = message.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    at = buffer.index(b"records")
    buffer[at : at + 1] = b"R"
    assert bytes(records) == b"Records"


def test_everything_but_records_outlives_the_buffer() -> None:
    """Strings and bytes are copied out, so a message may be kept after its buffer is used again."""
    protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"metadata")
    buffer = bytearray(JoinGroupRequest(group_id="g", protocols=[protocol]).to_bytes(9))
    message = JoinGroupRequest.read(memoryview(buffer), 9)
    buffer[:] = bytes(len(buffer))
    assert (message.group_id, message.protocols[0].metadata) == ("g", b"metadata")


def test_a_message_may_start_inside_its_buffer() -> None:
    """A body is read behind its header, in place."""
    body = produce_request(b"r").to_bytes(9)
    assert ProduceRequest.read(memoryview(b"header" + body), 9, 6) == ProduceRequest.read(body, 9)


def test_unknown_tags_are_kept_and_written_back() -> None:
    """A tagged field of a newer peer survives a round trip, at its place among the known ones (KIP-482)."""
    message = FetchRequest(cluster_id="c", replica_state=FetchRequest.ReplicaState(replica_id=3))
    message.unknown_tags = ((7, b"new"), (300, b""))
    written = message.to_bytes(17)
    again = FetchRequest.read(written, 17)
    assert again.unknown_tags == ((7, b"new"), (300, b""))
    assert again.to_bytes(17) == written


def test_a_tagged_field_must_fill_its_tag() -> None:
    """A tag that announces more bytes than its field takes is malformed: nothing hides between fields."""
    written = FetchRequest(cluster_id="c").to_bytes(17)
    assert written.endswith(b"\x01\x00\x02\x02c")
    with pytest.raises(MalformedMessage, match=r"cluster_id at byte \d+: does not fill its tag"):
        FetchRequest.read(written[:-5] + b"\x01\x00\x03\x02c\x00", 17)
    with pytest.raises(MalformedMessage, match="cluster_id at byte"):
        FetchRequest.read(written[:-5] + b"\x01\x00\x01\x02c", 17)
