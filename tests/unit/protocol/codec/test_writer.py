"""What writing promises: no copy of records, nothing lost in silence, a clear word about what cannot be written."""

import pytest

from ottla.errors import UnsupportedVersion
from ottla.protocol.codec.writer import UnwritableValue
from ottla.protocol.messages.groups import JoinGroupResponse, OffsetCommitRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse, ProduceRequest


def fetch_response(*records: object) -> FetchResponse:
    """A response with one partition for each of these."""
    partitions = [FetchResponse.PartitionData(partition_index=at, records=each) for at, each in enumerate(records)]
    return FetchResponse(responses=[FetchResponse.FetchableTopicResponse(partitions=partitions)])


def test_records_are_chunks_of_their_own() -> None:
    """What was given as records stands in the list of chunks as the same object; all else is joined around it."""
    first, second = memoryview(b"first"), b"second"
    chunks = fetch_response(first, b"", second).write(12)
    assert [chunk is first or chunk is second for chunk in chunks] == [False, True, False, True, False]
    assert FetchResponse.read(b"".join(chunks), 12) == fetch_response(b"first", b"", b"second")


def test_anything_with_a_length_can_be_records() -> None:
    """The network may be handed a range of a file: the writer asks it for nothing but its length."""

    class FileRange:
        def __len__(self) -> int:
            return 1000

    part = FileRange()
    chunks = fetch_response(part).write(4)
    assert chunks[1] is part
    assert chunks[0].endswith((1000).to_bytes(4, "big"))


def test_a_message_without_records_is_one_chunk() -> None:
    """Nothing to be gathered, nothing to be scattered."""
    assert len(JoinGroupResponse(member_id="m").write(9)) == 1


def test_a_field_that_a_version_lacks_must_not_be_set() -> None:
    """A value that would be lost is an error, which names message, version and field."""
    request = FetchRequest(forgotten_topics_data=[FetchRequest.ForgottenTopic(topic="t")])
    assert FetchRequest.read(request.to_bytes(7), 7) == request
    with pytest.raises(UnsupportedVersion, match="FetchRequest v6 has no field forgotten_topics_data, which is set"):
        request.to_bytes(6)
    nested = OffsetCommitRequest(group_id="g", group_instance_id="i")
    with pytest.raises(UnsupportedVersion, match="OffsetCommitRequest v6 has no field group_instance_id"):
        nested.to_bytes(6)


def test_an_ignorable_field_is_dropped_in_silence() -> None:
    """Where the schema says that a field may be lost, an older version loses it."""
    assert FetchRequest(rack_id="r", session_epoch=3).to_bytes(4) == FetchRequest().to_bytes(4)


def test_unknown_tags_need_a_flexible_version() -> None:
    """Tagged fields that were kept cannot be dropped in silence either."""
    request = FetchRequest()
    request.unknown_tags = ((9, b"x"),)
    with pytest.raises(UnsupportedVersion, match="unknown_tags"):
        request.to_bytes(11)


def test_a_default_tagged_struct_is_omitted() -> None:
    """Kafka omits a tagged struct whose fields all have their defaults, however it came about."""
    plain = FetchRequest()
    explicit = FetchRequest(replica_state=FetchRequest.ReplicaState(replica_id=-1, replica_epoch=-1))
    assert explicit.to_bytes(17) == plain.to_bytes(17)


@pytest.mark.parametrize(
    ("message", "version", "words"),
    [
        (FetchRequest(max_wait_ms=1 << 31), 17, "FetchRequest v17: "),
        (FetchRequest(topics=[FetchRequest.FetchTopic(topic_id=b"short")]), 17, "topics.topic_id: a uuid of 5 bytes"),  # type: ignore[arg-type]
        (FetchRequest(rack_id="x" * 32768), 17, "rack_id: a length of 32768, where 32767 is the most"),
        (FetchRequest(rack_id="x" * 32768), 11, "rack_id: "),
        (FetchRequest(rack_id=None), 17, "rack_id: "),  # type: ignore[arg-type]
        (FetchRequest(topics=None), 17, "topics: null, where null is not allowed"),  # type: ignore[arg-type]
        (FetchRequest(rack_id="\ud800"), 17, "rack_id: .*surrogates not allowed"),
    ],
)
def test_a_value_that_does_not_fit_is_named(message: FetchRequest, version: int, words: str) -> None:
    """Our own mistake: an assertion that says which field of which message cannot hold its value."""
    with pytest.raises(UnwritableValue, match=words):
        message.to_bytes(version)


def test_the_longest_string_is_written_in_both_forms() -> None:
    """32,767 bytes are a string in the old encoding and in the compact one."""
    for version in (11, 17):
        assert FetchRequest.read(FetchRequest(rack_id="x" * 32767).to_bytes(version), version).rack_id == "x" * 32767


def test_null_records_are_written_where_they_are_allowed() -> None:
    """Records that nobody has set are null, as Kafka's are."""
    data = ProduceRequest.PartitionProduceData(index=1)
    request = ProduceRequest(topic_data=[ProduceRequest.TopicProduceData(name="t", partition_data=[data])])
    for version in (3, 9):
        again = ProduceRequest.read(request.to_bytes(version), version)
        assert again.topic_data[0].partition_data[0].records is None
