"""Leader epochs say where a log was cut, or must be."""

from pathlib import Path

import pytest

from ottla.errors import CorruptFile
from ottla.storage.leader_epochs import UNDEFINED, EpochEntry, LeaderEpochs

PATH = "/data/t-0/leader-epoch-checkpoint"
GOLDEN = Path(__file__).parents[2] / "golden" / "kafka-4.3-logs"


def epochs(*entries: tuple[int, int]) -> LeaderEpochs:
    """The epochs of a log, each with its start offset."""
    return LeaderEpochs(EpochEntry(*entry) for entry in entries)


def test_w26_the_first_record_and_a_new_leader() -> None:
    """W26: the first record makes the entry (0 0); a leader that comes after 50 records adds (1 50)."""
    log = LeaderEpochs()
    assert log.assign(0, 0)
    assert log.to_bytes() == b"0\n1\n0 0\n"
    for offset in range(1, 50):
        assert not log.assign(0, offset)
    assert log.assign(1, 50)
    assert log.to_bytes() == b"0\n2\n0 0\n1 50\n"


def test_w26_an_epoch_ends_where_the_next_begins() -> None:
    """W26: with (0 0) and (1 120), epoch 0 has the offsets 0 to 119."""
    log = epochs((0, 0), (1, 120))
    assert log.end_offset_for(0, log_end_offset=200) == (0, 120)
    assert (log.epoch_for_offset(119), log.epoch_for_offset(120)) == (0, 1)


def test_w27_a_follower_of_the_same_epoch_cuts_what_lies_above_the_leaders_end() -> None:
    """W27: a follower whose last epoch is the leader's own is told the leader's log end."""
    assert epochs((0, 0), (1, 10)).end_offset_for(1, log_end_offset=17) == (1, 17)


def test_w27_a_follower_of_an_older_epoch_cuts_where_the_leaders_next_one_begins() -> None:
    """W27: of (0 0) (1 10) (2 50), epoch 0 is told 10: a follower with 1 record keeps it, one with 12 cuts to 10."""
    leader = epochs((0, 0), (1, 10), (2, 50))
    end = leader.end_offset_for(0, log_end_offset=60)
    assert end == (0, 10)
    assert [min(log_end_offset, end.offset) for log_end_offset in (1, 12)] == [1, 10]


def test_an_epoch_that_the_leader_never_had() -> None:
    """KIP-279: asked for an epoch between two of its own, a leader answers with the older one and where it ends."""
    leader = epochs((0, 0), (2, 10), (5, 50))
    assert leader.end_offset_for(1, 60) == (0, 10)
    assert leader.end_offset_for(4, 60) == (2, 50)


def test_epochs_that_nobody_can_say_anything_about() -> None:
    """No epoch, a newer one than the log's, and a log without epochs: the answer is undefined."""
    assert epochs((3, 10)).end_offset_for(-1, 20) == UNDEFINED
    assert epochs((3, 10)).end_offset_for(4, 20) == UNDEFINED
    assert LeaderEpochs().end_offset_for(0, 20) == UNDEFINED


def test_an_epoch_from_before_the_log() -> None:
    """An epoch whose records are all deleted ends where the log's first epoch begins."""
    assert epochs((3, 10), (4, 20)).end_offset_for(1, 30) == (1, 10)


def test_a_newer_word_replaces_what_stands_in_its_way() -> None:
    """An entry of a lower epoch or a lower offset takes the place of all that it contradicts."""
    log = epochs((0, 0), (1, 10), (2, 20))
    assert log.assign(3, 15)
    assert log.entries() == [(0, 0), (1, 10), (3, 15)]
    assert log.assign(1, 18)
    assert log.entries() == [(0, 0), (1, 18)]
    assert log.assign(2, 18)
    assert log.entries() == [(0, 0), (2, 18)]
    assert log.assign(2, 17)
    assert log.entries() == [(0, 0), (2, 17)]


def test_cutting_the_end() -> None:
    """Epochs that begin at or behind the new end have no records left."""
    log = epochs((0, 0), (1, 10), (2, 20))
    assert not log.truncate_from_end(21)
    assert log.truncate_from_end(20)
    assert log.entries() == [(0, 0), (1, 10)]
    assert log.truncate_from_end(0)
    assert log.entries() == []


def test_cutting_the_start() -> None:
    """The epoch of the new start begins there, and older ones go; a start before all epochs changes nothing."""
    log = epochs((1, 5), (2, 10), (4, 20))
    assert not log.truncate_from_start(4)
    assert not log.truncate_from_start(5)
    assert log.truncate_from_start(12)
    assert log.entries() == [(2, 12), (4, 20)]
    assert log.truncate_from_start(20)
    assert log.entries() == [(4, 20)]
    assert log.truncate_from_start(30)
    assert log.entries() == [(4, 30)]


def test_single_epochs() -> None:
    """An epoch has a start offset if the log has something of it; the latest is that of the last record."""
    log = epochs((1, 5), (4, 20))
    assert [log.start_offset_of(epoch) for epoch in range(6)] == [None, 5, None, None, 20, None]
    assert (log.latest_epoch, len(log), log.epoch_for_offset(4)) == (4, 2, None)
    assert repr(log) == "LeaderEpochs(1 from 5, 4 from 20)"
    assert log.clear()
    assert (log.latest_epoch, len(log), log.clear()) == (None, 0, False)


def test_a_real_kafkas_checkpoints() -> None:
    """What a real Kafka wrote is read, and is written again byte by byte the same."""
    files = sorted(GOLDEN.glob("*/leader-epoch-checkpoint"))
    assert len(files) >= 4
    for file in files:
        assert LeaderEpochs.from_bytes(str(file), file.read_bytes()).to_bytes() == file.read_bytes()


def test_a_checkpoint_with_entries_that_contradict_each_other() -> None:
    """A checkpoint that a crash left behind may hold too much: later lines count."""
    log = LeaderEpochs.from_bytes(PATH, b"0\n4\n0 0\n1 10\n3 5\n3 7\n")
    assert log.entries() == [(0, 0), (3, 5)]


@pytest.mark.parametrize(
    "data", [b"0\n1\n0\n", b"0\n1\n0 0 0\n", b"0\n1\n-1 0\n", b"0\n1\n0 -1\n", b"0\n1\n2147483648 0\n"]
)
def test_damage_is_told_with_the_files_name(data: bytes) -> None:
    """What is no such checkpoint is refused, naming the file."""
    with pytest.raises(CorruptFile, match=PATH) as refused:
        LeaderEpochs.from_bytes(PATH, data)
    assert refused.value.path == PATH
