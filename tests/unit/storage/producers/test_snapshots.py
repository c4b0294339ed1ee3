"""The snapshots of a log: taken where it grew, loaded from the last sound one, removed with what they tell of."""

from pathlib import Path

import pytest

from ottla.storage.producers.snapshots import ProducerSnapshots
from ottla.storage.producers.state import ProducerState
from ottla.world.real.disk import RealDisk
from tests.unit.storage.producer_batches import Partition

DAY_MS = 86_400_000


@pytest.fixture
def snapshots(tmp_path: Path) -> ProducerSnapshots:
    """The snapshots of a new log."""
    return ProducerSnapshots(RealDisk(), str(tmp_path))


def filled(snapshots: ProducerSnapshots, *offsets: int) -> Partition:
    """A partition with a record a producer, whose snapshots were taken at these offsets."""
    partition = Partition()
    for offset in range(max(offsets)):
        partition.produce(producer_id=offset, sequence=0)
        if partition.end in offsets:
            assert snapshots.take(partition.state) == partition.end
    return partition


def files(snapshots: ProducerSnapshots) -> list[int]:
    """The offsets of the files that are there; what the object says must be the same."""
    listed = ProducerSnapshots.listed(RealDisk(), snapshots.directory).offsets
    assert listed == snapshots.offsets
    return listed


def load(snapshots: ProducerSnapshots, now_ms: int = 0) -> ProducerState:
    """The state that a restart begins with."""
    state = ProducerState()
    ProducerSnapshots.listed(RealDisk(), snapshots.directory).load_latest(state, 0, now_ms, DAY_MS)
    return state


def test_a_snapshot_is_taken_where_the_log_has_grown(snapshots: ProducerSnapshots) -> None:
    """There is one snapshot an offset, and none where nothing was appended since the last."""
    partition = filled(snapshots, 3, 5)
    assert snapshots.take(partition.state, sync=True) is None
    assert snapshots.latest_offset == 5
    snapshots.sync(5)
    snapshots.sync(4)
    assert files(snapshots) == [3, 5]
    assert snapshots.take(ProducerState()) is None, "an empty log needs none"


def test_the_last_one_is_loaded(snapshots: ProducerSnapshots) -> None:
    """A restart knows the producers of the last snapshot, and goes on behind it."""
    filled(snapshots, 3, 5)
    state = load(snapshots)
    assert (list(state.producers), state.end_offset) == ([0, 1, 2, 3, 4], 5)


def test_a_damaged_one_is_removed(snapshots: ProducerSnapshots, tmp_path: Path) -> None:
    """A snapshot that a crash has torn is removed, and the one before is as good; without any the log's start is."""
    filled(snapshots, 3, 5)
    (tmp_path / "00000000000000000005.snapshot").write_bytes(b"\x00\x01half")
    assert load(snapshots).end_offset == 3
    assert [file.name for file in tmp_path.iterdir()] == ["00000000000000000003.snapshot"]
    (tmp_path / "00000000000000000003.snapshot").write_bytes(b"")
    assert (load(snapshots).end_offset, list(tmp_path.iterdir())) == (0, [])


def test_expired_producers_are_not_loaded(snapshots: ProducerSnapshots) -> None:
    """A producer that was silent for too long before the restart is forgotten, but for one with an open transaction."""
    partition = Partition()
    partition.produce(1, 0, timestamp=1_000)
    partition.produce(2, 0, timestamp=1_000, transactional=True)
    partition.produce(3, 0, timestamp=1_001)
    snapshots.take(partition.state)
    state = load(snapshots, now_ms=DAY_MS + 1_000)
    assert list(state.producers) == [2, 3]
    assert state.first_unstable_offset == 1


def test_cutting_the_end(snapshots: ProducerSnapshots) -> None:
    """What lies behind a log's new end is forgotten: the last snapshot up to it is loaded."""
    partition = filled(snapshots, 3, 5, 8)
    snapshots.truncate_and_reload(partition.state, 0, 6, 0, DAY_MS)
    assert (partition.end, files(snapshots)) == (5, [3, 5])
    partition.state.end_offset = 6  # records without producers
    assert snapshots.take(partition.state) == 6


def test_cutting_where_the_state_is_right(snapshots: ProducerSnapshots) -> None:
    """A log whose end did not move keeps its producers, also of records that are deleted at its start."""
    partition = filled(snapshots, 3, 5)
    snapshots.truncate_and_reload(partition.state, 4, 5, 0, DAY_MS)
    assert (len(partition.state.producers), files(snapshots)) == (5, [5])
    snapshots.advance_log_start(partition.state, 9)
    assert (partition.end, snapshots.last_taken_offset) == (9, 5)


def test_beginning_anew(snapshots: ProducerSnapshots) -> None:
    """A log that is cut fully begins without producers and snapshots, and takes one when it has grown again."""
    partition = filled(snapshots, 3, 5)
    snapshots.clear(partition.state, 2)
    assert (partition.state.producers, partition.end, files(snapshots)) == ({}, 2, [])
    assert snapshots.take(partition.state) == 2


def test_strays(snapshots: ProducerSnapshots) -> None:
    """Snapshots at no segment's start go, but for the one behind all segments: closing a log takes it."""
    filled(snapshots, 1, 2, 3, 4, 5, 6)
    snapshots.remove_strays([2, 4])
    assert files(snapshots) == [2, 4, 6]
    snapshots.remove_strays([2, 7])
    assert files(snapshots) == [2]


def test_segments_that_are_gone(snapshots: ProducerSnapshots) -> None:
    """Snapshots go with their segments, and those before an offset at once; missing files are no fault."""
    filled(snapshots, 1, 2, 3, 4)
    snapshots.forget_all([1, 7])
    assert files(snapshots) == [2, 3, 4]
    Path(snapshots.directory, "00000000000000000002.snapshot").unlink()
    snapshots.delete_before(4)
    assert files(snapshots) == [4]


def test_a_moved_directory(snapshots: ProducerSnapshots, tmp_path: Path) -> None:
    """Snapshots move with their log's directory."""
    filled(snapshots, 1)
    (tmp_path / "new").mkdir()
    (tmp_path / "00000000000000000001.snapshot").rename(tmp_path / "new" / "00000000000000000001.snapshot")
    snapshots.moved(f"{tmp_path}/new")
    assert files(snapshots) == [1]
    snapshots.delete(1)
    assert list((tmp_path / "new").iterdir()) == []
