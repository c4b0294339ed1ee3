"""Formatting: what a node's log directories hold before its first start.

    <every directory>/bootstrap.checkpoint    the records that the first active controller begins the cluster with
    <metadata directory>/__cluster_metadata-0/00000000000000000000-0000000000.checkpoint
                                              with kraft.version 1: who votes at first, or nothing if we are to be told
    <every directory>/meta.properties         cluster, node, and an id of the directory's own

Files are those of Kafka's own tool, byte for byte but for ids and times. Always true: `meta.properties` comes last, so
that a directory whose formatting broke off counts as not formatted and is formatted anew; nothing of a directory that
is formatted is touched. A directory that cannot be read is passed over, as long as another can.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from ottla.cluster.metadata.bootstrap import BOOTSTRAP_EPOCH, BOOTSTRAP_FILE, bootstrap_file, bootstrap_records
from ottla.cluster.metadata.records import VersionedRecord
from ottla.cluster.metadata.snapshot_file import SnapshotHead, SnapshotId, write_snapshot
from ottla.cluster.raft.voters import VoterSet
from ottla.errors import ConfigError, DiskError, NoSuchFile
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import METADATA_VERSION, SINCE, MetadataVersion
from ottla.protocol.messages.metadata_records import UserScramCredentialRecord
from ottla.security.scram import Credential
from ottla.storage.directories import meta_properties
from ottla.storage.directories.directory import make_durably, new_directory_id
from ottla.storage.directories.meta_properties import MetaProperties
from ottla.storage.manager.loading import METADATA_TOPIC
from ottla.storage.names import TopicPartition, directory_name
from ottla.storage.whole_file import read_whole_file, replace_whole_file
from ottla.world.api import Disk

FIRST_SNAPSHOT: Final = SnapshotId(0, BOOTSTRAP_EPOCH)
DYNAMIC_KRAFT_VERSION: Final = 1
METADATA_FOLDER: Final = directory_name(TopicPartition(METADATA_TOPIC, 0))


class Kind(Enum):
    """What a directory is for; the words are those that Kafka's tool uses."""

    DATA = "data directory"
    STATIC_METADATA = "metadata directory"
    DYNAMIC_METADATA = "dynamic metadata directory"
    DYNAMIC_METADATA_VOTER = "dynamic metadata voter directory"


@dataclass(frozen=True, slots=True)
class Format:
    """What is to be written."""

    cluster_id: str
    node_id: int
    directories: tuple[str, ...]  # all of the node, that of the metadata included
    metadata_directory: str  # metadata.log.dir, or the first of log.dirs
    levels: Mapping[str, int]  # of every feature, `levels_at`
    voters: VoterSet | None = None  # the first voters, where they are in the log (kraft.version 1)
    credentials: Sequence[Credential] = ()
    ignore_formatted: bool = False

    @property
    def metadata_version(self) -> MetadataVersion:
        """The version that the cluster begins with."""
        version = MetadataVersion.of_level(self.levels[METADATA_VERSION])
        assert version is not None, "levels_at begins with one"
        return version

    def records(self) -> list[VersionedRecord]:
        """The records that the cluster begins with."""
        if self.credentials and self.metadata_version < SINCE["scram"]:
            raise ConfigError(f"SCRAM credentials need metadata.version {SINCE['scram'].text} or later.")
        return bootstrap_records(self.levels) + [
            VersionedRecord(
                UserScramCredentialRecord(
                    each.name, each.mechanism.number, each.salt, each.stored_key, each.server_key, each.iterations
                )
            )
            for each in self.credentials
        ]

    def kind(self, directory: str) -> Kind:
        """What this directory is for."""
        if directory != self.metadata_directory:
            return Kind.DATA
        if self.voters is None:
            return Kind.STATIC_METADATA
        return Kind.DYNAMIC_METADATA if self.voters.get(self.node_id) is None else Kind.DYNAMIC_METADATA_VOTER


@dataclass(frozen=True, slots=True)
class Found:
    """The directories as they are."""

    formatted: Mapping[str, MetaProperties]
    empty: tuple[str, ...]
    unreadable: Mapping[str, DiskError]


def look_at(disk: Disk, directories: Sequence[str]) -> Found:
    """Which directories are formatted, which are not, and which cannot be read."""
    formatted: dict[str, MetaProperties] = {}
    empty: list[str] = []
    unreadable: dict[str, DiskError] = {}
    for directory in directories:
        path = f"{directory}/{meta_properties.FILE_NAME}"
        try:
            formatted[directory] = meta_properties.parse_meta_properties(path, read_whole_file(disk, path))
        except NoSuchFile:
            empty.append(directory)
        except DiskError as error:
            unreadable[directory] = error
    return Found(formatted, tuple(empty), unreadable)


class Formatter:
    """Formats the directories of one node."""

    def __init__(self, disk: Disk, wanted: Format, randbytes: Callable[[int], bytes], now_ms: int) -> None:
        self._disk, self._wanted, self._randbytes, self._now_ms = disk, wanted, randbytes, now_ms
        self._records = wanted.records()
        self.found = look_at(disk, wanted.directories)

    def directories(self) -> tuple[str, ...]:
        """Those that are to be formatted. A `ConfigError` if one is that must not be, or nothing can be done."""
        wanted, found = self._wanted, self.found
        if not found.empty and not found.formatted:
            reasons = "; ".join(map(str, found.unreadable.values()))
            raise ConfigError(f"No log directory can be formatted: {reasons}")
        if found.formatted and not wanted.ignore_formatted:
            first = next(iter(found.formatted))
            raise ConfigError(
                f"Log directory {first} is already formatted. Use --ignore-formatted to leave it as it is and format "
                "the others."
            )
        meta_properties.check_ensemble(found.formatted, wanted.cluster_id, wanted.node_id)
        return found.empty

    def run(self) -> Iterator[tuple[str, Kind]]:
        """Format one directory after the other; tells each before it is written."""
        for directory in self.directories():
            kind = self._wanted.kind(directory)
            yield directory, kind
            self._format(directory, kind)

    def _format(self, directory: str, kind: Kind) -> None:
        disk, now_ms = self._disk, self._now_ms
        make_durably(disk, directory)
        replace_whole_file(disk, f"{directory}/{BOOTSTRAP_FILE}", b"".join(bootstrap_file(self._records, now_ms)))
        if kind in (Kind.DYNAMIC_METADATA, Kind.DYNAMIC_METADATA_VOTER):
            assert self._wanted.voters is not None
            head = SnapshotHead(now_ms, DYNAMIC_KRAFT_VERSION, self._wanted.voters.to_record())
            folder = f"{directory}/{METADATA_FOLDER}"
            make_durably(disk, folder)
            snapshot = b"".join(write_snapshot(FIRST_SNAPSHOT.epoch, head, (), now_ms))
            replace_whole_file(disk, f"{folder}/{FIRST_SNAPSHOT.file_name}", snapshot)
        path = f"{directory}/{meta_properties.FILE_NAME}"
        properties = MetaProperties(self._wanted.cluster_id, self._wanted.node_id, self._directory_id(kind))
        replace_whole_file(disk, path, meta_properties.render_meta_properties(properties, now_ms))

    def _directory_id(self, kind: Kind) -> Uuid:
        """What the voters know the directory by, or a new id."""
        if kind is Kind.DYNAMIC_METADATA_VOTER:
            assert self._wanted.voters is not None
            voter = self._wanted.voters.get(self._wanted.node_id)
            assert voter is not None
            return voter.key.directory_id
        return new_directory_id(self._randbytes)
