"""Durations and sizes: reading ISO-8601 durations, and showing numbers in the unit that a person thinks in.

A setting says its unit in its name (`.ms`, `.bytes`), so 604800000 needs no other type; but whoever reads it wants to
see "7 days" beside it. Showing never rounds: a number that is not a whole multiple of a unit is shown in a smaller one.
Milliseconds are the one unit inside; a duration that is finer is cut off.
"""

MS_UNITS = ((604_800_000, "week"), (86_400_000, "day"), (3_600_000, "hour"), (60_000, "minute"), (1000, "second"))
BYTE_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
MS_PER = {"ms": 1, "seconds": 1000, "minutes": 60_000, "hours": 3_600_000}

_DAY_S, _HOUR_S, _MINUTE_S = 86_400, 3600, 60
_UNITS_S = {"D": _DAY_S, "H": _HOUR_S, "M": _MINUTE_S, "S": 1}


def show_ms(milliseconds: int) -> str:
    """In words, in the largest unit that it is a whole multiple of: 5400000 is "90 minutes"."""
    for unit_ms, word in MS_UNITS[1:]:
        if milliseconds and milliseconds % unit_ms == 0:
            count = milliseconds // unit_ms
            return f"{count} {word}" if count == 1 else f"{count} {word}s"
    return f"{milliseconds} ms"


def show_bytes(size_bytes: int) -> str:
    """In the largest unit that it is a whole multiple of: 1536 is "1536 bytes", 1048576 is "1 MiB"."""
    for unit, word in BYTE_UNITS:
        if size_bytes and size_bytes % unit == 0:
            return f"{size_bytes // unit} {word}"
    return f"{size_bytes} bytes" if size_bytes != 1 else "1 byte"


def parse_iso_duration(text: str) -> int | None:
    """Milliseconds of a duration such as `P1DT2H3M4.5S`, or None if it is not one.

    Days, hours, minutes and seconds in this order, each with a sign of its own; seconds may have a fraction of up to
    nine digits; the whole may have a sign. Years, months and weeks have no fixed length, and are not taken.
    """
    sign = -1 if text[:1] == "-" else 1
    rest = text[1:].upper() if text[:1] in ("+", "-") else text.upper()
    if rest[:1] != "P" or len(rest) < 2:
        return None
    days, has_time, time = rest[1:].partition("T")
    if has_time and not time:
        return None
    total_ns = 0
    for part, allowed in ((days, "D"), (time, "HMS")):
        nanoseconds = _parts_ns(part, allowed)
        if nanoseconds is None:
            return None
        total_ns += nanoseconds
    return sign * total_ns // 1_000_000


def _parts_ns(text: str, allowed: str) -> int | None:
    """Nanoseconds of a row of numbers, each followed by its unit, the units in the order given."""
    total, start = 0, 0
    for position, sign in enumerate(text):
        if sign not in _UNITS_S:
            continue
        if sign not in allowed:
            return None
        allowed = allowed[allowed.index(sign) + 1 :]
        nanoseconds = _number_ns(text[start:position], may_have_fraction=sign == "S")
        if nanoseconds is None:
            return None
        total += nanoseconds * _UNITS_S[sign]
        start = position + 1
    return total if start == len(text) else None


def _number_ns(text: str, *, may_have_fraction: bool) -> int | None:
    """A number of seconds as nanoseconds: a sign, digits, and where allowed a fraction."""
    sign = -1 if text[:1] == "-" else 1
    digits = text[1:] if text[:1] in ("+", "-") else text
    whole, point, fraction = digits.partition(".") if "." in digits else digits.partition(",")
    if point and not may_have_fraction:
        return None
    if not whole or len(whole) > 19 or len(fraction) > 9 or set(whole + fraction) - set("0123456789"):
        return None
    return sign * (int(whole) * 1_000_000_000 + int(fraction.ljust(9, "0")))
