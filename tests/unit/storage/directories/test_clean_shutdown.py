"""The file of a clean shutdown tells the broker epoch, if it can be read."""

from pathlib import Path

import pytest

from ottla.storage.directories.clean_shutdown import parse_clean_shutdown, render_clean_shutdown

GOLDEN = Path(__file__).parents[3] / "golden" / "kafka-4.3-logs"


def test_the_broker_epoch() -> None:
    """The file is one JSON object with version and broker epoch."""
    assert render_clean_shutdown(42) == b'{"version":0,"brokerEpoch":42}'
    assert parse_clean_shutdown(render_clean_shutdown(42)) == 42
    assert parse_clean_shutdown(render_clean_shutdown(-1)) == -1
    assert parse_clean_shutdown(b'{ "brokerEpoch": 7, "version": 3, "more": [1] }') == 7


def test_a_real_kafkas_file() -> None:
    """What a real Kafka wrote is read, and is written again byte by byte the same."""
    data = (GOLDEN / ".kafka_cleanshutdown").read_bytes()
    epoch = parse_clean_shutdown(data)
    assert epoch is not None
    assert render_clean_shutdown(epoch) == data


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"7",
        b"{}",
        b'{"version":0}',
        b'{"brokerEpoch":null}',
        b'{"brokerEpoch":true}',
        b'{"brokerEpoch":"7"}',
        b'{"brokerEpoch":1e400}',
        b'{"brokerEpoch":9223372036854775808}',
        b'{"brokerEpoch":-2}',
        b"{" * 10_000,
        b"[" * 100_000,
        b"9" * 10_000,
        b"\xff\xfe\x00",
    ],
)
def test_a_file_that_tells_no_epoch_is_as_good_as_an_old_one(data: bytes) -> None:
    """Files from before the epoch was told, and damaged ones, tell none; that is never an error."""
    assert parse_clean_shutdown(data) is None
