"""What every message can do: hold defaults, be compared and shown, be built fast."""

import pytest

from ottla.protocol.codec.wire import ZERO_UUID
from ottla.protocol.messages.connection import SaslAuthenticateRequest
from ottla.protocol.messages.produce_fetch import FetchRequest, FetchResponse, ProduceRequest


def test_fields_that_a_version_lacks_carry_their_defaults() -> None:
    """A Fetch v4 has no session: what is read says the same as what nobody set."""
    message = FetchRequest.read(FetchRequest(max_wait_ms=5).to_bytes(4), 4)
    assert (message.session_id, message.session_epoch, message.rack_id, message.cluster_id) == (0, -1, "", None)
    assert message.replica_state == FetchRequest.ReplicaState()


def test_a_default_struct_is_shared_and_refuses_assignment() -> None:
    """What nobody has set is one object for all, so that it cannot be changed by accident."""
    one, other = FetchResponse.PartitionData(), FetchResponse.PartitionData()
    assert one.current_leader is other.current_leader
    with pytest.raises(AttributeError, match=r"FetchResponse.LeaderIdAndEpoch.leader_id: this is the shared default"):
        one.current_leader.leader_id = 3
    assert one.current_leader == FetchResponse.LeaderIdAndEpoch()
    assert isinstance(one.current_leader, FetchResponse.LeaderIdAndEpoch)


def test_make_builds_what_the_class_builds() -> None:
    """`X.make(...)` is `X(...)`, with the same defaults and the same refusal of unknown names."""
    assert FetchRequest.FetchPartition.make(partition=3) == FetchRequest.FetchPartition(partition=3)
    assert type(FetchRequest.make()) is FetchRequest
    assert FetchRequest.FetchTopic.make().topic_id == ZERO_UUID
    with pytest.raises(TypeError, match="partitio"):
        FetchRequest.FetchPartition.make(partitio=3)  # type: ignore[call-arg]


def test_messages_are_compared_by_value() -> None:
    """Equal fields make equal messages; an array is a sequence, whatever its type; other messages are never equal."""
    assert FetchRequest.ForgottenTopic(partitions=[1, 2]) == FetchRequest.ForgottenTopic(partitions=(1, 2))
    assert FetchRequest.ForgottenTopic(partitions=[1, 2]) != FetchRequest.ForgottenTopic(partitions=[1])
    assert FetchRequest.ForgottenTopic(partitions=[1, 2]) != FetchRequest.ForgottenTopic(partitions=[1, 3])
    assert FetchRequest() != ProduceRequest()
    tagged = FetchRequest()
    tagged.unknown_tags = ((99, b"x"),)
    assert tagged != FetchRequest()


def test_bytes_are_never_shown() -> None:
    """What a message holds as bytes may be a password: its text form says only how many there are."""
    shown = repr(SaslAuthenticateRequest(auth_bytes=b"\0alice\0secret"))
    assert shown == "SaslAuthenticateRequest(auth_bytes=<13 bytes>)"


def test_a_shown_message_names_its_fields() -> None:
    """The text form is the call that would build it."""
    assert repr(FetchRequest.ForgottenTopic(topic="a", partitions=(1,))) == (
        "FetchRequest.ForgottenTopic(topic='a', topic_id=<16 bytes>, partitions=(1,))"
    )
    assert (
        repr(FetchResponse.LeaderIdAndEpoch.default())
        == "FetchResponse.LeaderIdAndEpoch(leader_id=-1, leader_epoch=-1)"
    )
