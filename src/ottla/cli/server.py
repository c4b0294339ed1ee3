"""`ottla server start` and `ottla server stop`: a node as a process of its own.

With a server.properties it is the node that the file describes, whose directories were formatted before (`ottla
format`). Without one it is a node for development on this machine: broker and controller in one, on localhost:9092,
its data in `--data`, formatted when they are not there yet.

Always true: what goes wrong before the node serves is one line and the status 1; a node that was asked to stop once
stops as an administrator wants it to, and when it was asked twice, at once.
"""

import argparse
import sys

from ottla.cli import development, event_log
from ottla.cli.node_process import Started, report, run_node
from ottla.cli.parsing import CommandParser, Subparsers, add_parser
from ottla.cli.pid_file import PidFile
from ottla.cluster.new_cluster import metadata_directory
from ottla.config.config import Config
from ottla.config.layers import read_node
from ottla.config.properties import read_properties
from ottla.errors import ConfigError
from ottla.storage.directories.directory import make_durably
from ottla.storage.whole_file import read_whole_file
from ottla.world.real.disk import RealDisk
from ottla.world.real.process import allow_more_open_files, run_in_background, tell
from ottla.world.real.run import run as run_in_world
from ottla.world.real.world import RealWorld

EXAMPLES = """\
examples:
  ottla server start                                   a node for development on localhost:9092, data in ./data
  ottla server start --data /tmp/try --daemon          the same elsewhere, in the background
  ottla server start server.properties                 the node that the file describes
  ottla server start server.properties --override log.retention.hours=1
"""
STOP_EXAMPLES = """\
examples:
  ottla server stop                                    the node whose data are in ./data
  ottla server stop --data /tmp/try
  ottla server stop server.properties                  the node that the file describes
"""
NEXT = """\
Try:   {python} -m kafka admin -b {address} topics create -t hello
       echo 'hello, world' | {python} -m kafka producer -b {address} -t hello
       {python} -m kafka consumer ...
"""
LOG_FILE = "server.log"
STOPPED_WITHIN_S = 60
LOOK_MS = 20
LAST_LINES = 10


def register(commands: Subparsers, summary: str) -> None:
    """Add the command to the command line."""
    parser = add_parser(commands, "server", summary)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=CommandParser)
    start = add_parser(verbs, "start", "start a node", examples=EXAMPLES)
    _add_which(start)
    start.add_argument("--daemon", "-daemon", action="store_true", help="run in the background; return when it serves")
    start.add_argument("--log-level", choices=event_log.LEVELS, default="info", help="what to log (default: info)")
    start.add_argument("--tell", type=int, help=argparse.SUPPRESS)
    start.set_defaults(run=_start)
    stop = add_parser(verbs, "stop", "stop a node, and wait until it has stopped", examples=STOP_EXAMPLES)
    _add_which(stop)
    stop.add_argument(
        "--timeout", type=int, default=STOPPED_WITHIN_S, metavar="SECONDS", help="how long to wait (default: 60)"
    )
    stop.set_defaults(run=_stop)


def _add_which(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", nargs="?", metavar="server.properties", help="the node's settings")
    parser.add_argument(
        "--data", metavar="DIRECTORY", help="of a node without a file: where its data are (default: ./data)"
    )
    parser.add_argument(
        "--override", action="append", default=[], metavar="NAME=VALUE", help="a setting; may be given several times"
    )


def _settings(options: argparse.Namespace) -> dict[str, str]:
    """The settings of the node that is meant, as texts."""
    if options.file is None:
        texts = development.settings(options.data or development.DATA)
    elif options.data is not None:
        raise ConfigError("--data is for a node without a file; the file says log.dirs, or --override log.dirs=...")
    else:
        texts = read_properties(read_whole_file(RealDisk(), options.file)).values
    for override in options.override:
        name, equals, value = override.partition("=")
        if not equals:
            raise ConfigError(f"--override wants NAME=VALUE, and got {name}.")
        texts |= {name.strip(): value.strip()}
    return texts


def _start(options: argparse.Namespace) -> int:
    texts = _settings(options)
    config = read_node(texts)
    return _start_in_background(options, config) if options.daemon else _start_here(options, texts, config)


def _start_here(options: argparse.Namespace, texts: dict[str, str], config: Config) -> int:
    event_log.begin(options.log_level)
    allow_more_open_files()

    def started(told: Started) -> None:
        if options.tell is not None:
            tell(options.tell, str(told))

    async def in_world(world: RealWorld) -> None:
        if options.file is None:
            development.format_if_new(world.disk, config, world.rng.secret, world.clock.wall_ms())
        await run_node(world, texts, started)

    run_in_world(in_world, report=report)
    return 0


def _start_in_background(options: argparse.Namespace, config: Config) -> int:
    disk, directory = RealDisk(), metadata_directory(config)
    make_durably(disk, directory)
    log = f"{directory}/{LOG_FILE}"
    size = disk.open(log, create=True).size()
    words = [word for word in options.words if word not in ("--daemon", "-daemon")]
    line = run_in_background([sys.executable, "-m", "ottla.cli", *words, "--tell"], log)
    if not line:
        said = read_whole_file(disk, log)[size:].decode(errors="replace").splitlines()
        print("\n".join(said[-LAST_LINES:]), file=sys.stderr)
        return 1
    print(f"{line}; its log is {log}")
    return 0


def _stop(options: argparse.Namespace) -> int:
    directory = metadata_directory(read_node(_settings(options)))
    process = PidFile(RealDisk(), directory).running()
    if process is None:
        print(f"ottla server: no node runs on {directory}.", file=sys.stderr)
        return 1

    async def ask_and_wait(world: RealWorld) -> bool:
        process.ask_to_stop()
        give_up_ms = world.clock.monotonic_ms() + options.timeout * 1_000
        while process.is_running() and world.clock.monotonic_ms() < give_up_ms:
            await world.clock.sleep(LOOK_MS)
        return not process.is_running()

    if run_in_world(ask_and_wait):
        print(f"Stopped the node on {directory}.")
        return 0
    print(f"ottla server: process {process.number} has not stopped within {options.timeout} s.", file=sys.stderr)
    return 1
