"""One setting: everything that Kafka's documentation says about it, and how to make a value of a text.

The tables of `ottla.config.tables` are made of these. A setting is a fact and never changes; what it is set to is in
`ottla.config.config`. Its unit follows from its name, as Kafka's names end in it (`.ms`, `.bytes`); the few names that
keep their unit to themselves are listed here.

`check` holds for defaults too: a default parses and validates to itself.
"""

import enum
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from ottla.config.durations import MS_PER, show_bytes, show_ms
from ottla.config.password import HIDDEN
from ottla.config.validators import ListOf, Validator
from ottla.config.values import LONG_MAX, Type, Value, parse, to_text
from ottla.errors import ConfigError

BOOLEAN, STRING, INT, SHORT, LONG, DOUBLE, LIST, CLASS, PASSWORD = Type


class Importance(enum.Enum):
    """How many people will want to look at it."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


HIGH, MEDIUM, LOW = Importance


class Dynamic(enum.Enum):
    """Whether it can be changed while a broker runs, and for whom; in the words of Kafka's documentation."""

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    CLUSTER_WIDE = "cluster-wide"


READ_ONLY, PER_BROKER, CLUSTER_WIDE = Dynamic


class Required(enum.Enum):
    """The default of a setting that has none: it must be set."""

    REQUIRED = "required"


REQUIRED: Final = Required.REQUIRED


class Synonym(NamedTuple):
    """A setting of the broker that speaks for a setting of a topic or group, in a unit of its own."""

    name: str
    unit: int = 1  # how many of the topic's units one of the broker's is: an hour is 3,600,000 ms


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as a line of a table."""

    name: str
    type: Type
    default: Value | Required
    importance: Importance
    doc: str
    valid: Validator | None = None
    dynamic: Dynamic = READ_ONLY
    synonyms: tuple[Synonym, ...] = ()
    internal: bool = False

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is REQUIRED

    @property
    def is_sensitive(self) -> bool:
        """Whether its value must not be seen."""
        return self.type is PASSWORD

    @property
    def default_value(self) -> Value:
        """The default; a `ConfigError` if there is none."""
        if isinstance(self.default, Required):
            raise ConfigError(f'Missing required configuration "{self.name}" which has no default value.')
        return self.default

    def parse(self, given: object) -> Value:
        """The value that a text, or something of the right type, stands for; checked."""
        value = parse(self.name, given, self.type)
        if isinstance(self.valid, ListOf) and isinstance(value, tuple):
            value = tuple(dict.fromkeys(value))  # what is there twice counts once
        self.check(value)
        return value

    def check(self, value: Value) -> None:
        """Raise a `ConfigError` unless the value is valid."""
        if self.valid is not None:
            self.valid.check(self.name, value)

    def text(self, value: Value) -> str | None:
        """A value as DescribeConfigs answers it; a password is hidden."""
        return to_text(value, self.type)

    def show(self, value: Value) -> str:
        """A value for a person to read: with its unit in words, where that says more than the number."""
        if value is None:
            return "null"
        if self.is_sensitive:
            return HIDDEN
        text = to_text(value, self.type) or '""'
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value < LONG_MAX:
            words = self._in_words(value)
            return text if words is None or words.startswith(text) else f"{text} ({words})"
        return text

    def _in_words(self, value: int) -> str | None:
        unit = unit_of(self.name)
        if unit == "bytes":
            return show_bytes(value)
        return show_ms(value * MS_PER[unit]) if unit in MS_PER else None


# Names end in their unit; where Kafka spelt one differently, or left it out, it is written here.
_UNIT_ENDINGS = {"secs": "seconds", "millis": "ms"}
_SIZES_WITHOUT_UNIT = {
    "batch.size",
    "buffer.memory",
    "log.cleaner.dedupe.buffer.size",
    "log.cleaner.io.buffer.size",
    "max.request.size",
    "offsets.load.buffer.size",
    "sasl.server.max.receive.size",
    "share.coordinator.load.buffer.size",
    "transaction.state.log.load.buffer.size",
}


def unit_of(name: str) -> str | None:
    """`ms`, `seconds`, `minutes`, `hours`, `bytes`, or None if the setting is no duration or size."""
    if name in _SIZES_WITHOUT_UNIT:
        return "bytes"
    ending = name.rpartition(".")[2]
    ending = _UNIT_ENDINGS.get(ending, ending)
    return ending if ending in MS_PER or ending == "bytes" else None


Table = Mapping[str, Setting]


def table(*groups: Iterable[Setting]) -> dict[str, Setting]:
    """Settings by name, in the order of their names; a name may be there once."""
    settings = [setting for group in groups for setting in group]
    by_name = {setting.name: setting for setting in sorted(settings, key=lambda setting: setting.name)}
    assert len(by_name) == len(settings), "a setting is in the table twice"
    return by_name
