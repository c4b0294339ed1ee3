"""A follower: what it shows, and where it cuts its log (W25, W27)."""

from ottla.cluster.replication.effects import MOVED, NOTHING
from ottla.cluster.replication.follower import Cut, Follower
from tests.unit.cluster.replication.memory_log import MemoryLog


def follower(**epochs: int) -> tuple[Follower, MemoryLog]:
    """One whose log has so many records of each epoch (`e0=10, e2=3`)."""
    log = MemoryLog()
    for epoch, count in epochs.items():
        for _ in range(count):
            log.append(int(epoch[1:]), "r")
    return Follower(log), log


def test_its_watermark_is_its_leaders_as_far_as_its_log_goes() -> None:
    """It does not go back when a leader that has just begun says less."""
    one, log = follower(e0=5)
    assert (one.copied(3, 0), log.high_watermark) == (MOVED, 3)
    assert (one.copied(9, 0), log.high_watermark) == (MOVED, 5)
    assert (one.copied(0, 0), log.high_watermark) == (NOTHING, 5)


def test_its_log_begins_where_its_leaders_does() -> None:
    """DeleteRecords reaches followers with the leader's answers, never beyond what is safe."""
    one, log = follower(e0=5)
    assert (one.copied(4, 2), log.log_start_offset) == (MOVED, 2)
    assert (one.copied(4, 9), log.log_start_offset) == (NOTHING, 2)


def test_of_an_epoch_that_both_know_the_shorter_end_counts() -> None:
    """W27: 12 records of epoch 0, which ended at 10 on the leader: cut to 10. One record of it: nothing to cut."""
    assert follower(e0=12)[0].cut_for(0, 10) == Cut(10, is_final=True)
    assert follower(e0=1)[0].cut_for(0, 10) == Cut(1, is_final=True)


def test_of_an_epoch_that_it_lacks_the_leader_is_asked_again() -> None:
    """KIP-279: what it has of later epochs goes, and the question is about the one before then."""
    assert follower(e0=5, e3=5)[0].cut_for(2, 20) == Cut(5, is_final=False)


def test_where_the_leader_knows_no_epoch_so_old_the_watermark_counts() -> None:
    """And where it knows none itself the leader's end does."""
    one, log = follower(e0=5)
    log.update_high_watermark(3)
    assert one.cut_for(-1, -1) == Cut(3, is_final=True)
    assert follower()[0].cut_for(4, 7) == Cut(0, is_final=True)
