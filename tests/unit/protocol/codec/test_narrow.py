"""Messages without what a version cannot say."""

import pytest

from ottla.errors import OttlaError
from ottla.protocol.codec.narrow import narrow
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.messages.produce_fetch import (
    FetchResponse,
    FetchResponse_FetchableTopicResponse,
    FetchResponse_NodeEndpoint,
    FetchResponse_PartitionData,
)
from ottla.protocol.messages.quorum import (
    DescribeQuorumResponse,
    DescribeQuorumResponse_Node,
    DescribeQuorumResponse_PartitionData,
    DescribeQuorumResponse_ReplicaState,
    DescribeQuorumResponse_TopicData,
)


def described() -> DescribeQuorumResponse:
    """A message with fields of its last version, at two depths."""
    replica = DescribeQuorumResponse_ReplicaState(3, Uuid(bytes(range(16))), 10, 20, 30)
    partition = DescribeQuorumResponse_PartitionData(0, 0, "", 3, 5, 10, [replica])
    return DescribeQuorumResponse(
        0, "", [DescribeQuorumResponse_TopicData("t", [partition])], [DescribeQuorumResponse_Node(3)]
    )


def test_what_a_version_lacks_is_left_out_and_the_rest_stays() -> None:
    """A message that could not be written can be; all that the version has is what it was."""
    message = described()
    with pytest.raises(OttlaError):
        message.write(0)
    narrow(message, 0)
    read = DescribeQuorumResponse.read(message.to_bytes(0), 0)
    assert not read.nodes
    partition = read.topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (3, 5, 10)
    assert [(each.replica_id, each.log_end_offset) for each in partition.current_voters] == [(3, 10)]


def test_what_a_version_has_is_not_touched() -> None:
    """In the last version a message stays what it is."""
    message = described()
    narrow(message, 2)
    assert message == described()


def test_defaults_that_are_shared_stay() -> None:
    """A struct that nobody has set refuses assignment, and is asked for none."""
    topic = FetchResponse_FetchableTopicResponse(partitions=[FetchResponse_PartitionData()])
    message = FetchResponse(responses=[topic], node_endpoints=[FetchResponse_NodeEndpoint(1)])
    for version in (16, 12, 4):
        narrow(message, version)
        message.write(version)
    assert message.node_endpoints == ()
