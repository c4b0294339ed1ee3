"""Durations and sizes, read and shown."""

import pytest

from ottla.config.durations import parse_iso_duration, show_bytes, show_ms
from ottla.config.tables.broker import BROKER
from ottla.config.tables.client.producer import PRODUCER


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("PT1H", 3_600_000),
        ("P1D", 86_400_000),
        ("P1DT2H3M4.5S", 93_784_500),
        ("pt1s", 1000),
        ("PT0.001S", 1),
        ("PT0.0009S", 0),
        ("-PT1M", -60_000),
        ("PT-1H2M", -3_480_000),
        ("+P2D", 172_800_000),
        ("PT1,5S", 1500),
        ("P", None),
        ("PT", None),
        ("P1DT", None),
        ("P1Y", None),
        ("P1W", None),
        ("PT1D", None),
        ("P1H", None),
        ("PT1.5H", None),
        ("PT1M1H", None),
        ("PT1S1S", None),
        ("1H", None),
        ("PT1", None),
        ("PTS", None),
        ("PT1.0000000001S", None),
        ("", None),
    ],
)
def test_an_iso_duration_is_read(text: str, milliseconds: int | None) -> None:
    """Days, hours, minutes and seconds in order are a duration; anything else is not one."""
    assert parse_iso_duration(text) == milliseconds


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (604_800_000, "7 days"),
        (86_400_000, "1 day"),
        (5_400_000, "90 minutes"),
        (1_500, "1500 ms"),
        (1_000, "1 second"),
        (0, "0 ms"),
    ],
)
def test_milliseconds_are_shown_without_rounding(milliseconds: int, words: str) -> None:
    """A time is shown in the largest unit that it is a whole multiple of."""
    assert show_ms(milliseconds) == words


@pytest.mark.parametrize(
    ("size", "words"), [(1_073_741_824, "1 GiB"), (1_048_588, "1048588 bytes"), (524_288, "512 KiB"), (1, "1 byte")]
)
def test_bytes_are_shown_without_rounding(size: int, words: str) -> None:
    """A size is shown in the largest unit that it is a whole multiple of."""
    assert show_bytes(size) == words


def test_a_setting_is_shown_in_words() -> None:
    """A value is shown with its unit where the name has one, secrets are hidden, and the rest is as it is."""
    assert BROKER["log.retention.hours"].show(168) == "168 (7 days)"
    assert BROKER["offsets.retention.minutes"].show(10_080) == "10080 (7 days)"
    assert BROKER["log.segment.bytes"].show(1_073_741_824) == "1073741824 (1 GiB)"
    assert BROKER["log.retention.bytes"].show(-1) == "-1"
    assert BROKER["log.flush.interval.messages"].show(2**63 - 1) == "9223372036854775807"
    assert BROKER["message.max.bytes"].show(1_048_588) == "1048588"
    assert BROKER["num.io.threads"].show(8) == "8"
    assert BROKER["log.dirs"].show(None) == "null"
    assert BROKER["authorizer.class.name"].show("") == '""'
    assert BROKER["kafka.metrics.polling.interval.secs"].show(60) == "60 (1 minute)"
    assert BROKER["sasl.jaas.config"].show("hunter2") == "[hidden]"
    assert PRODUCER["batch.size"].show(16_384) == "16384 (16 KiB)"
    assert PRODUCER["compression.type"].show("zstd") == "zstd"
