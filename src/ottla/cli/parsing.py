"""How every command is read from the command line, and how it says what is wrong.

A command's module has `register(commands, summary)`, which adds its parser with `add_parser`; its `run(options)`
returns the exit status. What goes wrong on the way is an `OttlaError`, which `main` shows as one line, without a
traceback.

Always true: wrong words exit with 1, as Kafka's tools do, and say which word is wrong below the usage.
"""

import argparse
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction["CommandParser"]  # noqa: SLF001 - it has no other name
else:
    Subparsers = argparse._SubParsersAction  # noqa: SLF001

USAGE_ERROR = 1


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors exit as those of Kafka's tools do."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        self.exit(USAGE_ERROR, f"{self.format_usage()}{self.prog}: error: {message}\n")


def add_parser(
    commands: Subparsers, name: str, summary: str, *, description: str | None = None, examples: str | None = None
) -> CommandParser:
    """A command's parser, whose help ends with examples as they stand."""
    return commands.add_parser(
        name,
        help=summary,
        description=description or f"{summary[0].upper()}{summary[1:]}.",
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
