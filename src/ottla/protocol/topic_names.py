"""What a topic may be called: the names that Kafka takes, and what it says of the others.

A name becomes a directory's on disk and a metric's tag, hence the few signs and the length. Names that differ in `.`
and `_` alone are both legal, but their metrics look the same, so `collision_key` tells such pairs.
"""

from typing import Final

MAX_NAME_LENGTH: Final = 249
SIGNS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
INTERNAL_TOPICS: Final = frozenset({"__consumer_offsets", "__transaction_state", "__share_group_state"})


def why_illegal(name: str) -> str | None:
    """What is wrong with a topic's name; None if it is legal."""
    if not name:
        return "a topic's name must not be empty"
    if name in (".", ".."):
        return f"a topic must not be called {name!r}"
    if len(name) > MAX_NAME_LENGTH:
        return f"a topic's name has at most {MAX_NAME_LENGTH} characters, this one {len(name)}: {name}"
    if not SIGNS.issuperset(name):
        return f"a topic's name has only ASCII letters, digits, '.', '_' and '-', unlike {name!r}"
    return None


def collision_key(name: str) -> str:
    """Two topics with the same key have metrics that cannot be told apart."""
    return name.replace(".", "_")
