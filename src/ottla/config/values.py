"""Text to value and back, as Kafka's `ConfigDef` does it for each type.

`parse` takes what a file or a request says, or what a program hands over, and returns the value or raises a
`ConfigError` in Kafka's form, `Invalid value X for configuration NAME: REASON`. `to_text` is the way back, as
DescribeConfigs answers it. For every value that `parse` returns, `parse(to_text(value)) == value`, passwords aside.

Java's rules hold where Python's differ: white space is what is not above U+0020, `1_000` is no number, `1d` is a
double, an empty text is an empty list. A class is kept as its name: what it stands for is decided where it is used.
"""

import enum
from math import isfinite

from ottla.config.password import Password
from ottla.errors import ConfigError

Value = bool | int | float | str | tuple[str, ...] | Password | type | None

INT_MAX = 2**31 - 1
LONG_MAX = 2**63 - 1
DOUBLE_MAX = 1.7976931348623157e308

_JAVA_WHITE_SPACE = "".join(map(chr, range(33)))


class Type(enum.Enum):
    """The types of Kafka's settings; the values are their codes in DescribeConfigs."""

    BOOLEAN = 1
    STRING = 2
    INT = 3
    SHORT = 4
    LONG = 5
    DOUBLE = 6
    LIST = 7
    CLASS = 8
    PASSWORD = 9


_BITS = {Type.SHORT: 16, Type.INT: 32, Type.LONG: 64}


def invalid(name: str, value: object, reason: str) -> ConfigError:
    """The error in the form that Kafka's users know. A sensitive value is never given to it."""
    return ConfigError(f"Invalid value {shown(value)} for configuration {name}: {reason}")


def shown(value: object) -> str:
    """A value as Java would print it in a message."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return double_text(value)
    if isinstance(value, tuple):
        return f"[{', '.join(value)}]"
    return "null" if value is None else str(value)


def trim(text: str) -> str:
    """Java's `trim`: white space is what is not above U+0020, so that a no-break space stays."""
    return text.strip(_JAVA_WHITE_SPACE)


def parse(name: str, given: object, kind: Type) -> Value:
    """The value of a setting of this type; null is a value of every type."""
    if given is None:
        return None
    if isinstance(given, str):
        return _parse_text(name, given, kind)
    return _accept(name, given, kind)


def _parse_text(name: str, given: str, kind: Type) -> Value:
    text = trim(given)
    match kind:
        case Type.BOOLEAN:
            lower = text.lower()
            if lower not in ("true", "false"):
                raise invalid(name, given, "Expected value to be either true or false")
            return lower == "true"
        case Type.INT | Type.LONG | Type.SHORT:
            number = _integer(text)
            if number is None or not _fits(number, kind):
                raise invalid(name, given, f"Not a number of type {kind.name}")
            return number
        case Type.DOUBLE:
            double = _double(text)
            if double is None:
                raise invalid(name, given, "Not a number of type DOUBLE")
            return double
        case Type.LIST:
            return tuple(map(trim_around_comma, text.split(","))) if text else ()
        case Type.PASSWORD:
            return Password(text)
        case Type.STRING | Type.CLASS:
            return text


def trim_around_comma(text: str) -> str:
    """What Java's pattern `\\s*,\\s*` eats around a comma: only these six characters."""
    return text.strip(" \t\n\x0b\f\r")


def _accept(name: str, given: object, kind: Type) -> Value:
    """A value that a program hands over in place of a text."""
    plain_int = isinstance(given, int) and not isinstance(given, bool)
    match kind:
        case Type.BOOLEAN if isinstance(given, bool):
            return given
        case Type.INT | Type.LONG | Type.SHORT if plain_int and isinstance(given, int) and _fits(given, kind):
            return given
        case Type.DOUBLE if plain_int or isinstance(given, float):
            return float(given)  # type: ignore[arg-type]
        case Type.LIST if isinstance(given, list | tuple):
            return tuple(map(str, given))
        case Type.PASSWORD if isinstance(given, Password):
            return given
        case Type.CLASS if isinstance(given, type):
            return given
    if kind is Type.PASSWORD:  # whatever it is, it was meant to be secret
        raise ConfigError(f"Invalid value for configuration {name}: expected a password, but it was a {_kind(given)}")
    raise invalid(name, given, f"Expected {_EXPECTED[kind]}, but it was a {_kind(given)}")


_EXPECTED = {
    Type.BOOLEAN: "value to be either true or false",
    Type.STRING: "value to be a string",
    Type.INT: "value to be a 32-bit integer",
    Type.SHORT: "value to be a 16-bit integer",
    Type.LONG: "value to be a 64-bit integer",
    Type.DOUBLE: "value to be a double",
    Type.LIST: "a comma separated list",
    Type.CLASS: "a class or its name",
}


def _kind(value: object) -> str:
    return type(value).__name__


def _fits(number: int, kind: Type) -> bool:
    limit = 1 << (_BITS[kind] - 1)
    return -limit <= number < limit


def _integer(text: str) -> int | None:
    """A sign and decimal digits of any script, as Java's `parseInt` takes them; at most twenty of them count."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not digits.isdecimal() or len(digits.lstrip("0")) > 20:
        return None
    return int(text)


def _double(text: str) -> float | None:
    """Java's syntax for doubles: a suffix d or f may follow, NaN and Infinity are written so and not otherwise."""
    unsigned = text[1:] if text[:1] in ("+", "-") else text
    if unsigned in ("NaN", "Infinity"):
        return float(text)
    number = text[:-1] if text[-1:] in ("d", "D", "f", "F") else text
    hexadecimal = unsigned[:2].lower() == "0x"
    if hexadecimal and "p" not in number.lower():
        return None  # Java asks for the exponent, Python does not
    if set(number) - set("0123456789abcdefABCDEFxXpP+-." if hexadecimal else "0123456789eE+-."):
        return None
    try:
        return float.fromhex(number) if hexadecimal else float(number)
    except OverflowError:
        return float("-inf" if text.startswith("-") else "inf")
    except ValueError:
        return None


def to_text(value: Value, kind: Type) -> str | None:
    """A value as DescribeConfigs answers it."""
    match value:
        case None:
            return None
        case tuple():
            return ",".join(value)
        case type():
            return f"{value.__module__}.{value.__qualname__}"
        case bool() | float() | int():
            return shown(float(value) if kind is Type.DOUBLE else value)
        case _:
            return str(value)


def double_text(number: float) -> str:
    """A double as Java prints it: plain between 0.001 and 10,000,000, else with an exponent."""
    if not isfinite(number):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(number)]
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    mantissa, _, exponent = repr(number).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    power = int(exponent or 0)
    if len(whole) > 1:  # 123456789.5 has no exponent in Python yet
        power += len(whole) - 1
        whole, fraction = whole[0], whole[1:] + fraction
    elif whole == "0":  # nor has 0.00099
        shift = len(fraction) - len(fraction.lstrip("0")) + 1
        power -= shift
        whole, fraction = fraction[shift - 1], fraction[shift:]
    return f"{sign}{whole}.{fraction.rstrip('0') or '0'}E{power}"
