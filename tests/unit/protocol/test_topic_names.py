"""Names of topics."""

import pytest

from ottla.protocol.topic_names import collision_key, why_illegal


@pytest.mark.parametrize("name", ["a", "A.b_c-9", "...", "x" * 249, "__consumer_offsets"])
def test_legal_names(name: str) -> None:
    """Letters, digits, dot, underscore and hyphen are legal, up to 249 of them."""
    assert why_illegal(name) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "empty"),
        (".", "must not be called '.'"),
        ("..", "must not be called '..'"),
        ("x" * 250, "at most 249 characters, this one 250"),
        ("a b", "'a b'"),
        ("a/b", "'a/b'"),
        ("ä", "'ä'"),
        ("a\n", "'a\\\\n'"),
    ],
)
def test_illegal_names_are_told(name: str, reason: str) -> None:
    """A name that Kafka refuses is refused, and the reason says what is wrong."""
    assert reason.replace("\\\\", "\\") in (why_illegal(name) or "")


def test_names_collide_in_metrics() -> None:
    """A dot and an underscore look the same in a metric's name."""
    assert collision_key("a.b_c") == collision_key("a_b.c") != collision_key("a-b-c")
