"""The text of `server.properties`: Java's syntax for properties, read and written.

    # comment               ! comment
    name=value              name: value              name value
    long.name = begins here, \\
                goes on here
    letter = \\u00e9         tab = a\\tb               odd\\ na\\=me = value

A line ends at a line feed, a carriage return, or both. White space around the separator and at the beginning of a line
does not count, at the end of a value it does. A name that is there twice has its last value, as in Java, and is warned
about. Bytes are Latin-1, as Java reads them: everything beyond is written as `\\uXXXX`.

Errors and warnings tell line and name, never a value: it might be a password. That is also why `Properties` does not
show its values.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ottla.errors import ConfigError

_WHITE_SPACE = " \t\f"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_HEX = frozenset("0123456789abcdefABCDEF")


class Properties:
    """What a text sets: values by name, and what is odd about it."""

    __slots__ = ("values", "warnings")

    def __init__(self, values: dict[str, str], warnings: tuple[str, ...] = ()) -> None:
        self.values = values
        self.warnings = warnings

    def __repr__(self) -> str:
        return f"Properties({len(self.values)} settings, {len(self.warnings)} warnings)"


class _Line(NamedTuple):
    number: int
    text: str


def read_properties(content: bytes) -> Properties:
    """The settings in a file's bytes."""
    return parse_properties(content.decode("latin-1"))


def parse_properties(text: str) -> Properties:
    """The settings in a text; a `ConfigError` that names the line where it is malformed."""
    values: dict[str, str] = {}
    first_line: dict[str, int] = {}
    warnings = []
    for number, line in _logical_lines(text):
        key_end = _end_of_key(line)
        key = _unescape(line[:key_end], number)
        value = _unescape(_without_separator(line[key_end:]), number)
        if key in values:
            warnings.append(f"{key} is set in line {first_line[key]} and again in line {number}; the last one counts.")
        values[key] = value
        first_line[key] = number
    return Properties(values, tuple(warnings))


def _natural_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _logical_lines(text: str) -> Iterator[_Line]:
    """Lines without comments and blank ones, each with those that continue it, and where it began."""
    lines = _natural_lines(text)
    begun, start = "", 0
    for number, natural in enumerate(lines, 1):
        line = natural.lstrip(_WHITE_SPACE)
        if not begun:
            start = number
            if not line or line[0] in "#!":
                continue
        if _ends_in_odd_backslash(line):
            begun += line[:-1]
            # Java takes a backslash with nothing before it for a setting without a name if the text ends right there.
            if number == len(lines) or (number == len(lines) - 1 and not lines[-1] and (begun or text[-2:] != "\r\n")):
                yield _Line(start, begun)
                return
        else:
            yield _Line(start, begun + line)
            begun = ""


def _ends_in_odd_backslash(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _end_of_key(line: str) -> int:
    """Where the first separator is that no backslash protects."""
    protected = False
    for position, sign in enumerate(line):
        if protected:
            protected = False
        elif sign == "\\":
            protected = True
        elif sign in "=:" or sign in _WHITE_SPACE:
            return position
    return len(line)


def _without_separator(rest: str) -> str:
    rest = rest.lstrip(_WHITE_SPACE)
    return rest[1:].lstrip(_WHITE_SPACE) if rest[:1] in ("=", ":") else rest


def _unescape(text: str, line: int) -> str:
    if "\\" not in text:
        return text
    out = []
    position = 0
    while position < len(text):
        sign = text[position]
        position += 1
        if sign == "\\":
            sign = text[position : position + 1]
            position += 1
            if sign == "u":
                digits = text[position : position + 4]
                if len(digits) < 4 or not _HEX.issuperset(digits):
                    raise ConfigError(f"Line {line} of the properties has a \\u without four hexadecimal digits.")
                sign = chr(int(digits, 16))
                position += 4
            else:
                sign = _ESCAPES.get(sign, sign)
        out.append(sign)
    # Java writes a sign beyond U+FFFF as two escapes.
    return "".join(out).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def write_properties(values: Mapping[str, str]) -> str:
    """A text that reads back as these values, in Latin-1 and one line a setting."""
    return "".join(f"{_escape(key, is_key=True)}={_escape(value, is_key=False)}\n" for key, value in values.items())


def _escape(text: str, *, is_key: bool) -> str:
    out = []
    named = {sign: letter for letter, sign in _ESCAPES.items()}
    for position, sign in enumerate(text):
        if sign in named:
            out.append("\\" + named[sign])
        elif sign == "\\" or (sign in "=:#!" and is_key) or (sign == " " and (is_key or position == 0)):
            out.append("\\" + sign)
        elif " " <= sign <= "~":
            out.append(sign)
        else:
            units = sign.encode("utf-16-be", "surrogatepass").hex()
            out.extend(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))
    return "".join(out)
