"""What a family of settings is set to: parsed, checked one by one, with defaults for the rest.

A `Config` is a value: it is made whole from texts (or from values of the right types) and never changes. What is odd
but no error is in `warnings`, for whoever made it to log, each once. Settings with a listener's prefix are parsed as
the setting that they are for; names that nobody knows are kept as they are, since they may be a plugin's.

It knows neither where a value came from (`layers`) nor whether the values fit together (`rules`).
"""

from collections.abc import Callable, Iterator, Mapping

from ottla.config.password import HIDDEN, Password
from ottla.config.prefixes import base_name, listener_setting
from ottla.config.setting import Setting, Table
from ottla.config.values import Value

# Settings of the providers that `config.providers` names; their names are made up by whoever sets them.
_PROVIDERS = "config.providers."


class Config:
    """The values of a family of settings."""

    __slots__ = ("_extra", "_values", "given", "table", "unknown", "warnings")

    def __init__(
        self,
        table: Table,
        given: Mapping[str, object],
        *,
        notice: Callable[[str], str | None] | None = None,
        prefix_settings: tuple[str, ...] = (),
    ) -> None:
        """Parse what is given; a `ConfigError` at the first setting, by name, that is invalid or missing.

        `notice` may raise for a name that must not be given, or return a warning about it. What begins as the values
        of `prefix_settings` say is a plugin's, and not unknown.
        """
        self.table = table
        self.given = frozenset(given)
        self._values = {
            name: setting.parse(given[name]) if name in given else _default(setting) for name, setting in table.items()
        }
        of_plugins = (_PROVIDERS, *(self.text(name) for name in prefix_settings))
        self._extra: dict[str, Value] = {}
        unknown, warnings = [], []
        for name in sorted(given):
            warning = notice(name) if notice is not None else None
            if warning is not None:
                warnings.append(warning)
            elif (setting := table.get(base_name(name) or "")) is not None:
                self._extra[name] = _renamed(setting, name).parse(given[name])
            elif name not in table and not name.startswith(of_plugins):
                unknown.append(name)
            if name in table and _repeats(given[name], self._values[name]):
                warnings.append(f"{name} names something twice, which counts once.")
        self.unknown = tuple(unknown)
        self.warnings = (*warnings, *(f"Unknown setting {name}.{_similar(name, table)}" for name in unknown))

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __repr__(self) -> str:
        """What differs from the defaults; a password is hidden, and so is what nobody knows."""
        shown = [f"{name}={self.table[name].show(self._values[name])}" for name in self._values if name in self.given]
        shown += [f"{name}={HIDDEN}" for name in sorted(self.given - self._values.keys())]
        return f"Config({', '.join(shown)})"

    def setting_of(self, name: str) -> Setting | None:
        """The row for a name, a listener's prefix put aside; None for a name that nobody knows."""
        return self.table.get(name) or self.table.get(base_name(name) or "")

    def for_listener(self, name: str, listener: str, mechanism: str | None = None) -> Value:
        """A value as a listener has it, or one SASL mechanism of it: the most special one that is given."""
        if mechanism is not None and (special := listener_setting(name, listener, mechanism)) in self._extra:
            return self._extra[special]
        return self._extra.get(listener_setting(name, listener), self._values[name])

    def boolean(self, name: str) -> bool:
        """A value that is true or false."""
        value = self._values[name]
        assert isinstance(value, bool), name
        return value

    def integer(self, name: str) -> int:
        """A value that is a whole number and set."""
        value = self._values[name]
        assert isinstance(value, int), name
        assert not isinstance(value, bool), name
        return value

    def optional_integer(self, name: str) -> int | None:
        """A value that is a whole number, or not set."""
        return None if self._values[name] is None else self.integer(name)

    def double(self, name: str) -> float:
        """A value that is a number with a fraction."""
        value = self._values[name]
        assert isinstance(value, float), name
        return value

    def text(self, name: str) -> str:
        """A value that is a text and set."""
        value = self._values[name]
        assert isinstance(value, str), name
        return value

    def optional_text(self, name: str) -> str | None:
        """A value that is a text, or not set."""
        return None if self._values[name] is None else self.text(name)

    def words(self, name: str) -> tuple[str, ...]:
        """A value that is a list; empty if it is not set."""
        value = self._values[name]
        assert value is None or isinstance(value, tuple), name
        return value or ()

    def password(self, name: str) -> Password | None:
        """A value that is secret, or not set."""
        value = self._values[name]
        assert value is None or isinstance(value, Password), name
        return value


def _repeats(given: object, value: Value) -> bool:
    """Whether a list was given with repetitions, which its value no longer has."""
    words = given.split(",") if isinstance(given, str) else given
    return isinstance(value, tuple) and isinstance(words, list | tuple) and len(words) > max(len(value), 1)


def _default(setting: Setting) -> Value:
    """The default, which has to be valid for not setting it to be: some validators do not take null."""
    value = setting.default_value
    setting.check(value)
    return value


def _renamed(setting: Setting, name: str) -> Setting:
    """The row under another name, so that errors speak of the name that was given."""
    return Setting(name, setting.type, setting.default, setting.importance, setting.doc, setting.valid, setting.dynamic)


def _similar(name: str, table: Table) -> str:
    """A question that helps whoever mistyped a name."""
    from difflib import get_close_matches  # noqa: PLC0415 - costs 3 ms, and only whoever mistyped needs it

    matches = get_close_matches(name, table, n=1, cutoff=0.8)
    return f" Did you mean {matches[0]}?" if matches else ""
