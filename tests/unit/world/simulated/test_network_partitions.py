"""Links that are cut, clogged, slow or narrow, and what becomes of the connections over them."""

import pytest

from ottla.errors import ConnectFailed, ConnectionLost
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, ENDED
from tests.unit.world.simulated.two_nodes import LARGE, Echo, TwoNodes

SEEDS = range(8)


async def _idle(world: SimulatedWorld) -> None:
    await world.future()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_partition_stalls_a_connection_and_healing_goes_on_with_it(seed: int) -> None:
    """While two nodes cannot reach each other nothing arrives; afterwards everything does, once and in order."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        client.stream.write([b"before,"])
        await nodes.until(world, lambda: server.data)
        nodes.network.partition("a", "b")
        client.stream.write([b"during,"])
        server.stream.write([b"back"])
        await world.clock.sleep(20_000)
        assert (bytes(server.data), bytes(client.data)) == (b"before,", b"")
        assert client.events == server.events == []
        nodes.network.heal("a", "b")
        client.stream.write([b"after"])
        await nodes.until(world, lambda: len(server.data) == 19 and len(client.data) == 4, within_ms=2_100)
        assert (bytes(server.data), bytes(client.data)) == (b"before,during,after", b"back")

    nodes = TwoNodes(seed)
    nodes.tell(story)
    assert nodes.simulation.struck["partition"] == 1
    assert [line.split()[2] for line in nodes.simulation.trace.lines() if " network " in line] == ["partition", "heal"]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_stands_still_too_long_is_given_up_by_whoever_sent_it(seed: int) -> None:
    """The sender's kernel ends the connection after minutes without an acknowledgement; an idle end never learns."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b")
        client.stream.write([b"anybody?"])
        await world.clock.sleep(nodes.network.give_up_ms - 1_000)
        assert client.events == []
        await nodes.until(world, lambda: client.events, within_ms=2_000)
        assert client.events == [CLOSED]
        assert isinstance(client.error, ConnectionLost)
        nodes.network.heal()
        await world.clock.sleep(10_000)
        assert server.events == []
        server.stream.write([b"still here"])
        await nodes.until(world, lambda: server.events == [CLOSED])
        assert isinstance(server.error, ConnectionLost)

    TwoNodes(seed).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_one_way_partition_lets_the_other_direction_through(seed: int) -> None:
    """What the healthy direction carries arrives without being acknowledged: its sender fills up, then gives up."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b", one_way=True)
        client.stream.write([b"lost"])
        server.stream.write([b"heard"])
        await nodes.until(world, lambda: client.data == b"heard", within_ms=1_000)
        server.stream.write([bytes(LARGE)])
        await world.clock.sleep(30_000)
        assert server.data == b""
        assert 0 < len(client.data) - 5 < LARGE
        assert server.stream.unsent_bytes() > 0
        nodes.network.heal("a")
        await nodes.until(world, lambda: len(client.data) == 5 + LARGE and server.data == b"lost")
        nodes.network.partition("a", "b", one_way=True)
        server.stream.write([b"heard, and not acknowledged"])
        await nodes.until(world, lambda: server.events[-1:] == [CLOSED], within_ms=nodes.network.give_up_ms + 1_000)
        assert client.data.endswith(b"heard, and not acknowledged")

    TwoNodes(seed).tell(story)


def test_what_is_not_acknowledged_fills_the_senders_buffer() -> None:
    """Though all of it arrives and is read, a sender that hears nothing back holds no more than its kernel may."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b", one_way=True)
        for _ in range(200):
            server.stream.write([bytes(1_000)])
            await world.clock.sleep(20)
        assert len(client.data) == 65_536
        assert server.stream.unsent_bytes() == 200_000 - 65_536
        nodes.network.heal()
        await nodes.until(world, lambda: len(client.data) == 200_000, within_ms=4_000)

    TwoNodes(1).tell(story)


def test_going_on_takes_a_retransmission() -> None:
    """A healed connection goes on when a timer of TCP's runs out: some at once, some after up to two seconds."""
    durations_ms: list[int] = []

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b")
        client.stream.write([b"x"])
        await world.clock.sleep(10_000)
        nodes.network.heal()
        start_ms = world.clock.monotonic_ms()
        await nodes.until(world, lambda: server.data, within_ms=3_000)
        durations_ms.append(world.clock.monotonic_ms() - start_ms)

    for seed in range(20):
        TwoNodes(seed).tell(story)
    assert min(durations_ms) < 500
    assert 1_500 < max(durations_ms) <= 2_030


def test_a_refusal_that_is_lost_comes_again() -> None:
    """A port that nobody has is known to refuse as soon as its host can be heard again."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        async def heal() -> None:
            await world.clock.sleep(3_000)
            nodes.network.heal()

        nodes.network.partition("b", "a", one_way=True)
        world.spawn(heal(), "heal")
        with pytest.raises(ConnectFailed, match="refuses"):
            await nodes.connect(port=1, timeout_ms=10_000)

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("one_way", [("a", "b"), ("b", "a")])
def test_new_connections_time_out_over_a_cut_link(one_way: tuple[str, str]) -> None:
    """Whichever direction is cut, connecting is not refused but takes all its time, and works after healing."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.network.partition(*one_way, one_way=True)
        before_ms = world.clock.monotonic_ms()
        with pytest.raises(ConnectFailed, match="b:9092 has not answered within 3000 ms"):
            await nodes.connect(timeout_ms=3_000)
        assert world.clock.monotonic_ms() - before_ms >= 2_999  # of a's own milliseconds it was 3,000
        assert nodes.accepted == []
        nodes.network.heal()
        await nodes.pair(world)
        await world.clock.sleep(10_000)
        assert len(nodes.accepted) == 1, "nothing is left of the first attempt"

    TwoNodes(1).tell(story)


def test_an_attempt_goes_on_when_the_link_heals_in_time() -> None:
    """A SYN that was lost is sent again."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.network.partition("a", "b")
        healing = world.spawn(_heal_later(nodes, world), "heal")
        await nodes.pair(world)
        await healing

    async def _heal_later(nodes: TwoNodes, world: SimulatedWorld) -> None:
        await world.clock.sleep(5_000)
        assert nodes.accepted == []
        nodes.network.heal()

    TwoNodes(1).tell(story)


def test_partitions_are_between_those_that_were_named() -> None:
    """Several nodes may stand on each side; whoever is on neither reaches all; healing one leaves the others cut."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        network = nodes.network
        nodes.simulation.start("c", _idle)
        network.partition(["a"], ["b", "c"])
        cut = {(x, y) for x in "abc" for y in "abc" if x != y and network.link(x, y).is_cut}
        assert cut == {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")}
        network.heal("a", "c")
        assert [network.link("a", node).is_cut for node in "bc"] == [True, False]
        network.heal("b")
        assert not network.link("a", "b").is_cut

    TwoNodes(1).tell(story)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clogged_link_delivers_nothing_and_then_everything(seed: int) -> None:
    """Held up is not lost: when the time is over all of it arrives at once, resets too."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.clog("a", "b", 4_000, one_way=True)
        nodes.network.clog("a", "b", 2_000)
        for number in range(10):
            client.stream.write([b"%d" % number])
            await world.clock.sleep(200)
        await world.clock.sleep(1_900)
        assert server.data == b""
        await nodes.until(world, lambda: server.data == b"0123456789", within_ms=120)
        nodes.network.clog("a", "b", 3_000)
        client.stream.abort()
        await world.clock.sleep(2_900)
        assert server.events == []
        await nodes.until(world, lambda: server.events == [CLOSED], within_ms=120)

    nodes = TwoNodes(seed)
    nodes.tell(story)
    assert nodes.simulation.struck["clog"] == 3


def test_a_reset_that_is_lost_is_not_sent_again() -> None:
    """Whoever aborts behind a partition leaves a half-open peer, which learns of it when it writes."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b")
        client.stream.abort()
        await world.clock.sleep(5_000)
        nodes.network.heal()
        await world.clock.sleep(10_000)
        assert server.events == []
        server.stream.write([b"hello?"])
        await nodes.until(world, lambda: server.events == [CLOSED])
        assert isinstance(server.error, ConnectionLost)

    TwoNodes(1).tell(story)


def test_an_end_is_sent_until_it_arrives() -> None:
    """Whoever closes behind a partition is done; its kernel sees to it that the peer gets the bytes and the end."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.partition("a", "b")
        client.stream.write([b"last words"])
        client.stream.close()
        await nodes.until(world, lambda: client.events == [CLOSED])
        nodes.network.heal()
        await nodes.until(world, lambda: server.events == [ENDED])
        assert server.data == b"last words"

    TwoNodes(1).tell(story)


def test_latency_is_how_long_a_way_takes() -> None:
    """With a hundred milliseconds each way, an answer takes two hundred."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        nodes.network.set_latency("a", "b", 100)
        client, _ = await nodes.pair(world)
        before_ms = world.clock.monotonic_ms()
        client.stream.write([b"echo"])
        await nodes.until(world, lambda: client.data == b"echo", within_ms=1_000)
        assert 200 <= world.clock.monotonic_ms() - before_ms <= 203

    TwoNodes(1, make=Echo).tell(story)


def test_bandwidth_bounds_what_gets_through() -> None:
    """A million bytes at a hundred thousand a second take ten seconds."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        nodes.network.set_bandwidth("a", "b", 100_000)
        before_ms = world.clock.monotonic_ms()
        client.stream.write([bytes(LARGE)])
        await nodes.until(world, lambda: len(server.data) == LARGE)
        assert 9_900 <= world.clock.monotonic_ms() - before_ms <= 11_000

    TwoNodes(1).tell(story)


def test_figures_say_what_arrived() -> None:
    """A link counts the bytes and segments that have arrived over it, in its own direction."""

    async def story(nodes: TwoNodes, world: SimulatedWorld) -> None:
        client, server = await nodes.pair(world)
        client.stream.write([bytes(1_000)])
        server.stream.write([bytes(50)])
        await nodes.until(world, lambda: len(server.data) == 1_000 and len(client.data) == 50)
        there, back = nodes.network.figures("a", "b"), nodes.network.figures("b", "a")
        assert (there.bytes, back.bytes) == (1_000, 50)
        assert there.segments >= 1 <= back.segments
        assert nodes.network.totals().bytes == 1_050

    TwoNodes(1).tell(story)
