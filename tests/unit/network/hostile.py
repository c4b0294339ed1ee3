"""Peers that do not behave, each as a program of a simulated node that goes on until its connection is ended."""

from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

from ottla.errors import NetworkError
from ottla.protocol.api_keys import ApiKey
from ottla.world.api import Address, SocketBuffers, Stream
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, ENDED, Recorder
from tests.unit.network.ends import SIZED, question

PIPELINE = 100_000
IDLE = 2_000
SMALL = SocketBuffers(send_bytes=16_384, receive_bytes=16_384)

Attack = Callable[["Attacker"], Coroutine[Any, Any, None]]


class Attacker:
    """A hostile node, and how it connects."""

    def __init__(self, world: SimulatedWorld, target: Address, rng: Random) -> None:
        self.world, self.target, self.rng = world, target, rng
        self.connections = 0

    async def connect(self, *, reads: bool = True) -> Recorder | None:
        """Another connection, if it comes about."""
        found: list[Recorder] = []

        def receiver(stream: Stream) -> Recorder:
            found.append(Recorder(self.world, stream))
            if not reads:
                stream.pause_reading()
            return found[0]

        try:
            await self.world.network.connect(self.target, receiver, timeout_ms=2_000, buffers=SMALL)
        except NetworkError:
            return None
        self.connections += 1
        return found[0]

    async def send_all(self, data: bytes, *, piece: int = 16_384, reads: bool = True, linger_ms: int = 5) -> None:
        """Send this over a connection of its own, as fast as it is taken, and go when it is ended."""
        end = await self.connect(reads=reads)
        if end is None:
            return
        for start in range(0, len(data), piece):
            while end.stream.unsent_bytes() > 4 * piece and not {CLOSED, ENDED} & set(end.events):
                await self.world.clock.sleep(20)
            if {CLOSED, ENDED} & set(end.events):
                break
            end.stream.write([data[start : start + piece]])
            await self.world.clock.sleep(1)
        await self.world.clock.sleep(linger_ms)
        end.stream.abort()


async def random_bytes(attacker: Attacker) -> None:
    """Bytes without any sense, on one connection after the other."""
    for _ in range(60):
        await attacker.send_all(attacker.rng.randbytes(attacker.rng.randrange(1, 20_000)))


async def mutated_frames(attacker: Attacker) -> None:
    """Good requests in which a few bytes are others."""
    good = b"".join(question(SIZED, number) for number in range(20))
    for _ in range(100):
        data = bytearray(good)
        for _ in range(attacker.rng.randrange(1, 8)):
            data[attacker.rng.randrange(len(data))] = attacker.rng.randrange(256)
        await attacker.send_all(bytes(data), piece=attacker.rng.randrange(1, 300))


async def impossible_sizes(attacker: Attacker) -> None:
    """Frames of -1, of 2^31-1, and of one byte more than is allowed."""
    for size in [-1, -(1 << 31), (1 << 31) - 1, 104_857_601, 0] * 20:
        await attacker.send_all(question(SIZED, 1) + size.to_bytes(4, "big", signed=True) + bytes(500))


async def half_open(attacker: Attacker) -> None:
    """The larger part of large frames, and then nothing any more."""
    for _ in range(30):
        end = await attacker.connect()
        if end is not None:
            end.stream.write([(10_000_000).to_bytes(4, "big") + bytes(attacker.rng.randrange(200_000))])
    await attacker.world.clock.sleep(60_000)


async def slow_readers(attacker: Attacker) -> None:
    """Many requests for large answers, of which a little is read now and then."""
    ends = [await attacker.connect(reads=False) for _ in range(30)]
    for end in ends:
        if end is not None:
            end.stream.write([b"".join(question(SIZED, number) for number in range(200))])
    for _ in range(100):
        await attacker.world.clock.sleep(300)
        for end in ends:
            if end is not None:
                end.stream.resume_reading()
                await attacker.world.clock.sleep(0)
                end.stream.pause_reading()


def _data_request() -> bytes:
    """A request of the other class: ListGroups in version 0 has no body."""
    request = ApiKey.LIST_GROUPS.to_bytes(2, "big") + bytes(2) + (1).to_bytes(4, "big") + b"\x00\x01x"
    return len(request).to_bytes(4, "big") + request


async def pipelines_that_never_read(attacker: Attacker) -> None:
    """A hundred thousand requests of each class, at once, and not an answer is read."""
    async with attacker.world.group() as group:
        for number, one in enumerate((question(SIZED, 1), _data_request())):
            group.spawn(attacker.send_all(one * PIPELINE, piece=65_536, reads=False), f"pipeline {number}")


async def floods(attacker: Attacker) -> None:
    """Ten connections that ask for as much as they can, and read all of it."""
    async with attacker.world.group() as group:
        for number in range(10):
            one = question(SIZED, 1) if number % 2 else _data_request()
            group.spawn(attacker.send_all(one * 2_000, linger_ms=5_000), f"flood {number}")


async def idle_connections(attacker: Attacker) -> None:
    """Two thousand connections on which nothing is ever said."""
    for _ in range(IDLE):
        await attacker.connect()
    await attacker.world.clock.sleep(60_000)


async def coming_and_going(attacker: Attacker) -> None:
    """Connections that are given up at once, with a request, or a part of one, sent or not."""
    for _ in range(500):
        end = await attacker.connect()
        if end is not None:
            end.stream.write([question(SIZED, 1)[: attacker.rng.randrange(80)]])
            (end.stream.close if attacker.rng.random() < 0.5 else end.stream.abort)()


ATTACKS: dict[str, Attack] = {
    each.__name__: each
    for each in (
        random_bytes, mutated_frames, impossible_sizes, half_open, slow_readers, pipelines_that_never_read,
        floods, idle_connections, coming_and_going,
    )
}  # fmt: skip
