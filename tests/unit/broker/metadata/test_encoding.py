"""Encoded topics, and how many of them are kept."""

from ottla.broker.metadata.encoding import MAX_KINDS, MetadataEncodings
from ottla.protocol.messages.cluster import MetadataResponse_MetadataResponseTopic as Topic
from tests.unit.broker.handlers.circumstances import ORDERS


def test_only_the_newest_kinds_are_kept() -> None:
    """Clients of many listeners and versions cost no more than those of a few; who asks often stays."""
    encodings = MetadataEncodings()
    often = encodings.of("OFTEN", 13)
    often.add(ORDERS, 0, Topic(name="orders"))
    for number in range(3 * MAX_KINDS):
        encodings.of(f"L{number}", 13).add(ORDERS, 0, Topic(name="orders"))
        assert encodings.of("OFTEN", 13) is often
    assert encodings.of("L0", 13).get(ORDERS, 0) is None
    assert encodings.of(f"L{3 * MAX_KINDS - 1}", 13).get(ORDERS, 0) is not None


def test_what_one_may_do_is_part_of_the_answer() -> None:
    """A topic that was encoded for somebody who may do other things is not the one that is looked for."""
    topics = MetadataEncodings().of("L", 13)
    kept = topics.add(ORDERS, 5, Topic(name="orders", topic_authorized_operations=5))
    assert topics.get(ORDERS, 5) is kept
    assert topics.get(ORDERS, 6) is None
