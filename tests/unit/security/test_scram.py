"""SCRAM credentials, as they are written on a command line and kept."""

from base64 import b64decode

import pytest

from ottla.errors import ConfigError
from ottla.security.scram import SALT_BYTES, parse_credential


def no_chance(count: int) -> bytes:
    """A salt that is the same each time."""
    return bytes(range(count))


def test_the_example_of_the_rfc() -> None:
    """The keys of RFC 7677's example follow from its password, salt and count."""
    found = parse_credential(
        'SCRAM-SHA-256=[name=user,password=pencil,salt="W22ZaJ0SNY7soEsUEjb6gQ==",iterations=4096]', no_chance
    )
    assert found.iterations == 4096
    assert found.stored_key == b64decode("WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=")
    assert found.server_key == b64decode("wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=")


def test_a_salted_password_is_taken_as_it_is() -> None:
    """A password that was salted elsewhere gives the keys that Kafka's tool makes of it."""
    found = parse_credential(
        'SCRAM-SHA-256=[name=alice,iterations=8192,salt="MWx2NHBkbnc0ZndxN25vdGN4bTB5Y2hpMnQ=",'
        'saltedpassword="mT0yyUUxnlJaC99HXgRTSYlbuqa4FSGtJCJfTMvjYCE="]',
        no_chance,
    )
    assert (found.name, found.mechanism.number, found.iterations) == ("alice", 1, 8192)
    assert found.salt == b"1lv4pdnw4fwq7notcxm0ychi2t"
    assert found.stored_key.hex() == "5d322aa071e8decb1c758c7270bd3bba1f2eb661e7f5f5ed8eac8317aec28d25"
    assert found.server_key.hex() == "65ae77476c8434848dedf1cbed6531ae216457b71f6eb3b7f82b44a6d31b4cf1"


def test_a_salt_is_drawn_where_none_is_given() -> None:
    """Without a salt one is drawn, and the count is Kafka's least; the longer mechanism has longer keys."""
    found = parse_credential("SCRAM-SHA-512=[name=bob,password=secret]", no_chance)
    assert found.salt == no_chance(SALT_BYTES)
    assert (found.mechanism.number, found.iterations, len(found.stored_key), len(found.server_key)) == (2, 4096, 64, 64)
    assert "secret" not in repr(found)
    assert repr(found.stored_key) not in repr(found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("bogus", "equals sign"),
        ("SCRAM-SHA-1=[name=a,password=secret]", "no SCRAM mechanism SCRAM-SHA-1"),
        ("SCRAM-SHA-256=name=a", "brackets"),
        ("SCRAM-SHA-256=[password=secret]", "needs name="),
        ("SCRAM-SHA-256=[name=a]", "either password= or saltedpassword="),
        ("SCRAM-SHA-256=[name=a,password=secret,saltedpassword=secret]", "and not both"),
        ("SCRAM-SHA-256=[name=a,saltedpassword=c2VjcmV0]", "needs the salt="),
        ("SCRAM-SHA-256=[name=a,password=secret,salt=!]", "salt= of a SCRAM credential is base64"),
        ("SCRAM-SHA-256=[name=a,password=secret,iterations=10]", "from 4096 to 16384"),
        ("SCRAM-SHA-256=[name=a,password=secret,iterations=99999]", "from 4096 to 16384"),
        ("SCRAM-SHA-256=[name=a,password=secret,bogus=1]", "is made of"),
        ("SCRAM-SHA-256=[name=a,password=secret,more]", "is made of"),
    ],
)
def test_what_is_no_credential(text: str, said: str) -> None:
    """What is wrong about a credential is said without its password."""
    with pytest.raises(ConfigError, match=said) as caught:
        parse_credential(text, no_chance)
    assert "secret" not in str(caught.value)
