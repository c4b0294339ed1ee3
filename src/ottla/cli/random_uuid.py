"""`ottla random-uuid`: a new id for a cluster or a directory, as `kafka-storage random-uuid` prints one.

It is what `ottla format --cluster-id` wants, and a directory's id in `--initial-controllers`. Always true: no id of
those that Kafka reserves, and none that begins with a dash, which command lines would take for a flag.
"""

import argparse

from ottla.cli.parsing import Subparsers, add_parser
from ottla.protocol.uuids import uuid_text
from ottla.storage.directories.directory import new_directory_id
from ottla.world.real.rng import RealRandomness


def register(commands: Subparsers, summary: str) -> None:
    """Add the command to the command line."""
    add_parser(commands, "random-uuid", summary).set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Print one."""
    print(uuid_text(new_directory_id(RealRandomness().secret)))
    return 0
