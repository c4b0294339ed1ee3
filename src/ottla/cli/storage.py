"""`ottla storage`: a node's log directories before its first start, as `kafka-storage` has it.

Subcommands, flags, what is printed and the exit status (0, or 1 for whatever is wrong) are those of Kafka's tool, so
that scripts may call either. `ottla format` and `ottla random-uuid` are short names of two of them.

What is done is done in `ottla.cluster`; here is what people type and see.
"""

import argparse
from collections.abc import Callable

from ottla.cli import format as format_command
from ottla.cli import random_uuid
from ottla.cli.format import add_config_option, read_config
from ottla.cli.parsing import CommandParser, Subparsers, add_parser
from ottla.cluster.new_cluster import parse_level, parse_release
from ottla.cluster.storage_report import StorageReport, storage_report
from ottla.errors import ConfigError
from ottla.protocol.features import FEATURES, LATEST, METADATA_VERSION, MetadataVersion, default_level
from ottla.world.real.disk import RealDisk


def register(commands: Subparsers, summary: str) -> None:
    """Add the command to the command line."""
    parser = add_parser(commands, "storage", summary)
    verbs = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=CommandParser)
    _add(verbs, "info", "say whether the log directories are formatted, and for whom", _info, add_config_option)
    format_command.register(verbs, "format the log directories")
    random_uuid.register(verbs, "print a new id, for a cluster or a directory")
    _add(verbs, "version-mapping", "print the features of a release", _version_mapping, _release_option)
    _add(verbs, "feature-dependencies", "print what levels of features need", _dependencies, _feature_option)


def _add(
    verbs: Subparsers,
    name: str,
    summary: str,
    run: Callable[[argparse.Namespace], int],
    options: Callable[[argparse.ArgumentParser], None],
) -> None:
    parser = add_parser(verbs, name, summary)
    options(parser)
    parser.set_defaults(run=run)


def _release_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--release-version", "-r", default=LATEST.text, metavar="VERSION", help="a release, or a version like 4.0-IV3"
    )


def _feature_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--feature", "-f", action="append", required=True, metavar="NAME=LEVEL", help="may be given several times"
    )


def _info(options: argparse.Namespace) -> int:
    report = storage_report(RealDisk(), read_config(options.config))
    print(_shown(report))
    return 1 if report.problems else 0


def _shown(report: StorageReport) -> str:
    """Blocks with an empty line behind each."""
    lines: list[str] = []
    if report.directories:
        lines += [f"Found log {_plural('directory', report.directories)}:", *_indented(report.directories), ""]
    if report.properties is not None:
        pairs = ", ".join(f"{name}={value}" for name, value in sorted(report.properties.items()))
        lines += [f"Found metadata: {{{pairs}}}", ""]
    if report.problems:
        lines += [f"Found {_plural('problem', report.problems)}:", *_indented(report.problems), ""]
    return "\n".join(lines)


def _plural(noun: str, things: tuple[str, ...]) -> str:
    if len(things) == 1:
        return noun
    return f"{noun.removesuffix('y')}ies" if noun.endswith("y") else f"{noun}s"


def _indented(lines: tuple[str, ...]) -> list[str]:
    return [f"  {line}" for line in lines]


def _version_mapping(options: argparse.Namespace) -> int:
    version = parse_release(options.release_version)
    print(f"{METADATA_VERSION}={version:d} ({options.release_version})")
    for feature in FEATURES:
        print(f"{feature}={default_level(feature, version)}")
    return 0


def _dependencies(options: argparse.Namespace) -> int:
    for text in options.feature:
        feature, level = parse_level(text)
        needs = _needs(feature, level)
        name = _level_text(feature, level)
        print(f"{name} requires:" if needs else f"{name} has no dependencies.")
        for needed, lowest in needs.items():
            print(f"    {_level_text(needed, lowest)}")
    return 0


def _needs(feature: str, level: int) -> dict[str, int]:
    if feature == METADATA_VERSION:
        if MetadataVersion.of_level(level) is None:
            raise ConfigError(f"{METADATA_VERSION} has no level {level}.")
        return {}
    if feature not in FEATURES:
        raise ConfigError(f"Unknown feature: {feature}")
    if level >= len(FEATURES[feature]):
        raise ConfigError(f"Feature level {level} is not supported for feature {feature}")
    return dict(FEATURES[feature][level].needs)


def _level_text(feature: str, level: int) -> str:
    version = MetadataVersion.of_level(level) if feature == METADATA_VERSION else None
    return f"{feature}={level:d}" + (f" ({version.text})" if version is not None else "")
