"""The table of error codes against what Kafka 4.3.1 itself says (tests/golden/kafka-4.3/errors.json)."""

import json
import struct
from pathlib import Path

import pytest

from ottla import errors
from ottla.protocol.error_codes import ErrorCode

GOLDEN = Path(__file__).parents[2] / "golden" / "kafka-4.3" / "errors.json"


def facts() -> dict[str, dict[str, object]]:
    """Name of the error to its facts."""
    content: dict[str, dict[str, object]] = json.loads(GOLDEN.read_text())
    return content


def test_codes_are_kafkas() -> None:
    """Every error of Kafka 4.3 has its name and code here, and nothing else has one."""
    assert {error.name: int(error) for error in ErrorCode} == {name: fact["code"] for name, fact in facts().items()}


def test_codes_have_no_gap() -> None:
    """Codes run from -1 to 133 without a gap, and no two errors share one."""
    assert sorted(ErrorCode.__members__.values()) == list(range(-1, 134))


def test_retriable_is_kafkas() -> None:
    """A client retries exactly the errors that Kafka's own client retries."""
    assert {e.name for e in ErrorCode if e.retriable} == {name for name, fact in facts().items() if fact["retriable"]}


def test_stale_metadata_is_kafkas() -> None:
    """A client fetches metadata anew after exactly the errors after which Kafka's own client does."""
    stale = {name for name, fact in facts().items() if fact["invalidMetadata"]}
    assert {error.name for error in ErrorCode if error.stale_metadata} == stale
    assert all(error.retriable for error in ErrorCode if error.stale_metadata)


def test_texts_are_sentences_of_their_own() -> None:
    """Every error says in a sentence what is wrong, and no two say the same."""
    assert len({error.text for error in ErrorCode}) == len(ErrorCode)
    for error in ErrorCode:
        assert error.text[0].isupper(), error.name
        assert error.text.endswith("."), error.name


@pytest.mark.parametrize("code", [134, 9_999, 32_767, -2])
def test_a_code_from_a_newer_peer_is_the_unknown_error(code: int) -> None:
    """A code that we have never heard of reads as UNKNOWN_SERVER_ERROR instead of failing."""
    assert ErrorCode.of(code) is ErrorCode.UNKNOWN_SERVER_ERROR


def test_every_code_stands_for_its_error() -> None:
    """Looking a code up gives the error that has it."""
    assert [ErrorCode.of(int(error)) for error in ErrorCode] == list(ErrorCode)


def test_a_member_is_a_plain_int_on_the_wire() -> None:
    """A message takes a member or a number alike, and they are equal."""
    code: int = ErrorCode.CORRUPT_MESSAGE
    assert code == 2
    assert struct.pack(">h", ErrorCode.UNKNOWN_SERVER_ERROR) == b"\xff\xff"


def test_the_tree_of_errors_uses_codes_that_exist() -> None:
    """Every error that is answered to a peer carries a code of the table, and one that means a fault."""
    classes = [errors.PeerError]
    for cls in classes:
        classes += cls.__subclasses__()
    assert len(classes) >= 10
    assert {cls.code for cls in classes} <= set(ErrorCode) - {ErrorCode.NONE}
