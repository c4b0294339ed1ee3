"""A server: who may come in, who has to go, what is counted, and how it starts and stops."""

from dataclasses import replace

import pytest

from ottla.errors import AddressInUse
from ottla.metrics.exposition import render
from ottla.metrics.names import attribute_name, metric_name
from ottla.network.limits import UNLIMITED, Limits, ListenerSettings, Mute
from ottla.protocol.api_keys import ApiKey
from ottla.world.api import Address
from ottla.world.simulated import SimulatedWorld
from tests.conformance.peers import CLOSED, ENDED
from tests.unit.network.ends import ANY, HELD, HOST, SIZED, SMALL, Client, Serving, question, run

OTHER = ListenerSettings("OTHER", ANY, buffers=SMALL)
NODES = ListenerSettings("NODES", ANY, buffers=SMALL, is_protected=True)


async def works(client: Client, number: int = 1) -> bool:
    """Whether a connection is served, or closed."""
    before = len(client.frames())
    await client.ask(question(SIZED, number))
    await client.until(lambda: len(client.frames()) > before or {CLOSED, ENDED} & set(client.events))  # type: ignore[arg-type, return-value]
    return len(client.frames()) > before


# Who may come in


def test_one_too_many_from_an_address_is_closed() -> None:
    """`max.connections.per.ip` counts connections of all listeners; one too many is closed, until another has gone."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_connections_per_ip=2), OTHER) as serving:
            first, second, third = await serving.client(), await serving.client("OTHER"), await serving.client()
            assert [await works(each) for each in (first, second, third)] == [True, True, False]
            first.stream.close()
            await first.until_event(CLOSED)
            await serving.until(lambda: len(list(serving.server.connections())) == 1)
            assert await works(await serving.client())
            assert serving.server.listeners["PLAIN"].figures.refused.count == 1

    run(main)


def test_an_address_may_have_a_limit_of_its_own() -> None:
    """`max.connections.per.ip.overrides` goes before the general limit; 0 lets nobody in."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_connections_per_ip=5, per_ip_overrides={HOST: 0})) as serving:
            assert not await works(await serving.client())

    run(main)


@pytest.mark.parametrize("of_listener", [True, False])
def test_a_full_listener_lets_newcomers_wait(of_listener: bool) -> None:
    """Where `max.connections` is reached, of a listener or in all, newcomers wait until somebody goes."""

    async def main(world: SimulatedWorld) -> None:
        limits = Limits() if of_listener else Limits(max_connections=2)
        async with Serving(world, limits, max_connections=2 if of_listener else 100) as serving:
            first, second = await serving.clients(2)
            assert [await works(first), await works(second)] == [True, True]
            third = await serving.client()
            await third.ask(question(SIZED, 3))
            await world.clock.sleep(1_000)
            assert (third.frames(), third.events) == ([], [])
            first.stream.close()
            assert await third.until_answered(1) == [3]
            assert serving.server.listeners["PLAIN"].figures.refused.count == 0

    run(main)


@pytest.mark.parametrize("of_listener", [True, False])
def test_connections_that_come_too_fast_wait(of_listener: bool) -> None:
    """With `max.connection.creation.rate`, of a listener or of all, so many a second are served; nobody is refused."""

    async def main(world: SimulatedWorld) -> None:
        limits = Limits() if of_listener else Limits(max_creation_rate=10)
        async with Serving(world, limits, OTHER, max_creation_rate=10 if of_listener else UNLIMITED) as serving:
            begun_ms = world.clock.monotonic_ms()
            clients = await serving.clients(60)
            for client in clients:
                assert await works(client)
            took_ms = world.clock.monotonic_ms() - begun_ms
            assert 4_500 < took_ms < 6_500  # ten at once, the others at their rate
            assert serving.server.listeners["PLAIN"].figures.refused.count == 0
            assert await works(await serving.client("OTHER"))
            assert world.clock.monotonic_ms() - begun_ms - took_ms < (50 if of_listener else 1_000)
            serving.server.limit(Limits())
            serving.server.listeners["PLAIN"].limit(UNLIMITED, UNLIMITED)
            await world.clock.sleep(1_000)
            begun_ms = world.clock.monotonic_ms()
            assert [await works(client) for client in await serving.clients(30)] == [True] * 30
            assert world.clock.monotonic_ms() - begun_ms < 500

    run(main)


def test_other_nodes_do_not_wait_for_clients() -> None:
    """However fast clients come, the listener between nodes waits for its own rate alone."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_creation_rate=1), NODES) as serving:
            await serving.clients(5)
            begun_ms = world.clock.monotonic_ms()
            assert [await works(await serving.client("NODES")) for _ in range(5)] == [True] * 5
            assert world.clock.monotonic_ms() - begun_ms < 500

    run(main)


def test_the_limit_of_a_listener_is_its_own() -> None:
    """A full listener keeps nobody waiting elsewhere."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, None, OTHER, max_connections=1) as serving:
            await serving.client()
            assert [await works(await serving.client("OTHER")) for _ in range(3)] == [True] * 3

    run(main)


def test_other_nodes_are_never_kept_waiting_for_the_total() -> None:
    """On the listener of other nodes a newcomer above the total is let in, and the connection of another listener that
    has been idle longest is closed for it.
    """

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_connections=3), NODES) as serving:
            old, idle, busy = await serving.clients(3)
            for client in (old, idle, busy, old):
                assert await works(client)
                await world.clock.sleep(10)
            assert await works(await serving.client("NODES"))
            await idle.until_gone()
            assert serving.reasons() == {"ROOM": 1}
            assert [await works(old), await works(busy)] == [True, True]

    run(main)


def test_limits_are_changed_while_it_runs() -> None:
    """New limits count at once: a higher total lets in who waits, and a lower one for idleness closes who is idle."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(max_connections=1)) as serving:
            first, second = await serving.clients(2)
            await second.ask(question(SIZED, 1))
            await world.clock.sleep(100)
            assert second.frames() == []
            serving.server.limit(Limits(max_connections=2))
            await second.until_answered(1)
            serving.server.limit(Limits(idle_ms=1_000))
            await first.until_gone()
            serving.server.limit(Limits(max_unsent_bytes=4_000))
            await serving.until(lambda: not list(serving.server.connections()))
            serving.server.listeners["PLAIN"].limit(0, UNLIMITED)
            third = await serving.client()
            await third.ask(question(SIZED, 1))
            await world.clock.sleep(500)
            assert third.frames() == []
            serving.server.listeners["PLAIN"].limit(1, UNLIMITED)
            await third.until_answered(1)

    run(main)


# Who has to go


def test_idle_connections_are_closed() -> None:
    """After `connections.max.idle.ms` without a byte a connection is closed; who asks now and then stays."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(idle_ms=10_000)) as serving:
            idle, busy = await serving.clients(2)
            before_ms = world.clock.monotonic_ms()
            for number in range(4):
                assert await works(busy, number)
                await world.clock.sleep(4_000)
                if world.clock.monotonic_ms() < before_ms + 10_000:
                    assert idle.events == []
            await idle.until_gone()
            assert await works(busy)
            assert serving.reasons() == {"IDLE": 1}

    run(main)


def test_who_waits_for_an_answer_is_not_idle() -> None:
    """A fetch that waits for longer than `connections.max.idle.ms` is not taken for an idle connection."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(idle_ms=5_000)) as serving:
            client = await serving.client()
            await client.ask(question(HELD, 1))
            await world.clock.sleep(60_000)
            serving.service.answer_held()
            assert await client.until_answered(1) == [1]

    run(main)


def test_who_reads_nothing_for_the_idle_time_is_ended() -> None:
    """A peer that takes none of its answers for `connections.max.idle.ms` is cut off; one that reads slowly is not."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(idle_ms=5_000, max_unsent_bytes=10_000)) as serving:
            serving.service.size_bytes = 30_000
            stuck, slow = await serving.clients(2)
            for client in (stuck, slow):
                client.stream.pause_reading()
                await client.ask(*(question(SIZED, number) for number in range(200)))
            for _ in range(60):
                await world.clock.sleep(500)
                had = len(slow.data)
                slow.stream.resume_reading()
                await slow.until(lambda had=had: len(slow.data) > had)  # type: ignore[misc]
                slow.stream.pause_reading()
            assert serving.reasons() == {"STUCK": 1}
            assert slow.events == []
            assert len(list(serving.server.connections())) == 1

    run(main)


def test_without_an_idle_time_nobody_is_closed() -> None:
    """A negative `connections.max.idle.ms` closes nobody."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(idle_ms=-1)) as serving:
            client = await serving.client()
            await world.clock.sleep(24 * 3_000_000)
            assert await works(client)

    run(main)


# Memory


def test_parts_of_large_requests_wait_while_there_is_no_room() -> None:
    """Above `queued.max.request.bytes` who sends large requests waits, all but one; small requests are served, and in
    the end the large ones are as well.
    """

    async def main(world: SimulatedWorld) -> None:
        limits = Limits(queued_request_bytes=300_000)
        async with Serving(world, limits) as serving:
            serving.service.other = {HELD: lambda request: request.answer_nothing()}
            senders = await serving.clients(8)
            large = question(HELD, 1)[4:] + bytes(400_000)
            whole = len(large).to_bytes(4, "big") + large
            most = 0
            for sender in senders:
                sender.stream.write([whole[:-1]])
            for _ in range(300):
                await world.clock.sleep(10)
                most = max(most, serving.server.memory.held_bytes)
            assert serving.server.memory.waiting > 0
            assert most < 300_000 + 8 * 140_000
            assert await works(await serving.client())
            for sender in senders:
                sender.stream.write([whole[-1:]])
            await serving.until(lambda: len(serving.service.served) == 9)
            await serving.until(lambda: serving.server.memory.held_bytes == 0)

    run(main)


def test_whoever_blocks_memory_is_ended() -> None:
    """The one sender that is let through while others wait is cut off if it brings nothing to an end for 30 s."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, Limits(queued_request_bytes=100_000)) as serving:
            serving.service.other = {HELD: lambda request: request.answer_nothing()}
            first, second = await serving.clients(2)
            large = question(HELD, 1)[4:] + bytes(200_000)
            first.stream.write([len(large).to_bytes(4, "big") + large[:-1]])
            await serving.until(lambda: serving.server.memory.held_bytes > 200_000)
            second.stream.write([len(large).to_bytes(4, "big") + large])
            await world.clock.sleep(20_000)
            assert serving.service.served == []
            await first.until_gone()
            await serving.until(lambda: serving.service.served == [1])
            assert serving.reasons() == {"MEMORY": 1}

    run(main)


# What is counted


def test_figures_have_kafkas_names() -> None:
    """Requests by API and version, their times and sizes, and what went over a listener, as dashboards know them."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            client = await serving.client()
            await client.ask(question(SIZED, 1), question(SIZED, 2, version=0), question(HELD, 3))
            await client.until_answered(2)
            await world.clock.sleep(50)
            serving.service.answer_held()
            await client.until_answered(3)
            metrics = serving.metrics

            def value(name: str, **tags: str) -> object:
                return metrics.get(metric_name("kafka.network", "RequestMetrics", name, **tags))

            assert value("RequestsPerSec", request="Metadata", version="0").count == 1  # type: ignore[attr-defined]
            assert value("RequestsPerSec", request="Metadata", version="13").count == 1  # type: ignore[attr-defined]
            assert value("TotalTimeMs", request="Heartbeat").snapshot().max in range(45, 60)  # type: ignore[attr-defined]
            assert value("RemoteTimeMs", request="Heartbeat").snapshot().max in range(45, 60)  # type: ignore[attr-defined]
            assert value("LocalTimeMs", request="Heartbeat").snapshot().max < 5  # type: ignore[attr-defined]
            assert value("RequestBytes", request="Metadata").count == 2  # type: ignore[attr-defined]
            tags = {"listener": "PLAIN", "networkProcessor": "0"}

            def listened(name: str) -> float:
                found = metrics.get(attribute_name("kafka.server", "socket-server-metrics", name, **tags))
                assert found is not None
                return found.attributes().popitem()[1]

            assert listened("connection-count") == listened("connection-creation-total") == 1
            assert listened("response-total") == listened("request-total") == 3
            assert listened("outgoing-byte-total") == len(client.data)
            await world.clock.sleep(10_000)
            assert listened("request-rate") == pytest.approx(3 / 5, rel=0.3)
            assert "kafka_server_socket_server_metrics_connection_count{" in "".join(render(metrics))

    run(main)


def test_a_server_takes_its_gauges_with_it() -> None:
    """After stop a new server can count under the same names."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            names = set(dict(serving.metrics.snapshot()))
        assert len(dict(serving.metrics.snapshot())) < len(names)
        again = Serving(world)
        again.server = type(serving.server)(
            world, [again.settings], again.service, again.service.report, metrics=serving.metrics
        )
        async with again:
            assert await works(await again.client())
            assert names <= set(dict(serving.metrics.snapshot()))

    run(main)


# Starting and stopping


def test_who_comes_before_the_server_serves_waits() -> None:
    """Ports are bound first, so that others can be told of them; who connects is served once the listener is."""

    async def main(world: SimulatedWorld) -> None:
        serving = Serving(world, None, OTHER)
        await serving.server.bind()
        client, other = await serving.client(), await serving.client("OTHER")
        await client.ask(question(SIZED, 1))
        await other.ask(question(SIZED, 2))
        await world.clock.sleep(1_000)
        assert serving.service.served == []
        serving.server.accept("OTHER")
        assert await other.until_answered(1) == [2]
        assert client.frames() == []
        serving.server.accept("PLAIN")
        assert await client.until_answered(1) == [1]
        await serving.server.stop()

    run(main)


def test_if_one_port_cannot_be_had_none_is_kept() -> None:
    """A listener that cannot be bound fails the start, and gives back the ports of those before it."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world) as serving:
            taken = serving.server.listeners["PLAIN"].address
            first = Address(HOST, taken.port + 1_000)
            failing = Serving(world, None, replace(OTHER, address=taken), address=first)
            with pytest.raises(AddressInUse, match=str(taken.port)):
                await failing.server.start()
            async with Serving(world, address=first) as again:
                assert await works(await again.client())

    run(main)


def test_stopping_answers_what_is_in_flight() -> None:
    """A server that stops takes no more connections, serves nothing new, and answers what it has begun."""

    async def main(world: SimulatedWorld) -> None:
        serving = Serving(world)
        await serving.server.start()
        busy, idle = await serving.clients(2)
        await busy.ask(question(HELD, 1), question(HELD, 2))
        await serving.until(lambda: len(serving.service.held) == 2)
        connection = serving.connection()
        stopping = world.spawn(serving.server.stop(), "stop")
        await idle.until_gone()
        assert connection.muted == Mute.STOPPING
        await busy.ask(question(HELD, 3))
        await world.clock.sleep(1_000)
        serving.service.answer_held(1, 0)
        assert (await busy.until_answered(2))[:2] == [1, 2]
        await stopping
        assert len(serving.service.held) == 2
        assert serving.reasons() == {"STOPPED": 2}

    run(main)


def test_stopping_takes_a_bounded_time() -> None:
    """What is not answered within the grace, or not read, is cut off, and nothing is left."""

    async def main(world: SimulatedWorld) -> None:
        serving = Serving(world, Limits(max_unsent_bytes=10_000))
        serving.service.size_bytes = 50_000
        await serving.server.start()
        waiting, stuck = await serving.clients(2)
        stuck.stream.pause_reading()
        await waiting.ask(question(HELD, 1))
        await stuck.ask(*(question(SIZED, number) for number in range(10)))
        await serving.until(lambda: len(serving.service.served) > 1)
        before_ms = world.clock.monotonic_ms()
        await serving.server.stop(2_000)
        assert world.clock.monotonic_ms() - before_ms in range(2_000, 2_100)
        assert list(serving.server.connections()) == []
        serving.service.answer_held()

    run(main)


def test_control_goes_first_on_the_controllers_listener() -> None:
    """Everything on a control listener overtakes data of others."""

    async def main(world: SimulatedWorld) -> None:
        async with Serving(world, None, replace(OTHER, is_control=True)) as serving:
            await serving.client("OTHER")
            plain = await serving.client()
            await plain.ask(question(HELD, 1))
            await serving.until(lambda: bool(serving.service.held))
            assert not serving.connection(0).next_is_control()
            assert serving.connection(1).next_is_control()
            assert ApiKey.HEARTBEAT is HELD

    run(main)
