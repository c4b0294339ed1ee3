"""A response whose one long array is bytes already: made in pieces, some of them kept from earlier, and put together.

Writing a message holds the loop until it is done, which for the settings of a thousand topics is a tenth of a second.
So a handler that answers with a long array writes each element by itself, may let others run in between, and hands the
pieces over. What stands behind the array has a fixed size in every version (no strings, no arrays): that is `behind`.

Always true: the bytes are those that the message with all its elements would give.
"""

from collections.abc import Sequence

from ottla.protocol.codec.message import Chunk, Message
from ottla.protocol.codec.wire import encode_uvarint


class Spliced(Message):
    """A response in all its versions, whose array is given as bytes in one of them."""

    __slots__ = ("_behind", "_head", "_pieces")

    def __init__(self, head: Message, pieces: Sequence[bytes], behind: int) -> None:
        """`head` has an empty array; `behind` is how many bytes follow it, but for the tags of a flexible version."""
        self._head, self._pieces, self._behind = head, pieces, behind

    def write(self, version: int) -> list[Chunk]:
        """The whole answer: in the version that the pieces are in."""
        head, count = self._head.to_bytes(version), len(self._pieces)
        if version in self._head.schema().flexible:
            behind, length, empty = self._behind + 1, encode_uvarint(count + 1), 1
        else:
            behind, length, empty = self._behind, count.to_bytes(4, "big"), 4
        end = len(head) - behind
        return [b"".join((head[: end - empty], length, *self._pieces, head[end:]))]


def element(alone: Message, empty: Message, behind: int, version: int) -> bytes:
    """An element of the array: what a message that has this one alone has more than one without any."""
    whole, size = alone.to_bytes(version), behind + (1 if version in alone.schema().flexible else 0)
    start = len(empty.to_bytes(version)) - size  # an array of one and an empty one have counts of one size
    return whole[start : len(whole) - size]
