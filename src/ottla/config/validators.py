"""What a setting's value may be, beyond its type.

A validator is a small value: `str()` of it is what Kafka's documentation prints under "valid values", and `check`
raises a `ConfigError` whose reason Kafka's users know. Every validator is a function of the one value; rules that look
at several settings are in `ottla.config.rules`.

Validators of one odd setting, such as a list of voters, are in `formats`.
"""

from collections.abc import Collection
from typing import NamedTuple, Protocol

from ottla.config.values import Value, invalid, shown
from ottla.errors import ConfigError


class Validator(Protocol):
    """Decides about one value; its text is what documentation prints."""

    def check(self, name: str, value: Value) -> None:
        """Raise a `ConfigError` that names the setting, unless the value is valid."""


class Range(NamedTuple):
    """A number between two bounds, both included, of which one may be missing."""

    least: int | float | None
    most: int | float | None

    def check(self, name: str, value: Value) -> None:
        if value is None:
            raise invalid(name, value, "Value must be non-null")
        assert isinstance(value, int | float), name
        if self.least is not None and value < self.least:
            raise invalid(name, value, f"Value must be at least {shown(self.least)}")
        if self.most is not None and value > self.most:
            raise invalid(name, value, f"Value must be no more than {shown(self.most)}")

    def __str__(self) -> str:
        bounds = ("" if self.least is None else shown(self.least), "...", "" if self.most is None else shown(self.most))
        return f"[{','.join(bound for bound in bounds if bound)}]"


def at_least(least: float) -> Range:
    """A number that is not below the bound."""
    return Range(least, None)


def between(least: float, most: float) -> Range:
    """A number between two bounds, both included."""
    return Range(least, most)


class OneOf(NamedTuple):
    """One of some words, written exactly so."""

    words: tuple[str, ...]

    def check(self, name: str, value: Value) -> None:
        if value not in self.words:
            raise invalid(name, value, f"String must be one of: {', '.join(self.words)}")

    def __str__(self) -> str:
        return f"[{', '.join(self.words)}]"


def one_of(*words: str) -> OneOf:
    """One of some words, written exactly so."""
    return OneOf(words)


class OneOfIgnoringCase(NamedTuple):
    """One of some words, whatever the case of its letters."""

    words: tuple[str, ...]

    def check(self, name: str, value: Value) -> None:
        if not isinstance(value, str) or value.upper() not in self.words:
            raise invalid(name, value, f"String must be one of (case insensitive): {', '.join(self.words)}")

    def __str__(self) -> str:
        return f"(case insensitive) [{', '.join(self.words)}]"


def one_of_ignoring_case(*words: str) -> OneOfIgnoringCase:
    """One of some words, whatever the case of its letters; give them in capitals."""
    return OneOfIgnoringCase(words)


class ListOf(NamedTuple):
    """A list without repetitions, of the given words or, without any, of whatever is not empty."""

    words: tuple[str, ...]
    may_be_empty: bool
    may_be_null: bool

    def check(self, name: str, value: Value) -> None:
        if value is None:
            if not self.may_be_null:
                raise ConfigError(f"Configuration '{name}' values must not be null.")
            return
        assert isinstance(value, tuple), name
        if not value and not self.may_be_empty:
            raise ConfigError(f"Configuration '{name}' must not be empty. Valid values include: {self or _ANYTHING}")
        if has_repetitions(value):
            raise ConfigError(f"Configuration '{name}' values must not be duplicated.")
        for word in value:
            if not word:
                raise ConfigError(f"Configuration '{name}' values must not be empty.")
            if self.words and word not in self.words:
                raise invalid(name, word, f"String must be one of: {', '.join(self.words)}")

    def __bool__(self) -> bool:
        return bool(self.words)

    def __str__(self) -> str:
        return f"[{', '.join(self.words)}]" if self.words else ""


_ANYTHING = "any non-empty value"


def has_repetitions(words: Collection[str]) -> bool:
    """Whether a word is in there twice."""
    return len(set(words)) != len(words)


def list_of(*words: str, may_be_empty: bool = False, may_be_null: bool = False) -> ListOf:
    """A list of the given words, or of anything, without repetitions; not empty unless it is said."""
    return ListOf(words, may_be_empty, may_be_null)


class NonEmpty:
    """A text that is null or not empty: null stands for not being set."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if value == "":
            raise invalid(name, value, "String must be non-empty")

    def __str__(self) -> str:
        return "non-empty string"


class NonNull:
    """A text, which may be empty."""

    __slots__ = ()

    def check(self, name: str, value: Value) -> None:
        if value is None:
            raise invalid(name, value, "entry must be non null")

    def __str__(self) -> str:
        return "non-null string"


NON_EMPTY = NonEmpty()
NON_NULL = NonNull()
