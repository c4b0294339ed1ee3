"""What every stream must do, at both of its ends. `folder` is on the world's disk.

Nothing is assumed of how bytes are cut on their way. What the network holds by itself for a connection with
`SMALL_BUFFERS` is assumed to be less than `LARGE`, so that back-pressure can be felt.
"""

import pytest

from ottla.errors import NetworkError, OttlaError
from ottla.world.api import Chunk, FileRange, Stream, World
from tests.conformance import Run
from tests.conformance.peers import CLOSED, ENDED, PAUSED, QUIET_MS, RESUMED, Echo, Recorder, connected

LARGE = 4_000_000
MEGABYTE = 1_000_000


class StreamConformance:
    """Bytes and their order, limits, and how a connection ends."""

    def test_bytes_come_back(self, run: Run) -> None:
        """What is written at one end is received at the other, in both directions."""

        async def main(world: World) -> None:
            pair = await connected(world, server=Echo)
            pair.client.stream.write([b"hello"])
            assert await pair.client.until_data(5) == b"hello"
            pair.client.stream.write([b" ", b"world"])
            assert await pair.client.until_data(11) == b"hello world"
            assert pair.client.stream.unsent_bytes() == 0
            await pair.close()
            assert pair.client.error is None
            assert pair.server.error is None

        run(main)

    def test_chunks_stay_in_order(self, run: Run) -> None:
        """Thousands of chunks of all sizes arrive in the order in which they were written."""

        async def main(world: World) -> None:
            pair = await connected(world)
            sent = bytearray()
            for _ in range(200):
                chunks = [world.rng.randbytes(world.rng.randrange(1_000)) for _ in range(world.rng.randrange(30))]
                pair.client.stream.write(chunks)
                sent += b"".join(chunks)
                if world.rng.randrange(4) == 0:
                    await world.clock.sleep(0)
            large = world.rng.randbytes(LARGE)
            pair.client.stream.write([large, b"end"])
            assert await pair.server.until_data(len(sent) + LARGE + 3) == bytes(sent) + large + b"end"
            await pair.close()

        run(main)

    def test_every_kind_of_chunk_arrives(self, run: Run, folder: str) -> None:
        """Bytes, bytearrays, views and ranges of files, empty ones too, arrive one behind the other."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/chunks", create=True)
            file.write(0, [b"0123456789"])
            pair = await connected(world)
            chunks: list[Chunk] = [
                b"ab", FileRange(file, 2, 3), bytearray(b"cd"), b"", memoryview(b"xefx")[1:3], memoryview(b""),
                FileRange(file, 5, 0), FileRange(file, 0, 2), FileRange(file, 9, 1), bytearray(), b"gh",
            ]  # fmt: skip
            pair.client.stream.write(chunks)
            pair.client.stream.write([])
            pair.client.stream.write([FileRange(file, 0, 10)])
            pair.client.stream.write([b"end"])
            expected = b"ab234cdef019gh0123456789end"
            assert await pair.server.until_data(len(expected)) == expected
            pair.client.stream.write([FileRange(file, 0, 0)])
            pair.client.stream.write([b"!"])
            assert await pair.server.until_data(len(expected) + 1) == expected + b"!"
            file.close()
            await pair.close()

        run(main)

    def test_large_ranges_of_a_closed_file_arrive(self, run: Run, folder: str) -> None:
        """Ranges larger than all buffers arrive whole and in order, though their file is closed and removed."""

        async def main(world: World) -> None:
            content = world.rng.randbytes(LARGE)
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/range", create=True)
            file.write(0, [content])
            pair = await connected(world)
            pair.server.stream.pause_reading()
            write = pair.client.stream.write
            write([b"one", FileRange(file, 0, LARGE), b"two", FileRange(file, 7, MEGABYTE)])
            write([b"three"])
            file.close()
            world.disk.unlink(f"{folder}/range")
            assert pair.client.stream.unsent_bytes() > MEGABYTE
            await world.clock.sleep(QUIET_MS)
            assert pair.client.stream.unsent_bytes() > MEGABYTE
            pair.server.stream.resume_reading()
            expected = b"one" + content + b"two" + content[7 : 7 + MEGABYTE] + b"three"
            assert await pair.server.until_data(len(expected)) == expected
            assert pair.client.stream.unsent_bytes() == 0
            await pair.close()

        run(main)

    def test_a_range_that_is_not_there_ends_the_connection(self, run: Run, folder: str) -> None:
        """Bytes that are missing in the file end the connection with an error which names the file."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/short", create=True)
            file.write(0, [b"0123456789"])
            pair = await connected(world)
            pair.client.stream.write([b"ab", FileRange(file, 5, 6), b"never"])
            await pair.client.until_event(CLOSED)
            assert isinstance(pair.client.error, OttlaError)
            assert "short" in str(pair.client.error)
            await pair.server.until_gone()
            assert b"ab56789".startswith(pair.server.data)
            file.close()

        run(main)

    @pytest.mark.parametrize("buffer_bytes", [1, 7, 1_000])
    def test_no_more_is_received_than_the_buffer_holds(self, run: Run, buffer_bytes: int) -> None:
        """A receiver gets the bytes in pieces that fit into its buffer, however small."""

        async def main(world: World) -> None:
            pair = await connected(
                world, server=lambda world, stream: Recorder(world, stream, buffer_bytes=buffer_bytes)
            )
            content = world.rng.randbytes(300 * buffer_bytes + 1)
            pair.client.stream.write([content])
            assert await pair.server.until_data(len(content)) == content
            await pair.close()

        run(main)

    def test_the_end_is_told_and_the_connection_stays(self, run: Run) -> None:
        """When the peer closes, everything it sent is received, then `ended`; `closed` waits for our own close."""

        async def main(world: World) -> None:
            pair = await connected(world)
            pair.client.stream.write([b"last words"])
            pair.client.stream.close()
            await pair.server.until_event(ENDED)
            assert pair.server.data == b"last words"
            await pair.client.until_event(CLOSED)
            assert pair.client.events == [CLOSED]
            assert pair.client.error is None
            await world.clock.sleep(QUIET_MS)
            pair.server.stream.pause_reading()
            pair.server.stream.resume_reading()
            await world.clock.sleep(QUIET_MS)
            assert pair.server.events == [ENDED]
            pair.server.stream.close()
            await pair.server.until_event(CLOSED)
            assert pair.server.events == [ENDED, CLOSED]
            assert pair.server.error is None
            await pair.listener.close()

        run(main)

    def test_close_sends_what_waits(self, run: Run, folder: str) -> None:
        """Everything written before close arrives, ranges too, however slowly the peer reads; nothing later does."""

        async def main(world: World) -> None:
            content = world.rng.randbytes(LARGE)
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/waits", create=True)
            file.write(0, [content])
            pair = await connected(world)
            pair.server.stream.pause_reading()
            pair.client.stream.write([content, FileRange(file, 0, LARGE), b"end"])
            pair.client.stream.close()
            pair.client.stream.close()
            pair.client.stream.write([b"too late"])
            file.close()
            await world.clock.sleep(QUIET_MS)
            assert pair.client.events in ([], [PAUSED])
            pair.server.stream.resume_reading()
            await pair.server.until_event(ENDED)
            assert pair.server.data == content + content + b"end"
            await pair.client.until_event(CLOSED)
            assert pair.client.error is None
            await pair.close()

        run(main)

    def test_nothing_is_received_after_close(self, run: Run) -> None:
        """Once an end has closed it is told nothing but `closed`, whatever the peer still sends."""

        async def main(world: World) -> None:
            pair = await connected(world)
            pair.server.stream.write([b"crossing"])
            pair.client.stream.close()
            await pair.client.until_event(CLOSED)
            assert pair.client.events == [CLOSED]
            assert pair.client.data == b""
            await pair.close()

        run(main)

    def test_abort_loses_what_waits(self, run: Run) -> None:
        """Abort ends the connection at once: `closed` has no error here, and the peer gets what was sent by then."""

        async def main(world: World) -> None:
            pair = await connected(world)
            pair.server.stream.pause_reading()
            pair.client.stream.write([bytes(LARGE)])
            pair.client.stream.abort()
            pair.client.stream.abort()
            await pair.client.until_event(CLOSED)
            assert pair.client.events[-1] == CLOSED
            assert pair.client.error is None
            pair.server.stream.resume_reading()
            await pair.server.until_gone()
            assert len(pair.server.data) < LARGE
            if pair.server.events == [CLOSED]:
                assert isinstance(pair.server.error, NetworkError)
            await pair.close()

        run(main)

    def test_abort_ends_a_close_that_takes_too_long(self, run: Run, folder: str) -> None:
        """A peer that never reads keeps `close` waiting; `abort` is how that ends."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/never", create=True)
            file.truncate(LARGE)
            for chunk in (bytes(LARGE), FileRange(file, 0, LARGE)):
                pair = await connected(world)
                pair.server.stream.pause_reading()
                pair.client.stream.write([chunk])
                pair.client.stream.close()
                await world.clock.sleep(QUIET_MS)
                assert CLOSED not in pair.client.events
                pair.client.stream.abort()
                await pair.client.until_event(CLOSED)
                assert pair.client.error is None
                await pair.close()
            file.close()

        run(main)

    def test_a_closed_stream_does_nothing(self, run: Run) -> None:
        """Every method of a stream that is closed may be called, and does nothing."""

        async def main(world: World) -> None:
            pair = await connected(world)
            await pair.close()
            for end in (pair.client, pair.server):
                before = [*end.events]
                _call_everything(end.stream)
                await world.clock.sleep(QUIET_MS)
                assert end.events == before
                assert end.stream.unsent_bytes() == 0

        run(main)

    def test_limits_pause_and_resume_the_writer(self, run: Run, folder: str) -> None:
        """Above the high mark the receiver is told to pause, and at or below the low mark to go on; in turns."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/limits", create=True)
            file.truncate(LARGE)
            pair = await connected(world)
            stream = pair.client.stream
            stream.set_write_limits(high=500_000, low=100_000)
            expected = 0
            for chunk in (bytes(LARGE), FileRange(file, 0, LARGE)):
                pair.server.stream.pause_reading()
                del pair.client.events[:]
                stream.write([bytes(100)])
                stream.write([chunk])
                stream.write([bytes(100)])
                assert stream.unsent_bytes() > 500_000
                await pair.client.until_event(PAUSED)
                await world.clock.sleep(QUIET_MS)
                assert pair.client.events == [PAUSED]
                pair.server.stream.resume_reading()
                await pair.client.until_event(RESUMED)
                assert stream.unsent_bytes() <= 100_000
                assert pair.client.events == [PAUSED, RESUMED]
                expected += 200 + LARGE
                await pair.server.until_data(expected)
            await pair.close()
            file.close()

        run(main)

    def test_below_the_high_mark_nobody_pauses(self, run: Run) -> None:
        """What waits may be as much as the high mark without anybody being told, and limits may change at any time."""

        async def main(world: World) -> None:
            pair = await connected(world)
            pair.server.stream.pause_reading()
            pair.client.stream.set_write_limits(high=LARGE, low=0)
            pair.client.stream.write([bytes(LARGE)])
            await world.clock.sleep(QUIET_MS)
            assert pair.client.events == []
            pair.client.stream.set_write_limits(high=1_000, low=10)
            await pair.client.until_event(PAUSED)
            pair.server.stream.resume_reading()
            await pair.client.until_event(RESUMED)
            assert pair.client.events == [PAUSED, RESUMED]
            await pair.close()

        run(main)

    def test_who_does_not_read_holds_up_the_peer(self, run: Run) -> None:
        """While reading is paused nothing is received and the peer's bytes wait at the peer; afterwards all arrive."""

        async def main(world: World) -> None:
            pair = await connected(world)
            pair.server.stream.pause_reading()
            pair.server.stream.pause_reading()
            content = world.rng.randbytes(LARGE)
            pair.client.stream.write([content])
            await world.clock.sleep(QUIET_MS)
            assert pair.server.data == b""
            assert pair.client.stream.unsent_bytes() > 0
            pair.server.stream.resume_reading()
            pair.server.stream.resume_reading()
            assert await pair.server.until_data(LARGE) == content
            await pair.close()

        run(main)

    def test_a_receiver_may_pause_before_it_is_told_anything(self, run: Run) -> None:
        """Who pauses reading while the connection is handed to him, at either end, hears nothing until he resumes."""

        def paused(world: World, stream: Stream) -> Recorder:
            stream.pause_reading()
            return Recorder(world, stream)

        async def main(world: World) -> None:
            pair = await connected(world, client=paused, server=paused)
            for end, other in ((pair.client, pair.server), (pair.server, pair.client)):
                other.stream.write([b"early"])
                await world.clock.sleep(QUIET_MS)
                assert end.data == b""
                end.stream.resume_reading()
                assert await end.until_data(5) == b"early"
            await pair.close()

        run(main)

    def test_pausing_inside_of_received_holds(self, run: Run) -> None:
        """A receiver that pauses while it is given bytes is given no more until it resumes."""

        class Sipping(Recorder):
            def received(self, count: int) -> None:
                super().received(count)
                self.stream.pause_reading()

        async def main(world: World) -> None:
            pair = await connected(world, server=lambda world, stream: Sipping(world, stream, buffer_bytes=1_000))
            content = world.rng.randbytes(20_000)
            pair.client.stream.write([content])
            while len(pair.server.data) < len(content):
                had = len(pair.server.data)
                await pair.server.until(lambda had=had: len(pair.server.data) > had)  # type: ignore[misc]
                now = len(pair.server.data)
                await world.clock.sleep(0)
                assert len(pair.server.data) == now <= had + 1_000
                pair.server.stream.resume_reading()
            assert pair.server.data == content
            await pair.close()

        run(main)

    @pytest.mark.parametrize("ending", ["close", "abort"])
    def test_a_receiver_may_end_the_connection_while_it_is_told(self, run: Run, ending: str) -> None:
        """A receiver that closes or aborts while it is given bytes is told `closed` next, and nothing else."""

        class Leaving(Recorder):
            def received(self, count: int) -> None:
                super().received(count)
                getattr(self.stream, ending)()

        async def main(world: World) -> None:
            pair = await connected(world, server=lambda world, stream: Leaving(world, stream, buffer_bytes=10))
            pair.client.stream.write([bytes(1_000)])
            await pair.server.until_event(CLOSED)
            assert pair.server.events == [CLOSED]
            assert len(pair.server.data) == 10
            await pair.client.until_gone()
            await pair.close()

        run(main)

    def test_nobody_is_told_inside_of_a_call(self, run: Run) -> None:
        """Writing, closing and aborting return before the receiver is told what they have led to."""

        async def main(world: World) -> None:
            for ending in ("close", "abort"):
                pair = await connected(world)
                pair.server.stream.pause_reading()
                pair.client.stream.set_write_limits(high=0, low=0)
                pair.client.stream.write([bytes(LARGE)])
                assert pair.client.events == []
                await pair.client.until_event(PAUSED)
                pair.client.stream.set_write_limits(high=LARGE, low=LARGE)
                assert pair.client.events == [PAUSED]
                await pair.client.until_event(RESUMED)
                getattr(pair.client.stream, ending)()
                assert pair.client.events == [PAUSED, RESUMED]
                pair.server.stream.resume_reading()
                await pair.client.until_event(CLOSED)
                await pair.close()

        run(main)

    @pytest.mark.parametrize("method", ["buffer", "received", "ended", "writing_paused"])
    def test_a_receiver_that_raises_loses_its_connection(self, run: Run, method: str) -> None:
        """Its `closed` is told the exception, then whoever made the world is; the peer sees the connection end."""
        told: list[Exception | None] = []

        class Sour(Recorder):
            def closed(self, error: Exception | None) -> None:
                told.append(error)
                super().closed(error)

        def sour() -> None:
            raise ValueError(f"sour {method}")

        def make(world: World, stream: Stream) -> Recorder:
            receiver = Sour(world, stream)
            setattr(receiver, method, sour if method != "received" else lambda count: sour())
            return receiver

        async def main(world: World) -> None:
            pair = await connected(world, server=make)
            pair.client.stream.write([b"bytes"])
            if method == "writing_paused":
                pair.server.stream.write([bytes(LARGE)])
            if method == "ended":
                pair.client.stream.close()
            await pair.server.until_event(CLOSED)
            await pair.client.until_gone()

        with pytest.raises(ValueError, match=f"sour {method}"):
            run(main)
        assert [str(error) for error in told] == [f"sour {method}"]


def _call_everything(stream: Stream) -> None:
    stream.write([b"nobody", b"there"])
    stream.set_write_limits(high=10, low=1)
    stream.pause_reading()
    stream.resume_reading()
    stream.close()
    stream.abort()
