"""The entry point of the command `ottla`.

A command is a module of this package with a function `register`, which adds its parser; it is imported only when
somebody asks for it, so that each starts as fast as it can.

There is no broker yet. Until there is, the bare command says plainly what exists.
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

There is no broker to start yet. What one stands on exists:
  ottla.protocol   every message of Kafka 4.3, read and written; record batches and their kernel
  ottla.config     every setting of Kafka 4.3, and server.properties; `ottla settings` shows them
  ottla.world      clock, disk, network: for real, and simulated from a seed (`make sim`)
  ottla.network    connections, both ends; ottla.broker answers ApiVersions and Metadata over them
  ottla.storage    the log: Kafka's files, written, recovered, compacted

`make test` and `make integration` prove it, `make bench` measures it, docs/architecture.md explains it.
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
        print(STATUS.format(version=__version__), end="")
        return 0
    try:
        status: int = options.run(options)
    except OttlaError as error:
        print(f"ottla {wanted}: {error}", file=sys.stderr)
        return FAILED
    return status
