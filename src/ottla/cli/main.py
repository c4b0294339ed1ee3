"""The entry point of the command `ottla`.

A command is a module of this package with a function `register`, which adds its parser; it is imported only when
somebody asks for it, so that each starts as fast as it can.

There is no broker yet. Until there is, the bare command says plainly what exists.
"""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module

from ottla import __version__

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
    "settings": ("ottla.cli.settings", "show Kafka's settings: type, default, valid values, what each is for"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = argparse.ArgumentParser(prog="ottla", description="A Kafka-compatible event-streaming platform.")
    parser.add_argument("--version", action="version", version=f"ottla {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (module, summary) in COMMANDS.items():
        if name in words:
            import_module(module).register(commands, summary)
        else:
            commands.add_parser(name, help=summary)
    options = parser.parse_args(words)
    if hasattr(options, "run"):
        status: int = options.run(options)
        return status
    print(STATUS.format(version=__version__), end="")
    return 0
