"""The same seed is the same run: also with a network, and whatever PYTHONHASHSEED is."""

import os
import subprocess
import sys

from ottla.errors import ConnectFailed
from ottla.world.api import Address, Stream, World
from ottla.world.simulated import SimulatedWorld, Simulation
from tests.conformance.peers import CLOSED, Accepting, Echo, Recorder

SERVERS = ("alpha", "beta", "gamma")
PORT = 9_092


def eventful_run(seed: int) -> str:
    """The hash of a run with many connections, and everything that can be done to them."""
    simulation = Simulation(seed)

    async def serve(world: SimulatedWorld) -> None:
        await world.network.listen(Address("", PORT), Accepting(world, Echo), backlog=2)
        await world.future()

    async def chatter(world: World) -> None:
        while True:
            ends: list[Recorder] = []

            def receiver(stream: Stream, ends: list[Recorder] = ends) -> Recorder:
                ends.append(Recorder(world, stream))
                return ends[0]

            server = SERVERS[world.rng.randrange(len(SERVERS))]
            try:
                stream = await world.network.connect(Address(server, PORT), receiver, timeout_ms=500)
            except ConnectFailed:
                continue
            while CLOSED not in ends[0].events and world.rng.random() < 0.95:
                stream.write([world.rng.randbytes(world.rng.randrange(20_000))])
                await world.clock.sleep(world.rng.randrange(30))
            if world.rng.random() < 0.5:
                stream.close()
            else:
                stream.abort()

    async def scenario(world: SimulatedWorld) -> None:
        for name in SERVERS:
            simulation.start(name, serve)
        for number in range(4):
            simulation.start(f"client-{number}", chatter)
        network, rng = simulation.network, simulation.rng("faults")
        for _ in range(25):
            await world.clock.sleep(rng.randrange(200))
            a, b = rng.choice(SERVERS), f"client-{rng.randrange(4)}"
            network.partition(a, b, one_way=rng.random() < 0.5)
            network.clog(b, rng.choice(SERVERS), rng.randrange(300))
            network.reset_connections(rng.choice(SERVERS), b)
            await world.clock.sleep(rng.randrange(200))
            network.heal()
            getattr(simulation, rng.choice(("kill", "crash")))(a)
            await world.clock.sleep(rng.randrange(200))
            simulation.restart(a)

    return simulation.run(scenario).hash


def test_a_seed_is_a_run() -> None:
    """Two runs of a seed have the same hash, those of different seeds do not."""
    hashes = [eventful_run(seed) for seed in (1, 2, 1, 3)]
    assert hashes[0] == hashes[2]
    assert len(set(hashes)) == 3


def test_hash_order_has_no_say() -> None:
    """Processes with different PYTHONHASHSEEDs, and so other orders of sets, have the same run of a seed."""
    program = f"from {__name__} import eventful_run; print(eventful_run(7))"
    hashes = []
    for hash_seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        hashes.append(done.stdout.strip())
    assert hashes == [eventful_run(7)] * 3
