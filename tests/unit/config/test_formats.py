"""Values with a form of their own: addresses, voters, offsets to start from."""

import pytest

from ottla.config.formats import (
    Address,
    BootstrapServers,
    OffsetReset,
    Voter,
    parse_address,
    parse_offset_reset,
    parse_voter,
    parse_voters,
)
from ottla.config.validators import NON_NULL, at_least, between, list_of, one_of
from ottla.errors import ConfigError


def test_an_address_is_a_host_and_a_port() -> None:
    """An address keeps its host, IPv6 without brackets, a scheme put aside."""
    assert parse_address("h:9092") == Address("h", 9092)
    assert parse_address("[::1]:9092") == Address("::1", 9092)
    assert parse_address("PLAINTEXT://h:1") == Address("h", 1)
    assert [parse_address(text) for text in ("h", ":1", "h:", "h:x", "h h:1", "h:12345678901")] == [None] * 6


def test_a_voter_is_an_id_and_an_address() -> None:
    """Voters are looked up by their id; of an id that is there twice the last counts."""
    assert parse_voter(" 7@h:9093") == Voter(7, "h", 9093)
    assert [parse_voter(text) for text in ("h:1", "x@h:1", "1@h", "1@h:99999", "1@a://h:1")] == [None] * 5
    assert parse_voters(("1@a:1", "2@b:2", "1@c:3")) == {1: Address("c", 3), 2: Address("b", 2)}


def test_an_offset_to_start_from_may_be_a_duration_ago() -> None:
    """A strategy, or how long ago."""
    assert parse_offset_reset("latest", ("latest", "none")) == OffsetReset("latest")
    assert parse_offset_reset("by_duration:PT1H", ("latest",)) == OffsetReset("by_duration", 3_600_000)
    assert parse_offset_reset("none", ("latest",)) is None


def test_a_list_is_checked_for_repetitions_too() -> None:
    """Parsing counts a repetition once; a list that comes from elsewhere must not have any."""
    with pytest.raises(ConfigError, match=r"^Configuration 'x' values must not be duplicated\.$"):
        list_of("a").check("x", ("a", "a"))


def test_validators_are_values() -> None:
    """Two validators of the same kind with the same bounds are the same rule."""
    assert at_least(1) == at_least(1) != at_least(2)
    assert str(between(0, 1)) == "[0,...,1]"
    assert str(between(0.0, 0.25)) == "[0.0,...,0.25]"
    assert str(one_of("a", "b")) == "[a, b]"
    assert str(list_of("a")) == "[a]"
    assert str(list_of()) == ""
    assert str(NON_NULL) == "non-null string"
    assert str(BootstrapServers()) == "non-empty list"
