"""The entry point of the command `ottla`.

There is no broker yet. Until there is, the command says plainly what exists.
"""

import argparse
from collections.abc import Sequence

from ottla import __version__
from ottla.cli import settings

STATUS = """\
Ottla {version}: a Kafka-compatible event-streaming platform in Python.

There is no broker to start yet. What exists is the ground floor:
  ottla.protocol   every message of Kafka 4.3, read and written; record batches and their kernel
  ottla.config     every setting of Kafka 4.3, and server.properties; `ottla settings` shows them

`make test` proves it, `make bench` measures it, docs/architecture.md explains it.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="ottla", description="A Kafka-compatible event-streaming platform.")
    parser.add_argument("--version", action="version", version=f"ottla {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    settings.register(commands)
    options = parser.parse_args(arguments)
    if hasattr(options, "run"):
        status: int = options.run(options)
        return status
    print(STATUS.format(version=__version__), end="")
    return 0
