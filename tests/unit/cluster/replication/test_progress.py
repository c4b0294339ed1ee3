"""How far a follower is, and since when it is not caught up (KIP-16)."""

from ottla.cluster.replication.progress import UNKNOWN_OFFSET, FollowerProgress

LAG_MS = 100


def test_a_follower_that_has_everything_is_caught_up_however_long_ago_it_asked() -> None:
    """An idle partition loses nobody."""
    progress = FollowerProgress().fetched(10, 0, 10, 7, now_ms=1_000)
    assert progress.is_caught_up(10, 1_000_000, LAG_MS)
    assert not progress.is_caught_up(11, 1_000_000, LAG_MS)


def test_a_follower_one_fetch_behind_is_caught_up() -> None:
    """Having what the leader had at the last fetch counts as having been caught up then."""
    progress = FollowerProgress().fetched(10, 0, 20, 7, now_ms=1_000)
    assert progress.last_caught_up_ms == 0
    progress = progress.fetched(20, 0, 30, 7, now_ms=1_050)
    assert progress.last_caught_up_ms == 1_000
    assert progress.is_caught_up(30, 1_100, LAG_MS)
    assert not progress.is_caught_up(30, 1_101, LAG_MS)


def test_a_follower_that_asks_for_the_same_falls_behind() -> None:
    """Fetching is not enough: it has to get on."""
    progress = FollowerProgress().fetched(10, 0, 10, 7, now_ms=1_000)
    for now_ms in range(1_010, 1_200, 10):
        progress = progress.fetched(10, 0, 11, 7, now_ms)
    assert not progress.is_caught_up(11, 1_200, LAG_MS)


def test_a_leader_epoch_gives_those_in_sync_until_a_lag_from_now() -> None:
    """A new leader knows no offsets; one that leads again keeps them. Who is not in sync has to prove itself."""
    before = FollowerProgress().fetched(10, 3, 10, 7, now_ms=500)
    new = before.reset(1_000, 20, is_new_leader=True, is_in_sync=True)
    assert (new.log_end_offset, new.log_start_offset, new.last_caught_up_ms) == (UNKNOWN_OFFSET, UNKNOWN_OFFSET, 1_000)
    again = before.reset(1_000, 20, is_new_leader=False, is_in_sync=True)
    assert (again.log_end_offset, again.leader_end_offset, again.last_caught_up_ms) == (10, 20, 1_000)
    out = before.reset(1_000, 20, is_new_leader=False, is_in_sync=False)
    assert not out.is_caught_up(20, 1_000, LAG_MS)
