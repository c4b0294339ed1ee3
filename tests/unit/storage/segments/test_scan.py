"""Walking from batch to batch: where each is, and what ends the walk."""

import pytest

from ottla.errors import CorruptFile
from ottla.protocol.records.builder import BatchFields
from ottla.storage.segments.scan import WINDOW_BYTES, find, places
from tests.unit.storage.logs import produced


class Bytes:
    """A file of bytes that counts how often it is read."""

    def __init__(self, data: bytes) -> None:
        self.data, self.reads = data, 0

    def read(self, position: int, size: int) -> bytes:
        """As `File.read`."""
        self.reads += 1
        return self.data[position : position + size]


def log_of(*sizes: int, count: int = 3) -> tuple[Bytes, list[int]]:
    """Batches with values of these sizes, from offset 0 on, and where they start."""
    data, starts = b"", []
    for at, size in enumerate(sizes):
        starts.append(len(data))
        data += bytes(
            produced(count, timestamp=100 * at, value=b"v" * size, fields=BatchFields(base_offset=count * at))
        )
    return Bytes(data), starts


def test_every_batch_is_met() -> None:
    """A walk gives position, size, offsets and largest timestamp of each batch, small and large."""
    file, starts = log_of(5, 3_000, 20_000, 0, 7)
    found = list(places(file.read, "log", 0, len(file.data)))
    assert [place.position for place in found] == starts
    assert sum(place.size_bytes for place in found) == len(file.data)
    assert [(place.base_offset, place.last_offset) for place in found] == [(3 * at, 3 * at + 2) for at in range(5)]
    assert [place.max_timestamp for place in found] == [100 * at + 2 for at in range(5)]


def test_small_batches_share_a_read() -> None:
    """Batches that stand close together are read in windows, not one by one."""
    file, _ = log_of(*[10] * 100)
    assert len(list(places(file.read, "log", 0, len(file.data)))) == 100
    assert file.reads <= len(file.data) // (WINDOW_BYTES - 200) + 1


def test_an_offset_is_found_or_what_follows_it() -> None:
    """The batch with the offset, or the first behind it; nothing if there is none."""
    file, starts = log_of(5, 5, 5)
    end = len(file.data)
    for offset, at in ((0, 0), (2, 0), (3, 1), (8, 2)):
        place = find(file.read, "log", 0, end, offset)
        assert place is not None
        assert place.position == starts[at]
    assert find(file.read, "log", 0, end, 9) is None
    behind = find(file.read, "log", starts[1], end, 0)
    assert behind is not None
    assert behind.position == starts[1]


@pytest.mark.parametrize("length", [-13, 0, 48, 10**6])
def test_a_length_that_cannot_be_ends_the_walk(length: int) -> None:
    """A length below a header's, or beyond the file, is damage that names the file; the walk never turns back."""
    file, starts = log_of(5, 5)
    data = bytearray(file.data)
    data[starts[1] + 8 : starts[1] + 12] = length.to_bytes(4, "big", signed=True)
    with pytest.raises(CorruptFile, match=r"some\.log") as damage:
        list(places(Bytes(bytes(data)).read, "some.log", 0, len(data)))
    assert damage.value.path == "some.log"


def test_a_file_that_is_shorter_than_it_should_be() -> None:
    """A file that ends inside of a header is damage too."""
    file, starts = log_of(5, 5)
    with pytest.raises(CorruptFile, match="cut off"):
        list(places(Bytes(file.data[: starts[1] + 20]).read, "some.log", 0, len(file.data)))
