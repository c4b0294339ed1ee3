"""What a new cluster begins with: a node's settings, and what is asked for beside them, become a `Format`.

Who votes at first is said in one of four ways (KIP-853):

    controller.quorum.voters        static voters, kraft.version 0: nothing of them is written
    standalone                      this controller alone, which others join later
    initial voters                  id@host:port:directory-id, the same list on each of them
    no initial voters               this node is told by the quorum that it finds (also: a broker)

Always true: a controller without static voters says which of the last three it is; the two worlds do not mix. What is
refused here is what Kafka's tool refuses.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from ipaddress import IPv6Address
from typing import Final

from ottla.cluster.formatting import DYNAMIC_KRAFT_VERSION, Format
from ottla.cluster.metadata.bootstrap import levels_at
from ottla.cluster.raft.config import KRAFT_VERSIONS
from ottla.cluster.raft.voters import Endpoint, ReplicaKey, Voter, VoterSet
from ottla.config.config import Config
from ottla.config.formats import PORT_MAX, parse_address
from ottla.config.rules.listeners import node_listeners
from ottla.config.rules.startup import is_controller, log_dirs
from ottla.errors import ConfigError
from ottla.protocol.codec.wire import Uuid
from ottla.protocol.features import KRAFT_VERSION, LATEST, METADATA_VERSION, MINIMUM, MetadataVersion
from ottla.protocol.uuids import parse_uuid
from ottla.security.scram import Credential
from ottla.storage.directories.directory import new_directory_id
from ottla.storage.directories.meta_properties import is_reserved_directory_id


class FirstVoters(Enum):
    """How it was said who votes at first, if it was."""

    UNSAID = "unsaid"
    STANDALONE = "standalone"
    LISTED = "initial-controllers"
    NONE = "no-initial-controllers"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for beside the settings."""

    cluster_id: str
    first_voters: FirstVoters = FirstVoters.UNSAID
    listed_voters: str = ""
    release_version: str | None = None
    levels: Mapping[str, int] | None = None
    credentials: Sequence[Credential] = ()
    ignore_formatted: bool = False


def new_cluster(config: Config, asked: Asked, randbytes: Callable[[int], bytes]) -> Format:
    """What to write into this node's directories; a `ConfigError` where settings and wishes do not go together."""
    _check_first_voters(config, asked)
    levels = dict(asked.levels or {})
    metadata_version = _metadata_version(asked.release_version, levels)
    _check_kraft_version(config, asked, levels)
    return Format(
        cluster_id=asked.cluster_id,
        node_id=config.integer("node.id"),
        directories=every_directory(config),
        metadata_directory=metadata_directory(config),
        levels=levels_at(metadata_version, levels),
        voters=_voters(config, asked, randbytes),
        credentials=asked.credentials,
        ignore_formatted=asked.ignore_formatted,
    )


def metadata_directory(config: Config) -> str:
    """Where `__cluster_metadata` lies."""
    return config.optional_text("metadata.log.dir") or log_dirs(config)[0]


def every_directory(config: Config) -> tuple[str, ...]:
    """All directories of a node, in order."""
    return tuple(sorted({*log_dirs(config), metadata_directory(config)}))


def parse_release(text: str) -> MetadataVersion:
    """The metadata version that a text names; the `ConfigError` lists all."""
    version = MetadataVersion.parse(text)
    if version is None:
        known = ", ".join(each.text for each in MetadataVersion)
        raise ConfigError(f"Unknown metadata.version '{text}'. Supported metadata.version are: {known}")
    return version


def parse_level(text: str) -> tuple[str, int]:
    """A feature and its level out of `name=level`."""
    name, equals, level = text.partition("=")
    if not (equals and level.isascii() and level.isdecimal()):
        raise ConfigError(f"A feature is given as name=level, such as group.version=1, and not as {text}.")
    return name.strip(), int(level)


def parse_voters(text: str, listener_name: str) -> VoterSet:
    """A list of `id@host:port:directory-id`, each id once."""
    voters: dict[int, Voter] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        voter = _parse_voter(entry, listener_name)
        if voter.key.node_id in voters:
            raise ConfigError(f"--initial-controllers has node {voter.key.node_id} twice.")
        voters[voter.key.node_id] = voter
    if not voters:
        raise ConfigError("--initial-controllers names nobody.")
    return VoterSet(voters.values())


def _parse_voter(entry: str, listener_name: str) -> Voter:
    node_id, at, rest = entry.partition("@")
    address_text, _, uuid = rest.rpartition(":")
    address, directory_id = parse_address(address_text), _directory_id(uuid)
    is_number = node_id.isascii() and node_id.isdecimal()
    if not (at and is_number) or address is None or address.port > PORT_MAX or directory_id is None:
        raise ConfigError(
            f"--initial-controllers has an entry that is not id@host:port:directory-id: {entry}. A directory id is "
            "what `ottla random-uuid` prints."
        )
    endpoint = Endpoint(listener_name, _as_java_shows(address.host), address.port)
    return Voter(ReplicaKey(int(node_id), directory_id), (endpoint,), KRAFT_VERSIONS)


def _as_java_shows(host: str) -> str:
    """An IPv6 address in eight groups without leading zeros, which is what Kafka's tool writes; others as they are."""
    if ":" not in host:
        return host
    address, percent, scope = host.partition("%")
    try:
        groups = IPv6Address(address).exploded.split(":")
    except ValueError:
        raise ConfigError(f"--initial-controllers has a host that is no IPv6 address: {host}.") from None
    return ":".join(f"{int(group, 16):x}" for group in groups) + percent + scope


def _directory_id(text: str) -> Uuid | None:
    try:
        directory_id = parse_uuid(text)
    except ValueError:
        return None
    return None if is_reserved_directory_id(directory_id) else directory_id


def _check_first_voters(config: Config, asked: Asked) -> None:
    said = asked.first_voters
    if config.words("controller.quorum.voters"):
        if said in (FirstVoters.STANDALONE, FirstVoters.LISTED):
            raise ConfigError(
                f"controller.quorum.voters makes the voters static, and --{said.value} puts them into the log. To have "
                "them in the log, set controller.quorum.bootstrap.servers in place of controller.quorum.voters."
            )
    elif said is FirstVoters.STANDALONE and not is_controller(config):
        raise ConfigError("--standalone is for a controller, and process.roles says that this node is none.")
    elif said is FirstVoters.UNSAID and is_controller(config):
        raise ConfigError(
            "This controller has no controller.quorum.voters, so say who votes at first: --standalone, "
            "--initial-controllers or --no-initial-controllers."
        )


def _metadata_version(release: str | None, levels: dict[str, int]) -> MetadataVersion:
    """The version asked for, which is taken out of the levels."""
    level = levels.pop(METADATA_VERSION, None)
    if level is None:
        return LATEST if release is None else parse_release(release)
    if release is not None:
        raise ConfigError(f"Say --release-version or --feature {METADATA_VERSION}=..., and not both.")
    version = MetadataVersion.of_level(level)
    if version is None:
        raise ConfigError(f"{METADATA_VERSION} has no level {level}; there are {MINIMUM:d} to {LATEST:d}.")
    return version


def _check_kraft_version(config: Config, asked: Asked, levels: Mapping[str, int]) -> None:
    """The level of kraft.version follows from who votes, so asking for it may only repeat it."""
    level = levels.get(KRAFT_VERSION)
    is_dynamic = not config.words("controller.quorum.voters") and asked.first_voters is not FirstVoters.UNSAID
    if level == 0 and is_dynamic:
        raise ConfigError(
            f"{KRAFT_VERSION} cannot be 0 where voters are in the log; leave --feature {KRAFT_VERSION}=0 away, or set "
            "controller.quorum.voters."
        )
    if level == DYNAMIC_KRAFT_VERSION and not is_dynamic:
        raise ConfigError(
            f"{KRAFT_VERSION} cannot be {level} unless voters are in the log: give --standalone, --initial-controllers "
            "or --no-initial-controllers, and no controller.quorum.voters."
        )


_NOWHERE: Final = "localhost"  # what Kafka's tool writes for a listener on every interface


def _voters(config: Config, asked: Asked, randbytes: Callable[[int], bytes]) -> VoterSet | None:
    if asked.first_voters is FirstVoters.LISTED:
        return parse_voters(asked.listed_voters, config.words("controller.listener.names")[0])
    if asked.first_voters is not FirstVoters.STANDALONE:
        return None
    listener = node_listeners(config).advertised_controllers[0]
    endpoint = Endpoint(listener.name, listener.host or _NOWHERE, listener.port)
    key = ReplicaKey(config.integer("node.id"), new_directory_id(randbytes))
    return VoterSet([Voter(key, (endpoint,), KRAFT_VERSIONS)])
