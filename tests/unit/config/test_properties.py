"""The properties parser, compared with Java's own on a thousand texts, and its warnings."""

import json
from pathlib import Path

import pytest

from ottla.config.properties import parse_properties, read_properties, write_properties
from ottla.errors import ConfigError

GOLDEN: list[tuple[str, dict[str, str] | None]] = json.loads(
    (Path(__file__).parents[2] / "golden/kafka-4.3/properties.json").read_text(encoding="utf-8")
)


def test_every_text_reads_as_in_java() -> None:
    """A text has the pairs that `java.util.Properties` reads from it, and is refused where Java refuses it."""
    wrong = []
    for text, pairs in GOLDEN:
        try:
            ours = parse_properties(text).values
        except ConfigError:
            ours = None
        if ours != pairs:
            wrong.append((text, pairs, ours))
    assert wrong == []
    assert len(GOLDEN) == 1000
    assert sum(pairs is None for _, pairs in GOLDEN) > 20


def test_a_name_that_is_there_twice_is_warned_about() -> None:
    """The last value counts, and the warning says both lines and not the values."""
    properties = parse_properties("a=secret-1\n# comment\nb=2\n a : \\\n secret-2\na=secret-3\n")
    assert properties.values == {"a": "secret-3", "b": "2"}
    assert properties.warnings == (
        "a is set in line 1 and again in line 4; the last one counts.",
        "a is set in line 4 and again in line 6; the last one counts.",
    )


def test_a_malformed_escape_is_refused_by_its_line() -> None:
    """The error says in which line the escape is, and does not show the value."""
    with pytest.raises(ConfigError) as refused:
        parse_properties("a=1\nssl.key.password=hunter2\\u00g0\n")
    assert str(refused.value) == "Line 2 of the properties has a \\u without four hexadecimal digits."


def test_bytes_are_latin_1() -> None:
    """A byte is a sign, as Java reads files; what Latin-1 lacks is written as an escape."""
    assert read_properties(b"a=\xe9\\u20ac").values == {"a": "é€"}


def test_properties_do_not_show_their_values() -> None:
    """The values may be passwords, so they are in no text form."""
    assert repr(parse_properties("ssl.key.password=hunter2")) == "Properties(1 settings, 0 warnings)"


def test_what_is_written_is_one_plain_line_a_setting() -> None:
    """Separators, white space and what Latin-1 lacks are escaped."""
    assert write_properties({"a b": " c=d", "#k": "x\ty", "e": "é😀 "}) == (
        "a\\ b=\\ c=d\n\\#k=x\\ty\ne=\\u00e9\\ud83d\\ude00 \n"
    )
