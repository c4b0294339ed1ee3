"""Uuids are shown as Kafka shows them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.protocol.codec.wire import ZERO_UUID, Uuid
from ottla.protocol.uuids import METADATA_TOPIC_ID, parse_uuid, random_uuid, uuid_text


@given(st.binary(min_size=16, max_size=16))
def test_text_and_back(data: bytes) -> None:
    """A uuid is 22 letters, and they give it back, with or without padding."""
    text = uuid_text(Uuid(data))
    assert len(text) == 22
    assert parse_uuid(text) == parse_uuid(text + "==") == data


def test_known_texts() -> None:
    """Zero and the metadata topic's id have the texts that Kafka's tools show for them."""
    assert uuid_text(ZERO_UUID) == "AAAAAAAAAAAAAAAAAAAAAA"
    assert uuid_text(METADATA_TOPIC_ID) == "AAAAAAAAAAAAAAAAAAAAAQ"
    assert uuid_text(Uuid(b"\xff" * 16)) == "_____________________w"
    assert parse_uuid("_____________________x") == b"\xff" * 16  # Java does not look at the last four bits either


@pytest.mark.parametrize("text", ["", "A" * 21, "A" * 23, "A" * 22 + "=", "A" * 21 + "+", "A" * 21 + "/", " " * 22])
def test_what_is_no_uuid(text: str) -> None:
    """Another length or another letter is refused."""
    with pytest.raises(ValueError, match="is no uuid"):
        parse_uuid(text)


def test_new_uuids() -> None:
    """A new uuid is of version 4, is not reserved, and no command line takes its text for an option."""
    drawn = iter([b"\xfb" + bytes(15), bytes(16), b"\x01" * 16])
    assert uuid_text(first := random_uuid(lambda _: next(drawn))) == "AAAAAAAAQACAAAAAAAAAAA"
    assert (first[6] >> 4, first[8] >> 6) == (4, 2)
    assert random_uuid(lambda _: next(drawn))[0] == 1
