"""The entry point of the command `ottla`.

A command is a module of this package with a function `register`, which adds its parser; it is imported only when
somebody asks for it, so that each starts as fast as it can. The bare command says what there is and where to begin.

Always true: what is wrong with the world or the words is one line on standard error and the status 1.
"""

import sys
from argparse import Namespace
from collections.abc import Sequence
from importlib import import_module

from ottla import __version__
from ottla.cli.parsing import CommandParser
from ottla.errors import OttlaError

FAILED = 1

STATUS = """\
Ottla {version}: a Kafka-compatible event-streaming platform in Python.

  ottla server start                a broker for development on localhost:9092, its data in ./data
  ottla server start FILE           the node that a server.properties describes, formatted by ottla format
  ottla server stop                 stop it
  ottla COMMAND --help              what a command does, with examples

Any Kafka client talks to it: topics, producing, and consuming of partitions. Consumer groups, transactions, replication
between nodes and authentication are not there yet.

Commands: {commands}
"""

COMMANDS = {
    "server": ("ottla.cli.server", "start and stop a node"),
    "storage": ("ottla.cli.storage", "look at a node's log directories before its first start"),
    "format": ("ottla.cli.format", "format a node's log directories for its first start (ottla storage format)"),
    "random-uuid": ("ottla.cli.random_uuid", "print a new id, for a cluster or a directory"),
    "settings": ("ottla.cli.settings", "show Kafka's settings: type, default, valid values, what each is for"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = CommandParser(prog="ottla", description="A Kafka-compatible event-streaming platform.")
    parser.add_argument("--version", action="version", version=f"ottla {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=CommandParser)
    wanted = next((word for word in words if not word.startswith("-")), None)
    for name, (module, summary) in COMMANDS.items():
        if name == wanted:
            import_module(module).register(commands, summary)
        else:
            commands.add_parser(name, help=summary)
    options = parser.parse_args(words, Namespace(words=words))
    if not hasattr(options, "run"):
        print(STATUS.format(version=__version__, commands=", ".join(COMMANDS)), end="")
        return 0
    try:
        status: int = options.run(options)
    except OttlaError as error:
        print(f"ottla {wanted}: {error}", file=sys.stderr)
        return FAILED
    return status
