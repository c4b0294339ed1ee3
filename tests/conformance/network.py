"""What every network must do to bring connections about. What goes over them is in tests/conformance/streams.py.

All of it happens on one node, on its loopback address. TLS is for the real world's own tests.
"""

import pytest

from ottla.errors import AddressInUse, ConnectFailed
from ottla.world.api import Address, Stream, World
from ottla.world.tasks import Cancelled
from tests.conformance import Run
from tests.conformance.peers import CLOSED, ENDED, HOST, QUIET_MS, Accepting, Echo, Pair, Recorder, connected

ANY = Address(HOST, 0)
MOST_TRIES = 16  # a backlog of one holds fewer connections than this


class NetworkConformance:
    """Listening, connecting, and what stands in the way of it."""

    def test_a_listener_has_a_port_of_its_own(self, run: Run) -> None:
        """Port 0 is any free port, and the listener's address says which."""

        async def main(world: World) -> None:
            listeners = [await world.network.listen(ANY, Accepting(world)) for _ in range(3)]
            assert {listener.address.host for listener in listeners} == {HOST}
            assert len({listener.address.port for listener in listeners} - {0}) == 3
            for listener in listeners:
                await listener.close()

        run(main)

    def test_a_machine_knows_its_name(self, run: Run) -> None:
        """Whoever listens on every interface is reached by the name that its machine has for others."""

        async def main(world: World) -> None:
            listener = await world.network.listen(Address("", 0), Accepting(world))
            where = Address(await world.network.host_name(), listener.address.port)
            await world.network.connect(where, lambda stream: Recorder(world, stream))
            await listener.close()

        run(main)

    def test_both_ends_know_the_addresses(self, run: Run) -> None:
        """One end's own address is its peer's address at the other end; plain connections have no certificate."""

        async def main(world: World) -> None:
            pair = await connected(world)
            client, server = pair.client.stream, pair.server.stream
            assert client.peer == server.local == pair.listener.address
            assert client.local == server.peer
            assert client.local.host == HOST
            assert client.local.port not in {0, client.peer.port}
            assert client.peer_certificate is None
            assert server.peer_certificate is None
            await pair.close()

        run(main)

    def test_a_port_belongs_to_one_listener(self, run: Run) -> None:
        """A second listener on a port is AddressInUse, which names the address; the first one goes on."""

        async def main(world: World) -> None:
            pair = await connected(world)
            with pytest.raises(AddressInUse, match=str(pair.listener.address)):
                await world.network.listen(pair.listener.address, Accepting(world))
            await world.network.connect(pair.listener.address, lambda stream: Recorder(world, stream))
            await pair.close()

        run(main)

    def test_nobody_there_is_connect_failed(self, run: Run) -> None:
        """A connection to a port that nobody listens on is refused: ConnectFailed, which names the address."""

        async def main(world: World) -> None:
            listener = await world.network.listen(ANY, Accepting(world))
            await listener.close()
            with pytest.raises(ConnectFailed, match=str(listener.address)):
                await world.network.connect(listener.address, lambda stream: Recorder(world, stream))

        run(main)

    def test_an_unknown_host_is_connect_failed(self, run: Run) -> None:
        """A name without an address is ConnectFailed, which says the name."""

        async def main(world: World) -> None:
            with pytest.raises(ConnectFailed, match="no-such-host"):
                await world.network.connect(
                    Address("no-such-host.invalid", 9092), lambda stream: Recorder(world, stream)
                )

        run(main)

    def test_a_connection_waits_in_the_backlog_of_a_paused_listener(self, run: Run) -> None:
        """A paused listener accepts nothing; who connects meanwhile may write, and is served after resume."""

        async def main(world: World) -> None:
            accepting = Accepting(world, Echo)
            listener = await world.network.listen(ANY, accepting)
            listener.pause()
            listener.pause()
            ends: list[Recorder] = []

            def receiver(stream: Stream) -> Recorder:
                ends.append(Recorder(world, stream))
                return ends[0]

            stream = await world.network.connect(listener.address, receiver)
            stream.write([b"early"])
            await world.clock.sleep(QUIET_MS)
            assert accepting.accepted == []
            listener.resume()
            assert await ends[0].until_data(5) == b"early"
            stream.close()
            await accepting.accepted[0].until_event(CLOSED)
            await listener.close()

        run(main)

    def test_a_peer_that_does_not_answer_is_connect_failed_in_time(self, run: Run) -> None:
        """Where the backlog is full nobody answers, and connecting ends with ConnectFailed when its time is over."""

        async def main(world: World) -> None:
            listener = await world.network.listen(ANY, Accepting(world), backlog=1)
            listener.pause()
            error, duration_ms = await _fill_backlog(world, listener.address)
            assert str(listener.address) in str(error)
            assert duration_ms >= 100
            await listener.close()

        run(main)

    def test_connecting_can_be_cancelled(self, run: Run) -> None:
        """Who waits for a connection may be cancelled; the receiver is never asked for."""

        async def main(world: World) -> None:
            listener = await world.network.listen(ANY, Accepting(world), backlog=1)
            listener.pause()
            await _fill_backlog(world, listener.address)
            asked: list[Stream] = []

            def receiver(stream: Stream) -> Recorder:
                asked.append(stream)
                return Recorder(world, stream)

            waiting = world.spawn(world.network.connect(listener.address, receiver), "connect")
            await world.clock.sleep(QUIET_MS)
            waiting.cancel()
            with pytest.raises(Cancelled):
                await waiting
            await world.clock.sleep(QUIET_MS)
            assert asked == []
            await listener.close()

        run(main)

    def test_a_closed_listener_leaves_its_connections_alone(self, run: Run) -> None:
        """Connections outlive their listener; new ones are refused, and the port can be had again at once."""

        async def main(world: World) -> None:
            pair = await connected(world, server=Echo)
            await pair.listener.close()
            await pair.listener.close()
            with pytest.raises(ConnectFailed):
                await world.network.connect(pair.listener.address, lambda stream: Recorder(world, stream))
            pair.client.stream.write([b"still there"])
            assert await pair.client.until_data(11) == b"still there"
            again = await world.network.listen(pair.listener.address, Accepting(world))
            assert again.address == pair.listener.address
            await again.close()
            await pair.close()

        run(main)

    def test_who_is_turned_away_is_told(self, run: Run) -> None:
        """An accept that returns None closes the connection, and nothing else."""

        async def main(world: World) -> None:
            accepting = Accepting(world, Echo)
            turned_away = 0

            def accept(stream: Stream) -> Recorder | None:
                nonlocal turned_away
                if turned_away < 2:
                    turned_away += 1
                    return None
                return accepting(stream)

            listener = await world.network.listen(ANY, accept)
            ends: list[Recorder] = []

            def receiver(stream: Stream) -> Recorder:
                ends.append(Recorder(world, stream))
                return ends[-1]

            for _ in range(3):
                await world.network.connect(listener.address, receiver)
                ends[-1].stream.write([b"hello"])
            await ends[0].until_gone()
            await ends[1].until_gone()
            assert await ends[2].until_data(5) == b"hello"
            assert ends[0].data == ends[1].data == b""
            await Pair(ends[2], accepting.accepted[0], listener).close()

        run(main)

    def test_accept_may_greet(self, run: Run) -> None:
        """What is written inside of accept arrives; the client is told of it only after connect has returned."""

        async def main(world: World) -> None:
            accepting = Accepting(world)

            def accept(stream: Stream) -> Recorder:
                stream.write([b"welcome"])
                return accepting(stream)

            listener = await world.network.listen(ANY, accept)
            ends: list[Recorder] = []

            def receiver(stream: Stream) -> Recorder:
                ends.append(Recorder(world, stream))
                return ends[0]

            await world.network.connect(listener.address, receiver)
            assert ends[0].data == b""
            assert await ends[0].until_data(7) == b"welcome"
            await Pair(ends[0], (await accepting.until_accepted(1))[0], listener).close()

        run(main)

    def test_an_accept_that_raises_costs_its_connection(self, run: Run) -> None:
        """The connection is closed, the listener goes on, and whoever made the world is told."""
        story: list[str] = []

        async def main(world: World) -> None:
            accepting = Accepting(world, Echo)

            def accept(stream: Stream) -> Recorder:
                if not story:
                    story.append("raised")
                    raise ValueError("sour accept")
                return accepting(stream)

            listener = await world.network.listen(ANY, accept)
            await world.network.connect(listener.address, lambda stream: Recorder(world, stream))
            pair = await world.network.connect(listener.address, lambda stream: Recorder(world, stream))
            await accepting.until_accepted(1)
            pair.close()

        with pytest.raises(ValueError, match="sour accept"):
            run(main)
        assert story == ["raised"]

    def test_many_connections_at_once(self, run: Run) -> None:
        """Every connection carries its own bytes."""

        async def main(world: World) -> None:
            accepting = Accepting(world, Echo)
            listener = await world.network.listen(ANY, accepting, backlog=128)

            async def client(number: int) -> None:
                ends: list[Recorder] = []

                def receiver(stream: Stream) -> Recorder:
                    ends.append(Recorder(world, stream))
                    return ends[0]

                stream = await world.network.connect(listener.address, receiver)
                for step in range(10):
                    message = b"%d of %d;" % (step, number)
                    stream.write([message])
                    assert (await ends[0].until_data(len(ends[0].data) + len(message))).endswith(message)
                stream.close()
                await ends[0].until_event(CLOSED)
                assert ends[0].error is None

            async with world.group() as group:
                for number in range(50):
                    group.spawn(client(number), f"client {number}")
            for receiver in accepting.accepted:
                await receiver.until_event(CLOSED)
                assert receiver.events == [ENDED, CLOSED]
            await listener.close()

        run(main)


async def _fill_backlog(world: World, address: Address) -> tuple[ConnectFailed, int]:
    """Connect until nobody answers any more; how that failed, and how long it took."""
    for _ in range(MOST_TRIES):
        start = world.clock.monotonic_ms()
        try:
            await world.network.connect(address, lambda stream: Recorder(world, stream), timeout_ms=100)
        except ConnectFailed as error:
            return error, world.clock.monotonic_ms() - start
    raise AssertionError(f"{MOST_TRIES} connections in a backlog of one")
