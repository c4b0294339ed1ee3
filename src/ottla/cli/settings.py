"""`ottla settings`: what a setting is for, its type, default and valid values, and whether it can be changed.

A name that exists is shown in full, in every family that has it; a pattern or a part of a name lists what it matches.
A name that nobody has is an error that offers similar ones, and one that is gone says what took its place.

It reads the tables and nothing else: what a setting is set to, only a running broker knows.
"""

import argparse
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from ottla.cli.parsing import Subparsers, add_parser
from ottla.config.families import FAMILIES, family
from ottla.config.prefixes import base_name, names_asked
from ottla.config.rules.retired import refuse_retired, warning_of
from ottla.config.setting import CLUSTER_WIDE, PER_BROKER, Setting, Table
from ottla.errors import ConfigError

DESCRIPTION = "Show Kafka's settings as Ottla has them: what each is for, its type, default and valid values."
EPILOG = """\
families:
{families}

examples:
  ottla settings log.retention.ms              one setting, in full
  ottla settings 'log.cleaner.*'               all that match a pattern
  ottla settings throttled                     all with this word in their name
  ottla settings acks --for producer           only what a producer has
  ottla settings --for topic                   all settings of a topic
"""
LISTENERS_OWN = "a listener may have its own, by the prefix listener.name.NAME."
SUGGESTIONS = 5
WIDTH = 100
LABEL_WIDTH = 14


def register(commands: Subparsers, summary: str) -> None:
    """Add the command to the command line."""
    families = "\n".join(f"  {name:<21}{what}" for name, (_, _, what) in FAMILIES.items())
    parser = add_parser(
        commands, "settings", summary, description=DESCRIPTION, examples=EPILOG.format(families=families)
    )
    parser.add_argument(
        "pattern", nargs="?", metavar="PATTERN", help="a name, a part of one, or a pattern with * and ?"
    )
    parser.add_argument("--for", dest="family", choices=FAMILIES, metavar="FAMILY", help="only settings of this family")
    parser.add_argument("--internal", action="store_true", help="list internal settings too, which are not for use")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what is asked for; returns the exit status."""
    tables = {name: family(name) for name in ([options.family] if options.family else FAMILIES)}
    pattern: str | None = options.pattern
    if pattern is not None and (exact := _exact(tables, pattern)):
        print("\n\n".join(exact))
        return 0
    found = list(_matching(tables, pattern, internal=options.internal))
    if not found:
        print(f"ottla settings: {_nothing(tables, str(pattern))}", file=sys.stderr)
        return 1
    print("\n".join(_rows(found)))
    return 0


def _exact(tables: dict[str, Table], name: str) -> list[str]:
    """The setting of this name in full, for each family that has it."""
    return [in_full(table[name], where) for where, table in tables.items() if name in table] or [
        f"{name} is this setting for one listener:\n\n{in_full(table[base], where)}"
        for where, table in tables.items()
        if where == "broker" and (base := base_name(name)) in table and base is not None
    ]


def _matching(tables: dict[str, Table], pattern: str | None, *, internal: bool) -> Iterator[tuple[str, Setting]]:
    is_pattern = pattern is not None and any(sign in pattern for sign in "*?[")
    for where, table in tables.items():
        for name, setting in table.items():
            if setting.internal and not internal:
                continue
            if pattern is None or (fnmatchcase(name, pattern) if is_pattern else pattern in name):
                yield where, setting


def _rows(found: list[tuple[str, Setting]]) -> Iterator[str]:
    """One line a setting: name, family, type, default."""
    name_width = max(len(setting.name) for _, setting in found)
    family_width = max(len(where) for where, _ in found)
    for where, setting in found:
        default = _default(setting)
        shortened = default if len(default) <= 40 else default[:37] + "..."
        kind = setting.type.name.lower()
        yield f"{setting.name:<{name_width}}  {where:<{family_width}}  {kind:<8}  {shortened}"


def _nothing(tables: dict[str, Table], name: str) -> str:
    """Why there is nothing to show, and what might have been meant."""
    try:
        refuse_retired(name)
        if (warning := warning_of(name)) is not None:
            return warning
    except ConfigError as gone:
        return str(gone)
    similar = get_close_matches(name, {name for table in tables.values() for name in table}, n=SUGGESTIONS, cutoff=0.6)
    where = f" of {next(iter(tables))}" if len(tables) == 1 else ""
    offer = f" Similar: {', '.join(similar)}." if similar else ""
    return f"no setting{where} is called or matches {name}.{offer}"


def in_full(setting: Setting, where: str) -> str:
    """Everything about a setting, as a paragraph with its facts below."""
    facts = {
        "type": setting.type.name.lower(),
        "default": _default(setting),
        "valid values": str(setting.valid or ""),
        "importance": setting.importance.value,
        "can be changed": _changed(setting, where),
        "synonyms": _synonyms(setting),
        "speaks for": ", ".join(_speaks_for(setting, where)),
        "listeners": LISTENERS_OWN if _of_listeners(setting, where) else "",
    }
    lines = [f"{setting.name}  ({FAMILIES[where][2]})", *_wrapped(setting.doc, "  ")]
    for label, text in facts.items():
        if text:
            first, *rest = _wrapped(text, " " * (LABEL_WIDTH + 4))
            lines += [f"  {label:<{LABEL_WIDTH}}  {first.lstrip()}", *rest]
    if setting.internal:
        lines.append("  This setting is internal: it may go away at any time.")
    return "\n".join(lines)


def _default(setting: Setting) -> str:
    if setting.is_required:
        return "(has to be set)"
    return "(not set)" if setting.default_value is None else setting.show(setting.default_value)


def _changed(setting: Setting, where: str) -> str:
    if where not in ("broker", "broker-quota"):
        return "" if where in ("producer", "consumer", "admin", "remote-log-metadata") else "at any time"
    return {
        PER_BROKER: "while the broker runs, for one broker (per-broker)",
        CLUSTER_WIDE: "while the broker runs, for one or all brokers (cluster-wide)",
    }.get(setting.dynamic, "in server.properties only (read-only)")


def _synonyms(setting: Setting) -> str:
    """Who speaks for it: a topic's or group's by the broker's, a broker's by coarser ones."""
    if setting.synonyms:
        names = [s.name + (f" (times {s.unit})" if s.unit != 1 else "") for s in setting.synonyms]
        return f"{', '.join(names)} of the broker" + (", the first that is set" if len(names) > 1 else "")
    others = [name for name in names_asked(setting.name) if name != setting.name]
    return f"{', '.join(others)}: the finest that is set counts" if others else ""


def _speaks_for(setting: Setting, where: str) -> Iterator[str]:
    """The settings of topics and groups that fall back to this one of the broker."""
    if where != "broker":
        return
    for other in ("topic", "group"):
        for candidate in family(other).values():
            if any(synonym.name == setting.name for synonym in candidate.synonyms):
                yield f"{candidate.name} ({other})"


def _of_listeners(setting: Setting, where: str) -> bool:
    return where == "broker" and setting.name.startswith(("ssl.", "sasl.", "max.connection", "connections.max"))


def _wrapped(text: str, indent: str) -> list[str]:
    lines, line = [], indent
    for word in text.split():
        if len(line) + len(word) > WIDTH and line.strip():
            lines.append(line.rstrip())
            line = indent
        line += word + " "
    return [*lines, line.rstrip()]
