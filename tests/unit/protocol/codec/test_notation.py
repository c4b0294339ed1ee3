"""The notation in which messages are declared."""

import pytest

from ottla.protocol.codec.notation import family, parse
from ottla.protocol.codec.schema import Versions

TEXT = """
# A comment on the text.

# Things, asked for by name.
# Version 5 adds parts.
ThingRequest  request 7  versions 2-9  flexible 6+  unstable 9  on broker controller
  struct Part
    weight   int32  3+ = -1        # another
  name       string?4+
  parts      [Part]   5-8  tag 1 ignorable
  only       Part     4
    ignored  string   flexible none
"""


def test_a_text_declares_messages() -> None:
    """Kind, number, versions, listeners; and fields with all that can be said of them."""
    (message,) = parse(TEXT)
    assert (message.name, message.kind, message.number) == ("ThingRequest", "request", 7)
    assert (message.versions, message.flexible, message.unstable) == (Versions(2, 9), Versions(6, 9), Versions(9, 9))
    assert message.listeners == ("broker", "controller")
    assert message.doc == "Things, asked for by name.\nVersion 5 adds parts."
    name, parts, only = message.fields
    assert (name.type, name.nullable, name.versions) == ("string", Versions(4, 9), Versions(2, 9))
    assert (parts.is_array, parts.tag, parts.ignorable, parts.versions) == (True, 1, True, Versions(5, 8))
    assert parts.struct is message.structs[0]
    assert only.struct is parts.struct
    weight, ignored = message.structs[0].fields
    assert (weight.default, weight.versions) == (-1, Versions(3, 9))
    assert (ignored.flexible, ignored.versions) == (False, Versions(2, 9))


def test_a_struct_is_asked_by_version() -> None:
    """A version has fields that are present, tagged, or absent."""
    (message,) = parse(TEXT)
    assert [field.name for field in message.present(4)] == ["name", "only"]
    assert [field.name for field in message.tagged(5)] == ["parts"]
    assert [field.name for field in message.absent(9)] == ["parts", "only"]


def test_words_behind_a_message_are_known() -> None:
    """Whatever follows `on` is a listener; a word at the wrong place is no listener's name."""
    with pytest.raises(AssertionError, match="unstable"):
        parse("ThingRequest  request 7  versions 2-9  on broker  unstable 9")


@pytest.mark.parametrize("line", ["  name", "  name string 1+ tagged 3", "      deep int8"])
def test_what_does_not_parse_is_named(line: str) -> None:
    """A slip in a schema text is found when it is read, with the words in question."""
    with pytest.raises(AssertionError, match=line.rsplit(maxsplit=1)[-1]):
        parse(f"Thing  data  versions 0\n{line}")


def test_a_family_is_asked_by_name() -> None:
    """Messages are found by family and name."""
    assert family("produce_fetch")["FetchRequest"].versions == Versions(4, 18)
