"""Frames on a connection."""

import pytest

from ottla.errors import OversizedFrame
from ottla.protocol.framing import MAX_BYTES_BEFORE_AUTHENTICATION, announced_size, complete_frames, framed


def test_a_message_stands_behind_its_size() -> None:
    """The size counts header and body, not itself."""
    assert b"".join(framed(b"head", [b"body"])) == b"\0\0\0\x08headbody"
    assert b"".join(framed(b"head", [])) == b"\0\0\0\x04head"


def test_records_are_framed_without_a_copy() -> None:
    """A chunk of records goes out as the object that it came in as."""
    records = memoryview(b"records")
    chunks = framed(b"head", [b"begin", records, b"end"])
    assert chunks == [b"\0\0\0\x13headbegin", records, b"end"]
    assert chunks[1] is records
    assert framed(b"head", [records])[1] is records


def test_whole_frames_are_split_off() -> None:
    """What is complete is handed out as views; the rest waits for more bytes."""
    buffer = memoryview(b"\0\0\0\x02ab\0\0\0\x00\0\0\0\x03cd")
    frames, taken = complete_frames(buffer, 100)
    assert ([bytes(frame) for frame in frames], taken) == ([b"ab", b""], 10)
    assert frames[0].obj is buffer.obj
    for length in range(6):
        assert complete_frames(buffer[:length], 100) == ([], 0)


@pytest.mark.parametrize("size", [-1, -(1 << 31), 101, (1 << 31) - 1])
def test_a_frame_over_the_limit_is_refused_by_its_size(size: int) -> None:
    """Nothing is waited for and nothing is reserved: the announcement alone is refused."""
    announced = memoryview(size.to_bytes(4, "big", signed=True))
    with pytest.raises(OversizedFrame, match=f"a frame of {size} bytes is announced, and at most 100 are accepted"):
        announced_size(announced, 0, 100)
    with pytest.raises(OversizedFrame):
        complete_frames(announced, 100)


def test_frames_before_a_bad_one_are_still_served() -> None:
    """Requests that were whole are handed out first; the bad size is an error of the next look."""
    buffer = memoryview(b"\0\0\0\x01a\xff\xff\xff\xff")
    frames, taken = complete_frames(buffer, 100)
    assert ([bytes(frame) for frame in frames], taken) == ([b"a"], 5)
    with pytest.raises(OversizedFrame):
        complete_frames(buffer[taken:], 100)


def test_the_limit_before_authentication() -> None:
    """Who has not said who it is may send half a mebibyte, and not a byte more."""
    limit = MAX_BYTES_BEFORE_AUTHENTICATION
    assert announced_size(memoryview(limit.to_bytes(4, "big")), 0, limit) == 524288
    with pytest.raises(OversizedFrame):
        announced_size(memoryview((limit + 1).to_bytes(4, "big")), 0, limit)
