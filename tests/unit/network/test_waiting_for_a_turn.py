"""A connection that waits for its turn, on a server that is busy with others."""

from collections.abc import Sequence
from typing import Any

from ottla.network.turns import FRAMES_AT_ONCE
from ottla.world.api import Chunk
from ottla.world.simulated import SimulatedWorld
from tests.unit.network.ends import ANY, SIZED, Serving, question, run


def test_whoever_waits_for_a_turn_is_stopped_when_more_arrives() -> None:
    """Waiting alone touches no socket, which is what most requests that wait would otherwise cost; but what arrives
    meanwhile stops the reading, so that no more than that piles up, and all of it is served in order.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            stream = Heard()
            connection = serving.server.listeners["PLAIN"].accept(stream)
            assert connection is not None

            def arrive(*numbers: int) -> None:
                data = b"".join(question(SIZED, number) for number in numbers)
                connection.buffer()[: len(data)] = data
                connection.received(len(data))

            arrive(*range(FRAMES_AT_ONCE + 1))
            assert len(serving.service.served) == FRAMES_AT_ONCE
            assert stream.heard == []
            arrive(FRAMES_AT_ONCE + 1)
            assert stream.heard == ["pause"]
            await serving.until(lambda: len(serving.service.served) == FRAMES_AT_ONCE + 2)
            assert serving.service.served == list(range(FRAMES_AT_ONCE + 2))
            assert stream.heard == ["pause", "resume"]
            connection.closed(None)

    run(main)


class Heard:
    """The end of a connection that nobody is at: it writes down when reading stops and begins."""

    def __init__(self) -> None:
        self.local = self.peer = ANY
        self.peer_certificate: dict[str, Any] | None = None
        self.heard: list[str] = []

    def pause_reading(self) -> None:
        """Nothing more is wanted for now."""
        self.heard.append("pause")

    def resume_reading(self) -> None:
        """It is wanted again."""
        self.heard.append("resume")

    def unsent_bytes(self) -> int:
        """Everything is sent."""
        return 0

    def write(self, chunks: Sequence[Chunk]) -> None:
        """To nobody."""

    def set_write_limits(self, high: int, low: int) -> None:
        """There is nothing to limit."""

    def close(self) -> None:
        """It stays as it is."""

    def abort(self) -> None:
        """It stays as it is."""
