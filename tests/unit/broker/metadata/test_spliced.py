"""Responses that are put together out of pieces."""

import pytest

from ottla.broker.metadata.spliced import Spliced, element
from ottla.protocol.messages.configs import DescribeConfigsResponse
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResourceResult as Entry
from ottla.protocol.messages.configs import DescribeConfigsResponse_DescribeConfigsResult as Result


@pytest.mark.parametrize("version", DescribeConfigsResponse.VERSIONS)
@pytest.mark.parametrize("count", [0, 1, 127, 128, 20_000])
def test_pieces_make_the_message(version: int, count: int) -> None:
    """The bytes are those of the message with all its elements, however many they are."""
    results = [Result(0, None, 2, f"topic-{number}", [Entry("name", "value")]) for number in range(count)]
    empty = DescribeConfigsResponse(throttle_time_ms=7)
    pieces = [element(DescribeConfigsResponse(7, [result]), empty, 0, version) for result in results]
    whole = DescribeConfigsResponse(7, results).to_bytes(version)
    assert Spliced(empty, pieces, 0).to_bytes(version) == whole
