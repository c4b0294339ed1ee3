"""Frames cut out of what arrives, wherever it was cut on its way."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ottla.errors import OversizedFrame
from ottla.network.frames import LEAST_OWN_BYTES, FrameBuffer, SharedBuffer

LIMIT = 1 << 20
SHARED_BYTES = 512


def framed(messages: list[bytes]) -> bytes:
    """Messages as they travel."""
    return b"".join(len(message).to_bytes(4, "big") + message for message in messages)


class Arriving:
    """A connection that takes every frame as soon as it is whole, and keeps to the bounds."""

    def __init__(self, shared: SharedBuffer | None = None, limit: int = LIMIT) -> None:
        self.shared = shared or SharedBuffer(SHARED_BYTES)
        self.frames, self.limit = FrameBuffer(self.shared), limit
        self.messages: list[bytes] = []
        self.most_owned = 0

    def arrive(self, data: bytes, *, take: int = 1 << 30, for_good: bool = False) -> None:
        """These bytes come, in pieces no larger than there is room for; at most `take` frames of each are taken."""
        while data:
            room = self.frames.buffer()
            assert len(room)
            count = min(len(room), len(data))
            room[:count] = data[:count]
            data = data[count:]
            self.frames.received(count)
            for _ in range(take):
                if (size := self.frames.next_size(self.limit)) is None:
                    break
                self.messages.append(bytes((self.frames.take_for_good if for_good else self.frames.take)(size)))
            self.frames.keep()
            assert self.frames.owned_bytes <= max(LEAST_OWN_BYTES, 2 * self.frames.waiting_bytes)
            self.most_owned = max(self.most_owned, self.frames.owned_bytes)
        self.shared.view[:] = bytes([0xEE]) * len(self.shared.view)  # it belongs to somebody else now


def cut(data: bytes, cuts: list[int]) -> list[bytes]:
    """The data in pieces."""
    places = sorted({each % (len(data) + 1) for each in cuts} | {0, len(data)})
    return [data[start:end] for start, end in pairwise(places)]


MESSAGES = st.lists(st.integers(0, 3_000).flatmap(lambda size: st.binary(min_size=size, max_size=size)), max_size=12)


@settings(max_examples=150, deadline=None)
@given(MESSAGES, st.lists(st.integers(0, 1 << 20), max_size=25), st.integers(0, 3), st.booleans())
def test_any_cutting_hands_out_the_same_frames(
    messages: list[bytes], cuts: list[int], take: int, for_good: bool
) -> None:
    """However a stream of frames is cut up on its way, and however few are taken at a time, the same ones come out in
    the same order, and a connection never owns more than twice of what waits, or a page.
    """
    arriving = Arriving()
    for piece in cut(framed(messages), cuts):
        arriving.arrive(piece, take=take, for_good=for_good)
    arriving.arrive(framed([b"last"]))
    assert arriving.messages == [*messages, b"last"]
    assert arriving.frames.owned_bytes == arriving.frames.waiting_bytes == 0


def test_whole_frames_are_views_of_the_shared_buffer() -> None:
    """What arrives whole is not copied, and the connection owns nothing."""
    frames = FrameBuffer(shared := SharedBuffer(SHARED_BYTES))
    data = framed([b"one", b"two"])
    frames.buffer()[: len(data)] = data
    frames.received(len(data))
    view = frames.take(frames.next_size(LIMIT) or 0)
    shared.view[4:7] = b"ONE"
    assert (bytes(view), frames.owned_bytes) == (b"ONE", 0)


@pytest.mark.parametrize("size", [-1, -(1 << 31), LIMIT + 1, (1 << 31) - 1])
def test_a_size_out_of_bounds_is_an_error_and_reserves_nothing(size: int) -> None:
    """A negative size, or one above the limit, is refused as soon as its four bytes are there."""
    frames = FrameBuffer(SharedBuffer(SHARED_BYTES))
    frames.buffer()[:4] = size.to_bytes(4, "big", signed=True)
    frames.received(4)
    with pytest.raises(OversizedFrame, match=str(size)):
        frames.next_size(LIMIT)
    frames.keep()
    assert frames.owned_bytes == LEAST_OWN_BYTES


def test_announcing_a_large_frame_reserves_nothing() -> None:
    """Who announces a megabyte and sends ten bytes makes us hold a page."""
    arriving = Arriving()
    arriving.arrive((1 << 20).to_bytes(4, "big") + bytes(6))
    assert arriving.frames.owned_bytes == LEAST_OWN_BYTES


def test_a_large_frame_is_kept_without_a_copy() -> None:
    """A large answer that is kept takes the buffer that it came in with it; small ones are copied out."""
    frames = FrameBuffer(SharedBuffer(SHARED_BYTES))
    data = framed([bytes(9_000)])
    while data:
        room = frames.buffer()
        count = min(len(room), len(data))
        room[:count], data = data[:count], data[count:]
        frames.received(count)
        frames.keep()
    owned = frames.owned_bytes
    kept = frames.take_for_good(frames.next_size(LIMIT) or 0)
    assert isinstance(kept, memoryview)
    assert (len(kept), frames.owned_bytes) == (9_000, 0)
    assert owned == 9_004


def test_the_api_of_a_frame_is_known_before_it_is_taken() -> None:
    """The first two bytes of a frame are the API key; a frame without them has none."""
    frames = FrameBuffer(SharedBuffer(SHARED_BYTES))
    data = framed([b"\x00\x12..", b"\x01"])
    frames.buffer()[: len(data)] = data
    frames.received(len(data))
    assert frames.api_key() == 18
    frames.take(4)
    assert (frames.next_size(LIMIT), frames.api_key()) == (1, -1)


def test_a_frame_of_nothing_is_a_frame() -> None:
    """Size 0 is a whole frame, which has no bytes."""
    arriving = Arriving()
    arriving.arrive(framed([b"", b"", b"x"]))
    assert arriving.messages == [b"", b"", b"x"]


def test_a_full_buffer_makes_room_by_itself() -> None:
    """Where nothing is taken out, there is room for what comes all the same."""
    arriving = Arriving()
    arriving.arrive(framed([b"a" * 3_000, b"b" * 3_000]), take=0)
    assert arriving.frames.waiting_bytes == 6_008
    arriving.arrive(framed([b"c"]))
    assert [len(message) for message in arriving.messages] == [3_000, 3_000, 1]
