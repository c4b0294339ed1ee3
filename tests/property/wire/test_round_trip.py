"""Every message-version, written and read again."""

import random

import pytest

from ottla.errors import MalformedMessage, UnsupportedVersion
from ottla.protocol.codec.message import Message
from tests.property.wire.instances import Instances, all_messages, all_versions

SAMPLES = 12


@pytest.mark.parametrize("cls", all_messages(), ids=lambda cls: cls.__name__)
def test_what_is_written_is_read_again(cls: type[Message]) -> None:
    """Every version of every message reads back, equal, what it wrote, and writes that in the same bytes."""
    for version in cls.VERSIONS:
        for seed in range(SAMPLES):
            message = Instances(random.Random(f"{cls.__name__} {version} {seed}")).message(cls, version)
            written = message.to_bytes(version)
            again = cls.read(written, version)
            assert again == message, f"seed {seed}"
            assert again.to_bytes(version) == written, f"seed {seed}"
            view = memoryview(bytearray(b"head" + written))
            assert cls.read(view, version, 4) == message, f"seed {seed}"
            assert cls.read_prefix(view, version, 4) == (message, len(view)), f"seed {seed}"


def test_every_version_of_everything_is_there() -> None:
    """The protocol is whole: 190 requests, responses and the like, and the internal records."""
    messages = all_messages()
    assert len(messages) == len({cls.__name__ for cls in messages})
    assert sum(1 for cls in messages if cls.schema().kind == "request") == 89
    assert sum(1 for cls in messages if cls.schema().kind == "response") == 89
    assert sum(1 for _ in all_versions()) > 700


@pytest.mark.parametrize("cls", all_messages(), ids=lambda cls: cls.__name__)
def test_every_prefix_is_refused(cls: type[Message]) -> None:
    """A message cut off anywhere, or with a byte too many, is malformed, and the error names it."""
    version = cls.VERSIONS[-1]
    message = Instances(random.Random(cls.__name__)).message(cls, version)
    written = message.to_bytes(version)
    for length in range(len(written)):
        with pytest.raises(MalformedMessage, match=rf"^{cls.__name__} v{version}: .* at byte \d+: |^{cls.__name__} "):
            cls.read(written[:length], version)
    with pytest.raises(MalformedMessage, match="1 bytes left over"):
        cls.read(written + b"\0", version)


def test_a_version_that_there_is_not_is_refused() -> None:
    """Versions below the lowest and above the highest are unsupported, on both ways."""
    for cls in all_messages():
        for version in (cls.VERSIONS.start - 1, cls.VERSIONS.stop):
            with pytest.raises(UnsupportedVersion, match=cls.__name__):
                cls.read(b"", version)
            with pytest.raises(UnsupportedVersion, match=cls.__name__):
                cls().write(version)
