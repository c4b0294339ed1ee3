"""Rules that hold for every setting and any value: text and back, and the one error."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.config.durations import parse_iso_duration, show_bytes, show_ms
from ottla.config.families import FAMILIES, family
from ottla.config.setting import Setting
from ottla.config.values import Type, Value, double_text, parse, to_text
from ottla.errors import ConfigError

SETTINGS = st.sampled_from([setting for name in FAMILIES for setting in family(name).values()])
SIGNS = st.one_of(st.sampled_from(" ,:@.-+_*=\t0123456789truefalsTRUE"), st.characters(exclude_categories=["Cs"]))
TEXTS = st.one_of(st.text(SIGNS, max_size=20), st.integers().map(str), st.floats().map(str))


def parsed(setting: Setting, given_value: object) -> Value | ConfigError:
    """The value of a setting, or the error; any other exception is a fault."""
    try:
        return setting.parse(given_value)
    except ConfigError as error:
        return error


@given(SETTINGS, TEXTS)
def test_any_text_is_a_value_or_the_one_error(setting: Setting, text: str) -> None:
    """Any text is a value that checks and reads back from its own text, or a `ConfigError` that names the setting."""
    value = parsed(setting, text)
    if isinstance(value, ConfigError):
        assert setting.name in str(value)
        assert not setting.is_sensitive
        return
    setting.check(value)
    if setting.is_sensitive:
        assert setting.text(value) == "[hidden]"
    elif value == value:  # noqa: PLR0124 - all but NaN, which is a double in Java too
        assert setting.parse(setting.text(value)) == value


@given(SETTINGS, st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.binary(), st.lists(st.text())))
def test_any_object_is_a_value_or_the_one_error(setting: Setting, given_value: object) -> None:
    """Whatever a program hands over is a value or a `ConfigError`, never another exception."""
    value = parsed(setting, given_value)
    if isinstance(value, ConfigError):
        assert setting.name in str(value)
    else:
        setting.check(value)


@given(st.text(SIGNS, min_size=4, max_size=20))
def test_no_text_of_a_password_shows_it(secret: str) -> None:
    """A secret is in neither the value's texts nor the text of its setting."""
    value = parse("ssl.key.password", secret, Type.PASSWORD)
    for text in (str(value), repr(value), f"{value}", str(to_text(value, Type.PASSWORD))):
        assert text == "[hidden]"


@given(st.floats(allow_nan=False))
def test_a_double_reads_back_from_javas_form(number: float) -> None:
    """A double printed as Java prints it is the same double when it is read."""
    assert parse("x", double_text(number), Type.DOUBLE) == number


@given(st.integers(0, 2**63 - 1))
def test_a_time_or_size_in_words_is_the_same_number(number: int) -> None:
    """A number in words is not rounded: count times unit is the number."""
    units = {"ms": 1, "second": 1000, "minute": 60_000, "hour": 3_600_000, "day": 86_400_000}
    count, unit = show_ms(number).split()
    assert int(count) * units[unit if unit == "ms" else unit.removesuffix("s")] == number
    sizes = {"byte": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    count, unit = show_bytes(number).split()
    assert int(count) * sizes[unit.removesuffix("s")] == number


@given(st.integers(0, 999), st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_a_duration_is_the_sum_of_its_parts(days: int, hours: int, minutes: int, seconds: int, millis: int) -> None:
    """A duration counts each of its parts, negative ones too."""
    total = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + millis
    text = f"P{days}DT{hours}H{minutes}M{seconds}.{millis:03}S"
    assert parse_iso_duration(text) == total
    assert parse_iso_duration("-" + text) == -total
