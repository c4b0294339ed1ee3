"""Text to value and back: every answer that Kafka gave, and the rules behind it."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from ottla.config.families import family
from ottla.config.password import Password
from ottla.config.values import Type, Value, double_text, parse, shown, to_text, trim
from ottla.errors import ConfigError

GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "golden/kafka-4.3/values.json").read_text(encoding="utf-8")
)


def answer(setting_family: str, name: str, text: str | None) -> str:
    """What we make of a text, in the words of the golden data."""
    setting = family({"quota-ip": "ip-quota"}.get(setting_family, setting_family))[name]
    try:
        value = setting.parse(text)
        return f"value {'null' if value is None else setting.text(value)}"
    except ConfigError as error:
        return f"error {error}"


@pytest.mark.parametrize("entry", GOLDEN["settings"], ids=lambda entry: f"{entry['family']}:{entry['name']}")
def test_every_answer_is_kafkas(entry: dict[str, Any]) -> None:
    """A text is accepted with the same value, or refused with the same message, as Kafka accepts or refuses it.

    Where Kafka's refusal is in the words of one validator (`refused`), ours is in our own, in the common form.
    """
    wrong = []
    for kafkas, indices in entry["answers"].items():
        for index in indices:
            text = GOLDEN["texts"][index]
            ours = answer(entry["family"], entry["name"], text)
            filled = kafkas.replace("{text}", text).replace("{trimmed}", trim(text)).replace("{name}", entry["name"])
            if kafkas == "refused":
                good = ours.startswith("error Invalid value ") and f" for configuration {entry['name']}: " in ours
            else:
                good = ours == filled
            if not good:
                wrong.append((text, filled, ours))
    assert wrong == []


@pytest.mark.parametrize("entry", GOLDEN["settings"], ids=lambda entry: f"{entry['family']}:{entry['name']}")
def test_null_is_taken_where_kafka_takes_it(entry: dict[str, Any]) -> None:
    """Null is a value or refused as in Kafka; a validator that Kafka wrote for one setting may word it otherwise."""
    ours = answer(entry["family"], entry["name"], None)
    if entry["ofNull"] == "refused":
        assert ours.startswith("error ")
    else:
        assert ours == entry["ofNull"].replace("{name}", entry["name"])


def test_every_text_was_asked_of_every_kind_of_setting() -> None:
    """The golden data leave no text out: each setting has an answer for each."""
    for entry in GOLDEN["settings"]:
        asked = sorted(index for indices in entry["answers"].values() for index in indices)
        assert asked == list(range(len(GOLDEN["texts"]))), entry["name"]


@pytest.mark.parametrize(
    ("kind", "given", "value"),
    [
        (Type.BOOLEAN, True, True),
        (Type.INT, 5, 5),
        (Type.SHORT, -32768, -32768),
        (Type.LONG, 2**63 - 1, 2**63 - 1),
        (Type.DOUBLE, 1, 1.0),
        (Type.DOUBLE, 0.25, 0.25),
        (Type.LIST, ["a", "b"], ("a", "b")),
        (Type.LIST, ("a",), ("a",)),
        (Type.CLASS, dict, dict),
        (Type.PASSWORD, Password("x"), Password("x")),
        (Type.INT, None, None),
    ],
)
def test_a_program_may_hand_over_values(kind: Type, given: object, value: Value) -> None:
    """A value that has the right Python type already is taken as it is; null is taken for every type."""
    assert parse("some.name", given, kind) == value
    assert type(parse("some.name", given, kind)) is type(value)


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        (Type.BOOLEAN, 1, "Expected value to be either true or false, but it was a int"),
        (Type.INT, True, "Expected value to be a 32-bit integer, but it was a bool"),
        (Type.INT, 2**31, "Expected value to be a 32-bit integer, but it was a int"),
        (Type.SHORT, 40000, "Expected value to be a 16-bit integer, but it was a int"),
        (Type.LONG, 1.0, "Expected value to be a 64-bit integer, but it was a float"),
        (Type.DOUBLE, False, "Expected value to be a double, but it was a bool"),
        (Type.LIST, {"a"}, "Expected a comma separated list, but it was a set"),
        (Type.STRING, 5, "Expected value to be a string, but it was a int"),
        (Type.CLASS, 5, "Expected a class or its name, but it was a int"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused(kind: Type, given: object, reason: str) -> None:
    """A value of the wrong Python type is refused in Kafka's form."""
    with pytest.raises(ConfigError) as refused:
        parse("some.name", given, kind)
    assert str(refused.value) == f"Invalid value {shown(given)} for configuration some.name: {reason}"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (0.001, "0.001"),
        (0.00099, "9.9E-4"),
        (9999999.5, "9999999.5"),
        (1e7, "1.0E7"),
        (-12345678.9, "-1.23456789E7"),
        (1.5e300, "1.5E300"),
        (5e-324, "4.9E-324"),
        (float("nan"), "NaN"),
        (float("-inf"), "-Infinity"),
    ],
)
def test_a_double_is_printed_as_java_prints_it(number: float, text: str) -> None:
    """A double is plain between 0.001 and 10,000,000, and has an exponent elsewhere."""
    if text == "4.9E-324":  # Java prints one digit more than it takes to read the smallest double back
        assert float(double_text(number)) == number
    else:
        assert double_text(number) == text


def test_a_class_is_shown_by_its_name() -> None:
    """A Python class as a value is shown by the name that imports it."""
    assert to_text(ConfigError, Type.CLASS) == "ottla.errors.ConfigError"


class TestPassword:
    """No text form of a password shows it."""

    def test_no_text_form_shows_it(self) -> None:
        """str, repr, format, f-strings, % and containers show `[hidden]`."""
        secret = Password("hunter2")
        for text in (
            str(secret),
            repr(secret),
            f"{secret}",
            f"{secret!r:>20}",
            format(secret, "^30"),
            "%s" % secret,  # noqa: UP031
            str({"password": secret}),
            str(parse("ssl.key.password", "hunter2", Type.PASSWORD)),
            str(to_text(secret, Type.PASSWORD)),
        ):
            assert "hunter2" not in text
            assert "[hidden]" in text

    def test_it_is_neither_json_nor_pickle(self) -> None:
        """Writing one as json or pickle is refused, and the refusal does not show it either."""
        for write in (json.dumps, pickle.dumps):
            with pytest.raises(TypeError) as refused:
                write([Password("hunter2")])
            assert "hunter2" not in str(refused.value)

    def test_a_value_that_was_meant_to_be_secret_is_not_in_the_error(self) -> None:
        """Bytes given for a password are refused without being shown."""
        with pytest.raises(ConfigError) as refused:
            parse("ssl.key.password", b"hunter2", Type.PASSWORD)
        assert "hunter2" not in repr(refused.value)
        assert "ssl.key.password" in str(refused.value)

    def test_it_compares_and_reveals(self) -> None:
        """Equal texts are equal passwords; `reveal` is the one way in."""
        assert Password("a") == Password("a") != Password("b")
        assert len({Password("a"), Password("a")}) == 1
        assert Password("a").reveal() == "a"
        assert Password("a") != "a"

    def test_a_copy_is_the_same(self) -> None:
        """A configuration with passwords can be copied, since a password never changes."""
        secret = Password("a")
        assert copy.copy(secret) is secret
        assert copy.deepcopy({"password": secret})["password"] is secret
