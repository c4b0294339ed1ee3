"""What the peers of a node see when its process or its machine dies, stands still, or its connections are reset."""

import pytest

from ottla.errors import ConnectFailed, ConnectionLost
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, ENDED, PAUSED, RESUMED
from tests.unit.world.simulated.two_nodes import LARGE, Echo, TwoNodes

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_peers_of_a_killed_process_see_their_connections_end(seed: int) -> None:
    """The kernel of a killed process sends what it holds, then an end; who writes after that is reset."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        server.stream.write([b"taken by the kernel"])
        nodes.simulation.kill("b")
        await nodes.until(world, lambda: client.events, within_ms=200)
        assert client.events == [ENDED]
        assert client.data == b"taken by the kernel"
        client.stream.write([b"too late"])
        await nodes.until(world, lambda: client.events == [ENDED, CLOSED], within_ms=200)
        assert isinstance(client.error, ConnectionLost)
        assert server.events == [], "the dead are told nothing"

    TwoNodes(seed).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_killed_process_that_had_not_read_everything_resets(seed: int) -> None:
    """Unread bytes make a kernel answer with a reset instead of an end; what was queued in the process is lost."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        server.stream.pause_reading()
        server.stream.write([bytes(LARGE)])
        client.stream.write([b"unread"])
        await world.clock.sleep(1_000)
        nodes.simulation.kill("b")
        await nodes.until(world, lambda: client.events, within_ms=1_000)
        assert client.events == [CLOSED]
        assert isinstance(client.error, ConnectionLost)
        assert len(client.data) < LARGE or not server.stream.unsent_bytes()

    TwoNodes(seed).tell(story)


@pytest.mark.parametrize("ending", ["kill", "crash"])
def test_listeners_die_with_their_life(ending: str) -> None:
    """A dead process refuses connections, a dead machine does not answer; a new life has the port again at once."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        getattr(nodes.simulation, ending)("b")
        nodes.listener = None
        expected = {"kill": "b:9092 refuses", "crash": "b:9092 has not answered"}[ending]
        with pytest.raises(ConnectFailed, match=expected):
            await nodes.connect(timeout_ms=2_000)
        nodes.simulation.restart("b")
        await nodes.until(world, lambda: nodes.listener is not None)
        await nodes.pair(world)

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_peers_of_a_machine_without_power_are_told_nothing(seed: int) -> None:
    """They stay half-open; what they write stands still, and is answered by a reset once the machine is back."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, _ = await nodes.pair(world)
        idle, _ = await nodes.pair(world)
        nodes.simulation.crash("b")
        await world.clock.sleep(5_000)
        client.stream.write([b"are you there?"])
        await world.clock.sleep(20_000)
        assert client.events == idle.events == []
        nodes.simulation.restart("b")
        await nodes.until(world, lambda: client.events, within_ms=2_200)
        assert client.events == [CLOSED]
        assert isinstance(client.error, ConnectionLost)
        await world.clock.sleep(60_000)
        assert idle.events == [], "who says nothing hears nothing"
        idle.stream.write([b"and you?"])
        await nodes.until(world, lambda: idle.events == [CLOSED], within_ms=200)

    TwoNodes(seed).tell(story)


def test_a_machine_that_never_comes_back_is_given_up() -> None:
    """Whoever waits for an acknowledgement of the dead ends the connection after minutes."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, _ = await nodes.pair(world)
        nodes.simulation.crash("b")
        client.stream.write([b"are you there?"])
        await nodes.until(world, lambda: client.events, within_ms=nodes.network.give_up_ms + 1_000)
        assert client.events == [CLOSED]
        assert "has not answered for 120 s" in str(client.error)

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_sender_that_was_held_up_learns_of_the_death_too(seed: int) -> None:
    """A window that was shut when the machine lost power is probed, and the answer is a reset."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        server.stream.pause_reading()
        client.stream.write([bytes(LARGE)])
        await world.clock.sleep(1_000)
        assert client.stream.unsent_bytes() > 0
        nodes.simulation.crash("b")
        await world.clock.sleep(10_000)
        nodes.simulation.restart("b")
        await nodes.until(world, lambda: client.events[-1:] == [CLOSED], within_ms=3_000)

    TwoNodes(seed).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_client_whose_machine_lost_power_leaves_a_half_open_server(seed: int) -> None:
    """The accepting side is told nothing either, and what was never sent never arrives."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        server.stream.pause_reading()
        client.stream.write([bytes(LARGE)])
        await world.clock.sleep(1_000)
        nodes.simulation.crash("a")
        nodes.simulation.restart("a")
        server.stream.resume_reading()
        await world.clock.sleep(60_000)
        assert server.events == []
        assert 0 < len(server.data) < LARGE
        server.stream.write([b"more, please"])
        await nodes.until(world, lambda: server.events == [CLOSED])

    TwoNodes(seed).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_kernel_of_a_paused_process_goes_on(seed: int) -> None:
    """Connections come about and buffers fill while a process stands still; it finds it all when it goes on."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.simulation.pause("b")
        client.stream.write([bytes(LARGE)])
        another = await nodes.connect(timeout_ms=1_000)
        another.stream.write([b"in the backlog"])
        await world.clock.sleep(30_000)
        assert 0 < client.stream.unsent_bytes() < LARGE
        assert client.events == [PAUSED]
        assert len(nodes.accepted) == 1
        assert server.data == b""
        nodes.simulation.resume("b")
        await nodes.until(world, lambda: len(client.data) == LARGE and another.data == b"in the backlog")
        assert client.events == [PAUSED, RESUMED]

    TwoNodes(seed, make=Echo).tell(story)


def test_a_paused_process_has_a_backlog_and_no_more() -> None:
    """When the backlog is full nobody is answered, until somebody is accepted."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.simulation.pause("b")
        for _ in range(3):
            await nodes.connect(timeout_ms=1_000)
        with pytest.raises(ConnectFailed, match="has not answered"):
            await nodes.connect(timeout_ms=4_000)
        nodes.simulation.resume("b")
        await nodes.until(world, lambda: len(nodes.accepted) == 3)
        await nodes.connect(timeout_ms=1_000)

    TwoNodes(1, backlog=2).tell(story)


def test_what_was_not_accepted_is_reset_when_the_process_dies() -> None:
    """A connection in the backlog of a dead process is broken, not left standing."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.simulation.pause("b")
        client = await nodes.connect()
        nodes.simulation.kill("b")
        await nodes.until(world, lambda: client.events == [CLOSED], within_ms=200)
        assert isinstance(client.error, ConnectionLost)

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_connections_can_be_reset_from_outside(seed: int) -> None:
    """Both ends of every connection between two nodes lose it; what was received before stays received."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        pairs = [await nodes.pair(world) for _ in range(3)]
        for client, _ in pairs:
            client.stream.write([b"before"])
        await nodes.until(world, lambda: all(server.data for _, server in pairs))
        assert nodes.network.reset_connections("b", "a") == 3
        ends = [end for pair in pairs for end in pair]
        await nodes.until(world, lambda: all(end.events == [CLOSED] for end in ends), within_ms=100)
        assert {type(end.error) for end in ends} == {ConnectionLost}
        assert nodes.network.reset_connections("b", "a") == 0
        await nodes.pair(world)

    nodes = TwoNodes(seed)
    nodes.tell(story)
    assert nodes.simulation.struck["reset"] == 3


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reset_chance_breaks_some_connections(seed: int) -> None:
    """With a chance of a tenth for each segment some connections survive ten messages, and others do not."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.network.set_reset_chance("a", "b", 0.1)
        clients = [await nodes.connect() for _ in range(40)]
        for _ in range(10):
            for client in clients:
                client.stream.write([b"x"])
            await world.clock.sleep(100)
        lost = sum(CLOSED in client.events for client in clients)
        assert 0 < lost < 40
        assert nodes.simulation.struck["reset"] == lost

    TwoNodes(seed).tell(story)


def test_who_neither_reads_nor_writes_does_not_learn_of_a_reset() -> None:
    """As on a real machine: an end that has paused reading is told when it reads again, or when it writes."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        for action in ("resume_reading", "write"):
            client, server = await nodes.pair(world)
            server.stream.pause_reading()
            client.stream.abort()
            await world.clock.sleep(1_000)
            assert server.events == []
            getattr(server.stream, action)(*([[b"x"]] if action == "write" else []))
            await nodes.until(world, lambda server=server: server.events == [CLOSED], within_ms=100)  # type: ignore[misc]
            assert isinstance(server.error, ConnectionLost)

    TwoNodes(1).tell(story)


def test_who_has_something_to_send_learns_of_a_reset_at_once() -> None:
    """An end that reads nothing, but waits for room to send, is told: its socket reports an error to whoever writes."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        client.stream.pause_reading()
        server.stream.pause_reading()
        server.stream.write([bytes(LARGE)])
        await world.clock.sleep(100)
        client.stream.abort()
        await nodes.until(world, lambda: server.events[-1:] == [CLOSED], within_ms=100)
        assert isinstance(server.error, ConnectionLost)

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_death_that_could_not_be_heard_is_learned_of_later(seed: int) -> None:
    """What a dead process answers with is lost in a partition; whoever has written is answered again afterwards."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, _ = await nodes.pair(world)
        nodes.network.partition("b", "a", one_way=True)
        nodes.simulation.kill("b")
        client.stream.write([b"anybody?"])
        await world.clock.sleep(10_000)
        assert client.events == []
        nodes.network.heal()
        await nodes.until(world, lambda: client.events[-1:] == [CLOSED], within_ms=5_000)

    TwoNodes(seed).tell(story)
