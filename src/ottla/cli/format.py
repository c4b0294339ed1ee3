"""`ottla format`: make a node's log directories ready for its first start, as `kafka-storage format` does.

Flags and exit status are those of Kafka's tool, and each directory is told before it is written. Without a flag about
voters it is for nodes with `controller.quorum.voters`, and for brokers.

Passwords in `--add-scram` become SCRAM credentials, and are not kept.
"""

import argparse
import sys

from ottla.cli.parsing import Subparsers, add_parser
from ottla.cluster.formatting import Formatter
from ottla.cluster.new_cluster import Asked, FirstVoters, new_cluster, parse_level
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.properties import read_properties
from ottla.protocol.features import KRAFT_VERSION, METADATA_VERSION
from ottla.security.scram import parse_credential
from ottla.storage.whole_file import read_whole_file
from ottla.world.api import World
from ottla.world.real.disk import RealDisk
from ottla.world.real.rng import RealRandomness
from ottla.world.real.run import run as run_in_world

EXAMPLES = """\
examples:
  ottla format -t $(ottla random-uuid) -c server.properties --standalone
      one node that is broker and controller; more controllers may join later
  ottla format -t ID -c server.properties -I 1@a:9093:DIR1,2@b:9093:DIR2,3@c:9093:DIR3
      one of three controllers: the same ID and list on each; a DIR is what `ottla random-uuid` prints
  ottla format -t ID -c server.properties --no-initial-controllers
      a broker, or a controller that joins a quorum that runs
"""


def register(commands: Subparsers, summary: str) -> None:
    """Add the command to the command line, or to that of `ottla storage`."""
    parser = add_parser(commands, "format", summary, examples=EXAMPLES)
    add_config_option(parser)
    parser.add_argument(
        "--cluster-id", "-t", required=True, metavar="ID", help="the cluster's id, the same on all of its nodes"
    )
    parser.add_argument(
        "--add-scram", "-S", action="append", default=[], metavar="CREDENTIAL",
        help="a user to begin with: SCRAM-SHA-256=[name=alice,password=secret]; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--ignore-formatted", "-g", action="store_true", help="leave directories alone that are formatted already"
    )
    parser.add_argument("--release-version", "-r", metavar="VERSION", help="what to begin with: a release, or 4.0-IV3")
    parser.add_argument(
        "--feature", "-f", action="append", default=[], metavar="NAME=LEVEL",
        help="a feature's level, where it is not the release's; may be given several times",
    )  # fmt: skip
    voters = parser.add_mutually_exclusive_group()
    voters.add_argument(
        "--standalone", "-s", dest="first_voters", action="store_const", const=FirstVoters.STANDALONE,
        help="this controller votes alone at first",
    )  # fmt: skip
    voters.add_argument(
        "--no-initial-controllers", "-N", dest="first_voters", action="store_const", const=FirstVoters.NONE,
        help="who votes is found out from the quorum",
    )  # fmt: skip
    voters.add_argument(
        "--initial-controllers", "-I", metavar="VOTERS", help="who votes at first: id@host:port:directory-id,..."
    )
    parser.set_defaults(run=run)


def add_config_option(parser: argparse.ArgumentParser) -> None:
    """The file that every command about a node's directories needs."""
    parser.add_argument("--config", "-c", required=True, metavar="FILE", help="the node's server.properties")


def read_config(path: str) -> Config:
    """A node's settings out of its file."""
    return read_node(read_properties(read_whole_file(RealDisk(), path)).values)


def run(options: argparse.Namespace) -> int:
    """Format; returns the exit status."""
    rng = RealRandomness()
    asked = Asked(
        cluster_id=options.cluster_id,
        first_voters=_first_voters(options),
        listed_voters=options.initial_controllers or "",
        release_version=options.release_version,
        levels=dict(parse_level(each) for each in options.feature),
        credentials=[parse_credential(each, rng.secret) for each in options.add_scram],
        ignore_formatted=options.ignore_formatted,
    )
    wanted = new_cluster(read_config(options.config), asked, rng.secret)

    async def in_world(world: World) -> None:
        formatter = Formatter(world.disk, wanted, rng.secret, world.clock.wall_ms())
        for error in formatter.found.unreadable.values():
            print(f"{error}: passed over.", file=sys.stderr)
        if not formatter.directories():
            print("All of the log directories are already formatted.")
            return
        levels = (f"{name}={level}" for name, level in wanted.levels.items() if level and name != KRAFT_VERSION)
        print(f"Bootstrap metadata: {', '.join(levels)}{' and credentials' if wanted.credentials else ''}.")
        for directory, kind in formatter.run():
            print(f"Formatting {kind.value} {directory} with {METADATA_VERSION} {wanted.metadata_version.text}.")

    run_in_world(in_world)
    return 0


def _first_voters(options: argparse.Namespace) -> FirstVoters:
    if options.initial_controllers is not None:
        return FirstVoters.LISTED
    said: FirstVoters | None = options.first_voters
    return said or FirstVoters.UNSAID
