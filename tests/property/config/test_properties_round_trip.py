"""What is written as properties reads back, and any text reads as values or is refused by name."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.config.properties import parse_properties, write_properties
from ottla.errors import ConfigError

TEXTS = st.text(
    st.one_of(st.sampled_from(" \t\n\r\f=:#!\\u0é😀"), st.characters(exclude_categories=["Cs"])), max_size=12
)
PIECES = st.sampled_from(
    ["a", "key", "=", ":", " ", "\t", "\f", "\n", "\r\n", "\r", "\\", "\\u0041", "\\u", "#", "!", "é"]
)


@given(st.dictionaries(TEXTS, TEXTS, max_size=5))
def test_what_is_written_reads_back(values: dict[str, str]) -> None:
    """Any names and values survive being written and read."""
    properties = parse_properties(write_properties(values))
    assert properties.values == values
    assert properties.warnings == ()


@given(st.lists(PIECES, max_size=30).map("".join))
def test_any_text_is_values_or_the_one_error(text: str) -> None:
    """No text brings anything but values or a `ConfigError`, and what was read can be written."""
    try:
        values = parse_properties(text).values
    except ConfigError:
        return
    assert parse_properties(write_properties(values)).values == values


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), max_size=8))
def test_the_last_of_several_values_counts(pairs: list[tuple[str, int]]) -> None:
    """Of a name that is set several times the last value counts, and every repetition is warned about."""
    properties = parse_properties("\n".join(f"{name} = {value}" for name, value in pairs))
    assert properties.values == {name: str(value) for name, value in pairs}
    assert len(properties.warnings) == len(pairs) - len(properties.values)
