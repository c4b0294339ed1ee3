"""Where the high watermark may go."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.cluster.replication.high_watermark import effective_min_isr, high_watermark

ENDS = st.integers(-1, 100)


@given(st.integers(0, 100), st.lists(ENDS))
def test_it_is_the_least_log_end(leader_end_offset: int, ends: list[int]) -> None:
    """W18: of all that are waited for, the leader included; one that has not fetched holds it where it is."""
    found = high_watermark(leader_end_offset, ends)
    assert found in (leader_end_offset, *ends)
    assert all(found <= end for end in (leader_end_offset, *ends))


def test_the_examples() -> None:
    """W18: 9, 8, 6 give 6; 9, 9, 8 give 8; 9, 9, 9 give 9."""
    assert [high_watermark(9, ends) for ends in ([8, 6], [9, 8], [9, 9], [])] == [6, 8, 9, 9]


def test_nobody_can_be_asked_for_more_replicas_than_there_are() -> None:
    """`min.insync.replicas` 3 of a partition with two replicas asks for both."""
    assert [effective_min_isr(3, count) for count in (1, 2, 3, 4)] == [1, 2, 3, 3]
