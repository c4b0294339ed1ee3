"""Names in a log directory are Apache Kafka's, and everybody else's are left alone."""

import pytest

from ottla.storage.names import (
    MAX_NAME_LENGTH,
    DirectoryName,
    DirectoryState,
    FileKind,
    FileName,
    FileState,
    TopicPartition,
    directory_name,
    marked_directory_name,
    parse_directory_name,
    parse_file_name,
)

UNIQUE_ID = bytes(range(16))


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("00000000000000000000.log", FileName(0, FileKind.LOG)),
        ("00000000000000000042.index", FileName(42, FileKind.OFFSET_INDEX)),
        ("00000000000000000042.timeindex", FileName(42, FileKind.TIME_INDEX)),
        ("00000000000000000042.txnindex", FileName(42, FileKind.TRANSACTION_INDEX)),
        ("00000000000010000000.snapshot", FileName(10_000_000, FileKind.PRODUCER_SNAPSHOT)),
        ("00000000000000000007.log.cleaned", FileName(7, FileKind.LOG, FileState.CLEANED)),
        ("00000000000000000007.timeindex.swap", FileName(7, FileKind.TIME_INDEX, FileState.SWAP)),
        ("00000000000000000007.log.deleted", FileName(7, FileKind.LOG, FileState.DELETED)),
        ("09223372036854775807.log", FileName(2**63 - 1, FileKind.LOG)),
    ],
)
def test_files_are_named_by_their_offset(name: str, file: FileName) -> None:
    """A segment's file is called by its first offset in twenty digits, its kind, and what is being done with it."""
    assert str(file) == name
    assert parse_file_name(name) == file


@pytest.mark.parametrize(
    "name",
    [
        "leader-epoch-checkpoint",
        "0.log",
        "000000000000000000000.log",
        "00000000000000000000.log.tmp",
        "00000000000000000000.logs",
        "00000000000000000000.log.deleted.deleted",
        "09223372036854775808.log",
        "٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠٠.log",
        " 0000000000000000000.log",
        "",
    ],
)
def test_other_files_are_nobodys(name: str) -> None:
    """A file with any other name belongs to no segment."""
    assert parse_file_name(name) is None


def test_a_partitions_directory() -> None:
    """A partition's directory is called by topic and number, also where the topic's name has dashes and dots."""
    for topic in ("orders", "my-topic", "a.b-c_d", "topic-0", "x-delete", "-", "__consumer_offsets"):
        partition = TopicPartition(topic, 17)
        assert directory_name(partition) == str(partition) == f"{topic}-17"
        assert parse_directory_name(directory_name(partition)) == DirectoryName(partition, DirectoryState.LIVE)


@pytest.mark.parametrize("state", [DirectoryState.FUTURE, DirectoryState.DELETED, DirectoryState.STRAY])
def test_marked_directories(state: DirectoryState) -> None:
    """A directory that is moved, deleted or stray says so behind a unique id, and still tells its partition."""
    for topic in ("orders", "a.b-delete", "t-0.x-future"):
        name = marked_directory_name(TopicPartition(topic, 3), state, UNIQUE_ID)
        assert name == f"{topic}-3.000102030405060708090a0b0c0d0e0f{state.value}"
        assert parse_directory_name(name) == DirectoryName(TopicPartition(topic, 3), state)


def test_a_long_topic_is_cut_where_its_name_no_longer_matters() -> None:
    """A deleted or stray directory's name fits into 255 characters; a moved one keeps its topic's whole name."""
    partition = TopicPartition("t" * 249, 12_345)
    for state in (DirectoryState.DELETED, DirectoryState.STRAY):
        name = marked_directory_name(partition, state, UNIQUE_ID)
        assert len(name) == MAX_NAME_LENGTH
        assert (parsed := parse_directory_name(name)) is not None
        assert parsed.topic_partition.partition == 12_345
    name = marked_directory_name(partition, DirectoryState.FUTURE, UNIQUE_ID)
    assert parse_directory_name(name) == DirectoryName(partition, DirectoryState.FUTURE)


@pytest.mark.parametrize(
    "name",
    [
        "lost+found",
        "topic",
        "topic-",
        "-1",
        "topic-x",
        "topic-01",
        "topic-2147483648",
        "topic-1.abc-deleted",
        "topic-1.-delete",
        "topic-delete",
        "to pic-0",
        "topic-٣",
        "",
    ],
)
def test_other_directories_are_nobodys(name: str) -> None:
    """A directory with any other name is no partition's."""
    assert parse_directory_name(name) is None
